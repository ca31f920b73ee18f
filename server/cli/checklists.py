"""`ddr checklists`: one module per command, each importing what it needs only when it runs."""

from __future__ import annotations

import importlib

import typer

PARTS = (
    "server.cli.checklist_listing",
    "server.cli.checklist_importing",
    "server.cli.deriving",
    "server.cli.reviewing",
    "server.cli.checklist_tagging",
    "server.cli.checklist_auditing",
    "server.cli.checklist_proving",
)
"""Modules with a function `add(group)`, cheap to import, in the order of `ddr checklists --help`."""


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="The facts that an exploration should find.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    for module in PARTS:
        importlib.import_module(module).add(group)
    app.add_typer(group, name="checklists")
