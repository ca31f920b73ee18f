"""Every command speaks alike: help with an example, JSON, one clear line for an error."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from core.errors import UnknownNameError
from databases.catalog import SHIPPED
from server.cli.main import build_app, main
from server.revision import code_revision
from server.settings import unusual, usual_home
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
        "bridge",
        "calibrate",
        "checklists audit",
        "checklists derive",
        "checklists import",
        "checklists list",
        "checklists review",
        "checklists tag",
        "checklists verify",
        "costs",
        "curves",
        "delete",
        "demo",
        "diff",
        "doctor",
        "enrol",
        "evaluate",
        "exploration",
        "export",
        "failures",
        "import",
        "insights",
        "label",
        "leaderboard",
        "metrics",
        "plan",
        "rank",
        "report",
        "reprice",
        "run",
        "runs",
        "scenarios build",
        "scenarios list",
        "scenarios new",
        "scenarios show",
        "scenarios verify",
        "serve",
        "show",
        "stopping",
        "test",
        "token create",
        "token list",
        "token revoke",
        "trajectories import",
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
    assert plain.err == (
        "error: unknown scenario 'flihgts' (did you mean 'flights'?); "
        f"known: {', '.join(sorted(SHIPPED))}\n"
    )
    told = ddr("scenarios", "show", "flihgts", "--json")
    assert told.code == 2
    assert told.json["error"]["kind"] == "UnknownNameError"
    assert told.json["error"]["message"] in told.err


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_an_option_is_shown_with_a_word_that_says_what_to_give(
    ddr: Ddr, path: tuple[str, ...]
) -> None:
    options = [line for line in ddr(*path, "--help").out.splitlines() if line.startswith("  --")]
    assert [line for line in options if re.search(r"<|[A-Z]+\[", line)] == []


def test_the_version_is_told(ddr: Ddr) -> None:
    done = ddr("--version")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"ddr {code_revision()}\n"


@pytest.mark.parametrize(
    ("called", "typed"),
    [
        ("./ddr", "./ddr"),
        ("/opt/a folder/ddr", "'/opt/a folder/ddr'"),
        ("ddr", "./ddr"),
        ("pytest", "ddr"),
        ("", "ddr"),
    ],
)
def test_a_hint_names_the_program_as_it_was_called(tmp_path: Path, called: str, typed: str) -> None:
    assert f"see it work: DDR_HOME={tmp_path} {typed} demo\n" in _told(tmp_path, called)


def test_a_program_that_the_shell_finds_is_named_by_its_name(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "ddr"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    assert f"DDR_HOME={tmp_path} ddr demo\n" in _told(tmp_path, str(program), PATH=path)


def test_the_usual_home_is_not_named_in_a_hint() -> None:
    home = str(usual_home())
    assert f"see '{'./ddr'} --help'" in _told(Path(home), "./ddr", "runz")
    assert unusual(usual_home()) is None
    assert unusual(Path(home) / "other") == Path(home) / "other"


def _told(home: Path, called: str, *arguments: str, **environ: str) -> str:
    """What a process says that was called by this name; its own name is none of ours."""
    script = "import sys; from server.cli.main import main; main(sys.argv[1:])"
    given = {**os.environ, "DDR_HOME": str(home), "DDR_CALLED_AS": called, **environ}
    done = subprocess.run(
        [sys.executable, "-c", script, *(arguments or ("runs",))],
        cwd=ROOT,
        env=given,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout + done.stderr


def test_the_traceback_is_there_for_who_asks_for_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DDR_DEBUG", "1")
    with pytest.raises(UnknownNameError):
        main(["scenarios", "show", "flihgts"])
