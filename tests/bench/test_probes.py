"""The probes measure what they say: whole turns, honest answers, no query twice."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from bench import sessions, storing
from bench.figures import Bench
from core.protocols import Observation, ToolSpec
from databases.catalog import InstalledScenario
from databases.connection import open_readonly
from tests.support.flights import flights, flights_home

__all__ = ["flights", "flights_home"]


class OneAnswer:
    """Tools that say one thing."""

    def __init__(self, answer: Observation) -> None:
        self.answer = answer
        self.asked: list[tuple[str, Mapping[str, Any]]] = []

    async def list(self) -> Sequence[ToolSpec]:
        return ()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        self.asked.append((name, arguments))
        return self.answer


@pytest.mark.parametrize("index", [1, 9, 10, 999, 100_000])
def test_a_turn_has_the_size_that_was_measured_on_real_ones(index: int) -> None:
    turn = storing.turn_of_size(index)
    assert len(turn.model_dump_json()) == pytest.approx(storing.TURN_BYTES, abs=16)
    assert turn.index == index
    assert turn.tool_calls[0].call_id == turn.tool_results[0].call_id


def test_turns_go_through_the_real_store_and_are_all_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "TURNS", 20)
    bench = Bench(tmp_path, lambda what: None)
    assert storing.turns_stored(bench)["turns_stored_per_s"] > 0
    assert storing.turns_stored(bench)["turns_stored_per_s"] > 0, "a second time, on a new file"


def test_half_of_the_queries_are_aggregates_and_none_is_asked_twice(
    flights: InstalledScenario,
) -> None:
    asked = list(itertools.islice(sessions.queries(flights), 80))
    assert len(set(asked)) == 80
    assert sum("avg(departure_delay_min)" in sql for sql in asked) == 40


def test_every_query_runs_on_the_real_database(flights: InstalledScenario) -> None:
    with open_readonly(flights.database_path) as connection:
        for sql in itertools.islice(sessions.queries(flights), 32):
            assert connection.execute(sql).fetchone() is not None


def test_an_answer_that_is_an_error_is_not_timed() -> None:
    tools = OneAnswer(Observation(text="no such column", is_error=True, error_kind="sql"))
    with pytest.raises(RuntimeError, match="no such column"):
        anyio.run(sessions.timed_query, tools, "SELECT nope")


def test_a_query_is_asked_once_by_the_papers_name() -> None:
    tools = OneAnswer(Observation(text="[[1]]"))
    assert anyio.run(sessions.timed_query, tools, "SELECT 1") >= 0
    assert tools.asked == [("execute_query", {"query": "SELECT 1"})]


def test_the_entity_that_is_measured_is_the_largest(flights: InstalledScenario) -> None:
    with open_readonly(flights.database_path) as connection:
        counts = connection.execute(
            "SELECT carrier_id, count(*) FROM flights GROUP BY 1"
        ).fetchall()
    largest = max(counts, key=lambda row: row[1])[0]
    assert sessions.largest_entity(flights) == largest


def test_a_probe_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "TIME_LIMIT_S", 0.01)
    with pytest.raises(TimeoutError):
        sessions.in_time(anyio.sleep_forever)


def test_the_server_is_started_as_an_outside_agent_would_start_it(tmp_path: Path) -> None:
    server = sessions.serve_command(Bench(tmp_path, lambda what: None), "07")
    assert server.args[2:] == ["serve", "--scenario", "flights", "--entity", "07"]
    assert (server.env or {})["DDR_HOME"] == str(tmp_path)
