"""`ddr demo`: build, explore, judge, report and show it, in one command and without a key."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import ChecklistError
from core.hints import called, program, typed
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from checklists.verify import Verification
    from core.checklist import Checklist
    from core.run import RunSpec
    from core.trajectory import Trajectory
    from databases.catalog import InstalledScenario
    from server.cli.output import Output
    from server.judged import Judged
    from server.settings import Settings
    from server.store import Repository

SCENARIO = "flights"
AGENT = "profiler"
SIDE_BY_SIDE = 2


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example("ddr demo", "ddr demo --json", "ddr demo --home /tmp/try")
    app.command("demo", epilog=shown)(demo)


def demo(
    *,
    home: Annotated[
        Path | None,
        typer.Option(help="Where to keep everything; $DDR_HOME unless given.", metavar="FOLDER"),
    ] = None,
    serve: Annotated[
        bool | None,
        typer.Option(
            "--serve/--no-serve",
            help="Serve the dashboard at the end, until Ctrl-C; on a terminal unless told not to.",
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """See it work: explore a real database with no model, score what was found, write a report.

    On a terminal the dashboard is served at the end, and a link printed that lets you in once.
    """
    from server import settings as places
    from server.cli.output import Output

    began = time.monotonic()
    out = Output(json=json, quiet=quiet)
    settings = places.load(home).prepare()
    if serve is None:
        # A script, and whoever pipes the answer elsewhere, waits for the end.
        serve = sys.stdout.isatty() and not json and not quiet
    with called(program(), home=places.unusual(settings.home)):
        answer = _show(settings, out, began)
        if not serve:
            out.hint(f"look:    {typed('serve --http')} prints a link to the dashboard")
            out.result(answer)
            return
        _serve(settings, out, answer)


def _show(settings: Settings, out: Output, began: float) -> dict[str, Any]:
    """All but the dashboard; what it came to."""
    from server.cli import evaluate, run
    from server.store import open_store

    installed = _build(settings, out)
    with open_store(settings.store_path) as store:
        checklist, held = _prove(installed, out)
        spec = _spec(installed, store)
        run.carry_out(spec, store, settings, out)
        judged = evaluate.carry_out(spec, checklist, store, settings, out)
        trajectories = store.trajectories(spec.id)
        path = _report(spec, store, settings)
    seconds = time.monotonic() - began
    answer = _answer(spec, trajectories, judged, held)
    _tell(answer, trajectories, judged, out, path=path, seconds=seconds, run=spec.id)
    fault = _fault(answer)
    answer = {"report": str(path), "seconds": round(seconds, 1), **answer, "fault": fault}
    if fault:
        out.result(answer)
        sys.stderr.write(f"error: {fault}\n")
        raise typer.Exit(1)
    return answer


def _serve(settings: Settings, out: Output, answer: dict[str, Any]) -> None:
    """Serve the dashboard until Ctrl-C; the answer for programs is told once it listens."""
    from core.errors import UsageError
    from server.http import PORT
    from server.http.service import Listening, serve_http

    told: list[str] = []

    def ready(listening: Listening) -> None:
        told.append(listening.url)
        out.say(f"look:    {listening.dashboard}")
        out.hint(
            "         This link lets you in once. Ctrl-C ends the server; all that was made stays."
        )
        out.result({**answer, "dashboard": listening.dashboard})
        sys.stdout.flush()

    try:
        serve_http(settings, ready, port=PORT, invites=True)
    except UsageError:
        if told:
            raise
        # Somebody has the port: a server of theirs, or a demo in another window.
        serve_http(settings, ready, port=0, invites=True)


def _fault(answer: dict[str, Any]) -> str | None:
    """Why the demo proved nothing; None where it did."""
    if answer["gated"] == 0:
        return (
            "no insight of another entity passed the checker's gate, so the shuffled baseline "
            "proves nothing"
        )
    if answer["self_terminated"] < answer["entities"]:
        ended = f"{answer['self_terminated']} of {answer['entities']}"
        return f"only {ended} trajectories were ended by the profiler itself"
    return None


def _build(settings: Settings, out: Output) -> InstalledScenario:
    from databases.build import build

    with out.progress("building") as progress:
        return build(
            SCENARIO,
            settings.home,
            progress=lambda what, share: progress.update(share, 1, what),
        )


def _prove(installed: InstalledScenario, out: Output) -> tuple[Checklist, Verification]:
    from checklists.loader import checklist_for
    from checklists.verify import holds
    from databases.connection import open_readonly

    checklist = checklist_for(SCENARIO)
    with out.progress("proving") as progress:
        progress.update(0, 1, f"running the evidence of {len(checklist.items)} items")
        with open_readonly(installed.database_path) as connection:
            found = holds(checklist, connection)
        progress.update(1, 1, f"{found.hold} of {found.items} items hold on this database")
    if not found.proved:
        first = found.failures[0]
        raise ChecklistError(
            f"{len(found.failures)} of {found.items} items do not hold on this database, "
            f"{first.item_id} first: {first.reason}"
        )
    return checklist, found


def _spec(installed: InstalledScenario, store: Repository) -> RunSpec:
    from server.build import make_spec
    from server.runner import utc_now

    spec = make_spec(
        installed,
        agent=AGENT,
        entities="all",
        taken=[run.id for run in store.runs()],
        now=utc_now(),
        concurrency=SIDE_BY_SIDE,
    )
    store.add_run(spec)
    return spec


def _report(spec: RunSpec, store: Repository, settings: Settings) -> Path:
    from server import reporting
    from server.runner import utc_now

    data = reporting.collect(spec, store, settings, now=utc_now())
    return reporting.write(data, settings.reports / f"{spec.id}.html")


def _answer(
    spec: RunSpec, trajectories: list[Trajectory], judged: Judged, held: Verification
) -> dict[str, Any]:
    from core.evaluation import BASELINES

    ended = [t.stop_reason for t in trajectories]
    sandbox = trajectories[0].sandbox if trajectories else None
    return {
        "run": spec.id,
        "entities": len(spec.entity_ids),
        "items": held.items,
        "holds": held.hold,
        "self_terminated": sum(1 for reason in ended if reason and reason.self_terminated),
        "turns": sum(len(t.turns) for t in trajectories),
        "gated": judged.gated.get("shuffled_entity", 0),
        "item_accuracy": judged.accuracy(spec.agent),
        "baselines": {name: judged.accuracy(name) for name in BASELINES if judged.accuracy(name)},
        "execute_code": sandbox.name if sandbox else "off",
        "execute_code_detail": sandbox.detail if sandbox else None,
    }


def _tell(
    answer: dict[str, Any],
    trajectories: list[Trajectory],
    judged: Judged,
    out: Output,
    *,
    path: Path,
    seconds: float,
    run: str,
) -> None:
    names = {
        "the profiler": answer["item_accuracy"],
        "another carrier's": answer["baselines"]["shuffled_entity"],
        "generic text": answer["baselines"]["generic"],
        "no text": answer["baselines"]["blank"],
    }
    rows = [
        [whose, _percent(found.get("message")), _percent(found.get("trajectory"))]
        for whose, found in names.items()
    ]
    out.say(
        f"\n{answer['self_terminated']} of {answer['entities']} carriers explored until the "
        f"profiler stopped by itself, in {answer['turns']} turns and {seconds:.0f} s."
    )
    out.say(f"Facts found, of {answer['items']} that SQL proves on this very database:\n")
    out.table(["whose insights", ">turn by turn", ">final report"], rows)
    if found := _example(trajectories, judged):
        out.say(f"\nOne of them: {found}")
    if answer["execute_code"] == "off":
        out.say(f"\nexecute_code is off here: {answer['execute_code_detail']}")
    out.say(f"\nreport:  {path}")
    out.hint(f"turns:   {typed(f'show {run} {trajectories[0].entity_id}')}")
    out.hint(f"prove:   {typed('scenarios verify flights')}")


def _example(trajectories: list[Trajectory], judged: Judged) -> str | None:
    """A sentence that a checker accepted, with the turn in which it was found."""
    labels = {t.id: t.entity_id for t in trajectories}
    for verdict in judged.verdicts:
        turn = verdict.found_at_turn
        if verdict.level == "message" and verdict.evidence and turn:
            entity = labels.get(verdict.trajectory_id)
            return f'"{verdict.evidence.strip()}" (carrier {entity}, turn {turn})'
    return None


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
