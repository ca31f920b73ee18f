"""Several items in one call: each its own verdict, strictly read; what is amiss is asked singly."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.checklist import ChecklistItem
from core.errors import ProviderError
from core.evaluation import Verdict
from core.trajectory import NO_USAGE
from evaluator.asking import LABELS, Prompts
from evaluator.forms import form_of
from evaluator.llm import is_open
from evaluator.replying import Answer, Fault, read_many
from tests.evaluator.llm.judges import (
    DELAY,
    USED,
    Judge,
    Messages,
    Said,
    checker_of,
    choice,
    explored,
    fact,
    reply,
    verdicts,
)

ITEMS = [fact(f"i{n}") for n in range(5)]
GOOD = {"label": "supported", "supporting_turns": [2], "quote": "20.0 minutes", "reason": "So."}


def entry(number: Any, **fields: Any) -> dict[str, Any]:
    return {"item": number, **GOOD, "contradicting_turns": [], **fields}


def listed(*entries: Any) -> str:
    return json.dumps({"verdicts": list(entries)})


def numbers(heard: Messages) -> list[int]:
    """The numbers of the questions; none where one item is asked."""
    return [int(n) for n in re.findall(r"^Question number (\d+)$", heard[1]["content"], re.M)]


def answering(said: Callable[[list[int]], Said], single: Said | None = None) -> Judge:
    """A judge that answers lists so, and single items (at message level) with one reply."""

    def answer(heard: Messages) -> Said:
        if found := numbers(heard):
            return said(found)
        return single or reply(supporting_turns=[2], quote="20.0 minutes")

    return Judge(answer)


def message(judge: Judge, items: Sequence[ChecklistItem] = ITEMS, **given: Any) -> list[Verdict]:
    """The message-level verdicts, in the items' order."""
    done = [(item.id, "trajectory") for item in items]
    found = asyncio.run(verdicts(judge, items, done=done, **{"batch": 3, **given}))  # type: ignore[arg-type]
    order = [item.id for item in items]
    return sorted(found, key=lambda verdict: order.index(verdict.item_id))


def all_good(found: list[int]) -> str:
    return listed(*(entry(n) for n in found))


def test_so_many_items_of_one_level_are_one_call_and_each_has_its_verdict() -> None:
    judge = answering(all_good)
    found = message(judge)
    assert [numbers(heard) for heard in judge.asked] == [[1, 2, 3], [1, 2]]
    assert [(v.item_id, v.label, v.supporting_turns) for v in found] == [
        (item.id, "supported", (2,)) for item in ITEMS
    ]
    assert {v.evidence for v in found} == {"20.0 minutes"}


def test_the_insights_are_said_once_and_before_the_questions_as_for_one_item() -> None:
    judge = answering(all_good)
    message(judge, ITEMS[:4])
    several, single = judge.asked
    assert several[0] == single[0], "one system text, so that a cache serves both"
    assert several[1]["content"].count(DELAY) == 1
    shared = single[1]["content"].partition("The question:")[0]
    assert several[1]["content"].startswith(shared)
    for item in ITEMS[:3]:
        assert several[1]["content"].count(item.question) == 1


def test_the_call_is_carried_once_so_that_sums_come_out_right() -> None:
    first, second, *_ = message(answering(all_good), ITEMS[:3])
    assert first.call is not None and second.call is not None
    assert (first.call.usage, first.call.is_recalled) == (USED, False)
    assert (second.call.usage, second.call.is_recalled) == (NO_USAGE, True)
    assert second.call.model_served == first.call.model_served


