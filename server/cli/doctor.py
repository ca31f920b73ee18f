"""`ddr doctor`: what is missing on this machine, and what to do about each."""

from __future__ import annotations

import textwrap

import typer

from server.cli.options import Json, Quiet, example


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor", epilog=example("ddr doctor", "ddr doctor --json"))(doctor)


def doctor(json: Json = False, quiet: Quiet = False) -> None:
    """Say what is missing on this machine, and what to do about it."""
    from server import checkup, settings
    from server.cli.output import Output

    out = Output(json=json, quiet=quiet)
    findings = checkup.examine(settings.load())
    for finding in findings:
        mark = "ok " if finding.ok else "-- "
        out.say(f"{mark} {finding.name}: {finding.detail}")
        if finding.remedy:
            out.say(textwrap.indent(finding.remedy, "      "))
    ok = all(finding.ok or not finding.needed for finding in findings)
    out.result({"ok": ok, "checks": [finding.as_dict() for finding in findings]})
    if not ok:
        raise typer.Exit(1)
