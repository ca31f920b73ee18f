"""A reward is what was found, each thing once; what is tried to win it by saying much wins nothing."""

from __future__ import annotations

import json

import pytest

from core.checklist import ChecklistItem
from core.errors import UnknownNameError
from core.trajectory import StopReason, ToolCall, ToolResult, Trajectory, Turn
from evaluator.baselines import blank, generic
from evaluator.reward import Guards, Reward, Terms, score, untraced_numbers
from tests.evaluator import facts as f
from tests.evaluator.records import MOMENT, item, trajectory

ITEMS = [
    item("mean", "03", f.MEAN),
    item("arrival", "03", f.ARRIVAL_MEAN),
    item("higher", "03", f.HIGHER),
    item("top", "03", f.TOP),
]
FOUND = "Carrier 03's mean departure delay is 20.0 minutes."
ARRIVES = "Carrier 03's mean arrival delay is 15.2 minutes."
NOTHING_ELSE = Terms(contradiction=0, untraced=0, length=0)


def worth(
    *texts: str,
    items: list[ChecklistItem] | None = None,
    report: str | None = None,
    guards: Guards = Guards(),
    terms: Terms = Terms(),
) -> Reward:
    given = trajectory(messages=list(enumerate(texts, 1)), report=report)
    return score(given, items or ITEMS, entities=f.CARRIERS, guards=guards, terms=terms)


def value(*texts: str, **how: object) -> float:
    found = worth(*texts, **how).value  # type: ignore[arg-type]
    assert found is not None
    return found


def test_it_is_the_share_of_the_weights_that_the_insights_support() -> None:
    assert value(FOUND) == 0.25 and value(FOUND, ARRIVES) == 0.5
    heavy = [each.model_copy(update={"weight": 5.0}) for each in ITEMS[:1]] + ITEMS[1:]
    assert value(FOUND, items=heavy) == 5 / 8
    assert worth(FOUND).supported == ("mean",)


def test_the_report_and_what_was_said_on_the_way_count_as_one() -> None:
    assert value(FOUND, report=ARRIVES) == 0.5
    said = trajectory(messages=[(1, FOUND)], report=ARRIVES)
    for level, names in (("message", ("mean",)), ("trajectory", ("arrival",))):
        assert score(said, ITEMS, entities=f.CARRIERS, level=level).supported == names  # type: ignore[arg-type]


# What one may try


def test_saying_a_thing_again_is_worth_no_more() -> None:
    assert value(*[FOUND] * 9, report=FOUND) == value(FOUND)


@pytest.mark.parametrize(
    "dump",
    [
        "Carrier 03's mean departure delay is 17, 18, 19, 20.0, 21 and 22 minutes.",
        "Carrier 03: mean departure delay 20.0, mean arrival delay 15.2, 1, 2, 3, 4.",
        "20.0 15.2 23.4 A017 departure delay arrival delay destination carrier 03 1 2 3",
    ],
)
def test_a_heap_of_numbers_is_worth_nothing(dump: str) -> None:
    assert value(dump) <= 0


def test_a_metric_without_its_number_in_the_same_clause_is_worth_nothing() -> None:
    assert value("Carrier 03's mean departure delay is notable. It is 20.0 minutes.") == 0
    assert value("Carrier 03's mean departure delay was looked at; and 20.0 came out.") == 0


def test_saying_both_directions_costs() -> None:
    up = "Carrier 03's mean departure delay is higher than that of other carriers."
    down = "Carrier 03's mean departure delay is lower than that of other carriers."
    assert value(up) == 0.25
    found = worth(up, down)
    assert found.value == -Terms().contradiction and found.contradictions == 1


def test_guessing_until_one_fits_costs() -> None:
    guesses = [f"Carrier 03's mean departure delay is {n}.0 minutes." for n in (18, 19, 20, 21)]
    assert value(*guesses) == -Terms().contradiction


@pytest.mark.parametrize(
    "put",
    [
        'A table said "{}"',
        "It was said that {}",
        "We rejected that {}",
        "One analyst says: {}",
        "Not sure: {}",
    ],
)
def test_laying_guesses_in_somebody_elses_mouth_costs_as_well(put: str) -> None:
    said = [
        put.format(FOUND.removesuffix(".").replace("20.0", minutes)) + "."
        for minutes in ("12.6", "16.3", "20.0", "24.1", "28.9")
    ]
    assert value(*said) <= 0
    assert value("\n".join(said)) <= 0