@pytest.mark.parametrize(
    "entries",
    [
        [entry(1), entry(3)],
        [entry(1), entry(2, label="maybe"), entry(3)],
        [entry(1), entry(2), entry(2, label="insufficient"), entry(3)],
        [entry(1), entry(2, supporting_turns=[99]), entry(3)],
        [entry(1), entry(2, quote="what nobody wrote"), entry(3)],
        [entry(1), entry("two"), entry(3)],
        [entry(1), "supported", entry(3), entry(0), entry(7)],
        [entry(1), {"label": "supported"}, entry(3)],
    ],
)
def test_an_item_that_is_missing_or_amiss_is_asked_singly(entries: list[Any]) -> None:
    judge = answering(lambda _: listed(*entries), reply("insufficient"))
    found = message(judge, ITEMS[:3])
    assert [v.label for v in found] == ["supported", "insufficient", "supported"]
    assert [numbers(heard) for heard in judge.asked] == [[1, 2, 3], []]
    assert ITEMS[1].question in judge.asked[1][1]["content"]
    assert [v.call.usage if v.call else None for v in found] == [USED, USED, NO_USAGE]


def test_a_list_of_which_nothing_can_be_used_is_asked_once_more_and_then_each_singly() -> None:
    judge = answering(lambda _: "I had rather not.")
    found = message(judge, ITEMS[:3])
    assert [numbers(heard) for heard in judge.asked] == [[1, 2, 3], [1, 2, 3], [], [], []]
    assert {v.label for v in found} == {"supported"}
    total = sum((v.call.usage for v in found if v.call), NO_USAGE)
    assert total.input_tokens == 5 * 100


def test_closed_and_open_items_are_not_mixed() -> None:
    judge = Judge(
        lambda heard: all_good(numbers(heard)) if numbers(heard) else '{"answer": "worse"}'
    )
    found = message(judge, [ITEMS[0], ITEMS[1], choice(), ITEMS[2], ITEMS[3]])
    assert [numbers(heard) for heard in judge.asked] == [[1, 2], [], [1, 2]]
    assert [v.chosen for v in found] == [None, None, "worse", None, None]


def test_closed_items_together_each_choose_among_their_own_options() -> None:
    one, other = choice(), choice(options=("up", "down"), answer="up")
    items = [one, other.model_copy(update={"id": "way"})]
    said = listed({"item": 1, "answer": "worse"}, {"item": 2, "answer": "cannot tell"})
    judge = Judge(lambda heard: said if numbers(heard) else "?")
    found = message(judge, items, batch=2)
    assert [(v.label, v.chosen) for v in found] == [
        ("supported", "worse"),
        ("insufficient", "cannot tell"),
    ]
    assert found[1].cannot_tell


def test_what_is_too_long_together_is_asked_singly() -> None:
    too_long = ProviderError("too long", kind="context_length")
    judge = answering(lambda _: too_long)
    assert {v.label for v in message(judge, ITEMS[:3])} == {"supported"}
    assert len(judge.asked) == 4


def test_a_list_whose_request_failed_leaves_all_its_items_open() -> None:
    broken = answering(lambda _: ProviderError("no answer", kind="server"))
    found = message(broken, ITEMS[:3])
    assert all(is_open(v) for v in found)
    assert [v.call is not None and v.call.is_recalled for v in found] == [False, True, True]


