"""`ddr report`: one HTML file that shows a run, its scores and the evidence for each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.hints import typed
from server.cli.options import Json, Quiet, example
from server.cli.runs import RunName


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example("ddr report last", "ddr report last --out report.html")
    app.command("report", epilog=shown)(report)


def report(
    run: RunName,
    *,
    out: Annotated[
        Path | None,
        typer.Option(help="The file; $DDR_HOME/reports/RUN.html unless given.", metavar="FILE"),
    ] = None,
    checklist: Annotated[
        str | None,
        typer.Option(help="An id or a file, where the run was judged by it.", metavar="CHECKLIST"),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a run's report: scores beside baselines, every turn, every item's evidence."""
    from checklists.loader import load
    from core.agent_class import APART
    from server import reporting
    from server import settings as places
    from server.cli.output import Output
    from server.runner import utc_now
    from server.store import open_store

    speaker = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        spec = store.run(run)
        facts = load(checklist, settings.checklists) if checklist else None
        data = reporting.collect(spec, store, settings, checklist=facts, now=utc_now())
    path = reporting.write(data, out or settings.reports / f"{spec.id}.html")
    judge = typed(f"evaluate {spec.id}")
    if not data.checklist.items:
        speaker.note(f"nobody has brought a checklist for {spec.scenario_id}: there is no score")
    elif data.evaluation is None:
        speaker.note(f"run {spec.id} is not scored yet: {judge}")
    if late := reporting.not_judged(data):
        speaker.note(
            f"{late} of the trajectories ended after the run was judged, and count as not judged: "
            f"{judge}"
        )
    speaker.say(f"report: {path}")
    if spec.outside is not None:
        speaker.say(f"class: {spec.agent_class}; {APART}")
    evaluation = data.evaluation.id if data.evaluation else None
    speaker.result(
        {
            "report": str(path),
            "run": spec.id,
            "class": spec.agent_class,
            "evaluation": evaluation,
        }
    )
