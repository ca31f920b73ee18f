"""`ddr test`: format, lint, strict types, import contracts and tests, each told with its time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from core.errors import UsageError
from server.cli.options import Json, Quiet, example

ROOT = Path(__file__).resolve().parents[2]
DEV_MODULES = ("pytest", "xdist", "hypothesis", "ruff", "mypy", "importlinter")
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CLOSING = re.compile(r"^=*\s*((?:\d+ \w+|no tests ran).*\bin [0-9.]+s.*?)\s*=*$", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """One of the checks, as a command line."""

    name: str
    what: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """How one check ended."""

    step: Step
    ok: bool
    seconds: float
    output: str


def steps(fast: bool, pytest_args: Sequence[str]) -> tuple[Step, ...]:
    """The checks in order, the quick ones first."""
    python = (sys.executable, "-m")
    tests = [*python, "pytest"]
    if not any(arg == "-n" or arg.startswith(("-n", "--numprocesses")) for arg in pytest_args):
        tests += ["-n", str(min(8, max(2, os.cpu_count() or 2))), "--dist", "loadfile"]
    if fast:
        tests += ["-m", "not real"]
    imports = "from importlinter.cli import lint_imports_command as main; main()"
    return (
        Step("format", "ruff format --check", (*python, "ruff", "format", "--check", ".")),
        Step("lint", "ruff check", (*python, "ruff", "check", ".")),
        Step("types", "mypy --strict", (*python, "mypy")),
        Step("imports", "import contracts", (sys.executable, "-c", imports)),
        Step("tests", "pytest, fast half" if fast else "pytest", (*tests, *pytest_args)),
    )


def run_step(step: Step, sink: IO[str] | None, environ: Mapping[str, str]) -> Outcome:
    """Run one check, its output passed on as it comes; kept back where there is no sink."""
    started = time.monotonic()
    chunks: list[bytes] = []
    with subprocess.Popen(
        step.command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        while chunk := os.read(process.stdout.fileno(), 65536):
            chunks.append(chunk)
            if sink:
                sink.write(chunk.decode(errors="replace"))
                sink.flush()
    output = _COLOUR.sub("", b"".join(chunks).decode(errors="replace"))
    return Outcome(step, process.returncode == 0, time.monotonic() - started, output)


def closing_line(output: str) -> str | None:
    """pytest's own last word, such as '41 passed, 2 skipped in 3.20s'."""
    found = _CLOSING.findall(output)
    return str(found[-1]) if found else None


def install_tools() -> None:
    """Bring the tests' tools into .venv, where one of them is missing."""
    missing = [name for name in DEV_MODULES if find_spec(name) is None]
    if not missing:
        return
    if Path(sys.prefix).resolve() != (ROOT / ".venv").resolve():
        raise UsageError(
            f"{', '.join(missing)} not installed in {sys.prefix}; call ./ddr test, which keeps"
            " a .venv of its own, or run: pip install --group dev"
        )
    from server import bootstrap

    bootstrap.say("installing the tests' tools into .venv")
    try:
        bootstrap.add_tools(ROOT)
    except bootstrap.SetupError as exc:
        raise UsageError(str(exc)) from exc


def run_tests(
    fast: bool, pytest_args: list[str], *, json: bool = False, quiet: bool = False
) -> int:
    """Run every check, whatever the others say; 0 when all are well."""
    from server.cli.output import Output

    if not (ROOT / "tests").is_dir():
        raise UsageError("the tests are not part of an installation; run ./ddr test in a checkout")
    install_tools()
    out = Output(json=json, quiet=quiet)
    sink = None if quiet else sys.stderr if json else sys.stdout
    with tempfile.TemporaryDirectory() as folder:
        skips = Path(folder) / "skipped"
        environ = {**os.environ, "DDR_SKIPPED_TO": str(skips)}
        if sink and sink.isatty():
            environ["FORCE_COLOR"] = "1"
        outcomes = []
        for step in steps(fast, pytest_args):
            _head(sink, f"--- {step.name}: {step.what}")
            outcomes.append(run_step(step, sink, environ))
        skipped = skips.read_text(encoding="utf-8").splitlines() if skips.exists() else []
    _summary(out, outcomes, skipped)
    return 0 if all(outcome.ok for outcome in outcomes) else 1


def _head(sink: IO[str] | None, text: str) -> None:
    if sink:
        sink.write(f"\n{text}\n")
        sink.flush()


def _summary(out: Any, outcomes: Sequence[Outcome], skipped: Sequence[str]) -> None:
    """What was checked, what was not, and pytest's closing line as the last."""
    if out.quiet:
        for outcome in outcomes:
            if not outcome.ok:
                sys.stderr.write(outcome.output)
    closing = closing_line(outcomes[-1].output) or "pytest did not come to an end"
    out.say()
    if skipped:
        out.say("NOT TESTED HERE (with DDR_CI=1 each of these is a failure):")
        for line in skipped:
            out.say(f"  {line}")
    for outcome in outcomes:
        state = "ok    " if outcome.ok else "FAILED"
        out.say(f"{state} {outcome.seconds:6.1f} s  {outcome.step.name}: {outcome.step.what}")
    out.say(closing)
    out.result(
        {
            "ok": all(outcome.ok for outcome in outcomes),
            "seconds": round(sum(outcome.seconds for outcome in outcomes), 1),
            "steps": {o.step.name: {"ok": o.ok, "seconds": round(o.seconds, 1)} for o in outcomes},
            "skipped": list(skipped),
            "pytest": closing,
        }
    )


def test(
    pytest_args: Annotated[
        list[str] | None, typer.Argument(help="Handed to pytest: paths, or options after --.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Leave out real servers, browsers, clients, whole runs.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run every test: format, lint, strict types, import contracts, pytest."""
    if code := run_tests(fast, pytest_args or [], json=json, quiet=quiet):
        raise typer.Exit(code)


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example("ddr test", "ddr test --fast", "ddr test tests/core -- -k usage")
    app.command("test", epilog=shown)(test)
