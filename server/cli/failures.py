"""`ddr failures`: numbers without a source, contradictions, and why items were missed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UsageError
from core.hints import typed
from server.cli import judge_options as ask
from server.cli.options import ChecklistName, Json, Quiet, RunNames, example

if TYPE_CHECKING:
    from evaluator.attached import Claim
    from server.asking import JudgeOptions
    from server.cli.failure_asking import Place
    from server.cli.output import Output
    from server.failures_found import Found
    from server.settings import Settings
    from server.store import Repository


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr failures last",
        "ddr failures last --judge openai/gpt-x --sample 50",
        "ddr failures last --hallucination --judge openai/gpt-x --sample 100",
        "ddr failures last --confirm --who Ada",
    )
    app.command("failures", epilog=shown)(ask.asks_judges(failures))


def failures(
    runs: RunNames,
    *,
    judging: JudgeOptions,
    hallucination: Annotated[
        bool,
        typer.Option(
            "--hallucination",
            help="Ask the judge which insights do not follow from their trace, and are true.",
        ),
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(
            help="Ask about so many items or insights of a run, drawn by their names.",
            metavar="N",
            min=1,
        ),
    ] = None,
    checklist: ChecklistName = None,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Go through the missed items and choose a class.")
    ] = False,
    who: Annotated[
        str | None, typer.Option(help="Who confirms, or whose sheet it is.", metavar="NAME")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(help="Write the missed items as a sheet: .csv or .jsonl.", metavar="FILE"),
    ] = None,
    import_: Annotated[
        Path | None,
        typer.Option("--import", help="Take what people filled in on a sheet.", metavar="FILE"),
    ] = None,
    estimate: ask.Estimate = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell where insights have no source and why items were missed; what a judge has said is kept.

    Without a judge: numbers are traced, attached SQL is run again, and breadth and depth are computed
    from the record of what was read. What was broken off goes on at the first case that is open.
    """
    from server import settings as places
    from server.cli import failure_asking as asking
    from server.cli import failure_people as people
    from server.cli.failures_shown import show
    from server.cli.output import Output
    from server.failures_found import Found, correlations
    from server.store import open_store

    _refuse(runs, who, confirm=confirm, import_=import_, export=export, json=json)
    if (estimate or sample or judging.afresh) and not judging.judges:
        raise UsageError(
            "--estimate, --sample and --afresh are about a judge: name it by --judge MODEL"
        )
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    found: list[Found] = []
    with open_store(settings.store_path) as store:
        for run in dict.fromkeys(store.run(name).id for name in runs):
            place = _place(run, checklist, store, settings, out)
            if estimate:
                would = asking.estimate(judging, place, hallucination=hallucination, sample=sample)
                found.append(Found(place.basis, estimates=would))
                continue
            if judging.judges:
                asking.ask(judging, place, hallucination=hallucination, sample=sample)
            if import_ is not None:
                people.take(import_, place, who)
            if export is not None:
                people.write(export, place)
            if confirm:
                people.ask(place, who or "")
            found.append(_look(place))
    if estimate:
        out.result({"estimates": [each.as_json() for each in found]})
        return
    show(found, out, hallucination=hallucination)
    if all(each.basis.evaluation is None for each in found):
        run = found[0].basis.spec.id
        out.hint(f"\nwhat was missed is known once it is judged: {typed(f'evaluate {run}')}")
    out.result({"runs": [each.as_json() for each in found], "correlations": correlations(found)})


def _refuse(
    runs: list[str],
    who: str | None,
    *,
    confirm: bool,
    import_: Path | None,
    export: Path | None,
    json: bool,
) -> None:
    if confirm and not who:
        raise UsageError("whose word is it? give --who NAME with --confirm")
    if who and not (confirm or import_):
        raise UsageError("--who goes with --confirm or --import")
    if who and "/" in who:
        raise UsageError(f"--who is a person; {who!r} looks like a model's name")
    if confirm and json:
        raise UsageError("--confirm asks at the terminal, and --json answers a program")
    if (export or import_ or confirm) and len(runs) > 1:
        raise UsageError("a sheet is of one run: name one")


def _place(
    run: str, checklist: str | None, store: Repository, settings: Settings, out: Output
) -> Place:
    from checklists.loader import checklist_for, has_checklist, load
    from databases.catalog import open_scenario
    from server.cli.failure_asking import Place
    from server.failures import basis_of

    spec = store.run(run)
    facts = None
    if checklist is not None:
        facts = load(checklist, settings.checklists)
    elif has_checklist(spec.scenario_id, settings.checklists):
        facts = checklist_for(spec.scenario_id, settings.checklists)
    installed = open_scenario(spec.scenario_id, settings.home)
    basis = basis_of(spec, store, installed, facts)
    return Place(basis, installed, store, settings, out)


def _look(place: Place) -> Found:
    """All that is known of one run now."""
    import asyncio

    from server.claims import claims_of
    from server.failures import derivations, grounded, rate_of, tallied
    from server.failures_found import Found

    basis, store, installed = place.basis, place.store, place.installed
    claims: list[Claim] = []
    if any(i.evidence for t in basis.trajectories for i in t.insights):
        installed.check()
        with place.out.progress("running attached SQL") as progress:
            claims = asyncio.run(claims_of(basis.trajectories, installed, progress.update))
    return Found(
        basis=basis,
        grounded=grounded(
            basis.trajectories, basis.clusters, basis.verdicts if basis.evaluation else None
        ),
        claims=claims,
        cases=tallied(basis, store, installed) if basis.evaluation else [],
        rates=[rate_of(who, said, basis) for who, said in derivations(basis, store).items()],
        accuracy=_accuracy(place),
    )


def _accuracy(place: Place) -> float | None:
    """The mean of the four accuracies of its evaluation, as in App. G."""
    from statistics import fmean

    from server.judged import read
    from server.runs import competitor

    basis = place.basis
    if basis.evaluation is None or basis.checklist is None:
        return None
    entities = place.installed.entities()
    judged = read(basis.spec, place.store, basis.checklist, entities, basis.evaluation.id)
    mine = [s.strict for s in judged.scores if s.competitor == competitor(basis.spec)]
    known = [value for value in mine if value is not None]
    return fmean(known) if len(known) == len(mine) and known else None
