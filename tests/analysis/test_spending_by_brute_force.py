"""What runs took, against slow sums over their records; its tables and its figure, row by row."""

from __future__ import annotations

import json
import statistics as standard
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.repeats import LOOP, alike, asked, loops, repeats
from analysis.spending import Costs, costs
from analysis.spending_drawing import draw
from analysis.spending_tables import tables
from analysis.spent import spent, time_of
from analysis.table import Table
from core.trajectory import (
    RUN_LIMIT,
    Insight,
    ModelCall,
    Role,
    ToolCall,
    ToolResult,
    Trajectory,
    Turn,
    Usage,
)
from tests.server.support import START, draft, spec

_COUNT = st.none() | st.integers(0, 900)
_PRICE = st.none() | st.integers(0, 32).map(lambda n: n / 16)


def a_call(role: Role = "agent", seconds: float = 1.0, **usage: Any) -> ModelCall:
    return ModelCall(
        role=role, model_asked="m", usage=Usage(**usage), started_at=START, duration_s=seconds
    )


_CALL = st.builds(
    lambda read, wrote, cached, thought, price, seconds: a_call(
        seconds=seconds,
        input_tokens=read,
        output_tokens=wrote,
        cached_input_tokens=cached,
        reasoning_tokens=thought,
        cost_usd=price,
    ),
    _COUNT,
    _COUNT,
    _COUNT,
    _COUNT,
    _PRICE,
    st.integers(0, 5).map(float),
)


def summed(values: Sequence[float | None]) -> float | None:
    """Unknown as soon as one part is."""
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total


@given(st.lists(_CALL, max_size=6))
def test_a_sum_is_known_where_every_part_of_it_is(calls: list[ModelCall]) -> None:
    found = spent("agent", calls)
    assert found.calls == len(calls)
    usages = [each.usage for each in calls]
    assert found.input_tokens == summed([u.input_tokens for u in usages])
    assert found.output_tokens == summed([u.output_tokens for u in usages])
    assert found.reasoning_tokens == summed([u.reasoning_tokens for u in usages])
    assert found.cached_tokens == summed([u.cached_input_tokens for u in usages])
    assert found.cost_usd == summed([u.cost_usd for u in usages])
    known = [u.cost_usd for u in usages if u.cost_usd is not None]
    assert found.known_cost_usd == (sum(known) if known else None)
    assert found.unpriced == len(usages) - len(known)
    both = [u for u in usages if u.input_tokens is not None and u.cached_input_tokens is not None]
    assert found.reporting_cache == len(both)
    read = sum(u.input_tokens or 0 for u in both)
    cached = sum(u.cached_input_tokens or 0 for u in both)
    assert found.cache_share == (cached / read if read else None)


def test_time_that_no_clock_says_is_unknown_and_no_time_at_all_is_nothing() -> None:
    assert time_of([]) == 0
    assert time_of([0.0, 0.0]) is None
    assert time_of([0.0, 0.5]) == 0.5


# A whole run


def a_turn(
    index: int, tool: str, code: str, kind: str | None, seconds: float, made: ModelCall | None
) -> Turn:
    name = {"execute_query": "query", "execute_code": "code"}.get(tool, "table")
    return Turn(
        index=index,
        tool_calls=(ToolCall(call_id=f"c{index}", name=tool, arguments=json.dumps({name: code})),),
        tool_results=(
            ToolResult(
                call_id=f"c{index}",
                name=tool,
                text="",
                is_error=kind is not None,
                error_kind=kind,
                duration_s=seconds,
            ),
        ),
        call=made,
        started_at=START,
        duration_s=seconds,
    )


_TURN = st.tuples(
    st.sampled_from(["execute_query", "execute_code", "get_database_info"]),
    st.sampled_from(["SELECT 1", "select  1;", "SELECT x FROM t", "print(7)"]),
    st.sampled_from([None, "sql", "timeout", RUN_LIMIT]),
    st.integers(0, 8).map(lambda n: n / 4),
    st.none() | _CALL,
)


