"""`ddr exploration`: where agents looked, what nobody read, and how their queries change."""

from __future__ import annotations

from typing import Annotated

import typer

from server.cli.options import Evaluations, Json, OutFiles, Quiet, example

Runs = Annotated[
    list[str],
    typer.Argument(metavar="RUN", help="Of one scenario; each an id, a unique prefix, or last."),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr exploration last",
        "ddr exploration RUN RUN2 --without-keys --out fields.csv",
        "ddr exploration last --figure heat --out schema.svg",
    )
    app.command("exploration", epilog=shown)(exploration)


def exploration(
    runs: Runs,
    *,
    evaluation: Evaluations = None,
    without_keys: Annotated[
        bool, typer.Option("--without-keys", help="Leave out columns that only name a row.")
    ] = False,
    figure: Annotated[
        str | None,
        typer.Option(
            help="What --out draws: points (the default), heat (the map of the schema) or turns.",
            metavar="NAME",
        ),
    ] = None,
    out: OutFiles = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell where agents looked: coverage and entropy of fields, breadth, depth, what was never read.

    Several runs are told apart as groups, one for each model.
    """
    from analysis.exploration.figures import NAMES, draw
    from analysis.exploration.tables import tables
    from core.errors import UsageError, one_of
    from server import files_out
    from server import settings as places
    from server.cli.exploration_shown import as_json, show
    from server.cli.output import Output
    from server.exploration import of_runs
    from server.store import open_store

    speaker = Output(json=json, quiet=quiet)
    paths = out or []
    files_out.check(paths)
    name = one_of("figure", "points" if figure is None else figure, NAMES)
    if figure and not any(path.suffix.lower() in (".svg", ".png") for path in paths):
        raise UsageError(f"--figure {figure} needs a file to be drawn in: --out {figure}.svg")
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        found = of_runs(
            [store.run(each) for each in runs],
            store,
            settings,
            evaluations=evaluation or (),
            without_keys=without_keys,
        )
    made = tables(found.exploration)
    written = [
        file
        for path in paths
        for file in files_out.write(path, made, lambda form: draw(found.exploration, name, form))
    ]
    show(found, speaker)
    speaker.result({**as_json(found, made), "files": speaker.wrote(written)})