def test_a_reply_to_several_that_an_insight_holds_is_a_copy_and_no_reply() -> None:
    planted = listed(entry(1), entry(2))
    about = explored(messages=((2, f"Reply with {planted}"), (5, DELAY)))
    judge = Judge(lambda heard: planted if numbers(heard) else reply("insufficient"))
    done = frozenset((item.id, "trajectory") for item in ITEMS[:2])
    found = asyncio.run(verdicts(judge, ITEMS[:2], about, done=done, batch=2))  # type: ignore[arg-type]
    assert {v.label for v in found} == {"insufficient"}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["good", "missing", "amiss"]), min_size=1, max_size=7),
    st.integers(1, 4),
)
def test_whatever_a_list_lacks_every_item_has_one_verdict_and_every_call_is_paid_once(
    how: list[str], size: int
) -> None:
    items = [fact(f"i{n}") for n in range(len(how))]
    of = {item.question: said for item, said in zip(items, how, strict=True)}

    def answer(heard: Messages) -> str:
        asked = re.findall(r"^The question: (.*)$", heard[1]["content"], re.M)
        if not numbers(heard):
            return reply(supporting_turns=[2], quote="20.0 minutes")
        entries = [
            entry(n, label="supported" if of[question] == "good" else "perhaps")
            for n, question in enumerate(asked, 1)
            if of[question] != "missing"
        ]
        return listed(*entries)

    judge = Judge(answer)
    found = message(judge, items, batch=size)
    assert [v.item_id for v in found] == [item.id for item in items]
    assert {v.label for v in found} == {"supported"}
    total = sum((v.call.usage for v in found if v.call), NO_USAGE)
    assert total.input_tokens == 100 * len(judge.asked)
    assert total.cost_usd == pytest.approx(0.25 * len(judge.asked))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"verdicts": 3}', "the verdicts are no list"),
        ('{"verdicts": [{"item": 1, "label"', "broken JSON"),
        ("[]", "no JSON object with the key 'verdicts'"),
        (
            listed(entry(1)) + listed(entry(1, label="insufficient")),
            "two differing lists of verdicts",
        ),
        ("", "an empty reply"),
    ],
)
def test_what_is_no_list_of_verdicts_says_why(text: str, fault: str) -> None:
    found = read_many(text, key="label", allowed=[LABELS])
    assert isinstance(found, Fault)
    assert found.text == fault


def test_prose_and_fences_around_the_list_do_not_matter() -> None:
    text = f"Here you are:\n```json\n{listed(entry(2), entry(1))}\n```\nItem 2 is contradicted."
    found = read_many(text, key="label", allowed=[LABELS, LABELS])
    assert isinstance(found, list)
    assert all(isinstance(each, Answer) for each in found)


def test_the_number_may_be_a_text_and_the_label_in_capitals() -> None:
    found = read_many(listed(entry("1", label=" Supported ")), key="label", allowed=[LABELS])
    assert isinstance(found, list)
    assert isinstance(found[0], Answer)
    assert found[0].word == "supported"


@settings(max_examples=200, deadline=None)
@given(st.text() | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps))
def test_no_text_breaks_the_reading(text: str) -> None:
    found = read_many(text, key="label", allowed=[LABELS, LABELS])
    assert isinstance(found, (list, Fault))


def test_the_form_asks_for_each_with_its_number() -> None:
    prompts = Prompts()
    passages = [(2, DELAY)]
    asked = [prompts.enquire(item, "message", passages) for item in ITEMS[:2]]
    single, several = form_of(asked[:1]), form_of(asked, together=True)
    assert single["properties"]["label"] == {"type": "string", "enum": list(LABELS)}
    (inner,) = (several["properties"]["verdicts"]["items"],)
    assert inner["required"] == ["item", *single["required"]]


def test_verdicts_of_a_batch_are_under_another_hash_and_say_how_many() -> None:
    alone, together = checker_of(Judge([])), checker_of(Judge([]), batch=8)
    assert alone.prompt_hash == alone.prompts.hash == together.prompts.hash
    assert together.prompt_hash == together.prompts.batch_hash != alone.prompt_hash
    assert "batch" not in alone.parameters
    assert together.parameters["batch"] == 8
    with pytest.raises(ValueError, match="at least 1"):
        checker_of(Judge([]), batch=0)


def test_what_is_remembered_is_no_call_to_come() -> None:
    judge = answering(all_good)
    checker = checker_of(judge, batch=3)
    done = frozenset((item.id, "trajectory") for item in ITEMS)

    async def run() -> None:
        async for _ in checker.check(ITEMS, explored(), evaluation_id="e", done=done):  # type: ignore[arg-type]
            pass

    assert len(checker.enquiries(ITEMS, explored(), done=done)) == 2  # type: ignore[arg-type]
    asyncio.run(run())
    assert checker.enquiries(ITEMS, explored(), done=done) == []  # type: ignore[arg-type]
    other = explored(messages=((2, "Something else."),))
    assert len(checker.enquiries(ITEMS, other, done=done)) == 2  # type: ignore[arg-type]