@st.composite
def runs(draw: st.DrawFn) -> list[Trajectory]:
    found = []
    for number in range(draw(st.integers(0, 3))):
        made = [a_turn(n, *each) for n, each in enumerate(draw(st.lists(_TURN, max_size=6)), 1)]
        found.append(
            draft(spec(), f"{number:02d}").model_copy(
                update={"id": f"t{number}", "turns": tuple(made)}
            )
        )
    return found


@settings(max_examples=60)
@given(runs())
def test_each_answered_call_is_counted_once_under_its_tool(made: list[Trajectory]) -> None:
    found = costs("m", made)
    expected: dict[str, list[ToolResult]] = {}
    for each in made:
        for turn in each.turns:
            for result in turn.tool_results:
                if result.error_kind != RUN_LIMIT:
                    expected.setdefault(result.name, []).append(result)
    assert {each.tool for each in found.tools} == set(expected)
    assert [each.calls for each in found.tools] == sorted(
        (len(own) for own in expected.values()), reverse=True
    )
    for use in found.tools:
        own = expected[use.tool]
        seconds = [result.duration_s for result in own]
        assert use.errors == sum(result.is_error for result in own) == sum(use.kinds.values())
        assert use.success == pytest.approx(1 - use.errors / len(own))
        if any(seconds):
            assert use.mean_s == pytest.approx(standard.fmean(seconds))
            assert use.median_s == pytest.approx(standard.median(seconds))
            assert use.total_s == pytest.approx(sum(seconds))
            assert use.per_trajectory_s == pytest.approx(sum(seconds) / len(made))
            assert use.p95_s is not None and use.median_s is not None
            assert use.median_s <= use.p95_s <= max(seconds)
        else:
            assert (use.mean_s, use.p95_s, use.total_s) == (None, None, None)


@settings(max_examples=60)
@given(runs())
def test_the_parts_of_a_run_add_up_to_the_whole(made: list[Trajectory]) -> None:
    found = costs("m", made)
    assert sum(each.calls for each in found.explorations) == sum(u.calls for u in found.tools)
    assert sum(each.errors for each in found.explorations) == sum(u.errors for u in found.tools)
    calls = [turn.call for each in made for turn in each.turns if turn.call is not None]
    assert sum(each.calls for each in found.roles) == len(calls) == found.reasoning.of
    assert found.cost_usd == summed([each.usage.cost_usd for each in calls])
    assert found.queries == sum(
        turn.tool_calls[0].name == "execute_query" and turn.tool_results[0].error_kind != RUN_LIMIT
        for each in made
        for turn in each.turns
    )
    assert 0 <= found.after_error <= found.repeated <= max(found.queries - 1, 0)
    assert found.looping == sum(bool(each.loops) for each in found.explorations)


@settings(max_examples=60)
@given(runs())
def test_queries_asked_before_are_those_of_a_pairwise_comparison(made: list[Trajectory]) -> None:
    """The two spellings of one query are the only ones that mean the same."""
    for each in made:
        before: list[tuple[str, bool]] = []
        repeated = vain = 0
        for one in asked(each):
            if one.call.name != "execute_query" or one.code is None:
                continue
            said = one.code.casefold().replace(" ", "").rstrip(";")
            same = [failed for text, failed in before if text == said]
            repeated += bool(same)
            vain += bool(same) and all(same)
            before.append((said, one.has_failed))
        found = repeats(asked(each), "duckdb")
        assert (found.queries, found.repeated, found.after_error) == (len(before), repeated, vain)


@settings(max_examples=60)
@given(runs())
def test_loops_are_the_longest_stretches_of_failures_that_are_alike(
    made: list[Trajectory],
) -> None:
    for each in made:
        calls = asked(each)
        expected: list[tuple[int, ...]] = []
        start = 0
        while start < len(calls):
            stop = start
            while stop < len(calls) and calls[stop].has_failed and calls[stop].code is not None:
                if stop > start and not (
                    calls[stop].call.name == calls[stop - 1].call.name
                    and alike(calls[stop].code or "", calls[stop - 1].code or "")
                ):
                    break
                stop += 1
            if stop - start >= LOOP:
                expected.append(tuple(call.turn for call in calls[start:stop]))
            start = max(stop, start + 1)
        assert [loop.turns for loop in loops(calls)] == expected


# Who is seen


