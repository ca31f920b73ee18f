"""Queries asked twice and loops of failing calls, in trajectories that were written by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.repeats import Loop, Repeats, alike, asked, loops, repeats
from core.trajectory import ToolCall, ToolResult, Trajectory, Turn
from tests.server.support import START, draft, spec

GOOD = None
BAD = "sql"


def trajectory(calls: Sequence[tuple[str, str, str | None]]) -> Trajectory:
    """(tool, code, kind of error or None) of a call a turn."""
    turns = []
    for index, (tool, code, kind) in enumerate(calls, start=1):
        name = {"execute_query": "query", "execute_code": "code"}.get(tool, "table")
        turns.append(
            Turn(
                index=index,
                tool_calls=(
                    ToolCall(call_id=f"c{index}", name=tool, arguments=json.dumps({name: code})),
                ),
                tool_results=(
                    ToolResult(
                        call_id=f"c{index}",
                        name=tool,
                        text="",
                        is_error=kind is not None,
                        error_kind=kind,
                        duration_s=0.5,
                    ),
                ),
                started_at=START,
                duration_s=1.0,
            )
        )
    return draft(spec()).model_copy(update={"turns": tuple(turns)})


def queried(*queries: tuple[str, str | None]) -> Repeats:
    made = trajectory([("execute_query", sql, kind) for sql, kind in queries])
    return repeats(asked(made), "duckdb")


@pytest.mark.parametrize(
    "again",
    [
        "SELECT a, count(*) FROM t WHERE b = 'X' GROUP BY a",
        "select  a,\n count(*)\nfrom t where b='X' group by a;",
        "SELECT A, COUNT(*) FROM T WHERE B = 'X' GROUP BY A -- by a",
        'SELECT "a", count(*) /* all */ FROM "t" WHERE "b" = \'X\' GROUP BY "a"',
    ],
)
def test_the_same_query_is_known_however_it_is_spelt(again: str) -> None:
    first = "SELECT a, count(*) FROM t WHERE b = 'X' GROUP BY a"
    assert queried((first, GOOD), (again, GOOD)) == Repeats(2, 1, 0)


@pytest.mark.parametrize(
    "other",
    [
        "SELECT a, count(*) FROM t WHERE b = 'x' GROUP BY a",
        "SELECT a, count(*) FROM t WHERE b = 'X' GROUP BY a LIMIT 5",
        "SELECT count(*), a FROM t WHERE b = 'X' GROUP BY a",
        "SELECT (a, count(*)) FROM t WHERE b = 'X' GROUP BY a",
    ],
)
def test_another_query_is_another_however_like_it_is(other: str) -> None:
    first = "SELECT a, count(*) FROM t WHERE b = 'X' GROUP BY a"
    assert queried((first, GOOD), (other, GOOD)).repeated == 0


def test_an_alias_may_be_given_with_or_without_as() -> None:
    assert queried(("SELECT a x FROM t", GOOD), ("SELECT a AS x FROM t", GOOD)).repeated == 1


def test_what_failed_each_time_before_is_counted_apart() -> None:
    sql = "SELECT nope FROM t"
    assert queried((sql, BAD), (sql, BAD), (sql, GOOD), (sql, GOOD)) == Repeats(4, 3, 2)


def test_what_cannot_be_parsed_is_the_same_where_it_stands_the_same() -> None:
    broken = "SELEC a FRM ((t"
    assert queried((broken, BAD), (f" {broken} ;", BAD), (broken + ")", BAD)).repeated == 1


def test_code_in_python_and_arguments_that_are_no_json_are_no_queries() -> None:
    made = trajectory([("execute_code", "print(1)", GOOD), ("execute_code", "print(1)", GOOD)])
    assert repeats(asked(made), "duckdb") == Repeats(0, 0, 0)
    call = ToolCall(call_id="c", name="execute_query", arguments="SELECT 1")
    bare = Turn(index=1, tool_calls=(call, call), started_at=START, duration_s=1.0)
    told = repeats(asked(draft(spec()).model_copy(update={"turns": (bare,)})), "duckdb")
    assert told == Repeats(2, 1, 0)


def test_three_failing_calls_that_are_alike_are_a_loop_and_two_are_not() -> None:
    codes = [f"df = pd.read_csv('x{n}.csv')\nprint(df.mean())" for n in range(3)]
    failing = [("execute_code", code, "python") for code in codes]
    assert loops(asked(trajectory(failing))) == [Loop("execute_code", (1, 2, 3), None)]
    assert loops(asked(trajectory(failing[:2]))) == []


def test_a_loop_ends_with_a_success_another_tool_or_other_code() -> None:
    query = "SELECT avg(x) FROM t WHERE y = 1"
    bad = ("execute_query", query, BAD)
    fine = ("execute_query", query, GOOD)
    look = ("describe_table", "t", GOOD)
    other = ("execute_query", "WITH q AS (SELECT 1) TABLE q UNION ALL VALUES (2)", BAD)
    assert loops(asked(trajectory([bad, bad, bad, fine]))) == [
        Loop("execute_query", (1, 2, 3), True)
    ]
    assert loops(asked(trajectory([bad, bad, look, bad]))) == []
    assert loops(asked(trajectory([bad, bad, other, bad]))) == []
    two = loops(asked(trajectory([bad, bad, bad, other, bad, bad, bad, bad])))
    assert [(each.turns, each.got_out) for each in two] == [
        ((1, 2, 3), False),
        ((5, 6, 7, 8), None),
    ]


def test_what_a_limit_of_the_run_refused_is_no_failure() -> None:
    refused = ("execute_query", "SELECT 1", "run_limit")
    bad = ("execute_query", "SELECT 1", BAD)
    assert loops(asked(trajectory([bad, bad, refused, refused]))) == []
    assert len(asked(trajectory([bad, refused]))) == 1


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a b c d e", "a b c d e", True),
        # Three of five tokens in common on either side: 2 * 3 / 10.
        ("a b c d e", "a b c x y", True),
        ("a b c d e", "a b x y z", False),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_codes_are_alike_from_six_tenths_of_their_tokens(
    one: str, other: str, expected: bool
) -> None:
    assert alike(one, other) is expected


@given(st.text(max_size=60), st.text(max_size=60))
def test_hostile_code_is_compared_without_a_fault(one: str, other: str) -> None:
    assert alike(one, one)
    assert isinstance(alike(one, other), bool)
    assert queried((one, GOOD), (one, GOOD)).repeated == 1
