"""Evidence that an agent attaches: which of it is SQL, which a turn, and what it proves."""

from __future__ import annotations

import pytest

from core.trajectory import Insight
from evaluator.attached import queries_in, turns_in, weigh
from tests.evaluator.tracing.records import rows


def insight(text: str) -> Insight:
    return Insight(id="i", trajectory_id="t", level="message", turn=1, text=text, author="a")


def state(text: str, *results: str, faults: tuple[str, ...] = ()) -> str | None:
    return weigh(insight(text), "01", results, faults).state


def test_sql_turns_and_words_are_told_apart() -> None:
    attached = [
        "SELECT count(*) FROM t",
        "-- the mean\nwith a as (select 1) select * from a",
        "(select 1)",
        "turn 7",
        "3",
        "turns 4 and 5",
        "I saw 12 rows",
        "selected rows: 4",
        "12.5%",
    ]
    assert queries_in(attached) == attached[:3]
    assert turns_in(attached) == [7, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "result", "expected"),
    [
        ("It has 98 rows.", rows(["n"], [98]), "grounded"),
        ("It has 98 rows of 1,204, 8.1%.", rows(["n", "all"], [98, 1204]), "grounded"),
        ("It has 99 rows.", rows(["n"], [98]), "wrong"),
        ("It has 98 rows, and 7,654 others.", rows(["n"], [98]), "wrong"),
        ("It is often late.", rows(["n"], [98]), None),
    ],
)
def test_numbers_are_held_against_what_the_evidence_gives(
    text: str, result: str, expected: str | None
) -> None:
    assert state(text, result) == expected


def test_comments_without_end_are_read_in_no_time() -> None:
    assert queries_in(["/**/" * 20_000 + "x", "(" * 50_000 + "select 1"]) == [
        "(" * 50_000 + "select 1"
    ]
    assert turns_in(["turn 1" + " ," * 20_000]) == [1]


def test_without_evidence_that_gives_anything_a_claim_is_unsupported() -> None:
    assert state("It has 98 rows.") == "unsupported"
    claim = weigh(insight("It has 98 rows."), "01", [], ["its SQL does not run: no table"])
    assert (claim.state, claim.reason) == ("unsupported", "its SQL does not run: no table")
