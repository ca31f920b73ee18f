"""`ddr stopping`: when the agents of runs stopped, why, and what their last turns still brought."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UsageError
from core.hints import typed
from server.cli import run_options as opt
from server.cli.options import Json, OutFiles, Quiet, RunNames, example

if TYPE_CHECKING:
    from server.stopping import RunStopping


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr stopping last",
        "ddr stopping last --endpoint http://127.0.0.1:8000/v1 --model Qwen/Qwen3-8B",
        "ddr stopping last --after-finish 10 --estimate",
        "ddr stopping RUN RUN2 --out stopping.csv --out stopping.svg",
    )
    app.command("stopping", epilog=shown)(stopping)


def stopping(
    runs: RunNames,
    *,
    evaluation: Annotated[
        list[str] | None,
        typer.Option(
            help="The evaluation that says what was discovered; given again, one for another run. "
            "Each run's newest unless given.",
            metavar="ID",
        ),
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option(
            help="Ask there how likely the finish was after each turn: vLLM, llama.cpp, or completions "
            "with echo.",
            metavar="URL",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="What the model is called there.", metavar="NAME")
    ] = None,
    chat_template: Annotated[
        Path | None,
        typer.Option(
            help="For an endpoint that renders no conversation: the model's chat_template.jinja or "
            "tokenizer_config.json.",
            metavar="FILE",
        ),
    ] = None,
    template: Annotated[
        list[str] | None,
        typer.Option(
            help="Handed to the chat template: enable_thinking=false.", metavar="KEY=VALUE,..."
        ),
    ] = None,
    afresh: Annotated[
        bool, typer.Option("--afresh", help="Ask the endpoint again what it has told before.")
    ] = False,
    timeout: opt.Timeout = None,
    after_finish: Annotated[
        int | None,
        typer.Option(
            help="Go on from a copy of each trajectory that ended by itself, so many turns more: what "
            "would they have found?",
            metavar="N",
            min=1,
        ),
    ] = None,
    budget_usd: opt.Budget = None,
    prices: opt.Prices = None,
    concurrency: opt.Concurrency = None,
    endpoint_allowed: opt.EndpointAllowed = None,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", help="Say what --after-finish would take; ask nothing."),
    ] = False,
    out: OutFiles = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell when trajectories ended and why; endings that the agent did not choose stand apart."""
    from server import files_out
    from server import settings as places
    from server.cli.after_finish import Onward, go_on
    from server.cli.after_finish import estimate as price
    from server.cli.finish_scores import endpoint_of, exit_of, measured
    from server.cli.output import Output
    from server.cli.stopping_shown import show
    from server.stopping import evaluation_of, evaluations_named, of_run
    from server.store import open_store

    paths = out or []
    files_out.check(paths)
    onward = None
    if after_finish is not None:
        onward = Onward(
            after_finish,
            budget_usd=budget_usd,
            prices=prices,
            concurrency=concurrency,
            endpoint_allowed=endpoint_allowed,
            timeout_s=timeout,
        )
    elif estimate:
        raise UsageError("--estimate is about what costs: it goes with --after-finish N")
    place = endpoint_of(
        endpoint,
        model,
        chat_template=chat_template,
        template=template,
        concurrency=concurrency,
        timeout_s=timeout,
        endpoint_allowed=endpoint_allowed,
        afresh=afresh,
    )
    speaker = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        specs = {spec.id: spec for spec in map(store.run, runs)}
        if budget_usd is not None and len(specs) > 1:
            raise UsageError("--budget-usd is for one run: name them one at a time")
        chosen = evaluations_named(list(specs.values()), store, evaluation or ())
        if onward is not None and estimate:
            told = {
                spec.id: price(onward, spec, store=store, settings=settings, out=speaker)
                for spec in specs.values()
            }
            speaker.result({"estimates": told})
            return
        if onward is not None:
            for spec in specs.values():
                judged = evaluation_of(spec, store, chosen.get(spec.id))
                go_on(onward, spec, judged, store=store, settings=settings, out=speaker)
        found = [
            of_run(spec, store, settings, evaluation=chosen.get(spec.id)) for spec in specs.values()
        ]
        if place is not None:
            found = measured(found, place, store, settings, speaker)
    show(found, speaker)
    files = speaker.wrote(_write(found, paths))
    for each in found:
        if each.evaluation is None:
            judge = typed(f"evaluate {each.spec.id}")
            speaker.hint(f"\nwhat the last turns still brought is known once it is judged: {judge}")
    speaker.result({"runs": [each.as_json() for each in found], "files": files})
    if code := exit_of(found):
        raise typer.Exit(code)


def _write(found: list[RunStopping], paths: list[Path]) -> list[Path]:
    from analysis.stopping_drawing import draw
    from server import files_out
    from server.stopping import pictures, tables

    drawn = pictures(found)
    return [
        written
        for path in paths
        for written in files_out.write(path, tables(found), lambda form: draw(drawn, form))
    ]
