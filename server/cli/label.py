"""`ddr label`: people label a sample of a run's items, and the judge is held against them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from server.cli.options import ChecklistName, Json, Quiet, example
from server.cli.runs import RunName

if TYPE_CHECKING:
    from core.evaluation import Verdict
    from core.record import Record
    from core.run import RunSpec
    from server.cli.output import Output
    from server.labelling import Ask, Kind
    from server.store import Repository


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr label last --by ann",
        "ddr label last --sample 50 --export labels.csv",
        "ddr label last --import labels.csv --by ann",
        "ddr label last --agreement",
        "ddr label last --ratings --by ann",
        "ddr label last --form --by ann",
    )
    app.command("label", epilog=shown)(label)


def label(
    run: RunName,
    *,
    by: Annotated[
        str | None, typer.Option(help="Who labels; your login name unless given.", metavar="NAME")
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(
            help="How many are asked (30), or which share (10%); with --form of data sets, all.",
            metavar="N",
        ),
    ] = None,
    blind: Annotated[
        bool, typer.Option("--blind/--no-blind", help="Whether the judge's label stays hidden.")
    ] = True,
    ratings: Annotated[
        bool,
        typer.Option("--ratings", help="Score whole explorations instead of labelling items."),
    ] = False,
    form: Annotated[
        bool,
        typer.Option("--form", help="Fill in the quality form of the data sets instead."),
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(help="Write the questions to a file (.csv, else JSON lines).", metavar="FILE"),
    ] = None,
    import_: Annotated[
        Path | None, typer.Option("--import", help="Take answers from a file.", metavar="FILE")
    ] = None,
    agreement: Annotated[
        bool, typer.Option("--agreement", help="Hold the judge, or the metrics, against people.")
    ] = False,
    evaluation: Annotated[
        str | None,
        typer.Option(help="Whose labels; the last evaluation unless given.", metavar="ID"),
    ] = None,
    metric: Annotated[
        Path | None,
        typer.Option(
            help="With --ratings: more metrics (a file with a column `subject` or `entity`).",
            metavar="FILE",
        ),
    ] = None,
    checklist: ChecklistName = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask a person, one thing after another; what was answered is kept, and asked no more."""
    from checklists.loader import checklist_for
    from core.errors import UsageError
    from core.hints import typed
    from server import settings as places
    from server.cli.output import Output
    from server.labelling import asks
    from server.store import open_store

    if ratings and form:
        raise UsageError("--ratings and --form are two things: ask one of them")
    if sum(map(bool, (export, import_, agreement))) > 1:
        raise UsageError("--export, --import and --agreement are three steps: one at a time")
    kind: Kind = "rating" if ratings else "form" if form else "label"
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        spec = store.run(run)
        facts = checklist_for(spec.scenario_id, settings.checklists, named=checklist)
        if agreement:
            from server.cli.label_agreement import tell

            tell(
                kind,
                spec,
                facts,
                store=store,
                settings=settings,
                out=out,
                evaluation=evaluation,
                metric=metric,
            )
            return
        judged = None
        if not blind and kind == "label":
            judged = dict(_labels(spec, store, evaluation))
        trajectories = store.trajectories(spec.id)
        if import_ is not None:  # whatever sample it was drawn with
            found = asks(kind, spec, trajectories, facts, sample="100%", judged=judged)
        else:
            found = asks(kind, spec, trajectories, facts, sample=sample, judged=judged)
        if not found:
            raise UsageError(
                f"run {spec.id} has nothing that a person could be asked: nothing was "
                "handed in that counts, or the checklist has no item on it"
            )
        who = _name(by)
        if export is not None:
            from server.label_files import write

            write(export, found)
            out.say(f"{len(found)} questions in {export}: fill in answer_here, and by")
            out.hint(f"then: {typed(f'label {spec.id} --import {export} --by NAME')}")
            out.result({"run": spec.id, "kind": kind, "exported": len(found), "file": str(export)})
            return
        kept = (
            _imported(import_, found, kind, spec=spec, store=store, who=who)
            if import_ is not None
            else _asked(found, kind, spec=spec, store=store, who=who, out=out)
        )
        out.say(f"{kept} answers kept")
        out.hint(f"next: {typed(f'label {spec.id} --agreement' + _flag(kind))}")
        out.result({"run": spec.id, "kind": kind, "by": who, "kept": kept, "of": len(found)})


def _flag(kind: Kind) -> str:
    return {"label": "", "rating": " --ratings", "form": " --form"}[kind]


def _name(by: str | None) -> str:
    import getpass

    from core.errors import UsageError

    try:
        who = by.strip() if by is not None else getpass.getuser()
    except (KeyError, OSError):
        who = ""
    if not who:
        raise UsageError("who labels? Say it with --by NAME")
    return who


def _imported(
    path: Path, found: list[Ask], kind: Kind, *, spec: RunSpec, store: Repository, who: str
) -> int:
    """Keep a file's answers, all of them or none."""
    from server.label_files import read
    from server.runner import utc_now
    from server.store.judgements import Judgements

    given = read(path, found, by=who, now=utc_now())
    with store.together() as joined:
        for each in given:
            Judgements(joined, kind).say(spec.id, each.subject, each.by, each.record)
    return len(given)


def _asked(
    found: list[Ask], kind: Kind, *, spec: RunSpec, store: Repository, who: str, out: Output
) -> int:
    from server.cli.asking_people import ask_people
    from server.labelling import RECORDS
    from server.runner import utc_now
    from server.store.judgements import Judgements

    judgements = Judgements(store, kind)
    said: list[tuple[str, str, Record]] = [*judgements.of_run(spec.id, RECORDS[kind])]
    done = {subject for subject, name, _ in said if name == who}

    def keep(subject: str, record: Record) -> None:
        judgements.say(spec.id, subject, who, record)

    return ask_people(found, done, keep, out, now=utc_now)


def verdicts_of(
    spec: RunSpec, store: Repository, evaluation: str | None
) -> tuple[str, list[Verdict]]:
    """The evaluation that is meant, or the agent's last one. Raises UsageError, UnknownNameError."""
    from core.errors import UnknownNameError, UsageError
    from core.hints import typed
    from server.judged import own_evaluations

    mine = [each.id for each in own_evaluations(store.evaluations(spec.id))]
    if not mine:
        raise UsageError(f"run {spec.id} is not evaluated: {typed(f'evaluate {spec.id}')}")
    if evaluation is not None and evaluation not in mine:
        raise UnknownNameError("evaluation", evaluation, mine)
    chosen = evaluation or mine[-1]
    return chosen, store.verdicts(chosen)


def _labels(spec: RunSpec, store: Repository, evaluation: str | None) -> list[tuple[str, str]]:
    from server.labelling import subject_of

    _, verdicts = verdicts_of(spec, store, evaluation)
    return [
        (subject_of(v.trajectory_id, v.item_id, v.level), v.label or "unscored") for v in verdicts
    ]
