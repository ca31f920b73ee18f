"""What no exploration would score: nothing, phrases, another entity's insights."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from core.checklist import ChecklistItem
from core.evaluation import Verdict
from core.trajectory import StopReason, Trajectory
from evaluator.baselines import GENERIC, blank, generic, no_shuffle_reason, shuffled
from evaluator.matching import MatchingChecker
from evaluator.scoring import score
from tests.evaluator import facts as f
from tests.evaluator.records import item, trajectory

FIVE = f.CARRIERS[:5]


def run(entity_id: str, value: float, **fields: object) -> Trajectory:
    """A trajectory whose insights state its entity's own mean."""
    sentence = f"Carrier {entity_id}'s mean departure delay is {value} minutes."
    return trajectory(
        entity_id,
        messages=[(2, sentence), (3, None)],
        report=sentence,
        start_prompt=f"Explore carrier {entity_id}.",
        **fields,  # type: ignore[arg-type]
    )


RUNS = [run(each.id, 10.0 * n) for n, each in enumerate(FIVE, 1)]
ITEMS = [
    item(f"i{each.id}", each.id, f.signals(f.DEPARTURE, 10.0 * n, "min"))
    for n, each in enumerate(FIVE, 1)
]


def verdicts(given: Sequence[Trajectory], items: Sequence[ChecklistItem] = ITEMS) -> list[Verdict]:
    async def collect() -> list[Verdict]:
        checker = MatchingChecker(f.CARRIERS)
        return [
            verdict
            for each in given
            async for verdict in checker.check(items, each, evaluation_id="e")
        ]

    return asyncio.run(collect())


def test_the_agents_own_insights_support_their_facts() -> None:
    assert {v.label for v in verdicts(RUNS)} == {"supported"}


def test_the_blank_baseline_hands_in_nothing_and_scores_0() -> None:
    empty = [blank(each) for each in RUNS]
    assert all(not each.insights and each.report is None for each in empty)
    assert {(v.label, v.gated) for v in verdicts(empty)} == {("insufficient", 0)}


def test_the_generic_baseline_hands_in_phrases_at_both_levels_and_scores_0() -> None:
    phrases = [generic(each) for each in RUNS]
    assert [i.text for i in phrases[0].message_insights] == list(GENERIC)
    assert phrases[0].report == " ".join(GENERIC)
    assert {v.label for v in verdicts(phrases)} == {"insufficient"}


def test_generic_phrases_hold_no_figure_and_no_name() -> None:
    words = " ".join(GENERIC)
    assert not any(sign.isdigit() for sign in words)
    assert not any(each.label in words for each in f.CARRIERS)


@pytest.mark.parametrize("make", [blank, generic])
def test_a_pseudo_trajectory_answers_for_its_recipient(make: object) -> None:
    pseudo = make(RUNS[0])  # type: ignore[operator]
    assert (pseudo.id, pseudo.entity_id) == (RUNS[0].id, RUNS[0].entity_id)
    assert all(insight.trajectory_id == RUNS[0].id for insight in pseudo.insights)


def test_five_rounds_give_everybody_the_insights_of_somebody_else() -> None:
    rounds = shuffled(RUNS, f.CARRIERS, seed=3)
    assert len(rounds) == 5
    for pseudo in rounds:
        assert [(t.id, t.entity_id) for t in pseudo] == [(t.id, t.entity_id) for t in RUNS]
        values = [t.report for t in pseudo]
        assert all(theirs != own.report for theirs, own in zip(values, RUNS, strict=True))
        assert len(set(values)) == len(RUNS)


def test_no_two_rounds_are_the_same() -> None:
    rounds = shuffled(RUNS, f.CARRIERS, seed=3)
    assert len({tuple(t.report for t in pseudo) for pseudo in rounds}) == 5


