"""`ddr trajectories import`: score what another program explored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UnknownNameError
from core.hints import typed
from core.wording import counted
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from server.cli.output import Output
    from server.ddr_bench_logs.keeping import Kept

FORMS = ("ddr-bench",)
_SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="Explorations that other programs made.", no_args_is_help=True, rich_markup_mode=None
    )
    shown = example("ddr trajectories import ddr-bench logs --scenario filings")
    group.command("import", epilog=shown)(import_)
    app.add_typer(group, name="trajectories")


def import_(
    form: Annotated[str, typer.Argument(metavar="FORM", help="Whose logs: ddr-bench.")],
    logdir: Annotated[Path, typer.Argument(metavar="LOGDIR", help="A folder per entity.")],
    *,
    scenario: Annotated[str, typer.Option(help="What was explored.", metavar="SCENARIO")],
    model: Annotated[
        str | None,
        typer.Option(help="Whose logs they are; they do not say.", metavar="PROVIDER/MODEL"),
    ] = None,
    entities: Annotated[
        str,
        typer.Option(
            help="logged, or all: those without a log count as never run.", metavar="WHICH"
        ),
    ] = "logged",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a run of the logs of the released DDR-Bench code, to be scored like any other.

    Turn k is the k-th call of a tool; a turn of which there was NO INSIGHT keeps its number.
    """
    from databases.catalog import open_scenario
    from providers.catalog import parse_model
    from server import settings as places
    from server.cli.output import Output
    from server.ddr_bench_logs.keeping import keep_logs
    from server.runner import utc_now
    from server.store import open_store

    if form not in FORMS:
        raise UnknownNameError("form of logs", form, FORMS)
    if entities not in ("logged", "all"):
        raise UnknownNameError("choice of entities", entities, ("logged", "all"))
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    installed = open_scenario(scenario, settings.home)
    with open_store(settings.store_path) as store, out.progress("importing") as progress:
        kept = keep_logs(
            logdir,
            installed,
            store,
            now=utc_now(),
            model=parse_model(model) if model else None,
            everybody=entities == "all",
            progress=lambda what, share: progress.update(share, 1, what),
        )
    _tell(kept, out, installed.scenario.entity_noun)
    out.result(kept.as_json())


def _tell(kept: Kept, out: Output, noun: str) -> None:
    out.say(
        f"run {kept.spec.id}: {counted(len(kept.spec.entity_ids), noun)}, "
        f"{counted(kept.sessions, 'session')}, {counted(kept.turns, 'turn')}, "
        f"{counted(kept.insights, 'insight')} ({kept.without_insight} turns had none)"
    )
    ends = ", ".join(f"{reason} {count}" for reason, count in sorted(kept.stop_reasons.items()))
    out.say(f"  ended: {ends}")
    if kept.missing:
        missing = set(kept.missing)
        what = "count as never run" if missing & set(kept.spec.entity_ids) else "are left out"
        out.say(f"  {counted(len(missing), noun)} of the scenario have no log and {what}")
    if kept.strangers:
        listed = ", ".join(kept.strangers[:_SHOWN])
        out.say(f"  no {noun} of the scenario: {counted(len(kept.strangers), 'folder')}: {listed}")
    for note in kept.notes[:_SHOWN]:
        out.say(f"  {note}")
    if len(kept.notes) > _SHOWN:
        out.say(f"  and {len(kept.notes) - _SHOWN} more notes; --json has them all")
    out.hint(f"\nnext: {typed(f'evaluate {kept.spec.id}')}")
