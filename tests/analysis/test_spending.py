"""What a run took, from records whose sums are done by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from analysis.spending import Costs, costs
from analysis.spending_drawing import draw
from analysis.spending_tables import tables
from analysis.spent import spent
from core.trajectory import (
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


def call(role: Role = "agent", seconds: float = 2.0, **usage: Any) -> ModelCall:
    return ModelCall(
        role=role,
        model_asked="m",
        usage=Usage(**usage),
        started_at=START,
        duration_s=seconds,
    )


def turn(
    index: int,
    made: ModelCall | None,
    *,
    tool: str = "execute_query",
    seconds: float = 1.0,
    kind: str | None = None,
    code: str = "SELECT 1",
) -> Turn:
    name = f"c{index}"
    return Turn(
        index=index,
        tool_calls=(ToolCall(call_id=name, name=tool, arguments=f'{{"query": "{code}"}}'),),
        tool_results=(
            ToolResult(
                call_id=name,
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


def trajectory(entity_id: str, *turns: Turn, insights: int = 0) -> Trajectory:
    found = tuple(
        Insight(
            id=f"i{n}",
            trajectory_id=f"t{entity_id}",
            level="message",
            turn=n,
            text="x",
            author="m",
            call=call("insight", 0.5, input_tokens=50, output_tokens=5, cost_usd=0.25),
        )
        for n in range(1, insights + 1)
    )
    return draft(spec(), entity_id).model_copy(
        update={
            "id": f"t{entity_id}",
            "turns": turns,
            "insights": found,
            "ended_at": START + timedelta(seconds=60),
        }
    )


def two() -> Costs:
    """Two trajectories: three turns and one."""
    return costs(
        "m",
        [
            trajectory(
                "01",
                turn(
                    1,
                    call(
                        input_tokens=100, output_tokens=10, cached_input_tokens=0,
                        reasoning_tokens=4, cost_usd=1.0,
                    ),
                ),
                turn(
                    2,
                    call(
                        input_tokens=300, output_tokens=20, cached_input_tokens=100,
                        reasoning_tokens=8, cost_usd=2.0,
                    ),
                    seconds=3.0,
                    kind="sql",
                ),
                turn(3, call(input_tokens=400, output_tokens=30, cost_usd=3.0), seconds=5.0),
                insights=2,
            ),
            trajectory(
                "02",
                turn(
                    1, call(input_tokens=200, output_tokens=40, cost_usd=4.0),
                    tool="execute_code", seconds=7.0, kind="timeout",
                ),
            ),
        ],
    )  # fmt: skip


def test_tokens_and_money_are_summed_by_role() -> None:
    agent, insight = two().roles
    assert (agent.role, agent.calls, agent.input_tokens, agent.output_tokens) == (
        "agent",
        4,
        1000,
        100,
    )
    assert (agent.cost_usd, insight.cost_usd) == (10.0, 0.5)
    assert (insight.role, insight.calls, insight.input_tokens) == ("insight", 2, 100)
    assert agent.seconds == 8.0


def test_a_share_of_cached_tokens_is_of_the_calls_that_report_both() -> None:
    agent, insight = two().roles
    # 100 of the 400 that two of the four calls report; of all calls the sum is not known.
    assert (agent.cache_share, agent.reporting_cache) == (0.25, 2)
    assert agent.cached_tokens is None
    assert (insight.cache_share, insight.reporting_cache) == (None, 0)


def test_reasoning_is_per_turn_that_reports_it() -> None:
    reasoning = two().reasoning
    assert (reasoning.per_turn, reasoning.median) == (6.0, 6.0)
    assert (reasoning.turns, reasoning.of) == (2, 4)


def test_latency_is_by_tool_and_a_total_by_trajectory() -> None:
    sql, python = two().tools
    assert (sql.tool, sql.calls, sql.errors, sql.kinds) == ("execute_query", 3, 1, {"sql": 1})
    assert (sql.mean_s, sql.median_s, sql.total_s) == (3.0, 3.0, 9.0)
    # Linear between 3 and 5: .95 of the way through three values is at 4.8.
    assert sql.p95_s == pytest.approx(4.8)
    assert sql.per_trajectory_s == 4.5
    assert sql.success == pytest.approx(2 / 3)
    assert (python.success, python.kinds, python.per_trajectory_s) == (0.0, {"timeout": 1}, 3.5)


def test_time_is_split_between_tools_and_models() -> None:
    first, second = two().explorations
    assert (first.tool_s, first.agent_s, first.other_s, first.whole_s) == (9.0, 6.0, 1.0, 60.0)
    assert (second.tool_s, second.agent_s, second.other_s) == (7.0, 2.0, 0)
    assert two().per_trajectory("tool_s") == 8.0
    assert two().per_trajectory("turns") == 2.0


def test_an_unknown_part_makes_a_sum_unknown_and_what_is_known_is_told() -> None:
    found = spent(
        "agent",
        [
            call(input_tokens=10, output_tokens=1, cost_usd=1.0),
            call(output_tokens=2, cost_reason="no price"),
        ],
    )
    assert (found.input_tokens, found.output_tokens) == (None, 3)
    assert (found.cost_usd, found.known_cost_usd, found.unpriced) == (None, 1.0, 1)
    assert found.cost_reason == "no price"


def test_what_was_recalled_took_nothing() -> None:
    kept = call(input_tokens=10, output_tokens=1, cost_usd=1.0)
    found = spent("judge", [kept, kept.model_copy(update={"is_recalled": True})])
    assert (found.calls, found.input_tokens, found.cost_usd) == (1, 10, 1.0)


def test_times_that_nobody_measured_are_none_and_no_zero() -> None:
    made = call(seconds=0.0, input_tokens=1, output_tokens=1, cost_usd=1.0)
    found = costs("m", [trajectory("01", turn(1, made, seconds=0.0))])
    (only,) = found.explorations
    assert (only.tool_s, only.agent_s) == (None, None)
    assert (found.tools[0].mean_s, found.tools[0].total_s) == (None, None)
    assert found.tools[0].calls == 1
    assert found.roles[0].seconds is None


def test_an_agent_without_a_model_has_no_role_and_no_reasoning() -> None:
    found = costs("profiler", [trajectory("01", turn(1, None))])
    assert found.roles == () and found.lost is None
    assert (found.reasoning.per_turn, found.reasoning.of) == (None, 0)


def test_an_agent_out_of_sight_took_what_nobody_knows_and_what_it_reports_stands_apart() -> None:
    told = Usage(input_tokens=70, output_tokens=7, cost_usd=0.5)
    reported = trajectory("01", turn(1, None)).model_copy(update={"reported_usage": told})
    found = costs("theirs", [reported, trajectory("02", turn(1, None))], is_seen=False)
    assert found.cost_usd is None and found.per_trajectory("agent_s") is None
    assert found.reported is not None and found.reported.input_tokens == 70
    assert found.reporting == 1
    assert found.roles == ()
    assert costs("profiler", [trajectory("01", turn(1, None))]).cost_usd == 0


def test_attempts_that_do_not_count_are_paid_for_apart() -> None:
    lost = [call(input_tokens=7, output_tokens=1, cost_usd=9.0)]
    found = costs("m", [trajectory("01", turn(1, None))], lost)
    assert found.lost is not None and (found.lost.calls, found.lost.cost_usd) == (1, 9.0)
    assert found.roles == ()


def test_what_was_done_in_vain_is_counted_over_the_run() -> None:
    again = trajectory("01", *(turn(n, None, kind="sql") for n in (1, 2, 3)), turn(4, None))
    found = costs("m", [again, trajectory("02", turn(1, None))])
    assert (found.queries, found.repeated, found.after_error) == (5, 3, 3)
    (loop,) = found.loops
    assert (loop.turns, loop.got_out, found.looping) == ((1, 2, 3), True, 1)


def test_tables_hold_a_row_per_role_tool_trajectory_and_loop() -> None:
    made = {each.name: each for each in tables([two()])}
    assert list(made) == ["roles", "tools", "trajectories", "loops", "runs"]
    assert [row[1] for row in made["roles"].rows] == ["agent", "insight"]
    assert len(made["trajectories"].rows) == 2
    run = dict(zip(made["runs"].columns, made["runs"].rows[0], strict=True))
    assert (run["trajectories"], run["cost_usd"]) == (2, 10.5)
    assert run["reasoning_tokens_per_turn"] == 6.0


def test_no_trajectory_at_all_gives_no_figure() -> None:
    found = costs("m", [])
    assert found.per_trajectory("tool_s") is None
    assert found.tools == () and found.queries == 0


def test_the_figure_says_what_was_not_measured() -> None:
    unmeasured = costs("logs", [trajectory("01", turn(1, None, seconds=0.0))])
    text = draw([two(), unmeasured], "svg").decode()
    assert "not measured" in text and "execute_code" in text
    # 9 + 7 s in tools, 8 s in the agent's model, 1 s in insights, over two trajectories.
    assert "12.5 s" in text
    assert draw([two()], "png")[:4] == b"\x89PNG"
    assert b"svg" in draw([costs("none", [])], "svg")
