"""The runner's benchmark: a job of the promised size, figures by their definition, no figure of less."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench import endpoint, registry, runner
from bench.figures import Bench
from bench.sensors.builder import SENSORS, register
from databases.build import build_manifest
from databases.catalog import InstalledScenario, open_scenario
from databases.connection import open_readonly
from databases.manifest import read_manifest

GOALS = {
    "wall_over_ideal": (1.3, "lower"),
    "rss_growth": (0.05, "lower"),
    "cpu_per_call_ms": (8, "lower"),
}
ASK = {"role": "user", "content": "report what stands out about sensor S07"}
TOOLS = [{"type": "function", "function": {"name": "execute_query"}}]
MB = 1024 * 1024


@pytest.fixture(scope="module")
def sensors(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    toml = runner.ROOT / "bench" / "sensors" / "scenario.toml"
    return build_manifest(read_manifest(toml), tmp_path_factory.mktemp("sensors"))


def said(count: int) -> list[Mapping[str, Any]]:
    """A conversation in which the model has spoken so often."""
    return [ASK, *({"role": "assistant", "content": f"{n}"} for n in range(count))]


def seen(memory: Mapping[int, int], *, wall_s: float = 40.0, calls: int = 2624) -> runner.Seen:
    """100 MB at each finished entity, but for those named by their number."""
    finished = tuple(memory.get(n, 100) * MB for n in range(1, 65))
    return runner.Seen(calls, wall_s, finished, cpu_s=13.12)


def test_the_goals_are_those_that_were_promised() -> None:
    goals = [goal for probe in registry.probes("runner") for goal in probe.goals]
    assert {goal.name: (goal.goal, goal.better) for goal in goals} == GOALS
    assert (runner.LATENCY_S, runner.CONCURRENCY, runner.FROM, runner.TO) == (0.2, 16, 20, 64)


def test_the_wall_is_taken_against_calls_times_latency_by_concurrency() -> None:
    assert seen({}, wall_s=41.0, calls=2624).figures()["wall_over_ideal"] == pytest.approx(1.25)


def test_memory_counts_from_the_twentieth_entity_by_its_highest_point() -> None:
    assert seen({1: 10, 19: 50}).figures()["rss_growth"] == 0
    assert seen({40: 110}).figures()["rss_growth"] == pytest.approx(0.1)
    assert seen({64: 103}).figures()["rss_growth"] == pytest.approx(0.03)


def test_a_calls_cpu_time_is_the_processes_over_its_calls() -> None:
    assert seen({}, calls=2624).figures()["cpu_per_call_ms"] == pytest.approx(5.0)


def test_cpu_time_is_what_the_system_says() -> None:
    before, began = runner.cpu_of(os.getpid()), time.process_time()
    while time.process_time() - began < 0.3:
        pass
    assert runner.cpu_of(os.getpid()) - before == pytest.approx(0.3, abs=0.1)


def test_memory_is_what_the_system_says() -> None:
    before = runner.memory_of(os.getpid())
    held = b"\1" * (64 * MB)
    assert runner.memory_of(os.getpid()) - before > 0.9 * len(held)


def test_the_scenario_has_an_entity_for_each_place_and_a_few_thousand_rows(
    sensors: InstalledScenario,
) -> None:
    assert len(sensors.entities()) == SENSORS == runner.TO
    with open_readonly(sensors.database_path) as connection:
        counted = connection.execute(
            "SELECT count(*), count(DISTINCT sensor_id) FROM readings"
        ).fetchone()
    assert counted == (5000, SENSORS)


def test_a_user_finds_it_by_name_once_its_plug_in_is_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(register(tmp_path / "plugins")))
    assert open_scenario("sensors", tmp_path).scenario.entity_noun == "sensor"


def test_each_turn_is_a_query_that_runs_on_the_entity_it_was_asked_about(
    sensors: InstalledScenario,
) -> None:
    with open_readonly(sensors.database_path) as connection:
        for done in range(runner.TURNS):
            message = endpoint.answer({"messages": said(done), "tools": TOOLS}, runner.TURNS)
            (call,) = message["tool_calls"]
            query = json.loads(call["function"]["arguments"])["query"]
            assert connection.execute(query).fetchall(), query
            assert "sensor_id = 'S07'" in query or "GROUP BY s.place" in query


def test_an_exploration_ends_by_itself_after_its_turns() -> None:
    message = endpoint.answer({"messages": said(3), "tools": TOOLS}, 3)
    assert message["content"].startswith("FINISH:")
    assert "tool_calls" not in message


def test_what_is_asked_without_tools_is_an_insight() -> None:
    assert endpoint.answer({"messages": [ASK]}, 3)["content"] == endpoint.INSIGHT


def bench(folder: Path) -> Bench:
    return Bench(folder, lambda what: None)


@pytest.mark.real
def test_a_small_job_is_measured_whole_by_the_command_that_a_user_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "TURNS", 2)
    monkeypatch.setattr(runner, "LATENCY_S", 0.01)
    figures = runner.job(bench(tmp_path))
    assert set(figures) == set(GOALS)
    assert figures["wall_over_ideal"] >= 1
    with pytest.raises(RuntimeError, match="320 calls were made in place of 321"):
        runner.check(tmp_path / "runner", seen({}, calls=320), 321)
    monkeypatch.setattr(runner, "TURNS", 3)
    with pytest.raises(RuntimeError, match="0 of 64 entities were explored whole"):
        runner.check(tmp_path / "runner", seen({}, calls=320), 320)


@pytest.mark.real
def test_a_run_that_fails_gives_no_figure_but_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = runner.prepare(bench(tmp_path), tmp_path / "runner")
    monkeypatch.setattr(runner, "CONCURRENCY", 0)
    with pytest.raises(RuntimeError, match="concurrency"):
        runner.run(tmp_path / "runner", environment)


def test_the_endpoint_says_where_it_is_and_what_it_was_asked() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "bench.endpoint", "0", "1"],
        cwd=runner.ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        out, _ = process.communicate("")
    url, told = out.splitlines()
    assert url.startswith("http://127.0.0.1:")
    assert json.loads(told) == {"calls": 0, "first_at": None}
