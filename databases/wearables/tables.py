"""The tables as an agent sees them: their columns, their order and what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from core.sql import quote
from databases.comments import comment_on
from databases.wearables.features import Feature, tables

if TYPE_CHECKING:
    import duckdb

_KEYS = "participant_id VARCHAR NOT NULL, day DATE NOT NULL"


def create_participants(connection: duckdb.DuckDBPyConnection, *, remarks: bool = False) -> None:
    """The table of the entities, empty; with remarks only where a twin is asked to be hostile."""
    more = ", remark VARCHAR" if remarks else ""
    connection.execute(
        f"CREATE TABLE participants (participant_id VARCHAR NOT NULL, platform VARCHAR{more})"
    )
    comment_on(
        connection, "TABLE participants", "The people of the study. One row per participant."
    )
    told = {
        "participant_id": "Identifies the participant; participant_id of every other table refers to it.",
        "platform": "System of the participant's phone (ios, android). NULL = not told.",
    }
    if remarks:
        told["remark"] = "What was written down about the participant. NULL = nothing."
    for column, text in told.items():
        comment_on(connection, f"COLUMN participants.{column}", text)


def create(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    features: Sequence[Feature],
    fractional: Iterable[str] = (),
) -> None:
    """A table of features, empty. Counts are whole numbers, but for those columns in `fractional`."""
    broken = set(fractional)
    columns = ", ".join(
        f"{quote(f.column)} {'INTEGER' if f.is_whole and f.column not in broken else 'DOUBLE'}"
        for f in features
    )
    connection.execute(f"CREATE TABLE {quote(table)} ({_KEYS}, {columns})")
    row = tables()[table].row
    comment_on(
        connection,
        f"TABLE {quote(table)}",
        f"{row}. One row per participant and day; a day without any value has no row.",
    )
    comment_on(
        connection, f"COLUMN {quote(table)}.participant_id", "The participant; see participants."
    )
    comment_on(
        connection, f"COLUMN {quote(table)}.day", "The day, midnight to midnight by local time."
    )
    for feature in features:
        comment_on(connection, f"COLUMN {quote(table)}.{quote(feature.column)}", feature.comment)
