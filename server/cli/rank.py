"""`ddr rank`: which run's novel insights are the more useful ones, by pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UsageError
from server.cli import judge_options as ask
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from core.ranking import Ranking
    from server.asking import JudgeOptions, Judges
    from server.cli.output import Output
    from server.meetings import Asked
    from server.ranking import RankingWork
    from server.settings import Settings

Runs = Annotated[
    list[str],
    typer.Argument(metavar="RUN...", help="Two at least, each an id or a unique prefix, or last."),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr rank 20260131-flights-ab12 last --judge openai/gpt-x",
        "ddr rank 20260131-flights-ab12 last --judge openai/gpt-x --estimate",
    )
    app.command("rank", epilog=shown)(ask.asks_judges(rank))


def rank(
    runs: Runs,
    *,
    judging: JudgeOptions,
    evaluation: Annotated[
        list[str] | None,
        typer.Option(
            help="Whose verdicts say what is novel; each run's last unless given.", metavar="ID"
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="davidson (the default), half-win, or order: with a term of who is shown first.",
            metavar="METHOD",
        ),
    ] = None,
    pairs: Annotated[
        str, typer.Option(help="all, or adaptive: a quarter, the least certain.", metavar="WHICH")
    ] = "all",
    one_order: Annotated[
        bool, typer.Option("--one-order", help="Ask each pair once, in a random order.")
    ] = False,
    length_matched: Annotated[
        bool,
        typer.Option("--length-matched", help="Cut the longer set to the length of the other."),
    ] = False,
    protocol: Annotated[
        str | None,
        typer.Option(help="ddr: one random order, half wins.", metavar="PROTOCOL"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of orders, cuts and resamples.", metavar="N")] = 0,
    although_different: Annotated[
        bool,
        typer.Option("--although-different", help="Rank what is not comparable, and say so."),
    ] = False,
    estimate: ask.Estimate = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Rank runs by how useful their novel insights are; what was broken off goes on.

    The same runs, judges and options are the same ranking: with another --method nobody is asked anew.
    """
    from databases.catalog import open_scenario
    from evaluator.rating.fitting import method_of
    from server import settings as places
    from server.asking import judges_for
    from server.ballots import beside
    from server.cli.output import Output
    from server.cli.ranking_shown import as_json, show
    from server.ranked import accuracies, read
    from server.ranking import RankingWork
    from server.standings_kept import keep_ratings
    from server.store import open_store
    from server.store.rankings import Rankings

    if not judging.judges:
        raise UsageError("nobody compares: give --judge PROVIDER/MODEL")
    asked = _asked(
        evaluation, pairs, protocol, one_order=one_order, length_matched=length_matched, seed=seed,
        although_different=although_different,
    )  # fmt: skip
    chosen = method_of(_method(method, protocol))
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        specs = [store.run(name) for name in runs]
        installed = open_scenario(specs[0].scenario_id, settings.home)
        judges = judges_for(
            judging,
            installed.scenario,
            store,
        )
        entities = installed.entities()
        noun = installed.scenario.entity_noun
        work = RankingWork(specs, asked, judges, entities, store, noun=noun)
        if estimate:
            _tell_estimate(work, judges, out)
            return
        ranking = _compare(work, judges, settings, out)
        ranked = read(
            ranking,
            Rankings(store).comparisons(ranking.id),
            names=work.contest.names,
            entities=entities,
            method=chosen,
            accuracies=accuracies(work.contest, store, settings.checklists, entities),
            people=beside(ranking, store),
        )
        keep_ratings(ranking, store, entities)
    show(ranked, work.contest, work.remarks, out)
    if work.failed:
        out.note(f"{work.failed} comparisons failed; the same command asks for them again")
    out.result(as_json(ranked, work))
    if work.failed:
        raise typer.Exit(1)


def _asked(
    evaluations: list[str] | None,
    pairs: str,
    protocol: str | None,
    *,
    one_order: bool,
    length_matched: bool,
    seed: int,
    although_different: bool,
) -> Asked:
    from core.errors import one_of
    from server.meetings import Asked

    is_ddr = protocol is not None and one_of("protocol", protocol, ("default", "ddr")) == "ddr"
    which = one_of("choice of pairs", pairs, ("all", "adaptive"))
    if is_ddr and (length_matched or which == "adaptive"):
        raise UsageError(
            "--protocol ddr compares all pairs as they are: leave out --length-matched and --pairs"
        )
    return Asked(
        evaluations=tuple(evaluations or ()),
        orders="one" if one_order or is_ddr else "both",
        pairs="adaptive" if which == "adaptive" else "all",
        is_length_matched=length_matched,
        seed=seed,
        protocol="ddr" if is_ddr else "default",
        although_different=although_different,
    )


def _method(method: str | None, protocol: str | None) -> str:
    if protocol != "ddr":
        return "davidson" if method is None else method
    if method not in (None, "half-win"):
        raise UsageError(f"--protocol ddr rates by half wins: leave out --method {method}")
    return "half-win"


def _compare(work: RankingWork, judges: Judges, settings: Settings, out: Output) -> Ranking:
    """Ask with progress; after Ctrl-C or a spent budget say that what was said is kept."""
    from server.cli.asking_judges import asked
    from server.models import refuse_keyless
    from server.runner import utc_now
    from server.store import RunLock

    refuse_keyless(judges.specs)
    ranking = work.found() or work.begin(utc_now())
    return asked(
        lambda telling: work.compare(ranking, telling.watch),
        judges,
        out,
        doing="comparing",
        kept="The comparisons so far are kept",
        told={"ranking": ranking.id},
        lock=RunLock(settings.locks, f"ranking-{ranking.id}"),
    )


def _tell_estimate(work: RankingWork, judges: Judges, out: Output) -> None:
    """What each judge would take; nothing is asked, nothing kept."""
    from providers.catalog import model_name
    from server.cli.estimating import say_calls
    from server.judge_estimate import estimate_judging

    found = {}
    for spec in judges.specs:
        name = model_name(spec)
        made = estimate_judging(
            [question.messages for question in work.open_questions(name)],
            work.calls_alike(name),
            judge=name,
            prices=judges.prices(spec),
            concurrency=judges.concurrency,
        )
        say_calls(name, made, "judge", out)
        found[name] = made.model_dump(mode="json")
    out.result({"runs": [run.id for run in work.contest.runs], "estimates": found})
