"""`ddr evaluate`: score a run's insights against its scenario's checklist."""

from __future__ import annotations

import dataclasses
import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UsageError
from core.hints import typed
from server.cli import judge_options as ask
from server.cli.options import ChecklistName, Json, Quiet, example

if TYPE_CHECKING:
    from core.checklist import Checklist
    from core.run import RunSpec
    from server.asking import JudgeOptions
    from server.cli.output import Output
    from server.cli.ticking import Telling
    from server.evaluation_asked import Asked
    from server.judged import Judged
    from server.settings import Settings
    from server.store import Repository


RunOrFile = Annotated[
    str,
    typer.Argument(
        metavar="RUN|FILE",
        help="A run: an id, a unique prefix, or last. Or a file of another program's: JSON lines, an "
        "Inspect log.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr evaluate last",
        "ddr evaluate last --checker matching --json",
        "ddr evaluate last --judge openai/gpt-x --prices prices.toml",
        "ddr evaluate last --judge openai/gpt-x --judge anthropic/claude-x --criteria lenient",
    )
    app.command("evaluate", epilog=shown)(ask.asks_judges(evaluate))


def evaluate(
    run: RunOrFile,
    *,
    scenario: Annotated[
        str | None,
        typer.Option(help="Of a FILE: the scenario that was explored.", metavar="SCENARIO"),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Of a FILE: what to call who explored.", metavar="NAME")
    ] = None,
    checker: Annotated[
        str | None,
        typer.Option(
            help="matching: rules, no model (the default); llm: judges.", metavar="CHECKER"
        ),
    ] = None,
    judging: JudgeOptions,
    criteria: ask.Criteria = "strict",
    protocol: Annotated[
        str | None,
        typer.Option(
            help="default, or ddr: closed items must be answered. The run's own unless given.",
            metavar="PROTOCOL",
        ),
    ] = None,
    batch: Annotated[
        int,
        typer.Option(
            help="Items in one call, for a judge that calibrate found fit for it.", metavar="N"
        ),
    ] = 1,
    uncalibrated: ask.Uncalibrated = False,
    baselines: Annotated[
        str | None,
        typer.Option(
            help="all (the default without a judge), free (blank alone: the default with one), none, "
            "or names: generic, shuffled, population, closed-book.",
            metavar="WHICH",
        ),
    ] = None,
    checklist: ChecklistName = None,
    estimate: ask.Estimate = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score a run; one that was broken off goes on at the first item without a verdict."""
    from checklists.loader import checklist_for
    from databases.catalog import open_scenario
    from server import settings as places
    from server.calibrating import changed
    from server.cli.output import Output
    from server.evaluation_asked import Asked
    from server.judge_agreement import labelled
    from server.judges import protocol_of
    from server.store import open_store

    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        spec = _run_of(run, store, settings, out, scenario=scenario, agent=agent)
        lists = settings.checklists
        facts = checklist_for(spec.scenario_id, lists, named=checklist)
        usual = "llm" if judging.judges else "matching"
        asked = Asked(
            checker=usual if checker is None else checker,
            judging=judging,
            criteria=criteria,
            protocol=protocol_of(protocol),
            batch=batch,
            uncalibrated=uncalibrated,
            baselines=baselines,
        )
        if estimate:
            from server.cli.estimating import tell_judging

            tell_judging(asked, spec, facts, store=store, settings=settings, out=out)
            return
        judged = carry_out(spec, facts, store, settings, out, asked=asked)
        entities = open_scenario(spec.scenario_id, settings.home).entities()
        own = judged.evaluation
        others = changed(store, own.parameters.get("calibrations", ()), own.judges_served)
        by_people = labelled(spec, store, facts, entities, judged.evaluation.id).corrected()
    from server.cli.judges_shown import show_corrected
    from server.cli.scores_shown import as_json, show_scores

    show_scores(judged, out)
    for told in others:
        out.warn(told)
    show_corrected(by_people, out)
    by = f" --checklist {shlex.quote(checklist)}" if checklist else ""
    if asked.checker == "matching" and not any(score.coverage for score in judged.scores):
        by_model = typed(f"evaluate {spec.id}{by} --judge PROVIDER/MODEL")
        out.hint(f"only a model can judge these items: {by_model}")
    out.hint(f"\nnext: {typed(f'report {spec.id}{by}')}")
    corrected = {level: dataclasses.asdict(each) for level, each in by_people.items()}
    out.result({**as_json(judged), "corrected": corrected})


def _run_of(
    text: str,
    store: Repository,
    settings: Settings,
    out: Output,
    *,
    scenario: str | None,
    agent: str | None,
) -> RunSpec:
    """The run that is meant, or the one that a file makes; the same file makes the same one.

    Raises UsageError, StoreError, LogError.
    """
    from pathlib import Path

    path = Path(text)
    if not path.is_file():
        if scenario or agent:
            raise UsageError(f"--scenario and --agent are for a file, and {text} is none")
        return store.run(text)
    if scenario is None:
        raise UsageError(f"{path.name} is a file: which database was explored? Give --scenario")
    from databases.catalog import open_scenario
    from server.cli.trajectories import tell_log
    from server.foreign_logs.keeping import keep_log
    from server.runner import utc_now

    installed = open_scenario(scenario, settings.home)
    form = "inspect" if path.suffix in {".eval", ".json"} else "jsonl"
    kept = keep_log(path, form, installed, store, now=utc_now(), agent=agent)
    tell_log(kept, out, installed.scenario.entity_noun)
    return kept.spec


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
    from databases.catalog import open_scenario
    from server.cli import asking_judges
    from server.evaluation_asked import Asked, admit, prepare
    from server.models import refuse_keyless
    from server.runner import utc_now
    from server.store import RunLock

    installed = open_scenario(spec.scenario_id, settings.home)
    entities = installed.entities()
    asked = asked or Asked()
    made = prepare(asked, spec, checklist, store, installed)
    refuse_keyless(made.judges.specs)

    async def judge(telling: Telling) -> Judged:
        await admit(
            asked,
            made,
            tell=out.note,
            watch=lambda done, total: telling.watch(done, total, "calibration"),
        )
        return await made.judging.judge(entities, utc_now(), telling.watch)

    return asking_judges.asked(
        judge,
        made.judges,
        out,
        doing="judging",
        kept="The verdicts so far are kept",
        told={"run": spec.id},
        lock=RunLock(settings.locks, spec.id),
    )
