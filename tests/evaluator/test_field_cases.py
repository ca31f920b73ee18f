"""The field's faults in judging and scoring, made impossible (cases F35 to F44, parts F and H)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from core.checklist import ChecklistItem
from core.evaluation import Score, Verdict
from core.trajectory import StopReason, Trajectory
from evaluator.matching import MatchingChecker, match
from evaluator.scoring import score
from tests.evaluator import facts as f
from tests.evaluator.records import item, trajectory, verdict

MEAN_SENTENCE = "Carrier 03's mean departure delay is 20.0 minutes."


def check(items: Sequence[ChecklistItem], given: Trajectory) -> list[Verdict]:
    async def collect() -> list[Verdict]:
        checker = MatchingChecker(f.CARRIERS)
        return [verdict async for verdict in checker.check(items, given, evaluation_id="e")]

    return asyncio.run(collect())


def message_score(items: Sequence[ChecklistItem], runs: Sequence[Trajectory]) -> Score:
    verdicts = [each for run in runs for each in check(items, run)]
    return score("x", items, runs, verdicts, f.CARRIERS)[0]


@pytest.mark.parametrize(
    "text",
    [
        "Carrier 03's mean departure delay of 20.0 is incorrect.",
        "INCORRECT: carrier 03's mean departure delay is 20.0 minutes.",
        "It is untrue that carrier 03's mean departure delay is 20.0 minutes.",
    ],
)
def test_f35_correct_is_not_found_inside_incorrect(text: str) -> None:
    assert f.judge(f.MEAN, text).label == "contradicted"


def test_f36_a_letter_or_label_in_prose_is_no_verdict() -> None:
    for text in ("GRADE: C. Carrier 03.", "supported", "Carrier 03: CORRECT_INFO"):
        assert f.judge(f.MEAN, text).label == "insufficient"


def test_f37_whatever_cannot_be_judged_is_a_bucket_of_its_own() -> None:
    items = [item("a", "03", f.MEAN), item("b", "03")]
    found = message_score(items, [trajectory(messages=[(1, MEAN_SENTENCE)])])
    assert (found.supported, found.unscored, found.items) == (1, 1, 2)


def test_f39_a_silent_entity_scores_0_and_stays_in() -> None:
    items = [item("a", "03", f.MEAN), item("z", "04", f.MEAN)]
    runs = [trajectory("03", messages=[(1, MEAN_SENTENCE)]), trajectory("04")]
    found = message_score(items, runs)
    assert (found.strict, found.coverage, found.insufficient) == (0.5, 1.0, 1)


def test_f39_an_all_failed_run_is_null_and_not_0() -> None:
    runs = [trajectory("03", stop_reason=StopReason.PROVIDER_ERROR)]
    found = message_score([item("a", "03", f.MEAN)], runs)
    assert (found.strict, found.headline, found.coverage) == (None, None, 0.0)
    assert found.headline_reason is not None and "provider_error (1)" in found.headline_reason


def test_f41_the_arguments_cannot_be_swapped() -> None:
    with pytest.raises(TypeError):
        match(item("a", "03", f.MEAN), [], f.OWN, f.OTHERS)  # type: ignore[call-arg]


def test_f43_scoring_a_run_twice_gives_the_same_verdicts() -> None:
    items = [item("a", "03", f.MEAN), item("b", "03", f.JULY), item("c", "03", f.AGAINST)]
    given = trajectory(messages=[(1, MEAN_SENTENCE), (2, "Carrier 03 is late.")])
    assert check(items, given) == check(items, given)


def test_f44_evidence_and_turns_are_those_of_the_insight_that_supports() -> None:
    given = trajectory(
        messages=[(1, "Carrier 03 is late."), (4, f"So. {MEAN_SENTENCE} So."), (9, "So.")]
    )
    found = check([item("a", "03", f.MEAN)], given)[0]
    assert (found.supporting_turns, found.evidence) == ((4,), MEAN_SENTENCE)


def test_f53_five_items_are_dated_by_their_earliest_support() -> None:
    means = [
        f.signals((f"@t.metric_{name}",), 20.0)
        for name in ("kappa", "lambda", "sigma", "tau", "phi")
    ]
    items = [item(f"i{n}", "03", signals) for n, signals in enumerate(means)]
    said = {2: "kappa", 7: "lambda and sigma", 30: "tau", 31: "kappa"}
    messages = [
        (
            turn,
            " ".join(f"Carrier 03's mean metric {name} is 20.0." for name in names.split(" and ")),
        )
        for turn, names in said.items()
    ]
    found = [v.found_at_turn for v in check(items, trajectory(messages=messages))[:5]]
    assert found == [2, 7, 7, 30, None]


def test_h_an_empty_insight_keeps_its_turn_number() -> None:
    given = trajectory(messages=[(1, None), (2, None), (3, MEAN_SENTENCE)])
    assert check([item("a", "03", f.MEAN)], given)[0].supporting_turns == (3,)


def test_h_a_turn_beyond_one_hundred_counts() -> None:
    given = trajectory(messages=[(n, "Nothing.") for n in range(1, 164)] + [(164, MEAN_SENTENCE)])
    assert check([item("a", "03", f.MEAN)], given)[0].found_at_turn == 164


def test_h_a_providers_error_is_never_judged_as_a_report() -> None:
    given = trajectory(report=MEAN_SENTENCE, stop_reason=StopReason.PROVIDER_ERROR)
    assert {v.label for v in check([item("a", "03", f.MEAN)], given)} == {None}


def test_h_nine_silent_entities_of_ten_stay_in_the_denominator() -> None:
    carriers = f.CARRIERS[:10]
    items = [item(f"{each.id}-{n}", each.id) for each in carriers for n in range(10)]
    verdicts = [
        verdict(
            each.id,
            "supported" if each.id.startswith("01-") and each.id < "01-8" else "insufficient",
            trajectory_id=f"t-{each.entity_id}-1-1",
        )
        for each in items
    ]
    runs = [trajectory(each.id) for each in carriers]
    assert score("x", items, runs, verdicts, carriers)[0].strict == pytest.approx(0.08)
