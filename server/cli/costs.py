"""`ddr costs`: what runs took, in tokens, money and time, and what of it was in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from server.cli.options import Json, OutFiles, Quiet, RunNames, example

if TYPE_CHECKING:
    from analysis.spending import Costs
    from server.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example("ddr costs last", "ddr costs RUN RUN2 --out costs.csv --out time.svg")
    app.command("costs", epilog=shown)(costs)


def costs(
    runs: RunNames,
    *,
    out: OutFiles = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell what runs took: tokens by role, cache, reasoning, tool latency, repeated queries, debug loops."""
    from analysis.spending_drawing import draw
    from analysis.spending_tables import tables
    from core.errors import UsageError
    from server import files_out
    from server import settings as places
    from server.cli.costs_shown import as_json, show
    from server.cli.output import Output
    from server.contest import names_of
    from server.costs import of_run
    from server.store import open_store

    speaker = Output(json=json, quiet=quiet)
    paths = out or []
    files_out.check(paths)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        specs = {spec.id: spec for spec in map(store.run, runs)}
        names = names_of(list(specs.values()))
        found = []
        with speaker.progress("reading") as shown:
            for number, spec in enumerate(specs.values()):
                shown.update(number, len(specs), spec.id)
                found.append(of_run(spec, names[spec.id], store, settings))
    if not any(each.explorations for each in found):
        raise UsageError(f"nothing was explored in {', '.join(specs)} yet")
    written = [
        file
        for path in paths
        for file in files_out.write(path, tables(found), lambda form: draw(found, form))
    ]
    show(found, speaker)
    files = speaker.wrote(written)
    _hint(found, list(specs), speaker)
    speaker.result({**as_json(found), "files": files})


def _hint(found: list[Costs], runs: list[str], out: Output) -> None:
    from core.hints import typed

    if any(role.cost_usd is None for each in found for role in each.roles):
        out.hint(f"\nwith prices of your own: {typed(f'reprice {runs[0]} --prices FILE')}")