def with_insight(price: float | None = 0.25) -> Trajectory:
    """An agent that asks no model of ours; our insight call is priced."""
    said = Insight(
        id="i1",
        trajectory_id="t",
        level="message",
        turn=1,
        text="x",
        author="m",
        call=a_call("insight", cost_usd=price),
    )
    made = a_turn(1, "execute_query", "SELECT 1", None, 0.5, None)
    return draft(spec()).model_copy(update={"turns": (made,), "insights": (said,)})


def test_what_our_own_calls_cost_is_not_what_an_agent_out_of_sight_cost() -> None:
    unseen = costs("theirs", [with_insight()], is_seen=False)
    assert [(each.role, each.cost_usd) for each in unseen.roles] == [("insight", 0.25)]
    assert unseen.cost_usd is None
    assert costs("ours", [with_insight()]).cost_usd == 0.25
    assert costs("ours", [with_insight(None)]).cost_usd is None


def test_an_agent_whose_calls_are_recorded_is_seen_whoever_it_is() -> None:
    recorded = draft(spec()).model_copy(
        update={"turns": (a_turn(1, "execute_query", "SELECT 1", None, 1.0, a_call(cost_usd=0.5)),)}
    )
    found = costs("theirs", [recorded], is_seen=False)
    assert found.is_seen and found.cost_usd == 0.5


def test_nothing_explored_cost_nothing_where_it_would_have_been_seen() -> None:
    assert costs("m", []).cost_usd == 0
    assert costs("m", [], is_seen=False).cost_usd is None


# Tables and figure


def column(made: Table, name: str) -> list[Any]:
    place = made.columns.index(name)
    return [row[place] for row in made.rows]


def three() -> list[Costs]:
    """One run with a loop, one of an agent out of sight, one in which nothing was explored."""
    failing = [
        a_turn(n, "execute_query", f"SELECT nope{n} FROM t", "sql", 0.5, a_call(cost_usd=0.5))
        for n in range(1, 5)
    ]
    looping = draft(spec()).model_copy(update={"id": "t1", "turns": tuple(failing)})
    gone = [a_call(cost_usd=2.0, input_tokens=5, output_tokens=1)]
    return [
        costs("one", [looping], gone),
        costs("two", [with_insight()], is_seen=False),
        costs("three", []),
    ]


def test_tables_hold_the_lost_calls_the_loops_and_what_is_unknown() -> None:
    made = {each.name: each for each in tables(three())}
    roles = made["roles"]
    assert list(zip(column(roles, "run"), column(roles, "role"), strict=True)) == [
        ("one", "agent"),
        ("one", "lost"),
        ("two", "insight"),
    ]
    assert column(roles, "cost_usd") == [2.0, 2.0, 0.25]
    assert column(roles, "input_tokens") == [None, 5, None]
    assert column(made["tools"], "kinds_of_errors") == ["sql 4", ""]
    assert column(made["tools"], "success") == [0.0, 1.0]
    (loop,) = made["loops"].rows
    assert loop == ("one", "t1", "execute_query", 1, 4, 4, None)
    assert column(made["runs"], "cost_usd") == [2.0, None, 0]
    assert column(made["runs"], "lost_cost_usd") == [2.0, 0.0, 0.0]
    assert column(made["runs"], "trajectories") == [1, 1, 0]
    assert column(made["runs"], "turns_per_trajectory") == [4, 1, None]
    assert column(made["runs"], "loops") == column(made["runs"], "trajectories_with_a_loop")


def test_every_row_of_a_table_is_as_long_as_its_head_also_of_nothing() -> None:
    assert [len(each.rows) for each in tables([])] == [0] * 5
    for each in tables(three()):
        assert all(len(row) == len(each.columns) for row in each.rows)
        assert len(set(each.columns)) == len(each.columns)


def test_the_figure_names_every_run_and_the_tools_of_those_that_used_any() -> None:
    root = ElementTree.fromstring(draw(three(), "svg"))
    said = ["".join(each.itertext()).strip() for each in root.iter() if each.tag.endswith("}text")]
    assert {"one", "two", "three"} <= set(said)
    assert "execute_query, one" in said and "execute_query, two" in said
    assert "not measured" in said, "nothing was explored in the third"
    assert draw(three(), "svg") == draw(three(), "svg")