def test_the_donors_names_give_way_to_the_recipients() -> None:
    for pseudo in shuffled(RUNS, f.CARRIERS, seed=3):
        for each in pseudo:
            assert each.report is not None and f"Carrier {each.entity_id}'s" in each.report
            assert all(insight.trajectory_id == each.id for insight in each.insights)


def test_turns_and_empty_insights_are_the_donors() -> None:
    first = shuffled(RUNS, f.CARRIERS, seed=3)[0][0]
    assert [(i.turn, i.text is None) for i in first.message_insights] == [(2, False), (3, True)]


def test_shuffled_insights_pass_the_gate_and_support_nothing() -> None:
    found = verdicts(shuffled(RUNS, f.CARRIERS, seed=3)[0])
    assert all(v.gated >= 1 for v in found)
    assert not any(v.label == "supported" for v in found)


def test_the_same_seed_gives_the_same_rounds_and_another_seed_others() -> None:
    assert shuffled(RUNS, f.CARRIERS, seed=3) == shuffled(RUNS, f.CARRIERS, seed=3)
    assert shuffled(RUNS, f.CARRIERS, seed=3) != shuffled(RUNS, f.CARRIERS, seed=4)


def test_the_order_of_the_trajectories_does_not_matter_to_who_gets_what() -> None:
    forward = shuffled(RUNS, f.CARRIERS, seed=3)[0]
    backward = shuffled(RUNS[::-1], f.CARRIERS, seed=3)[0]
    assert forward == backward[::-1]


@pytest.mark.parametrize(("entities", "rounds"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 5)])
def test_there_are_no_more_rounds_than_ways_to_exchange(entities: int, rounds: int) -> None:
    assert len(shuffled(RUNS[:entities], f.CARRIERS, seed=3)) == rounds


def test_with_a_single_entity_there_is_a_reason_instead_of_a_baseline() -> None:
    reason = no_shuffle_reason(RUNS[:1])
    assert reason is not None and reason.startswith("only 1 of the entities")
    assert no_shuffle_reason(RUNS) is None


def test_what_broke_down_neither_gives_nor_gets() -> None:
    broken = run("06", 60.0, stop_reason=StopReason.PROVIDER_ERROR)
    for pseudo in shuffled([*RUNS, broken], f.CARRIERS, seed=3):
        assert pseudo[-1] == blank(broken)
        assert all("60.0" not in (each.report or "") for each in pseudo)
    assert no_shuffle_reason([RUNS[0], broken]) is not None


def test_a_superseded_attempt_neither_gives_nor_gets() -> None:
    old = run("01", 99.0, attempt=1)
    new = run("01", 10.0, attempt=2)
    pseudo = shuffled([old, new, RUNS[1]], f.CARRIERS, seed=3)[0]
    assert pseudo[0] == blank(old)
    assert all("99.0" not in (each.report or "") for each in pseudo)


def test_with_several_trials_the_donor_is_of_the_same_trial() -> None:
    runs = [run(e, 10.0 * n + t, trial=t) for n, e in ((1, "01"), (2, "02")) for t in (1, 2)]
    (pseudo,) = shuffled(runs, f.CARRIERS, seed=3)
    assert [each.report for each in pseudo] == [
        "Carrier 01's mean departure delay is 21.0 minutes.",
        "Carrier 01's mean departure delay is 22.0 minutes.",
        "Carrier 02's mean departure delay is 11.0 minutes.",
        "Carrier 02's mean departure delay is 12.0 minutes.",
    ]


def test_the_baselines_score_0_beside_an_agent_that_scores_1() -> None:
    def accuracy(given: Sequence[Trajectory]) -> float | None:
        return score("x", ITEMS, RUNS, verdicts(given), FIVE)[0].strict

    assert accuracy(RUNS) == 1.0
    assert accuracy([blank(t) for t in RUNS]) == accuracy([generic(t) for t in RUNS]) == 0.0
    assert [accuracy(pseudo) for pseudo in shuffled(RUNS, f.CARRIERS, seed=3)] == [0.0] * 5
