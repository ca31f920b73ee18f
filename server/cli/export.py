"""`ddr export`: all that is known of runs as tables and figures, or as one file that travels."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import UsageError
from core.hints import program, typed
from core.wording import counted
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from server.bundle.writing import Written
    from server.cli.output import Output
    from server.export.writing import Exported


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr export last",
        "ddr export last --format parquet --format svg --out figures",
        "ddr export last --bundle run.zip",
    )
    app.command("export", epilog=shown)(export)


def export(
    runs: Annotated[list[str], typer.Argument(help="Runs: ids, prefixes, or last.", metavar="RUN")],
    *,
    form: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            help="csv, json, parquet (tables), svg, png (figures); several where given again.  "
            "[default: csv]",
            metavar="FORM",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The folder; $DDR_HOME/exports/RUN unless given.", metavar="DIR"),
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(
            help="One file with all records instead, which the command `import` reads in another home.",
            metavar="FILE",
        ),
    ] = None,
    with_answers: Annotated[
        bool,
        typer.Option(
            "--with-answers", help="Also the checklist's text, and what of verdicts may quote it."
        ),
    ] = False,
    with_restricted: Annotated[
        bool,
        typer.Option(
            "--with-restricted",
            help="Also what holds data whose licence restricts them: that it may go there is yours "
            "to see to.",
        ),
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a run's records, scores, curves and other analyses to files."""
    if bundle is not None and (form or out):
        raise UsageError("--bundle writes one file with all records; leave --format and --out away")
    from server import settings as places
    from server.bundle.writing import write_bundle
    from server.cli.output import Output
    from server.export.writing import Wanted
    from server.export.writing import export as write
    from server.runner import utc_now
    from server.store import open_store

    speaker = Output(json=json, quiet=quiet)
    tables, figures = forms_of(form or ["csv"])
    settings = places.load().prepare()
    wanted = Wanted(tables, figures, with_answers=with_answers, with_restricted=with_restricted)
    with open_store(settings.store_path) as store, speaker.progress("export") as shown:
        specs = list({spec.id: spec for spec in map(store.run, runs)}.values())
        if bundle is not None:
            written = write_bundle(
                specs,
                store,
                settings,
                bundle,
                now=utc_now(),
                with_answers=with_answers,
                with_restricted=with_restricted,
                tell=shown.update,
            )
            _show_bundle(written, speaker)
            return
        place = out or settings.home / "exports" / specs[0].id
        done = write(specs, store, settings, place, wanted, now=utc_now(), tell=shown.update)
    _show(done, speaker)
    speaker.result(as_json(done))


def forms_of(asked: list[str]) -> tuple[Any, Any]:
    """Forms of tables and forms of figures. Raises UsageError."""
    from analysis.drawing import FORMS
    from core.errors import one_of
    from server.table_writers import TABLES

    known = (*TABLES, *FORMS)
    named = list(dict.fromkeys(one_of("format", each.lower(), known) for each in asked))
    return tuple(each for each in named if each in TABLES), tuple(
        each for each in named if each in FORMS
    )


def as_json(done: Exported) -> dict[str, Any]:
    """For --json."""
    return {
        "folder": str(done.place),
        "runs": done.listed["runs"],
        "tables": {each["name"]: each["rows"] for each in done.listed["tables"]},
        "figures": done.listed["figures"],
        "files": done.listed["files"],
        "left_out": done.listed["left_out"],
        "restricted_data_of": list(done.restricted),
    }


def _show(done: Exported, out: Output) -> None:
    rows = [[each["name"], f"{each['rows']:,}", each["row"]] for each in done.listed["tables"]]
    if rows:
        out.table(["table", ">rows", "~a row is"], rows)
    if figures := done.listed["figures"]:
        out.say(f"figures: {', '.join(figures)}")
    for what, why in done.left_out:
        out.note(f"left out: {what} ({why})")
    for scenario in done.restricted:
        out.warn(f"the files hold data of {scenario}, whose licence restricts them")
    out.say(f"{counted(len(done.listed['files']), 'file')} and export.json: {done.place}")
    run = done.listed["runs"][0]
    out.hint(f"\nto take it to another machine: {typed(f'export {run} --bundle run.zip')}")


def _show_bundle(written: Written, out: Output) -> None:
    manifest = written.manifest
    for each in manifest.left_out:
        out.note(f"left out: {each.what} ({each.why})")
    for scenario in manifest.restricted:
        out.warn(f"the bundle holds data of {scenario}, whose licence restricts them")
    out.say(f"{counted(len(manifest.runs), 'run')}: {written.path}")
    out.say(f"sha-256 {written.sha256}")
    out.hint(f"\nin another home: {program()} import {shlex.quote(written.path.name)}")
    out.result(
        {
            "bundle": str(written.path),
            "sha256": written.sha256,
            "runs": [run.id for run in manifest.runs],
            "with_answers": manifest.with_answers,
            "restricted_data_of": list(manifest.restricted),
            "left_out": [each.model_dump() for each in manifest.left_out],
        }
    )
