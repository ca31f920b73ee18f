"""`ddr bench`: one object, exit 0 once measured, clear words for an unknown name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from bench import command, registry
from core.errors import UnknownNameError

ROOT = Path(__file__).parents[2]

GOALS = {
    "help_s": (0.5, "lower"),
    "mcp_p50_ms": (10, "lower"),
    "mcp_p95_ms": (25, "lower"),
    "turns_stored_per_s": (200, "higher"),
    "entity_s": (5, "lower"),
}


@pytest.fixture(autouse=True)
def _sample(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(registry.BENCHES, "sample", "tests.bench.sample")
    monkeypatch.setenv("DDR_HOME", str(tmp_path / "home"))


def bench(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `ddr bench` with these arguments."""
    app = typer.Typer()
    command.register(app)
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return done.exit_code, done.stdout, done.stderr


def test_json_is_one_object_of_name_to_figure_on_the_last_line() -> None:
    code, out, _ = bench("sample", "--json")
    assert code == 0
    (line,) = out.splitlines()
    told = json.loads(line)
    assert list(told) == ["quick_s", "many_per_s", "forgotten_s", "broken_s"]
    assert told["quick_s"] == {
        "value": 0.1235,
        "goal": 0.5,
        "met": True,
        "unit": "s",
        "better": "lower",
    }


def test_a_goal_that_is_missed_and_a_figure_that_is_missing_still_exit_with_0() -> None:
    code, out, _ = bench("sample", "--json")
    told = json.loads(out)
    assert code == 0
    assert [name for name, figure in told.items() if figure["met"]] == ["quick_s"]
    assert told["broken_s"]["value"] is None
    assert told["broken_s"]["reason"] == "RuntimeError: no such server"


def test_people_get_a_table_with_every_figure_and_its_goal() -> None:
    _, out, _ = bench("sample")
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()}
    assert rows["quick_s"][1:] == ["0.1235", "<=", "0.5", "s", "yes"]
    assert rows["many_per_s"][1:] == ["5", ">=", "200", "1/s", "no"]
    assert rows["broken_s"][1] == "-"


def test_progress_goes_to_stderr_and_quiet_stops_it() -> None:
    assert "the good one" in bench("sample", "--json")[2]
    assert bench("sample", "--json", "--quiet")[2] == ""


def test_without_a_name_every_benchmark_is_run_under_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in set(registry.BENCHES) - {"sample"}:
        monkeypatch.delitem(registry.BENCHES, name)
    told = json.loads(bench("--json")[1])
    assert list(told) == ["sample"]
    assert "quick_s" in told["sample"]


def test_an_unknown_benchmark_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown benchmark 'frist-run' .*'first-run'"):
        bench("frist-run")


def test_data_is_kept_below_the_home_folder(tmp_path: Path) -> None:
    bench("sample", "--json")
    assert (tmp_path / "home" / "bench").is_dir()


def test_every_benchmark_can_be_loaded_and_names_each_figure_once() -> None:
    for name in registry.BENCHES:
        names = [goal.name for probe in registry.probes(name) for goal in probe.goals]
        assert names
        assert len(names) == len(set(names))


def test_the_first_run_has_the_figures_and_goals_that_were_promised() -> None:
    goals = [goal for probe in registry.probes("first-run") for goal in probe.goals]
    assert {goal.name: (goal.goal, goal.better) for goal in goals} == GOALS


@pytest.mark.real
def test_the_first_run_is_measured_for_real_every_figure_of_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "server.cli.main", "bench", "first-run", "--json"],
        cwd=ROOT,
        env={**os.environ, "DDR_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert set(told) == set(GOALS)
    missing = {name: figure["reason"] for name, figure in told.items() if figure["value"] is None}
    assert missing == {}
    assert all(figure["value"] > 0 for figure in told.values())
