"""`ddr test`: every check runs, the exit code and the last lines tell the truth."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.errors import UsageError
from server.cli import testing

OK = (sys.executable, "-c", "print('all well')")
BAD = (sys.executable, "-c", "print('oh no'); raise SystemExit(3)")
PYTEST = (sys.executable, "-c", "print('==== 41 passed, 2 skipped in 3.20s ====')")
SKIPPING = (
    sys.executable,
    "-c",
    "import os, pathlib; pathlib.Path(os.environ['DDR_SKIPPED_TO']).write_text('2 x needs root\\n');"
    "print('=== 1 passed, 2 skipped in 0.10s ===')",
)


def use(monkeypatch: pytest.MonkeyPatch, *commands: Sequence[str]) -> None:
    """Let `ddr test` run these commands in place of the real checks."""
    made = tuple(
        testing.Step(f"step{n}", "a check", tuple(command)) for n, command in enumerate(commands, 1)
    )
    monkeypatch.setattr(testing, "steps", lambda fast, args: made)


def test_all_checks_well_is_0_and_pytests_closing_line_is_the_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, OK, PYTEST)
    assert testing.run_tests(fast=False, pytest_args=[]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "41 passed, 2 skipped in 3.20s"


def test_a_failed_check_fails_the_whole_and_the_others_still_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, BAD, PYTEST)
    assert testing.run_tests(fast=False, pytest_args=[]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "oh no" in lines
    assert [line.split()[0] for line in lines[-3:-1]] == ["FAILED", "ok"]
    assert lines[-1] == "41 passed, 2 skipped in 3.20s"


def test_each_check_says_what_it_is_before_it_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, OK, PYTEST)
    testing.run_tests(fast=False, pytest_args=[])
    lines = capsys.readouterr().out.splitlines()
    assert lines.index("--- step1: a check") < lines.index("all well")


def test_what_was_skipped_is_repeated_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, SKIPPING)
    testing.run_tests(fast=False, pytest_args=[])
    tail = capsys.readouterr().out.splitlines()[-4:]
    assert tail[0].startswith("NOT TESTED HERE")
    assert tail[1] == "  2 x needs root"


def test_json_is_one_object_on_the_last_line_and_the_rest_is_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, BAD, SKIPPING)
    testing.run_tests(fast=False, pytest_args=[], json=True)
    printed = capsys.readouterr()
    (line,) = printed.out.splitlines()
    told = json.loads(line)
    assert told["ok"] is False
    assert told["steps"]["step1"]["ok"] is False
    assert told["skipped"] == ["2 x needs root"]
    assert told["pytest"] == "1 passed, 2 skipped in 0.10s"
    assert "oh no" in printed.err


def test_quiet_shows_the_output_of_failed_checks_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, OK, BAD, PYTEST)
    testing.run_tests(fast=False, pytest_args=[], quiet=True)
    printed = capsys.readouterr()
    assert "oh no" in printed.err
    assert "all well" not in printed.err + printed.out


def test_a_pytest_that_dies_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, BAD)
    assert testing.run_tests(fast=False, pytest_args=[]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "pytest did not come to an end"


@pytest.mark.parametrize(
    ("output", "closing"),
    [
        ("...\n===== 3 passed in 0.12s =====\n", "3 passed in 0.12s"),
        ("= 1 failed, 2 errors in 75.31s (0:01:15) =\n", "1 failed, 2 errors in 75.31s (0:01:15)"),
        ("3 passed in 0.12s\n", "3 passed in 0.12s"),
        ("==== no tests ran in 0.01s ====\n", "no tests ran in 0.01s"),
        ("== 1 passed in 1.0s ==\n== 9 passed in 2.0s ==\n", "9 passed in 2.0s"),
        ("Success: no issues found in 3 source files\n", None),
    ],
)
def test_the_closing_line_is_found_in_every_shape(output: str, closing: str | None) -> None:
    assert testing.closing_line(output) == closing


def test_colours_are_passed_on_and_left_out_of_the_closing_line() -> None:
    coloured = "print('\\x1b[32m=== \\x1b[1m1 passed\\x1b[0m in 0.01s ===\\x1b[0m')"
    sink = io.StringIO()
    step = testing.Step("tests", "pytest", (sys.executable, "-c", coloured))
    outcome = testing.run_step(step, sink, {})
    assert "\x1b[32m" in sink.getvalue()
    assert testing.closing_line(outcome.output) == "1 passed in 0.01s"


def test_the_checks_are_format_lint_types_imports_and_tests_in_this_order() -> None:
    names = [step.name for step in testing.steps(fast=False, pytest_args=[])]
    assert names == ["format", "lint", "types", "imports", "tests"]


def test_fast_leaves_out_the_real_ones_and_only_fast_does() -> None:
    assert testing.steps(fast=True, pytest_args=[])[-1].command[-2:] == ("-m", "not real")
    assert "not real" not in testing.steps(fast=False, pytest_args=[])[-1].command


def test_a_number_of_workers_given_by_hand_is_the_only_one() -> None:
    command = testing.steps(fast=False, pytest_args=["-n0", "tests/core"])[-1].command
    assert [part for part in command if part.startswith("-n")] == ["-n0"]
    assert command[-1] == "tests/core"


def test_an_installation_without_tests_says_where_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(testing, "ROOT", tmp_path)
    with pytest.raises(UsageError, match="in a checkout"):
        testing.run_tests(fast=False, pytest_args=[])


def test_missing_tools_outside_the_checkouts_venv_are_not_installed_behind_ones_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tests").mkdir()
    monkeypatch.setattr(testing, "ROOT", tmp_path)
    monkeypatch.setattr(testing, "DEV_MODULES", ("no_such_tool",))
    with pytest.raises(UsageError, match=r"no_such_tool not installed.*pip install --group dev"):
        testing.run_tests(fast=False, pytest_args=[])
