"""`ddr evaluate`: score a run's insights against its scenario's checklist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from server.cli.options import Json, Quiet, example
from server.cli.runs import RunName

if TYPE_CHECKING:
    from core.checklist import Checklist
    from core.run import RunSpec
    from server.cli.output import Output
    from server.evaluate import Judged
    from server.settings import Settings
    from server.store import Repository


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example("ddr evaluate last", "ddr evaluate last --checker matching --json")
    app.command("evaluate", epilog=shown)(evaluate)


def evaluate(
    run: RunName,
    *,
    checker: Annotated[str, typer.Option(help="matching: rules, no model.")] = "matching",
    checklist: Annotated[
        str | None, typer.Option(help="An id or a file; the scenario's own unless given.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score a run; one that was broken off goes on at the first item without a verdict."""
    from checklists.loader import checklist_for, load
    from server import settings as places
    from server.cli.output import Output
    from server.store import open_store

    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        spec = store.run(run)
        facts = load(checklist) if checklist else checklist_for(spec.scenario_id)
        judged = carry_out(spec, facts, store, settings, out, checker=checker)
    show_scores(judged, out)
    out.say(f"\nnext: ddr report {spec.id}")
    out.result(as_json(judged))


def carry_out(
    spec: RunSpec,
    checklist: Checklist,
    store: Repository,
    settings: Settings,
    out: Output,
    *,
    checker: str = "matching",
) -> Judged:
    """Judge with progress; after Ctrl-C say that what was judged is kept."""
    import asyncio

    from databases.catalog import open_scenario
    from server.build import make_checker
    from server.evaluate import Judging
    from server.runner import utc_now
    from server.store import RunLock

    entities = open_scenario(spec.scenario_id, settings.home).entities()
    judging = Judging(spec, store, checklist, make_checker(checker, entities))
    try:
        with RunLock(settings.locks, spec.id), out.progress("judging") as progress:
            return asyncio.run(judging.judge(entities, utc_now(), progress.update))
    except KeyboardInterrupt:
        out.note(f"stopped. The verdicts so far are kept; go on with: ddr evaluate {spec.id}")
        raise typer.Exit(130) from None


def show_scores(judged: Judged, out: Output) -> None:
    """The four accuracies with the baselines beside them."""
    own = judged.evaluation
    out.say(
        f"evaluation {own.id}: {own.checker} against {own.checklist_id} {own.checklist_version}"
    )
    rows = [
        [
            score.competitor,
            score.level,
            score.averaging,
            _share(score.strict),
            _share(score.scored_only),
            f"{score.coverage:.2f}",
            "" if score.low is None or score.high is None else f"{score.low:.2f}-{score.high:.2f}",
            f"{score.supported}/{score.items}",
        ]
        for score in judged.scores
    ]
    heads = [
        "whose",
        "level",
        "mean over",
        ">strict",
        ">scored only",
        ">coverage",
        ">95 %",
        ">found",
    ]
    out.table(heads, rows)
    for reason in dict.fromkeys(s.headline_reason for s in judged.scores if s.headline_reason):
        out.say(f"no headline: {reason}")
    if judged.no_shuffle:
        out.say(f"no shuffled baseline: {judged.no_shuffle}")
    else:
        gated = judged.gated.get("shuffled_entity", 0)
        out.say(f"shuffled insights that passed the checker's gate: {gated}")


def as_json(judged: Judged) -> dict[str, Any]:
    """The evaluation for --json."""
    return {
        "evaluation": judged.evaluation.id,
        "run": judged.evaluation.run_id,
        "checker": judged.evaluation.checker,
        "scores": [score.model_dump(mode="json") for score in judged.scores],
        "gated": judged.gated,
        "no_shuffle": judged.no_shuffle,
    }


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
