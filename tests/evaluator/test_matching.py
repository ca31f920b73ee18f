"""The checker gives one verdict per item and level, and never blames the agent for our faults."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from core.checklist import ChecklistItem, Signals
from core.evaluation import Verdict
from core.protocols import Checker
from core.trajectory import StopReason, Trajectory
from evaluator.matching import MatchingChecker, match
from tests.evaluator import facts as f
from tests.evaluator.records import entity, item, trajectory

MEAN_SENTENCE = "Carrier 03's mean departure delay is 20.0 minutes."


def check(items: Sequence[ChecklistItem], given: Trajectory) -> list[Verdict]:
    async def collect() -> list[Verdict]:
        checker = MatchingChecker(f.CARRIERS)
        return [verdict async for verdict in checker.check(items, given, evaluation_id="e9")]

    return asyncio.run(collect())


def labels(items: Sequence[ChecklistItem], given: Trajectory) -> dict[tuple[str, str], object]:
    return {(v.level, v.item_id): v.label for v in check(items, given)}


def test_it_is_a_checker_by_the_name_of_matching() -> None:
    checker = MatchingChecker(f.CARRIERS)
    assert isinstance(checker, Checker) and checker.name == "matching"


def test_every_item_gets_one_verdict_at_each_level() -> None:
    items = [item("a", "03", f.MEAN), item("b", "03", f.COUNT), item("c", "03")]
    found = check(items, trajectory(messages=[(4, MEAN_SENTENCE)], report="Nothing."))
    assert [(v.level, v.item_id) for v in found] == [
        (level, name) for level in ("message", "trajectory") for name in "abc"
    ]
    assert {(v.evaluation_id, v.trajectory_id) for v in found} == {("e9", "t-03-1-1")}


def test_messages_are_judged_apart_from_the_report() -> None:
    given = trajectory(messages=[(4, MEAN_SENTENCE)], report="Carrier 03 flies.")
    assert labels([item("a", "03", f.MEAN)], given) == {
        ("message", "a"): "supported",
        ("trajectory", "a"): "insufficient",
    }


def test_an_insight_is_cited_by_its_turn_and_discovery_is_the_first() -> None:
    given = trajectory(
        messages=[(2, None), (5, "Nothing."), (7, MEAN_SENTENCE), (9, MEAN_SENTENCE)]
    )
    found = check([item("a", "03", f.MEAN)], given)[0]
    assert found.supporting_turns == (7, 9)
    assert found.found_at_turn == 7
    assert found.evidence == MEAN_SENTENCE


def test_a_report_that_supports_has_no_turn() -> None:
    found = check([item("a", "03", f.MEAN)], trajectory(report=MEAN_SENTENCE))[1]
    assert (found.label, found.supporting_turns, found.found_at_turn) == ("supported", (), None)


def test_a_contradiction_names_its_turns_beside_the_support() -> None:
    given = trajectory(
        messages=[(3, MEAN_SENTENCE), (6, "Carrier 03's mean departure delay is 31.0 minutes.")]
    )
    found = check([item("a", "03", f.MEAN)], given)[0]
    assert (found.label, found.supporting_turns, found.contradicting_turns) == (
        "contradicted",
        (3,),
        (6,),
    )
    assert found.found_at_turn is None


def test_how_many_clauses_were_about_the_fact_is_counted() -> None:
    text = (
        f"{MEAN_SENTENCE} Carrier 03's departure delay is high. Carrier 07's departure delay too."
    )
    found = check([item("a", "03", f.MEAN)], trajectory(report=text))[1]
    assert found.gated == 2


def test_an_item_without_signals_is_unscored() -> None:
    for found in check([item("a", "03")], trajectory(report=MEAN_SENTENCE)):
        assert (found.label, found.unscored_reason) == (None, "no signals")


@pytest.mark.parametrize("reason", [r for r in StopReason if not r.scored])
def test_what_broke_down_is_unscored_with_its_reason(reason: StopReason) -> None:
    given = trajectory(messages=[(1, MEAN_SENTENCE)], report=MEAN_SENTENCE, stop_reason=reason)
    for found in check([item("a", "03", f.MEAN)], given):
        assert (found.label, found.unscored_reason) == (None, str(reason))


def test_the_error_of_a_break_down_is_told() -> None:
    given = trajectory(stop_reason=StopReason.PROVIDER_ERROR).model_copy(
        update={"error": "429 from the endpoint"}
    )
    found = check([item("a", "03", f.MEAN)], given)[0]
    assert found.unscored_reason == "provider_error: 429 from the endpoint"


def test_a_trajectory_that_did_not_end_is_unscored() -> None:
    found = check([item("a", "03", f.MEAN)], trajectory(stop_reason=None))[0]
    assert (found.label, found.unscored_reason) == (None, "the trajectory did not end")


@pytest.mark.parametrize("reason", [r for r in StopReason if r.scored])
def test_contact_without_insights_scores_0(reason: StopReason) -> None:
    for found in check([item("a", "03", f.MEAN)], trajectory(stop_reason=reason)):
        assert (found.label, found.reason) == ("insufficient", "nothing was handed in")


def test_an_item_without_signals_stays_unscored_where_nothing_was_handed_in() -> None:
    found = check([item("a", "03")], trajectory())[0]
    assert (found.label, found.unscored_reason) == (None, "no signals")


def test_items_of_other_entities_are_passed_over() -> None:
    items = [item("a", "03", f.MEAN), item("z", "04", f.MEAN)]
    assert {v.item_id for v in check(items, trajectory(report=MEAN_SENTENCE))} == {"a"}


def test_an_entity_that_the_checker_was_not_told_of_is_unscored() -> None:
    given = trajectory("99", report=MEAN_SENTENCE)
    found = check([item("a", "99", f.MEAN)], given)[0]
    assert (found.label, found.unscored_reason) == (None, "unknown entity 99")


def test_the_noun_is_learnt_from_the_task() -> None:
    text = "The airline's mean departure delay is 20.0 minutes."
    told = trajectory(report=text, start_prompt="Explore airline 03 (Kestrel).")
    untold = trajectory(report=text)
    items = [item("a", "03", f.MEAN)]
    assert labels(items, told)[("trajectory", "a")] == "supported"
    assert labels(items, untold)[("trajectory", "a")] == "insufficient"


def test_the_last_report_counts() -> None:
    early = trajectory(report="Nothing.")
    late = trajectory(report=MEAN_SENTENCE).insights[0].model_copy(update={"id": "later"})
    both = early.model_copy(update={"insights": (*early.insights, late)})
    assert labels([item("a", "03", f.MEAN)], both)[("trajectory", "a")] == "supported"


def test_one_item_by_itself_is_matched_without_a_trajectory() -> None:
    found = match(
        item("a", "03", f.MEAN),
        [(None, MEAN_SENTENCE)],
        entity=f.OWN,
        others=f.CARRIERS,
    )
    assert (found.label, found.evidence, found.gated) == ("supported", MEAN_SENTENCE, 1)


def test_no_insights_at_all_say_too_little() -> None:
    found = match(item("a", "03", f.MEAN), [], entity=f.OWN, others=f.OTHERS)
    assert (found.label, found.gated) == ("insufficient", 0)


def test_a_fact_that_nobody_spoke_of_says_so() -> None:
    found = f.judge(f.MEAN, "Carrier 03 flies.")
    assert found.reason == "no clause names this metric, with its scope, for this entity"


def test_a_verdict_says_in_words_what_was_missing() -> None:
    found = f.judge(f.AGAINST, "Carrier 03's departure delay is compared with the rest's.")
    assert "does not say the direction and the magnitude" in found.reason


@pytest.mark.parametrize(
    ("signals", "text", "label"),
    [
        (
            f.signals(("@labs.glucose_mg_dl", "glucose"), 142.0),
            "Patient 10004235 has an average glucose of 142 mg/dl.",
            "supported",
        ),
        (
            f.signals(("@labs.glucose_mg_dl", "glucose"), 142.0),
            "Patient 10019003 has an average glucose of 142 mg/dl.",
            "insufficient",
        ),
        (
            f.signals(("revenue",), 54.2e9, "usd", statistic=None, period=("2023",)),
            "In 2023 patient 10004235 reported revenue of $54.2 billion.",
            "supported",
        ),
    ],
)
def test_other_domains_are_read_by_the_same_rules(signals: Signals, text: str, label: str) -> None:
    own, other = entity("10004235"), entity("10019003")
    assert f.judge(signals, text, own=own, others=[other]).label == label
