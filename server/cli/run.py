"""`ddr run`: let an agent explore a scenario's entities, or go on after a crash."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import DdrError, UsageError
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from core.run import RunSpec
    from server.cli.output import Output
    from server.settings import Settings
    from server.store import Repository

INTERRUPTED = 130


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr run --scenario flights --agent profiler",
        "ddr run --scenario flights --agent profiler --entities 01,02 --limits max_turns=30",
        "ddr run --config bench.toml",
        "ddr run --resume last",
    )
    app.command("run", epilog=shown)(run)


def run(
    *,
    scenario: Annotated[str | None, typer.Option(help="Which scenario to explore.")] = None,
    agent: Annotated[
        str | None, typer.Option(help="Who explores: profiler, or what a plug-in brings.")
    ] = None,
    entities: Annotated[
        str | None, typer.Option(help="all (the default), sample:N, or ids: 01,02.")
    ] = None,
    trials: Annotated[int | None, typer.Option(help="Times per entity; 1 unless given.")] = None,
    concurrency: Annotated[
        int | None, typer.Option(help="Entities explored side by side; 1 unless given.")
    ] = None,
    tools: Annotated[
        str | None, typer.Option(help="sql, python or both (the default).", metavar="HANDS")
    ] = None,
    limits: Annotated[
        str | None, typer.Option(help="As max_turns=30,max_seconds=600; none unless given.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="For sample:N; 0 unless given.")] = None,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file with the same keys as these options.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(help="Go on with a run: its id, a unique prefix, or last.")
    ] = None,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="With --resume: what ended by a fault as well.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Explore entities with an agent; each turn is stored as it ends."""
    from server import settings as places
    from server.cli.output import Output
    from server.config import read_limits
    from server.store import open_store

    given: dict[str, Any] = {
        "scenario": scenario,
        "agent": agent,
        "entities": entities,
        "trials": trials,
        "concurrency": concurrency,
        "tools": tools,
        "limits": read_limits(limits) if limits is not None else None,
        "seed": seed,
    }
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        if resume is None:
            if retry_errors:
                raise UsageError("--retry-errors goes with --resume")
            spec = _begin(store, settings, config, given)
        else:
            _refuse_beside_resume({**given, "config": config})
            spec = store.run(resume)
        carry_out(spec, store, settings, out, retry_errors=retry_errors)
        _tell(spec, store, out)


def _begin(
    store: Repository, settings: Settings, config: Path | None, given: dict[str, Any]
) -> RunSpec:
    from databases.catalog import open_scenario
    from server.build import make_sandbox, make_spec
    from server.config import read_options
    from server.runner import utc_now

    options = read_options(config, given)
    spec = make_spec(
        open_scenario(options.scenario, settings.home),
        agent=options.agent,
        entities=options.entities,
        taken=[run.id for run in store.runs()],
        now=utc_now(),
        tools=options.tools,
        limits=options.limits,
        trials=options.trials,
        concurrency=options.concurrency,
        seed=options.seed,
    )
    make_sandbox(spec.tools)
    store.add_run(spec)
    return spec


def _refuse_beside_resume(given: dict[str, Any]) -> None:
    beside = [f"--{name}" for name, value in given.items() if value is not None]
    if beside:
        raise UsageError(f"--resume goes on with the run as it was begun; leave {beside[0]} away")


def carry_out(
    spec: RunSpec,
    store: Repository,
    settings: Settings,
    out: Output,
    *,
    retry_errors: bool = False,
) -> None:
    """Explore what the run lacks, with progress; after Ctrl-C say what was kept and how to go on."""
    import asyncio

    from databases.catalog import open_scenario
    from server.build import make_setting
    from server.runner import explore

    setting = make_setting(spec, open_scenario(spec.scenario_id, settings.home), store, settings)
    out.note(f"run {spec.id}: {spec.agent} explores {len(spec.entity_ids)} in {spec.scenario_id}")
    try:
        with out.progress("exploring") as progress:
            asyncio.run(explore(spec, setting, retry_errors=retry_errors, watch=progress.update))
    except KeyboardInterrupt:
        out.note(_kept(spec, store))
        out.result({"run": spec.id, "interrupted": True, "resume": _resume(spec)})
        raise typer.Exit(INTERRUPTED) from None
    except DdrError:
        out.note(_kept(spec, store))
        raise


def _kept(spec: RunSpec, store: Repository) -> str:
    from server.runs import progress_of

    state = progress_of(spec, store)
    return (
        f"stopped. Stored: {state.done} of {state.wanted} explored to their end, "
        f"{state.turns} turns in all. Go on with: {_resume(spec)}"
    )


def _resume(spec: RunSpec) -> str:
    return f"ddr run --resume {spec.id}"


def _tell(spec: RunSpec, store: Repository, out: Output) -> None:
    from server.cli.showing import show_run
    from server.runs import progress_of, summary

    show_run(spec, store, out)
    state = progress_of(spec, store)
    out.say(f"\nnext: ddr evaluate {spec.id}    or: ddr show {spec.id} {spec.entity_ids[0]}")
    out.result(summary(spec, store))
    if state.failed:
        out.note(
            f"{state.failed} ended by a fault; try them again with: {_resume(spec)} --retry-errors"
        )
        raise typer.Exit(1)
