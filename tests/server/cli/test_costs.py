"""`ddr costs`: what stored runs took, told for people and programs, written to files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.run import ModelSpec
from core.trajectory import Insight, StopReason, ToolCall, ToolResult, Turn
from server.store import open_store
from tests.server.cli.conftest import RUN, Ddr
from tests.server.judged_runs import call
from tests.server.support import START, draft, spec

MINE = "20260131-flights-cost"
FIRST = f"{MINE}.01.1.2"


def turn(index: int, sql: str, kind: str | None = None, cost: float | None = 0.5) -> Turn:
    name = f"c{index}"
    return Turn(
        index=index,
        tool_calls=(
            ToolCall(call_id=name, name="execute_query", arguments=json.dumps({"query": sql})),
        ),
        tool_results=(
            ToolResult(
                call_id=name,
                name="execute_query",
                text="",
                is_error=kind is not None,
                error_kind=kind,
                duration_s=0.5,
            ),
        ),
        call=call(cost=cost, reasoning_tokens=20, cached_input_tokens=25),
        started_at=START,
        duration_s=1.0,
    )


@pytest.fixture
def run(explored: Path) -> Path:
    """A run of a model: an attempt that broke, then one with a loop, a repeated query and an insight."""
    with open_store(explored / "store.sqlite3") as store:
        mine = spec(
            MINE,
            scenario_id="flights",
            model=ModelSpec(provider="openai", name="m"),
            entity_ids=("01",),
        )
        store.add_run(mine)
        broken = store.start_trajectory(draft(mine))
        store.add_turn(broken.id, turn(1, "SELECT 1", cost=2.0))
        store.end_trajectory(broken.id, StopReason.PROVIDER_ERROR, ended_at=START)
        again = store.start_trajectory(draft(mine))
        for number in (1, 2, 3):
            store.add_turn(
                again.id, turn(number, f"SELECT nope FROM flights LIMIT {number}", "sql")
            )
        store.add_turn(again.id, turn(4, "SELECT count(*) FROM flights"))
        store.add_turn(again.id, turn(5, "select COUNT(*)\nfrom flights;"))
        store.add_insight(
            Insight(
                id=f"{again.id}.i1",
                trajectory_id=again.id,
                level="message",
                turn=4,
                text="Many.",
                author="m",
                call=call("insight", cost=None),
            )
        )
        store.end_trajectory(again.id, StopReason.FINISHED, ended_at=START)
    return explored


def test_a_runs_tokens_time_and_vain_calls_are_told(ddr: Ddr, run: Path) -> None:
    done = ddr("costs", MINE)
    assert done.code == 0, done.err
    assert "openai/m: 1 trajectory, 5.0 turns each, cost not known" in done.out
    assert "insight: 1 of 1 call without a cost: no price" in done.out
    assert "reasoning tokens per turn: 20.00 (median 20), reported by 5 of 5 turns" in done.out
    assert "25.0 %" in done.out  # cached
    assert "(lost attempts)" in done.out and "$2.0000" in done.out
    assert "sql 3" in done.out
    assert "repeated queries: 1 of 5 queries (20.0 %)" in done.out
    assert f"{FIRST}, turns 1 to 3: 3 of execute_query" in done.out
    assert f"reprice {MINE} --prices FILE" in done.out


def test_programs_get_the_same_figures(ddr: Ddr, run: Path) -> None:
    (told,) = ddr("costs", MINE, "--json").json["runs"]
    agent, insight = told["roles"]
    assert (agent["calls"], agent["cost_usd"], agent["cache_share"]) == (5, 2.5, 0.25)
    assert (insight["cost_usd"], told["cost_usd"], told["lost"]["cost_usd"]) == (None, None, 2.0)
    (tool,) = told["tools"]
    assert (tool["calls"], tool["errors"], tool["success"]) == (5, 3, pytest.approx(0.4))
    assert (told["queries"], told["repeated"], told["repeated_after_error"]) == (5, 1, 0)
    (loop,) = told["loops"]
    assert (loop["trajectory"], loop["turns"], loop["got_out"]) == (FIRST, [1, 2, 3], True)
    assert told["per_trajectory"]["tool_s"] == 2.5


def test_runs_are_set_beside_one_another_and_written_to_files(
    ddr: Ddr, run: Path, tmp_path: Path
) -> None:
    paths = [tmp_path / f"c.{form}" for form in ("json", "csv", "svg", "png")]
    asked = [word for path in paths for word in ("--out", str(path))]
    told = ddr("costs", MINE, RUN, *asked, "--json").json
    assert [each["name"] for each in told["runs"]] == ["openai/m", "scripted"]
    assert told["runs"][1]["cost_usd"] == 0  # it asks no model
    read = json.loads(paths[0].read_text())
    assert [row["run"] for row in read["runs"]] == ["openai/m", "scripted"]
    assert [row["turns"] for row in read["trajectories"]] == [5, 1, 1]
    assert {Path(name).name for name in told["files"]} >= {"c-roles.csv", "c.svg", "c.png"}
    drawn = paths[2].read_text()
    assert "openai/m" in drawn and "execute_query" in drawn


def test_a_run_named_twice_is_told_once(ddr: Ddr, run: Path) -> None:
    assert len(ddr("costs", RUN, RUN, "--json").json["runs"]) == 1


def test_a_run_without_a_trajectory_is_refused(ddr: Ddr, explored: Path) -> None:
    with open_store(explored / "store.sqlite3") as store:
        store.add_run(spec(MINE, scenario_id="gone"))
    done = ddr("costs", MINE)
    assert done.code == 2
    assert f"nothing was explored in {MINE} yet" in done.err


def test_a_scenario_that_is_not_here_any_more_keeps_nobody_from_the_costs(
    ddr: Ddr, explored: Path
) -> None:
    with open_store(explored / "store.sqlite3") as store:
        mine = spec(MINE, scenario_id="gone", entity_ids=("01",))
        store.add_run(mine)
        one = store.start_trajectory(draft(mine))
        store.add_turn(one.id, turn(1, "SELECT 1"))
        store.add_turn(one.id, turn(2, "select 1"))
    (told,) = ddr("costs", MINE, "--json").json["runs"]
    assert told["repeated"] == 1