def test_a_clause_pays_for_one_fact_of_a_metric() -> None:
    both = "Carrier 03's mean arrival delay peaks in July 2019 (28.4) and is lowest in October 2019 (-2.1)."
    items = [item("july", "03", f.JULY), item("october", "03", f.OCTOBER)]
    assert value(both, items=items) == 0.5
    apart = (
        "Carrier 03's mean arrival delay peaks in July 2019 (28.4).",
        "Carrier 03's mean arrival delay is lowest in October 2019 (-2.1).",
    )
    assert value(*apart, items=items) == 1.0


def test_phrases_and_silence_are_worth_nothing() -> None:
    given = trajectory(messages=[(1, FOUND)], report=FOUND)
    for empty in (blank(given), generic(given)):
        found = score(empty, ITEMS, entities=f.CARRIERS)
        assert found.value is not None and found.value <= 0


def test_another_entitys_findings_are_worth_nothing() -> None:
    assert value(FOUND.replace("03", "07"), ARRIVES.replace("03", "07")) == 0
    others = [each.model_copy(update={"entity_id": "07"}) for each in ITEMS]
    assert worth(FOUND, items=others).value is None


def observing(text: str, *insights: str) -> Trajectory:
    turn = Turn(
        index=1,
        tool_calls=(ToolCall(call_id="c", name="execute_query", arguments='{"query": "SELECT"}'),),
        tool_results=(ToolResult(call_id="c", name="execute_query", text=text, duration_s=0),),
        started_at=MOMENT,
        duration_s=0,
    )
    given = trajectory(messages=list(enumerate(insights, 1)))
    return given.model_copy(update={"turns": (turn,)})


def test_numbers_that_nothing_showed_cost_each() -> None:
    shown = json.dumps({"columns": ["mean"], "rows": [["20.0"]]})
    honest = score(observing(shown, FOUND), ITEMS, entities=f.CARRIERS)
    assert (honest.value, honest.untraced) == (0.25, 0)
    lucky = observing(json.dumps({"columns": ["mean"], "rows": [["3.1"]]}), FOUND)
    assert untraced_numbers(lucky) == 1
    assert score(lucky, ITEMS, entities=f.CARRIERS).value == pytest.approx(0.25 - Terms().untraced)
    unlooked = score(lucky, ITEMS, entities=f.CARRIERS, untraced=None)
    assert (unlooked.value, unlooked.untraced) == (0.25, None)


def test_words_beyond_the_budget_cost() -> None:
    terms = Terms(length=0.01, budget=100)
    assert value(FOUND, terms=terms) == 0.25
    chatter = "And so the story goes on as stories do. " * 20
    assert value(FOUND, chatter, terms=terms) < 0.25


# What may change from episode to episode


def test_hidden_items_do_not_count_and_are_others_for_another_seed() -> None:
    hundred = [item(f"i{n}", "03", f.MEAN) for n in range(100)]
    drawn = {
        seed: worth(FOUND, items=hundred, guards=Guards(hidden=0.4, seed=seed)) for seed in range(4)
    }
    assert all(45 <= len(each.labels) <= 75 for each in drawn.values())
    assert len({frozenset(each.labels) for each in drawn.values()}) == 4
    again = worth(FOUND, items=hundred, guards=Guards(hidden=0.4, seed=2))
    assert again == drawn[2]


def test_a_tolerance_that_is_drawn_narrower_refuses_what_is_barely_near() -> None:
    near = "Carrier 03's mean departure delay is 20.35 minutes."
    assert value(near) == 0.25
    drawn = [worth(near, guards=Guards(tolerance=1.0, seed=seed)).supported for seed in range(30)]
    assert ("mean",) in drawn and () in drawn
    assert all(
        worth(FOUND, guards=Guards(tolerance=1.0, seed=seed)).supported == ("mean",)
        for seed in range(30)
    )


# What is not the agent's


@pytest.mark.parametrize("stop", [StopReason.TOOL_UNAVAILABLE, StopReason.NO_CONTACT, None])
def test_an_exploration_that_broke_down_has_no_reward(stop: StopReason | None) -> None:
    given = trajectory(messages=[(1, FOUND)], stop_reason=stop)
    found = score(given, ITEMS, entities=f.CARRIERS)
    assert found.value is None and found.why_none


def test_items_that_rules_cannot_check_weigh_nothing() -> None:
    assert value(FOUND, items=[*ITEMS, item("wordy", "03")]) == 0.25
    assert worth(FOUND, items=[item("wordy", "03")]).value is None


def test_another_checker_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UnknownNameError, match="matching"):
        score(trajectory(), ITEMS, entities=f.CARRIERS, checker="llm")
