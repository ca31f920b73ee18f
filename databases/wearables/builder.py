"""Fill the wearables database, from the owners' files or with a generated twin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import UsageError
from core.wording import counted
from databases.wearables import people as participants
from databases.wearables import source, twin
from databases.wearables.files import studies as find_studies
from databases.wearables.surveys import read_surveys
from databases.wearables.tables import create_participants

if TYPE_CHECKING:
    import duckdb

    from databases.build import BuildContext


def build(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> None:
    """Fill an empty database (databases.builder.Builder)."""
    if context.options["from"] and context.options["synthetic"]:
        raise UsageError("give --from or --synthetic, not both: a twin is made from nobody's data")
    if context.options["synthetic"]:
        twin.fill(connection, context)
    else:
        _import(connection, context)


def _import(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> None:
    options = context.options
    folders = find_studies(Path(str(options["from"])))
    chosen = source.chosen_tables(str(options["tables"]))
    listed = participants.told(folders, context.workspace)
    features = {}
    for place, table in enumerate(chosen):
        context.progress(f"reading {table}", 0.05 + 0.6 * place / len(chosen))
        parts = source.find_parts(folders, table, context.workspace)
        features[table] = source.features_of(table, parts)
        source.load(connection, table, parts, features[table])
        for part in parts:
            if part.text.path.parent == context.workspace:
                part.text.path.unlink()
    everybody = participants.gathered(
        listed,
        participants.sensed(connection, chosen),
        skip_empty=bool(options["skip_empty"]),
    )
    taken = participants.selected(everybody, str(options["entities"]))
    context.progress(f"writing the rows of {counted(len(taken), 'participant')}", 0.7)
    create_participants(connection)
    connection.executemany(
        "INSERT INTO participants VALUES (?, ?)", [(p.id, p.platform) for p in taken.values()]
    )
    for table in chosen:
        source.fill(connection, table, features[table], taken)
    context.documents.add_all(read_surveys(folders, taken, context.workspace))
