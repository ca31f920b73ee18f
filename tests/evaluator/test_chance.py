"""What a constant answer is worth stands beside every closed score, which is corrected for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checklists.importers.ddr_bench import import_checklist
from core.checklist import ChecklistItem
from core.evaluation import Score, Verdict
from core.scenario import License
from core.trajectory import StopReason
from evaluator.chance import beyond, by_construct, chance, constants, guessed, kappa
from evaluator.scoring import score
from tests.evaluator.records import STEADY, entity, item, trajectory, verdict
from tests.support.needs import needs

OPTIONS = ("improved", "worsened", "remained the same")


def ask(item_id: str, entity_id: str, answer: str, construct: str = "mood") -> ChecklistItem:
    return item(item_id, entity_id, category=construct).model_copy(
        update={"kind": "closed", "options": OPTIONS, "answer": answer}
    )


ITEMS = [
    ask("a1", "a", "Worsened"),
    ask("a2", "a", "improved", "sleep"),
    ask("b1", "b", "worsened"),
    ask("b2", "b", "remained the same", "sleep"),
    ask("c1", "c", "worsened"),
    ask("c2", "c", "remained the same", "sleep"),
]
ENTITIES = [entity("a"), entity("b"), entity("c")]
RUNS = [trajectory("a"), trajectory("b"), trajectory("c")]


def test_the_constant_is_the_answer_that_is_right_most_often() -> None:
    assert set(constants(ITEMS).values()) == {"worsened"}


def test_of_equally_frequent_answers_the_first_option_is_given() -> None:
    tied = [ask("x", "a", "worsened"), ask("y", "b", "improved")]
    assert set(constants(tied).values()) == {"improved"}


def test_items_with_other_options_have_a_constant_of_their_own() -> None:
    other = ask("z", "a", "yes").model_copy(update={"options": ("no", "yes")})
    assert constants([*ITEMS, other])["z"] == "yes"


def test_by_construct_the_entity_itself_is_left_out() -> None:
    # Sleep: the others of a say 'same'; of b's others one says 'improved', one 'same'.
    found = by_construct(ITEMS)
    assert found["a2"] == "remained the same"
    assert found["b2"] == "improved"
    assert found["c2"] == "improved"
    assert found["a1"] == found["b1"] == found["c1"] == "worsened"
    assert by_construct(ITEMS[:2]) == {}


def test_a_guess_is_judged_without_a_judge() -> None:
    open_item = item("o", "a")
    broken = trajectory("c", stop_reason=StopReason.PROVIDER_ERROR)
    said = guessed(constants(ITEMS), [*ITEMS, open_item], [*RUNS[:2], broken])
    labels = {(v.item_id, v.level): v.label for v in said}
    assert labels["a1", "message"] == "supported"
    assert labels["a2", "trajectory"] == "contradicted"
    assert labels["o", "message"] == "insufficient"
    assert "c1" not in {name for name, _ in labels}
    scores = score("constant", ITEMS, [*RUNS[:2], broken], said, ENTITIES)
    assert scores[0].strict == pytest.approx(2 / 6)
    assert scores[0].unscored == 2


def judged(chosen: Sequence[str | None]) -> list[Verdict]:
    """Message-wise verdicts on ITEMS as these answers make them."""
    found = []
    for each, answer in zip(ITEMS, chosen, strict=True):
        truth = each.answer.casefold()
        label = "supported" if answer == truth else "contradicted"
        made = verdict(
            each.id,
            "insufficient" if answer in (None, "cannot tell") else label,  # type: ignore[arg-type]
            trajectory_id=f"t-{each.entity_id}-1-1",
        )
        found.append(made.model_copy(update={"chosen": answer}))
    return found


def test_a_closed_score_is_corrected_for_the_constant_and_for_the_answers_by_construct() -> None:
    said = judged(
        ["worsened", "improved", "worsened", "worsened", "cannot tell", "remained the same"]
    )
    (found, *_) = chance(
        ITEMS, RUNS, said, ENTITIES, lambda some: score("x", some, RUNS, said, ENTITIES)
    )
    assert (found.level, found.items, found.cannot_tell) == ("message", 6, 1)
    assert found.accuracy == pytest.approx(4 / 6)
    assert found.constant == pytest.approx(3 / 6)
    assert found.by_construct == pytest.approx(3 / 6)
    assert found.corrected == pytest.approx((4 / 6 - 1 / 2) / (1 / 2))
    # Expected: worsened 3*3, improved 1*1, same 2*1, of 36.
    assert found.kappa == pytest.approx((4 / 6 - 12 / 36) / (1 - 12 / 36))


def test_where_it_is_not_known_what_was_answered_there_is_no_kappa() -> None:
    said = judged([None] * 6)
    (found, *_) = chance(
        ITEMS, RUNS, said, ENTITIES, lambda some: score("x", some, RUNS, said, ENTITIES)
    )
    assert found.kappa is None
    assert found.corrected == pytest.approx(-1)


def test_without_closed_items_nothing_is_said_of_chance() -> None:
    assert chance([item("o", "a")], RUNS, [], ENTITIES, lambda _: []) == []


def test_a_constant_that_is_always_right_leaves_nothing_to_be_corrected() -> None:
    assert beyond(1.0, 1.0) is None
    assert beyond(0.4, 0.4) == 0


def test_a_textbook_kappa() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: (0.7 - 0.5) / (1 - 0.5).
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert kappa(pairs) == pytest.approx(0.4)
    assert kappa([("yes", "yes")]) is None
    assert kappa([]) is None


@STEADY
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(OPTIONS)), max_size=30))
def test_no_constant_beats_the_constant(answers: list[tuple[str, str]]) -> None:
    items = [ask(f"{n}", who, answer) for n, (who, answer) in enumerate(answers)]
    best = constants(items)
    hits = sum(best[each.id] == each.answer for each in items)
    assert hits == max((sum(i.answer == o for i in items) for o in OPTIONS), default=0)


@needs("test data")
def test_what_guessing_scores_on_the_official_list_of_wearables() -> None:
    path = Path(os.environ["DDR_TEST_DATA"]) / "ddr-bench" / "globem" / "qa.json"
    imported = import_checklist(
        path, scenario_id="wearables", entity_ids=None, license=License(name="theirs")
    )
    items = imported.checklist.items
    ids = list(dict.fromkeys(each.entity_id for each in items))
    entities, runs = [entity(each) for each in ids], [trajectory(each) for each in ids]
    said = guessed(constants(items), items, runs)

    def scores(some: Sequence[ChecklistItem]) -> list[Score]:
        return score("constant", some, runs, said, entities)

    found, _ = chance(items, runs, said, entities, scores)
    assert (found.items, len(ids)) == (435, 91)
    assert found.accuracy == found.constant == pytest.approx(174 / 435)
    assert found.by_construct is not None
    assert found.by_construct == pytest.approx(0.563, abs=0.0005)
    assert (found.corrected, found.kappa) == (0, 0)
    # The best published model: 41.61 % (Table 2).
    assert beyond(0.4161, found.constant) == pytest.approx(0.0268, abs=5e-5)
    assert beyond(0.4161, found.by_construct) == pytest.approx(-0.337, abs=0.002)
