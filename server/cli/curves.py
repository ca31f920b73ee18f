"""`ddr curves`: how accuracy grows by turn, call, token, dollar or second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UsageError
from core.hints import typed
from server.cli import judge_options as ask
from server.cli.options import Evaluations, Json, JudgedBy, OutFiles, Quiet, RunNames, example

if TYPE_CHECKING:
    from core.sufficiency import Sufficiency
    from server.asking import JudgeOptions
    from server.cli.output import Output
    from server.curves_asked import Shown


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr curves last",
        "ddr curves RUN RUN2 --axis cost_usd --out curves.svg --out curves.csv",
        "ddr curves RUN --rerun RUN2 --at 5,10,20",
    )
    app.command("curves", epilog=shown)(ask.asks_judges(curves))


def curves(
    runs: RunNames,
    *,
    judging: JudgeOptions,
    axis: Annotated[
        str,
        typer.Option(
            help="turn, calls, billed_tokens, new_tokens, cost_usd or seconds; the agent's own alone.",
            metavar="AXIS",
        ),
    ] = "turn",
    at: Annotated[
        str | None,
        typer.Option(help="Budgets to read the curve at, as 5,10,20.", metavar="X,..."),
    ] = None,
    over: Annotated[
        str | None,
        typer.Option(
            "--range",
            help="Of the area, as 0.01:2; else from the cheapest competitor's first turn to the "
            "longest trajectory's end.",
            metavar="LOW:HIGH",
        ),
    ] = None,
    rerun: Annotated[
        list[str] | None,
        typer.Option(
            help="A run of the same agent that was held to a limit: told beside the curve. Repeatable.",
            metavar="RUN",
        ),
    ] = None,
    level: Annotated[
        str,
        typer.Option(
            help="message, or trajectory: what the report holds counts from where it was written.",
            metavar="LEVEL",
        ),
    ] = "message",
    protocol: Annotated[
        str | None,
        typer.Option(
            help="default: a find counts from its first supporting turn; ddr: from its last, read at "
            "5, 10, ..., 100. As the run was judged unless given.",
            metavar="PROTOCOL",
        ),
    ] = None,
    min_sufficient: Annotated[
        bool,
        typer.Option(
            "--min-sufficient",
            help="Judge prefixes again, as the run was judged: a find counts from the first turn by "
            "which the insights suffice.",
        ),
    ] = False,
    estimate: ask.Estimate = False,
    evaluation: Evaluations = None,
    although_different: Annotated[
        bool,
        typer.Option(
            "--although-different", help="Show what rests on different judges, data or rules."
        ),
    ] = False,
    checklist: JudgedBy = None,
    out: OutFiles = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show accuracy along an axis, what was found by each budget, and what more would buy."""
    from dataclasses import replace

    from server import curves_asked, files_out
    from server import settings as places
    from server.cli import sufficing
    from server.cli.curves_shown import as_json, show
    from server.cli.output import Output
    from server.min_sufficient import finds_of
    from server.store import open_store

    paths = out or []
    files_out.check(paths)
    asked = curves_asked.Asked(
        axis=curves_asked.axis_of(axis),
        level=curves_asked.level_of(level),
        protocol=curves_asked.protocol_of(protocol),
        at=curves_asked.places_of(at) if at is not None else None,
        over=curves_asked.range_of(over) if over is not None else None,
        evaluations=tuple(evaluation or ()),
        although_different=although_different,
        checklist=checklist,
    )
    if judging.judges and not min_sufficient:
        raise UsageError(
            "a judge is asked for --min-sufficient alone: leave --judge out, or add it"
        )
    if min_sufficient and asked.level == "trajectory":
        raise UsageError("--min-sufficient is about message-wise insights: leave --level out")
    if estimate and not min_sufficient:
        raise UsageError("--estimate is about --min-sufficient: all else is free of charge")
    speaker = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    moved: dict[str, list[Sufficiency]] = {}
    with open_store(settings.store_path) as store:
        specs = [store.run(name) for name in runs]
        beside = [store.run(name) for name in rerun or ()]
        if min_sufficient:
            sides = curves_asked.chosen(asked, specs, beside, store)
            if estimate:
                sufficing.tell_estimate(
                    sides, judging, store, settings, speaker, checklist=checklist
                )
                return
            for side in sides:
                moved[side.spec.id] = sufficing.sufficient(
                    side, judging, store, settings, speaker, checklist=checklist
                )
            finds = {run: finds_of(said) for run, said in moved.items()}
            asked = replace(asked, found=finds)
        found = curves_asked.take(asked, specs, beside, store, settings)
    if not any(each.curve.points for each in found.curves):
        raise UsageError(curves_asked.nothing(found))
    show(found, speaker)
    for run in found.runs if moved else ():
        sufficing.show_moved(moved[run.spec.id], run.name, speaker)
    written = [
        file
        for path in paths
        for file in files_out.write(path, curves_asked.tables_of(found), found.draw)
    ]
    names = speaker.wrote(written)
    if not found.reruns:
        _hint(found, speaker)
    told = {run: sufficing.as_json(said) for run, said in moved.items()}
    speaker.result(
        {
            **as_json(found),
            **({"sufficient": told} if min_sufficient else {}),
            "files": names,
        }
    )


def _hint(found: Shown, out: Output) -> None:
    """How to have a real run stand beside the thresholds."""
    from shlex import quote

    from providers.catalog import model_name
    from server.cli.output import one_line
    from server.reruns import LIMITS

    spec, curves = found.runs[0].spec, found.curves[0]
    name = LIMITS.get(found.axis)
    if name is None or spec.outside is not None or spec.imported is not None:
        return
    # A name is typed with the command: no shell obeys it.
    who = (
        f"--model {quote(model_name(spec.model))}" if spec.model else f"--agent {quote(spec.agent)}"
    )
    reached = [point.x for point in curves.table.points if point.value > 0]
    limit = reached[len(reached) // 2] if reached else curves.growth.last
    command = typed(f"run --scenario {spec.scenario_id} {who} --limits {name}={limit:g}")
    out.hint(
        f"\nno real run under a limit stands beside it: {one_line(command)}, evaluate it, then "
        "--rerun last"
    )
