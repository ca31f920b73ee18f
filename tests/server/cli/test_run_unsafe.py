"""Python without a sandbox is asked for by name each time, and never goes unsaid."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.cli.test_run_models import DONE, explore, script
from tests.server.cli.test_run_several import REFUSED

pytestmark = pytest.mark.real  # whole runs with models

FLAG = "--unsafe-python-without-sandbox"
CODE = {"tool_calls": [{"name": "execute_code", "arguments": {"code": "print(6 * 7)"}}]}
BOTH = ("--tools", "both", "--insights", "none")


def test_it_runs_and_each_trajectory_and_the_report_say_that_nothing_held_it(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    done = explore(ddr, "--model", script(tmp_path, CODE, DONE), *BOTH, FLAG, "--quiet")
    assert done.code == 0, done.err
    assert "WITHOUT A SANDBOX" in done.err, "however quiet"
    with open_store(built_home / "store.sqlite3") as store:
        spec = store.run("last")
        (only,) = store.trajectories(spec.id)
    assert spec.sandbox == "unsafe-none"
    assert only.sandbox is not None
    assert only.sandbox.is_unsafe
    assert (only.sandbox.detail or "").startswith("unsafe: no sandbox")
    assert "42" in only.turns[0].tool_results[0].text
    assert "sandbox unsafe-none" in ddr("show", "last", "01").out
    page = tmp_path / "page.html"
    assert ddr("report", "last", "--out", str(page)).code == 0
    assert "Its Python ran without a sandbox" in page.read_text("utf-8")


def test_it_is_never_the_default_and_no_file_turns_it_on(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    assert explore(ddr, "--model", script(tmp_path, DONE), *BOTH).code == 0
    with open_store(built_home / "store.sqlite3") as store:
        assert store.run("last").sandbox == "bubblewrap"
    for key in ('sandbox = "unsafe-none"', "unsafe_python_without_sandbox = true"):
        config = tmp_path / "bench.toml"
        config.write_text(f'scenario = "flights"\nagent = "profiler"\n{key}\n', "utf-8")
        done = ddr("run", "--config", str(config))
        assert done.code == 2
        assert "unknown key" in done.err


def test_a_resume_says_it_again_or_is_refused(ddr: Ddr, built_home: Path, tmp_path: Path) -> None:
    model = script(tmp_path, REFUSED)
    assert explore(ddr, "--model", model, *BOTH, FLAG).code == 1
    script(tmp_path, DONE)
    refused = ddr("run", "--resume", "last", "--retry-errors")
    assert refused.code == 2
    assert f"say {FLAG} again" in refused.err
    done = ddr("run", "--resume", "last", "--retry-errors", FLAG)
    assert done.code == 0, done.err
    assert "WITHOUT A SANDBOX" in done.err


def test_a_run_that_was_begun_in_a_sandbox_stays_in_it(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    assert explore(ddr, "--model", script(tmp_path, DONE), *BOTH).code == 0
    refused = ddr("run", "--resume", "last", FLAG)
    assert refused.code == 2
    assert "goes on in it" in refused.err


def test_without_python_there_is_nothing_to_warn_of(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    done = explore(ddr, "--model", script(tmp_path, DONE), FLAG)
    assert done.code == 0, done.err
    assert "SANDBOX" not in done.err
