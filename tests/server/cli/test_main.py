"""Every command speaks alike: help with an example, JSON, one clear line for an error."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from core.errors import UnknownNameError
from server.cli.main import build_app, main
from tests.server.cli.conftest import Ddr

ROOT = Path(__file__).parents[3]


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path
        return
    for name, each in inner.items():
        yield from _commands(each, (*path, name))


COMMANDS = sorted(_commands(typer.main.get_command(build_app())))


def test_the_commands_are_those_that_the_table_of_commands_names() -> None:
    assert {" ".join(path) for path in COMMANDS} == {
        "bench",
        "checklists list",
        "checklists verify",
        "delete",
        "demo",
        "doctor",
        "evaluate",
        "reprice",
        "report",
        "run",
        "runs",
        "scenarios build",
        "scenarios list",
        "scenarios show",
        "scenarios verify",
        "serve",
        "show",
        "test",
    }


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_each_command_has_help_with_an_example_json_and_quiet(
    ddr: Ddr, path: tuple[str, ...]
) -> None:
    done = ddr(*path, "--help")
    assert done.code == 0
    assert f"Example:\n    ddr {' '.join(path)}" in done.out
    assert "--json" in done.out
    assert "--quiet" in done.out


def test_help_loads_no_heavy_module() -> None:
    heavy = "pandas numpy scipy litellm mcp sqlalchemy duckdb fastapi rich jinja2 sqlglot pydantic"
    script = (
        "import sys; from server.cli.main import main; main(['--help']); "
        f"print('loaded:', [m for m in '{heavy}'.split() if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "loaded: []"


def test_no_command_at_all_shows_the_help(ddr: Ddr) -> None:
    done = ddr()
    assert done.code == 2
    assert done.out.startswith("Usage: ddr ")
    assert done.err == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("runz",), "No such command 'runz'. Did you mean 'run', 'runs'"),
        (
            ("run", "--scenari", "flights"),
            "No such option: --scenari (Possible options: --scenario",
        ),
        (("run", "--retry-error"), "--retry-errors"),
        (("scenarios", "biuld"), "Did you mean 'build'?"),
        (("show",), "Missing argument 'RUN'"),
        (("run", "--trials", "many"), "'--trials'"),
    ],
)
def test_a_misspelt_word_names_the_nearest_right_one(
    ddr: Ddr, arguments: tuple[str, ...], said: str
) -> None:
    done = ddr(*arguments)
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert said in done.err
    assert "--help" in done.err
    assert done.out == ""


def test_an_error_of_ours_is_one_line_and_with_json_an_object_too(ddr: Ddr) -> None:
    plain = ddr("scenarios", "show", "flihgts")
    assert (plain.code, plain.out) == (2, "")
    assert (
        plain.err == "error: unknown scenario 'flihgts' (did you mean 'flights'?); known: flights\n"
    )
    told = ddr("scenarios", "show", "flihgts", "--json")
    assert told.code == 2
    assert told.json["error"]["kind"] == "UnknownNameError"
    assert told.json["error"]["message"] in told.err


def test_the_traceback_is_there_for_who_asks_for_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DDR_DEBUG", "1")
    with pytest.raises(UnknownNameError):
        main(["scenarios", "show", "flihgts"])
