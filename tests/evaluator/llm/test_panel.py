"""Several judges: most of them decide, each vote is kept, and who failed is asked again alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from core.errors import CheckerError, ProviderError
from core.evaluation import Verdict, Vote
from evaluator.judge import is_open
from evaluator.llm import NOT_ASKED, LLMChecker
from evaluator.panel import DISAGREE, decided, figures
from tests.evaluator.llm.judges import (
    USED,
    Judge,
    Said,
    checker_of,
    choice,
    explored,
    fact,
    reply,
)

YES = reply(supporting_turns=[2], quote="20.0 minutes")
NO = reply("insufficient")
AGAINST = reply("contradicted", contradicting_turns=[5], quote="72.4%")


def judge(name: str, *says: Said, always: Said | None = None) -> Judge:
    """A judge that says these one after the other, or always the same."""
    made = Judge((lambda _: always) if always is not None else says)
    made.name = name
    return made


def down(kind: Any = "server") -> ProviderError:
    return ProviderError("no answer", kind=kind)


async def message_verdict(
    checker: LLMChecker, so_far: Verdict | None = None, item: Any = None
) -> Verdict:
    """The message-level verdict on one item."""
    item = item or fact()
    found = checker.check(
        [item],
        explored(),
        evaluation_id="e",
        done=frozenset({(item.id, "trajectory")}),
        so_far={(item.id, "message"): so_far} if so_far else {},
    )
    (verdict,) = [each async for each in found]
    return verdict


def one(*judges: Judge, so_far: Verdict | None = None, item: Any = None) -> Verdict:
    return asyncio.run(message_verdict(checker_of(*judges), so_far, item))


def test_most_decide_and_every_vote_is_kept_with_its_call() -> None:
    found = one(judge("a", NO), judge("b", YES), judge("c", YES))
    assert (found.label, found.supporting_turns) == ("supported", (2,))
    assert found.evidence == "20.0 minutes"
    assert found.reason == "(2 of 3 judges) So it says."
    assert [(v.judge, v.label) for v in found.votes] == [
        ("a", "insufficient"),
        ("b", "supported"),
        ("c", "supported"),
    ]
    assert [call.model_asked for call in found.calls] == ["a", "b", "c"]
    assert found.call is not None
    assert USED.input_tokens is not None
    assert found.call.usage.input_tokens == 3 * USED.input_tokens
    assert found.call.usage.cost_usd == pytest.approx(0.75)


def test_where_none_has_most_the_item_is_unscored_and_says_so() -> None:
    assert one(judge("a", NO), judge("b", YES)).unscored_reason == DISAGREE
    three = one(judge("a", NO), judge("b", YES), judge("c", AGAINST))
    assert (three.label, three.unscored_reason) == (None, DISAGREE)


def test_a_judge_that_cannot_be_read_leaves_the_rest_to_decide_and_is_not_asked_again() -> None:
    mumbling = judge("a", always="I cannot evaluate this")
    found = one(mumbling, judge("b", YES), judge("c", YES))
    assert found.label == "supported"
    assert found.votes[0].unscored_reason == "unreadable: no JSON object with the key 'label'"
    assert found.votes[0].reason == "I cannot evaluate this"
    assert not is_open(found)


def test_where_no_judge_gave_a_label_it_says_why() -> None:
    found = one(judge("a", always="?"), judge("b", always="!"))
    assert (found.label, found.unscored_reason) == (
        None,
        "unreadable: no JSON object with the key 'label'",
    )


def test_a_judge_that_failed_is_asked_again_and_only_that_one() -> None:
    broken, other = judge("a", down(), YES), judge("b", YES, always=None)
    checker = checker_of(broken, other)
    first = asyncio.run(message_verdict(checker))
    assert is_open(first)
    assert first.label == "supported", "the other's word stands meanwhile"
    again = asyncio.run(message_verdict(checker, first))
    assert not is_open(again)
    assert [vote.label for vote in again.votes] == ["supported", "supported"]
    assert (len(broken.asked), len(other.asked)) == (2, 1)
    assert again.call is not None
    assert again.call.usage.input_tokens is None, "what the failed request took nobody said"
    assert again.votes[1].call is not None
    assert again.votes[1].call.usage == USED


def test_a_pass_that_one_judge_ends_keeps_what_the_others_said() -> None:
    items = [fact(f"i{n}") for n in range(4)]
    dead, well = judge("a", always=down("auth")), judge("b", always=NO)

    async def run() -> tuple[list[Verdict], CheckerError | None]:
        found: list[Verdict] = []
        try:
            checking = checker_of(dead, well, concurrency=1)
            async for verdict in checking.check(items, explored(), evaluation_id="e"):
                found += [verdict]
        except CheckerError as exc:
            return found, exc
        return found, None

    found, error = asyncio.run(run())
    assert "the judge a failed" in str(error)
    assert len(found) == 8
    assert all(is_open(verdict) for verdict in found)
    assert {vote.unscored_reason for v in found for vote in v.votes[:1]} == {NOT_ASKED}
    assert len(well.asked) == 8, "its votes are paid for, and kept"


def test_judges_are_asked_side_by_side() -> None:
    async def run() -> int:
        most, open_ = 0, 0

        async def answer(_: Any) -> str:
            nonlocal most, open_
            open_ += 1
            most = max(most, open_)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            open_ -= 1
            return NO

        both = [Judge(answer), Judge(answer)]
        both[1].name = "other"
        await message_verdict(checker_of(*both, concurrency=1))
        return most

    assert asyncio.run(run()) == 2


def test_who_stops_listening_stops_the_asking() -> None:
    async def run() -> tuple[int, int]:
        one_, other = judge("a", always=NO), judge("b", always=NO)
        items = [fact(f"i{n}") for n in range(20)]
        checking = checker_of(one_, other, concurrency=1).check(
            items, explored(), evaluation_id="e"
        )
        async for _ in checking:
            break
        await checking.aclose()  # type: ignore[attr-defined]
        return len(one_.asked), len(other.asked)

    assert sum(asyncio.run(run())) < 40


def test_two_closed_answers_that_differ_agree_on_the_label_and_not_on_the_choice() -> None:
    better = '{"answer": "better", "quote": ""}'
    same = '{"answer": "almost the same", "quote": ""}'
    found = one(judge("a", better), judge("b", same), item=choice())
    assert (found.label, found.chosen) == ("contradicted", None)
    assert [vote.chosen for vote in found.votes] == ["better", "almost  the same"]
    alike = one(judge("a", better), judge("b", better), item=choice())
    assert alike.chosen == "better"


def test_the_same_judge_twice_is_no_panel() -> None:
    with pytest.raises(ValueError, match="different"):
        checker_of(judge("a"), judge("a"))
    with pytest.raises(ValueError, match="none"):
        checker_of()


def votes(*labels: Any) -> Sequence[Vote]:
    return [Vote(judge=str(n), label=label) for n, label in enumerate(labels)]


@pytest.mark.parametrize(
    ("labels", "label"),
    [
        (("supported", "supported", "insufficient"), "supported"),
        (("supported", None, None), "supported"),
        (("supported", "insufficient", None), None),
        (("supported", "supported", "insufficient", "insufficient"), None),
        (("supported", "supported", "insufficient", "contradicted"), None),
        (("supported", "supported", "supported", "contradicted"), "supported"),
    ],
)
def test_more_than_half_of_those_that_gave_a_label(labels: Any, label: str | None) -> None:
    assert decided(votes(*labels))["label"] == label


def test_how_far_they_agree_is_told_by_pair_and_by_alpha() -> None:
    def verdict(*labels: Any) -> Verdict:
        base = {"evaluation_id": "e", "item_id": "i", "trajectory_id": "t", "level": "message"}
        return Verdict.model_validate({**base, **decided(votes(*labels))})

    told = figures(
        [
            verdict("supported", "supported", "supported"),
            verdict("supported", "insufficient", "insufficient"),
            verdict("contradicted", "contradicted", None),
            verdict("supported", "insufficient", "contradicted"),
        ]
    )
    assert told is not None
    assert (told.verdicts, told.undecided) == (4, 1)
    assert told.shares == {"0": 0.75, "1": 0.25, "2": pytest.approx(1 / 3)}
    assert told.mean == pytest.approx((1 + 1 / 3 + 0 + 1 / 3) / 4)
    assert told.pairwise == {
        ("0", "1"): 0.5,
        ("0", "2"): pytest.approx(1 / 3),
        ("1", "2"): pytest.approx(2 / 3),
    }
    assert told.agreement == pytest.approx(0.5)
    # By hand: 11 pairable labels (5 supported, 3 insufficient, 3 contradicted); of the ordered pairs,
    # weighted by 1 / (labels of the item - 1), 5 of 11 differ; by chance 78 of 110 would.
    assert told.alpha == pytest.approx(1 - (5 / 11) / (78 / 110))
    assert figures([]) is None
    assert figures([verdict("supported")]) is None
