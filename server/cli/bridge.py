"""`ddr bridge`: published logs scored here, beside the figures that were printed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import UnknownNameError
from server.cli import judge_options as ask
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from server.asking import JudgeOptions
    from server.bridge import Compared
    from server.cli.output import Output

FORMS = ("ddr-bench",)


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr bridge ddr-bench logs --scenario filings --judge openai/gpt-5-mini",
        "ddr bridge ddr-bench logs/gpt-5.2 --model openai/gpt-5.2 --scenario filings --judge openai/gpt-x",
    )
    app.command("bridge", epilog=shown)(ask.asks_judges(bridge))


def bridge(
    form: Annotated[str, typer.Argument(metavar="FORM", help="Whose logs: ddr-bench.")],
    logdir: Annotated[
        Path,
        typer.Argument(
            metavar="LOGDIR", help="A folder per entity, or a folder per model of those."
        ),
    ],
    *,
    scenario: Annotated[str, typer.Option(help="What was explored.", metavar="SCENARIO")],
    judging: JudgeOptions,
    checklist: Annotated[
        str | None,
        typer.Option(
            help="An id or a file; ddr-bench-SCENARIO, as `checklists import` makes it, unless given.",
            metavar="CHECKLIST",
        ),
    ] = None,
    criteria: Annotated[
        str | None,
        typer.Option(
            help="As the paper leans unless given: lenient for filings, else strict.",
            metavar="CRITERIA",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Whose logs they are, where they are one's.", metavar="PROVIDER/MODEL"),
    ] = None,
    published: Annotated[
        str | None,
        typer.Option(help="The paper's name of that model, where it is another.", metavar="NAME"),
    ] = None,
    estimate: ask.Estimate = False,
    uncalibrated: ask.Uncalibrated = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Import logs of the released code, score them under protocol ddr, and compare model by model.

    What was judged before is not judged again: a command that was broken off goes on.
    """
    from checklists.loader import load
    from core.errors import UsageError
    from databases.catalog import open_scenario
    from providers.catalog import parse_model
    from server import settings as places
    from server.bridge import LENIENT, compare, kept_run, row_of, sources
    from server.cli.estimating import tell_judging
    from server.cli.evaluate import carry_out
    from server.cli.output import Output
    from server.evaluation_asked import Asked
    from server.judges import criteria_of
    from server.runner import utc_now
    from server.store import open_store

    if form not in FORMS:
        raise UnknownNameError("form of logs", form, FORMS)
    if not judging.judges:
        raise UsageError("which judge? the published checklists need a model: give --judge")
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    usual = "lenient" if scenario in LENIENT else "strict"
    criteria_of(usual if criteria is None else criteria)  # before anything is imported
    installed = open_scenario(scenario, settings.home)
    facts = load(checklist or f"ddr-bench-{scenario}", settings.checklists)
    known = [entity.id for entity in installed.entities()]
    found = sources(logdir, known, parse_model(model) if model else None)
    if published is not None and len(found) > 1:
        raise UsageError(f"--published names one model, and {logdir} holds {len(found)}")
    rows = [row_of(each.name, published) for each in found]
    asked = Asked(
        checker="llm",
        judging=judging,
        criteria=usual if criteria is None else criteria,
        protocol="ddr",
        baselines="none",
        uncalibrated=uncalibrated,
    )
    told: list[dict[str, Any]] = []
    with open_store(settings.store_path) as store:
        for source, row in zip(found, rows, strict=True):
            spec = kept_run(source, installed, store, utc_now())
            if estimate:
                tell_judging(asked, spec, facts, store=store, settings=settings, out=out)
                continue
            judged = carry_out(spec, facts, store, settings, out, asked=asked)
            lines = compare(judged.scores, scenario, row)
            name = (
                f"{source.name}, printed as {row.model}" if row else f"{source.name}, not printed"
            )
            out.say(f"{name}: run {spec.id}, evaluation {judged.evaluation.id}")
            _show(lines, out)
            told.append(
                {
                    "model": source.name,
                    "printed_as": row.model if row else None,
                    "run": spec.id,
                    "evaluation": judged.evaluation.id,
                    "items": judged.scores[0].items,
                    "coverage": judged.scores[0].coverage,
                    "accuracies": [line.as_json() for line in lines],
                }
            )
    if not estimate:
        out.say(
            "the interval is of our strict figure; a printed figure has an error that nobody knows"
        )
        out.result({"scenario": scenario, "checklist": facts.id, "models": told})


def _show(lines: list[Compared], out: Output) -> None:
    def share(value: float | None, form: str = ".3f") -> str:
        return "-" if value is None else f"{value:{form}}"

    out.table(
        [
            "level",
            "mean over",
            ">answered only",
            ">printed",
            ">difference",
            ">strict",
            ">95 %",
            "printed in it",
        ],
        [
            [
                line.level,
                line.averaging,
                share(line.ours),
                share(line.printed),
                share(line.difference, "+.3f"),
                share(line.strict),
                "" if line.low is None else f"{line.low:.2f}-{line.high:.2f}",
                {True: "yes", False: "no", None: ""}[line.agrees],
            ]
            for line in lines
        ],
    )
