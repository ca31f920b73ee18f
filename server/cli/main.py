"""The `ddr` command: one module per group, each importing what it needs only when it runs."""

from __future__ import annotations

import importlib
import json
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from core import hints
from core.errors import DdrError
from server import settings
from server.cli.empties import refuse_empty

COMMANDS = (
    "server.cli.demo",
    "server.cli.run",
    "server.cli.runs",
    "server.cli.trajectories",
    "server.cli.bridge",
    "server.cli.insights",
    "server.cli.reprice",
    "server.cli.evaluate",
    "server.cli.rank",
    "server.cli.calibrate",
    "server.cli.label",
    "server.cli.metrics",
    "server.cli.failures",
    "server.cli.diff",
    "server.cli.leaderboard",
    "server.cli.costs",
    "server.cli.exploration",
    "server.cli.plan",
    "server.cli.stopping",
    "server.cli.curves",
    "server.cli.report",
    "server.cli.export",
    "server.cli.import_",
    "server.cli.scenarios",
    "server.cli.checklists",
    "server.cli.serve",
    "server.cli.enrol",
    "server.cli.token",
    "server.cli.doctor",
    "server.cli.testing",
    "bench.command",
)
"""Modules with a function `register(app)`, cheap to import, in the order of `ddr --help`. `bench`
stands above `server` in the import contracts, so they are found by name."""


_NAME = "ddr"


def build_app() -> typer.Typer:
    """The whole command tree."""
    app = typer.Typer(
        name=_NAME,
        help="Can a model find out what matters in a database when nobody asks it a question?",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )

    @app.callback()
    def root(
        _version: Annotated[
            bool,
            typer.Option(
                "--version", callback=_tell_version, is_eager=True, help="Say which ddr this is."
            ),
        ] = False,
    ) -> None:
        """A callback makes typer keep the commands apart even while there is only one."""

    for module in COMMANDS:
        importlib.import_module(module).register(app)
    return app


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 done, 1 failed, 2 usage, 130 interrupted."""
    args = list(sys.argv[1:] if argv is None else argv)
    with hints.called(_program(), home=settings.unusual(settings.default_home())):
        return _run(args)


def _run(args: list[str]) -> int:
    try:
        tree = typer.main.get_command(build_app())
        refuse_empty(tree, args)
        code = tree(args=args, prog_name=_NAME, standalone_mode=False)
    except DdrError as exc:
        if os.environ.get("DDR_DEBUG") == "1":
            raise
        return _fail(str(exc), type(exc).__name__, exc.exit_code, args)
    except typer.TyperException as exc:
        if exc.format_message().startswith("Usage:"):
            sys.stdout.write(exc.format_message() + "\n")
            return exc.exit_code
        usage = getattr(exc, "ctx", None)
        command = f"{hints.program()}{usage.command_path.removeprefix(_NAME)}" if usage else ""
        hint = f"; see '{command} --help'" if usage else ""
        return _fail(f"{exc.format_message().rstrip('.')}{hint}", "UsageError", exc.exit_code, args)
    except typer.Abort:
        return _fail("stopped", "Abort", 1, args)
    return code if isinstance(code, int) else 0


def _program() -> str:
    """How the person called it: 'ddr' where the shell finds that one, else './ddr' or a path."""
    # Taken out of the environment: what this process starts is not called like that.
    called = os.environ.pop("DDR_CALLED_AS", "") or sys.argv[0]
    if Path(called).name != _NAME:
        return _NAME
    found = shutil.which(_NAME)
    if found is not None and Path(found).resolve() == Path(called).resolve():
        return _NAME
    return shlex.quote(called if os.sep in called else f".{os.sep}{called}")


def _tell_version(wanted: bool) -> None:
    if wanted:
        from server.revision import code_revision

        sys.stdout.write(f"ddr {code_revision()}\n")
        raise typer.Exit


def _fail(text: str, kind: str, code: int, args: Sequence[str]) -> int:
    """One clear line on stderr; with --json the same as an object on stdout."""
    from server.cli.output import visible

    # What strangers' files hold is quoted in some of them.
    sys.stderr.write(f"error: {visible(text)}\n")
    if "--json" in args:
        sys.stdout.write(json.dumps({"error": {"kind": kind, "message": text}}) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
