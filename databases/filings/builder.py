"""Choose what the filings database is made from: somebody's files, the SEC's own service, or a generator."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from databases.variants import spelt

if TYPE_CHECKING:
    import duckdb

    from databases.builder import BuildContext, Builder, Built

_MAKERS = {
    "synthetic": "databases.filings.synthetic:generate",
    "as_is": "databases.filings.official:serve",
}
"""Switch to `module:function`, whose contract is databases.build.Builder."""
_CLASHES = (
    ("as_is", "anonymise"), ("as_is", "fetch"), ("as_is", "synthetic"), ("as_is", "entities"),
    ("synthetic", "anonymise"), ("synthetic", "fetch"), ("synthetic", "from"),
)  # fmt: skip
_TWIN_ONLY = ("rows", "hostile")
_FROM_FILES = "databases.filings.loading:load"


def build(
    connection: duckdb.DuckDBPyConnection, context: BuildContext
) -> Built | Mapping[str, Any] | None:
    """Fill an empty database from what the options name (databases.builder.Builder).

    Raises UsageError where two options exclude one another.
    """
    for one, other in _CLASHES:
        if context.options.get(one) and context.options.get(other):
            raise UsageError(f"{spelt(one)} and {spelt(other)} exclude one another; give one")
    if not context.options.get("synthetic"):
        for option in _TWIN_ONLY:
            if context.options.get(option):
                raise UsageError(
                    f"{spelt(option)} goes with --synthetic: real reports are as they are"
                )
    names = [name for switch, name in _MAKERS.items() if context.options.get(switch)]
    module, _, attribute = (names or [_FROM_FILES])[0].partition(":")
    # Imported here: a generator needs no parser, and a parser no generator.
    make: Builder = getattr(importlib.import_module(module), attribute)
    return make(connection, context)


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the five tables, empty, with their comments."""
    script = resources.files(__package__).joinpath("tables.sql").read_text(encoding="utf-8")
    connection.execute(script)
