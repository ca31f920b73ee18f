"""The README's commands, word for word and in its order, in one home: each does what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import pages, pictures
from tests.support.flights import flights_home
from tests.support.pages import ROOT, Command

__all__ = ["flights_home"]

ELSEWHERE = {
    ("test",): "this test is part of it",
    ("test", "--fast"): "likewise",
    ("demo",): "tests/e2e",
    ("bench", "first-run"): "tests/bench/test_command.py",
    ("scenarios", "verify", "flights"): "tests/checklists/test_flights.py",
    (
        *("run", "--scenario", "flights", "--model", "anthropic/claude-sonnet-4-5"),
        *("--entities", "sample:4"),
    ): "tests/e2e/test_models.py",
    (
        *("run", "--scenario", "flights", "--model", "openai/my-model"),
        *("--base-url", "http://127.0.0.1:8000/v1"),
    ): "tests/e2e/test_models.py",
    (
        *("run", "--scenario", "flights", "--model", "openai/gpt-5-mini"),
        *("--estimate", "--pilot", "2"),
    ): "tests/server/cli/test_run_estimate.py",
    (
        *("enrol", "--scenario", "flights", "--agent", "mine"),
        *("--write", "opencode", "--exec", "{command}"),
    ): "tests/clients: it starts a program of somebody's",
    ("serve", "--http"): "tests/server/http: it serves until it is stopped",
    ("insights", "last", "--model", "openai/gpt-5-mini"): "tests/server/cli/test_insights.py",
    ("evaluate", "last", "--judge", "openai/gpt-5-mini"): "tests/server/cli/test_judging.py",
    (
        *("calibrate", "--judge", "openai/gpt-5-mini", "--canary"),
    ): "tests/server/cli/test_calibrate.py",
    ("label", "last", "--by", "ann"): "tests/server/cli/test_label.py: somebody answers",
    ("diff", "20260131-flights-ab12", "last"): "tests/server/cli/test_diff.py: there are two runs",
    (
        *("rank", "20260131-flights-ab12", "last"),
        *("--judge", "openai/gpt-5-mini"),
    ): "tests/server/cli/test_rank.py",
    (
        *("bridge", "ddr-bench", "logs", "--scenario", "filings"),
        *("--judge", "openai/gpt-5-mini"),
    ): "tests/server/cli/test_bridge.py",
    (
        *("scenarios", "build", "patients", "--from", "mimiciv/3.1"),
        *("--notes", "mimic-iv-note/2.2/note"),
    ): "tests/databases/patients, on files of its own",
    ("scenarios", "build", "wearables", "--from", "globem"): "tests/databases/wearables, likewise",
    ("scenarios", "build", "filings", "--from", "reports"): "tests/databases/filings, likewise",
}
"""Commands that take minutes, a model or somebody's files, and the suite that runs them."""

FEWER: dict[tuple[str, ...], tuple[str, ...]] = {
    ("run", "--scenario", "flights", "--agent", "profiler"): ("--entities", "03"),
    **{
        ("scenarios", "build", domain, "--synthetic", "--entities", "12"): (
            *("--entities", "3", "--rows", "3000"),
        )
        for domain in ("patients", "wearables", "filings")
    },
}
"""What is added so that one carrier is explored and not sixteen, and three entities are made."""


def table() -> list[Command]:
    """The commands of the README's table, from the top."""
    readme = ROOT / "README.md"
    rows = re.findall(r"^\|.*\|$", pages.text(readme), re.MULTILINE)
    spans = [span for row in rows for span in re.findall(r"`([^`]+)`", row)]
    return [command for span in spans for command in pages.command_in(readme, span)]


def test_the_readme_has_a_table_of_commands_and_each_is_run_by_some_test() -> None:
    words = [command.words for command in table()]
    assert len(words) > 10
    assert set(ELSEWHERE) | set(FEWER) <= set(words), "a command left the table"


@pytest.mark.real
def test_the_readmes_commands_work_one_after_another(flights_home: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(flights_home, home)
    failed = []
    for command in table():
        if command.words in ELSEWHERE:
            continue
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "server.cli.main",
                *command.words,
                *FEWER.get(command.words, ()),
            ],
            cwd=tmp_path,  # some write a file where they are called
            env={**os.environ, "DDR_HOME": str(home)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,  # one that waits for somebody is a failure, and ends no build machine
        )
        if done.returncode or "Traceback" in done.stderr:
            failed.append(f"{command.text}: exit {done.returncode}\n{done.stderr[-2000:]}")
    assert failed == []
    assert list((home / "reports").glob("*.html"))


def test_the_readmes_pictures_are_there_and_said_in_words() -> None:
    shown = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", pages.text(ROOT / "README.md"))
    assert [path for _, path in shown] == [
        f"docs/pictures/{name}" for name in (pictures.TRAJECTORY, pictures.CURVES)
    ]
    for words, path in shown:
        assert len(words) > 80
        assert (ROOT / path).read_bytes().startswith(b"\x89PNG")
