"""`ddr leaderboard`: who found how much, in one table what may stand in one table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from server.cli.options import Json, OutFiles, Quiet, example

if TYPE_CHECKING:
    from analysis.facets import Facets
    from analysis.models import ModelTable
    from core.evaluation import Level
    from server.cli.output import Output
    from server.settings import Settings
    from server.standings import Standings
    from server.store import Repository

_FORMATS = ("plain", "table2", "csv", "latex")


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr leaderboard",
        "ddr leaderboard --format table2 --published",
        "ddr leaderboard --by total_b --out sizes.svg",
    )
    app.command("leaderboard", epilog=shown)(leaderboard)


def leaderboard(
    *,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="plain (the default), table2 (the shape of the paper's Table 2), csv or latex.",
            metavar="FORM",
        ),
    ] = None,
    scenario: Annotated[
        list[str] | None,
        typer.Option(help="This scenario alone; may be given several times.", metavar="SCENARIO"),
    ] = None,
    published: Annotated[
        bool,
        typer.Option("--published", help="Beside it what DDR-Bench prints: others' figures."),
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(
            help="Also by what models are: total_b, active_b, context_tokens, generation, family, "
            "released, or an attribute of --models.",
            metavar="ATTRIBUTE",
        ),
    ] = None,
    models: Annotated[
        list[Path] | None,
        typer.Option(
            help="What is known of models, over what comes along and $DDR_HOME/models.toml.",
            metavar="FILE",
        ),
    ] = None,
    out: OutFiles = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Rank finished, evaluated runs by scenario; what is not comparable stands apart, with the reason."""
    from core.errors import UnknownNameError, one_of
    from server import files_out
    from server import settings as places
    from server.cli import leaderboard_shown
    from server.cli.facets_shown import show_facets
    from server.cli.output import Output
    from server.standings import standings
    from server.store import open_store

    speaker = Output(json=json, quiet=quiet)
    form = one_of("format", "plain" if format_ is None else format_, _FORMATS)
    files_out.check(out or [])
    settings = places.load().prepare()
    table = _models(settings, models or [])
    if by is not None and by not in table.attributes():
        raise UnknownNameError("attribute of models", by, table.attributes())
    with open_store(settings.store_path) as store:
        found = standings(store, settings, scenarios=scenario or ())
        facets = _facets(found, by, table, store, speaker) if by else {}
    leaderboard_shown.show(found, form, table, speaker, published=published)
    if by is not None:
        show_facets(facets, by, speaker)
    written = leaderboard_shown.write(out or [], found, facets, table)
    told = leaderboard_shown.as_json(found, facets, published=published)
    speaker.result(told | {"files": speaker.wrote(written)})


def _models(settings: Settings, given: list[Path]) -> ModelTable:
    from analysis.models import FILE, model_table

    own = settings.home / FILE
    return model_table([*([own] if os.path.lexists(own) else []), *given])


def _facets(
    found: Standings, by: str, table: ModelTable, store: Repository, out: Output
) -> dict[str, dict[Level, Facets]]:
    from server import settings as places
    from server.standings_facets import group_facets

    made = {}
    for board in found.boards:
        with out.progress(board.scenario_id) as shown:
            made[board.scenario_id] = group_facets(
                board.main, by, table, store, places.load(), watch=shown.update
            )
    return made
