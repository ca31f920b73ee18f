"""Why an item was missed: what a judge proposes must have its turn and quote; who says what is apart."""

from __future__ import annotations

import asyncio
import json

import pytest

from evaluator.failing import (
    FailureJudge,
    FailureSaid,
    Tallied,
    agreed,
    by_category,
    question,
    tally,
)
from evaluator.interviewing import Interviewer
from evaluator.missed import FAILURES, GROUPS, Computed, FailureClass, Missed
from tests.evaluator.llm.judges import Judge
from tests.evaluator.records import item
from tests.evaluator.tracing.records import explored

SHOWN = explored(
    {1: "mean 12.6", 2: "n 98"}, [(1, "It is fine."), (2, "It has 98.")], "All is well here."
)
CASE = Missed(item("a"), SHOWN, noted=False)


def said(name: str, quote: str, turns: tuple[int, ...] = ()) -> str:
    return json.dumps({"class": name, "supporting_turns": turns, "quote": quote, "reason": "so"})


def ask(*replies: str) -> FailureSaid:
    async def one() -> FailureSaid:
        judge = FailureJudge(Interviewer(Judge(replies), role="judge"), concurrency=1)
        (found,) = [found async for _, found in judge.judge([CASE])]
        return found

    return asyncio.run(one())


def person(failure: FailureClass | None) -> FailureSaid:
    return FailureSaid(failure=failure, by="person")


def test_the_eight_classes_are_in_three_groups() -> None:
    assert [name for names in GROUPS.values() for name in names] == list(FAILURES)
    assert len(FAILURES) == 8


@pytest.mark.parametrize("name", FAILURES)
def test_each_class_is_told_to_the_judge(name: str) -> None:
    assert f"- {name}:" in question(CASE).messages[0]["content"]


def test_a_proposal_comes_with_the_turn_and_the_words_that_show_it() -> None:
    found = ask(said("superficial", "mean  12.6", (1,)))
    assert (found.failure, found.turn, found.by) == ("superficial", 1, "model")
    assert ask(said("summarisation miss", "All is well")).turn is None, "the report shows it"
    assert ask(said("misinterpretation", "It has 98.", (2,))).failure == "misinterpretation"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (said("superficial", "n 98", (1,)), "invalid citation: a quote that is not there"),
        (said("superficial", "", (1,)), "invalid citation: a quote that is not there"),
        (said("superficial", "n 98", (9,)), "invalid citation: a turn that does not exist"),
        (said("laziness", "n 98", (2,)), "unreadable: the class is none of those allowed"),
    ],
)
def test_evidence_that_is_not_there_is_asked_for_once_more_and_then_unscored(
    reply: str, reason: str
) -> None:
    found = ask(reply, reply)
    assert (found.failure, found.unscored_reason) == (None, reason)
    assert ask(reply, said("superficial", "n 98", (2,))).failure == "superficial"


def test_a_judge_may_say_that_it_cannot_tell() -> None:
    found = ask(said("cannot tell", ""))
    assert (found.failure, found.unscored_reason) == (None, None)


def test_most_decide_and_a_draw_is_unknown() -> None:
    deep: FailureClass = "exploration depth"
    assert agreed([person(deep), person(deep), person("superficial")]) == deep
    assert agreed([person(deep), person("superficial")]) is None
    assert agreed([person(None), person(deep)]) == deep
    assert agreed([]) is None


def test_what_is_computed_proposed_and_confirmed_stays_apart() -> None:
    wide: FailureClass = "exploration breadth"
    found = [
        Tallied(CASE, Computed(wide, ""), confirmed=(("Ada", person("superficial")),)),
        Tallied(CASE, Computed(None, ""), proposed=(("m", person("debug loop")),)),
    ]
    assert tally(found, "computed")[wide] == 1
    assert tally(found, "computed")[None] == 1
    assert tally(found, "proposed")["debug loop"] == 1
    assert tally(found, "confirmed")["superficial"] == 1
    assert by_category(found, "confirmed") == {"a": tally(found, "confirmed")}
