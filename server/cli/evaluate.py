"""`ddr evaluate`: score a run's insights against its scenario's checklist."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.hints import typed
from core.wording import counted
from server.cli import run_options as opt
from server.cli.options import Json, Quiet, example
from server.cli.runs import RunName

if TYPE_CHECKING:
    from core.checklist import Checklist
    from core.evaluation import Score
    from core.run import RunSpec
    from server.asked import Asked
    from server.cli.output import Output
    from server.evaluate import Judged
    from server.settings import Settings
    from server.store import Repository


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr evaluate last",
        "ddr evaluate last --checker matching --json",
        "ddr evaluate last --checker llm --judge openai/gpt-x --prices prices.toml",
    )
    app.command("evaluate", epilog=shown)(evaluate)


def evaluate(
    run: RunName,
    *,
    checker: Annotated[
        str | None,
        typer.Option(
            help="matching: rules, no model (the default); llm: a judge.", metavar="CHECKER"
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            help="The model that judges: provider/name or scripted:FILE.", metavar="MODEL"
        ),
    ] = None,
    base_url: opt.BaseUrl = None,
    sampling: opt.Sampling = None,
    prices: opt.Prices = None,
    criteria: Annotated[
        str, typer.Option(help="What counts as supported: strict.", metavar="CRITERIA")
    ] = "strict",
    concurrency: Annotated[
        int | None, typer.Option(help="Questions to the judge under way at a time; 4.", metavar="N")
    ] = None,
    timeout: Annotated[
        float, typer.Option(help="How long one request to the judge may take.", metavar="SECONDS")
    ] = 600.0,
    baselines: Annotated[
        str | None,
        typer.Option(
            help="all (the default without a judge), free (blank alone: the default with one), none.",
            metavar="WHICH",
        ),
    ] = None,
    endpoint_allowed: opt.EndpointAllowed = None,
    checklist: Annotated[
        str | None,
        typer.Option(help="An id or a file; the scenario's own unless given.", metavar="CHECKLIST"),
    ] = None,
    budget_usd: Annotated[
        float | None,
        typer.Option(help="Dollars for the judge; asked before each call.", metavar="DOLLARS"),
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what the judge would take; ask nothing.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score a run; one that was broken off goes on at the first item without a verdict."""
    from checklists.loader import checklist_for, load
    from server import settings as places
    from server.asked import Asked
    from server.cli.output import Output
    from server.config import read_sampling
    from server.store import open_store

    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        spec = store.run(run)
        own = settings.checklists
        facts = load(checklist, own) if checklist else checklist_for(spec.scenario_id, own)
        asked = Asked(
            checker=checker or ("llm" if judge else "matching"),
            judge=judge,
            base_url=base_url,
            sampling=read_sampling(sampling) if sampling else {},
            prices=prices,
            criteria=criteria,
            concurrency=concurrency,
            timeout_s=timeout,
            baselines=baselines,
            endpoint_allowed=endpoint_allowed,
            budget_usd=budget_usd,
        )
        if estimate:
            from server.cli.estimating import tell_judging

            tell_judging(asked, spec, facts, store=store, settings=settings, out=out)
            return
        judged = carry_out(spec, facts, store, settings, out, asked=asked)
    show_scores(judged, out)
    by = f" --checklist {shlex.quote(checklist)}" if checklist else ""
    if asked.checker == "matching" and not any(score.coverage for score in judged.scores):
        by_model = typed(f"evaluate {spec.id}{by} --judge PROVIDER/MODEL")
        out.hint(f"only a model can judge these items: {by_model}")
    out.hint(f"\nnext: {typed(f'report {spec.id}{by}')}")
    out.result(as_json(judged))


def carry_out(
    spec: RunSpec,
    checklist: Checklist,
    store: Repository,
    settings: Settings,
    out: Output,
    *,
    asked: Asked | None = None,
) -> Judged:
    """Judge with progress; after Ctrl-C say that what was judged is kept."""
    import asyncio

    from databases.catalog import open_scenario
    from server.asked import Asked, prepare
    from server.cli.interrupts import INTERRUPTED
    from server.cli.ticking import Telling, ticking
    from server.metering import BudgetSpentError
    from server.models import refuse_keyless
    from server.runner import utc_now
    from server.store import RunLock

    installed = open_scenario(spec.scenario_id, settings.home)
    entities = installed.entities()
    made = prepare(asked or Asked(), spec, checklist, store, installed)
    refuse_keyless([made.judge] if made.judge else [])

    async def judge(telling: Telling) -> Judged:
        async with ticking(telling):
            return await made.judging.judge(entities, utc_now(), telling.watch)

    try:
        with RunLock(settings.locks, spec.id), out.progress("judging") as progress:
            return asyncio.run(judge(Telling(progress, made.board)))
    except KeyboardInterrupt:
        out.note("stopped. The verdicts so far are kept; the same command goes on")
        raise typer.Exit(INTERRUPTED) from None
    except BudgetSpentError as exc:
        out.note(f"{exc}. The verdicts so far are kept; the same command goes on, with new money")
        out.result({"run": spec.id, "stopped": str(exc)})
        raise typer.Exit(1) from None


def show_scores(judged: Judged, out: Output) -> None:
    """The four accuracies with the baselines beside them."""
    own = judged.evaluation
    out.say(
        f"evaluation {own.id}: {own.checker} against {own.checklist_id} {own.checklist_version}"
        + (" (explored under protocol ddr)" if own.protocol == "ddr" else "")
    )
    rows = [_row(score) for score in judged.scores]
    rows += [_row(score, " without forced reports") for score in judged.unforced]
    # Where every item can be reached, the second rows would be the first ones.
    if (some := judged.reachable) and some[0].items < judged.scores[0].items:
        rows += [_row(score, " over reachable items") for score in some]
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
    elif not own.judges_asked:
        gated = judged.gated.get("shuffled_entity", 0)
        out.say(f"shuffled insights that passed the checker's gate: {gated}")

    if judged.spending.calls:
        out.say(
            f"judged by {', '.join(own.judges_served or own.judges_asked)}: "
            f"{counted(judged.spending.calls, 'call')}, {judged.spending.tokens} tokens in / out, "
            f"cost {judged.spending.cost}"
        )


def _row(score: Score, beside: str = "") -> list[str]:
    low, high = score.low, score.high
    return [
        score.competitor + beside,
        score.level,
        score.averaging,
        _share(score.strict),
        _share(score.scored_only),
        f"{score.coverage:.2f}",
        "" if low is None or high is None else f"{low:.2f}-{high:.2f}",
        f"{score.supported}/{score.items}",
    ]


def as_json(judged: Judged) -> dict[str, Any]:
    """The evaluation for --json."""
    return {
        "evaluation": judged.evaluation.id,
        "run": judged.evaluation.run_id,
        "checker": judged.evaluation.checker,
        "scores": [score.model_dump(mode="json") for score in judged.scores],
        "gated": judged.gated,
        "no_shuffle": judged.no_shuffle,
        "without_forced_reports": [score.model_dump(mode="json") for score in judged.unforced],
        "reachable": None
        if judged.reachable is None
        else [score.model_dump(mode="json") for score in judged.reachable],
        "judges_asked": judged.evaluation.judges_asked,
        "judges_served": judged.evaluation.judges_served,
        **judged.spending.as_json(),
    }


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
