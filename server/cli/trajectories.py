"""`ddr trajectories import`: score what another program explored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UnknownNameError, UsageError
from core.hints import typed
from core.wording import counted
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from server.cli.output import Output
    from server.ddr_bench_logs.keeping import Kept
    from server.foreign_logs.keeping import KeptLog

FORMS = ("ddr-bench", "jsonl", "inspect")
_SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="Explorations that other programs made.", no_args_is_help=True, rich_markup_mode=None
    )
    shown = example(
        "ddr trajectories import ddr-bench logs --scenario filings",
        "ddr trajectories import jsonl mine.jsonl --scenario flights --agent mine",
        "ddr trajectories import inspect logs/2026-12-01.eval --scenario flights",
    )
    group.command("import", epilog=shown)(import_)
    app.add_typer(group, name="trajectories")


def import_(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORM",
            help="ddr-bench (a folder), jsonl (insights or messages, a line each) or inspect.",
        ),
    ],
    log: Annotated[Path, typer.Argument(metavar="LOG", help="The file, or the folder of logs.")],
    *,
    scenario: Annotated[str, typer.Option(help="What was explored.", metavar="SCENARIO")],
    model: Annotated[
        str | None,
        typer.Option(help="Whose logs they are; they do not say.", metavar="PROVIDER/MODEL"),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(help="How its row is called; the form's name unless given.", metavar="NAME"),
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
    """Make a run of what another program logged, to be scored like any other.

    Turn k is the k-th message that calls tools; a turn of which there was nothing to say keeps its number.
    """
    from databases.catalog import open_scenario
    from providers.catalog import parse_model
    from server import settings as places
    from server.cli.output import Output
    from server.ddr_bench_logs.keeping import keep_logs
    from server.foreign_logs.keeping import keep_log
    from server.runner import utc_now
    from server.store import open_store

    if form not in FORMS:
        raise UnknownNameError("form of logs", form, FORMS)
    if entities not in ("logged", "all"):
        raise UnknownNameError("choice of entities", entities, ("logged", "all"))
    if form == "ddr-bench" and agent:
        raise UsageError("logs of ddr-bench are its own agent's: leave --agent out, give --model")
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    installed = open_scenario(scenario, settings.home)
    noun = installed.scenario.entity_noun
    whose = parse_model(model) if model else None
    everybody = entities == "all"
    with open_store(settings.store_path) as store, out.progress("importing") as progress:
        if form == "ddr-bench":
            kept = keep_logs(
                log,
                installed,
                store,
                now=utc_now(),
                model=whose,
                everybody=everybody,
                progress=lambda what, share: progress.update(share, 1, what),
            )
            _tell(kept, out, noun)
            out.result(kept.as_json())
            return
        found = keep_log(
            log,
            form,
            installed,
            store,
            now=utc_now(),
            agent=agent,
            model=whose,
            everybody=everybody,
        )
    tell_log(found, out, noun)
    out.hint(f"\nnext: {typed(f'evaluate {found.spec.id}')}")
    out.result(found.as_json())


def tell_log(kept: KeptLog, out: Output, noun: str) -> None:
    """What came of a file."""
    if kept.is_known:
        out.say(f"run {kept.spec.id} was made of this file before")
    undated = f", {kept.undated} without a turn" if kept.undated else ""
    out.say(
        f"run {kept.spec.id}: {counted(len(kept.spec.entity_ids), noun)}, "
        f"{counted(kept.trajectories, 'trajectory')}, {counted(kept.turns, 'turn')}, "
        f"{counted(kept.insights, 'insight')}{undated}, {counted(kept.reports, 'report')}"
    )
    _tell_entities(kept, what="name", out=out, noun=noun)


def _tell_entities(kept: Kept | KeptLog, *, what: str, out: Output, noun: str) -> None:
    """How their explorations ended, who is not in the log, and who is in it and not in the scenario."""
    ends = ", ".join(f"{reason} {count}" for reason, count in sorted(kept.stop_reasons.items()))
    out.say(f"  ended: {ends}")
    if kept.missing:
        is_scored = set(kept.missing) & set(kept.spec.entity_ids)
        counts = "count as never run" if is_scored else "are left out"
        out.say(f"  {counted(len(kept.missing), noun)} of the scenario have no log and {counts}")
    if kept.strangers:
        listed = ", ".join(kept.strangers[:_SHOWN])
        out.say(f"  no {noun} of the scenario: {counted(len(kept.strangers), what)}: {listed}")


def _tell(kept: Kept, out: Output, noun: str) -> None:
    out.say(
        f"run {kept.spec.id}: {counted(len(kept.spec.entity_ids), noun)}, "
        f"{counted(kept.sessions, 'session')}, {counted(kept.turns, 'turn')}, "
        f"{counted(kept.insights, 'insight')} ({kept.without_insight} turns had none)"
    )
    _tell_entities(kept, what="folder", out=out, noun=noun)
    for note in kept.notes[:_SHOWN]:
        out.say(f"  {note}")
    if len(kept.notes) > _SHOWN:
        out.say(f"  and {len(kept.notes) - _SHOWN} more notes; --json has them all")
    out.hint(f"\nnext: {typed(f'evaluate {kept.spec.id}')}")
