"""Insights are kept once each and so many, and the end says whether the agent chose it."""

from __future__ import annotations

import pytest

from core.errors import EndedError
from core.run import Limits
from core.trajectory import Insight, StopReason, Usage
from server.store import Repository
from server.store.handed_in import HandedIn
from tests.server.store.outside import Book
from tests.server.support import START, insight


def report(book: Book, text: str = "All in all.") -> Insight:
    mine = book.trajectory_id
    return Insight(
        id=f"{mine}.report", trajectory_id=mine, level="trajectory", text=text, author="mine"
    )


def finish(book: Book, limits: Limits | None = None, usage: Usage | None = None) -> StopReason:
    handed = HandedIn(book.store)
    return handed.finish(report(book), usage, limits=limits or book.rules.limits, now=START)


def test_an_insight_that_is_there_already_is_not_kept_again(store: Repository) -> None:
    book = Book(store)
    book.call()
    first, second = (insight(book.trajectory_id, number) for number in (1, 2))
    taken = [HandedIn(store).insight(each, most=9) for each in (first, second, first)]
    assert [(each.count, each.is_new, each.is_kept) for each in taken] == [
        (1, True, True),
        (2, True, True),
        (2, False, True),
    ]
    assert store.trajectory(book.trajectory_id).insights == (first, second)
    assert HandedIn(store).count(book.trajectory_id) == 2


def test_past_the_most_a_new_one_is_refused_and_an_old_one_is_not(store: Repository) -> None:
    book = Book(store)
    book.call()
    one, other = (insight(book.trajectory_id, number) for number in (1, 2))
    HandedIn(store).insight(one, most=1)
    refused, again = (HandedIn(store).insight(each, most=1) for each in (other, one))
    assert (refused.is_kept, refused.count) == (False, 1)
    assert (again.is_kept, again.is_new) == (True, False)


def test_the_last_word_ends_it_and_is_no_insight_of_a_turn(store: Repository) -> None:
    book = Book(store)
    book.call()
    assert not HandedIn(store).has_report(book.trajectory_id)
    usage = Usage(input_tokens=5, cost_reason="the agent did not report it")
    assert finish(book, usage=usage) is StopReason.FINISHED
    kept = store.trajectory(book.trajectory_id)
    assert (kept.stop_reason, kept.report, kept.report_forced) == (
        StopReason.FINISHED,
        "All in all.",
        False,
    )
    assert kept.reported_usage == usage
    assert HandedIn(store).has_report(book.trajectory_id)
    assert HandedIn(store).count(book.trajectory_id) == 0


def test_what_has_ended_takes_neither_an_insight_nor_a_second_last_word(store: Repository) -> None:
    book = Book(store)
    book.call()
    old = insight(book.trajectory_id, 1)
    HandedIn(store).insight(old, most=9)
    finish(book)
    kept = store.trajectory(book.trajectory_id)
    with pytest.raises(EndedError):
        HandedIn(store).insight(insight(book.trajectory_id, 2), most=9)
    with pytest.raises(EndedError):
        finish(book, usage=Usage(input_tokens=9))
    assert store.trajectory(book.trajectory_id) == kept
    assert HandedIn(store).insight(old, most=9).is_kept


@pytest.mark.parametrize(
    ("limits", "waits_s", "reason"),
    [
        (Limits(max_turns=2), 1, StopReason.MAX_TURNS),
        (Limits(max_seconds=60), 100, StopReason.MAX_SECONDS),
        (Limits(max_turns=9, max_seconds=60), 100, StopReason.MAX_SECONDS),
    ],
)
def test_whoever_was_told_of_a_limit_did_not_choose_to_finish(
    store: Repository, limits: Limits, waits_s: float, reason: StopReason
) -> None:
    book = Book(store, limits=limits)
    book.call()
    book.call()
    book.call(after_s=waits_s)
    assert finish(book) is reason
    kept = store.trajectory(book.trajectory_id)
    assert (kept.stop_reason, kept.report_forced, kept.report) == (reason, True, "All in all.")


def test_whoever_finishes_with_the_last_turn_that_it_has_chose_to(store: Repository) -> None:
    book = Book(store, limits=Limits(max_turns=2))
    book.call()
    book.call()
    assert finish(book) is StopReason.FINISHED
