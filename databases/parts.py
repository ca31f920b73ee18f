"""Give entities that have tables of their own a database each, so that none can see another's tables."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.errors import DatabaseError, ScenarioError, UnknownNameError
from core.scenario import Entity
from core.sql import literal, quote
from databases.comments import comment_on
from databases.connection import open_readonly
from databases.files import state_of
from databases.fingerprint import fingerprint
from databases.record import PartRecord
from databases.schema import Table, read_schema
from databases.seal import read_seal, write_seal

if TYPE_CHECKING:
    import duckdb

FOLDER: Final = "parts"
"""Below a scenario's own folder."""


def write_parts(
    connection: duckdb.DuckDBPyConnection,
    entities: Sequence[Entity],
    folder: Path,
    progress: Callable[[str, float], None],
) -> tuple[PartRecord, ...]:
    """One file for each set of tables that entities name as their own; none where nobody does.

    A table lies in the file under its plain name: without its schema, which in the whole database
    keeps the tables of one entity from those of another. Rows, types and comments are the same.
    Raises ScenarioError where an entity names a table that is not there, or two of one plain name.
    """
    shared: dict[tuple[str, ...], list[str]] = {}
    for entity in entities:
        if entity.tables is not None:
            shared.setdefault(tuple(sorted(set(entity.tables))), []).append(entity.id)
    known = {table.name: table for table in read_schema(connection).tables}
    shared.pop(tuple(sorted(known)), None)  # who has them all explores the whole
    if not shared:
        return ()
    folder.mkdir()
    written = []
    for number, (names, ids) in enumerate(shared.items()):
        progress(f"writing the tables of {ids[0]}", 0.85 + 0.1 * number / len(shared))
        path = folder / f"{hashlib.sha256(chr(0).join(names).encode()).hexdigest()[:24]}.duckdb"
        taken = _write(connection, [_table(name, known, ids[0]) for name in names], path)
        stat = path.stat()
        written.append(
            PartRecord(
                file=path.name,
                entity_ids=tuple(ids),
                fingerprint=taken,
                size=stat.st_size,
                mtime_ns=stat.st_mtime_ns,
            )
        )
    return tuple(written)


def part_of(parts: Sequence[PartRecord], entity_id: str) -> PartRecord | None:
    """The part that an entity explores; None where it explores the whole."""
    return next((part for part in parts if entity_id in part.entity_ids), None)


def check_parts(parts: Sequence[PartRecord], folder: Path, *, rehash: bool) -> None:
    """Raise unless every part is there and what was built.

    DatabaseError: missing, locked or corrupt. ScenarioError: changed. As of the whole, rows are hashed
    again only where size or time differ, or where `rehash` asks for it.
    """
    for part in parts:
        path = folder / FOLDER / part.file
        if not path.is_file():
            raise DatabaseError(f"{path} is missing")
        if (rehash or _is_touched(part, path)) and not _is_same(part, path):
            raise ScenarioError(f"{path} has changed since it was built")


def stamp_of(parts: Sequence[PartRecord], folder: Path) -> Hashable:
    """Another value once a part may be another; cheap."""
    paths = [folder / FOLDER / part.file for part in parts]
    return tuple((state_of(path), state_of(_log(path))) for path in paths)


def _table(name: str, known: dict[str, Table], entity_id: str) -> Table:
    if name not in known:
        raise ScenarioError(f"entity {entity_id}: {UnknownNameError('table', name, known)}")
    return known[name]


def _write(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table], path: Path) -> str:
    """The fingerprint of a new file with copies of these tables."""
    plain = [table.name.rsplit(".", 1)[-1] for table in tables]
    if twice := {name for name in plain if plain.count(name) > 1}:
        raise ScenarioError(f"two tables of one entity are called {', '.join(sorted(twice))}")
    import duckdb

    # Attached to the whole, so that rows are copied by the engine; the seal and the fingerprint are
    # written over a connection of their own, whose current database it is.
    connection.execute(f"ATTACH {literal(str(path))} AS part")
    try:
        for table, name in zip(tables, plain, strict=True):
            place = f"part.main.{quote(name)}"
            connection.execute(f"CREATE TABLE {place} AS FROM {table.quoted}")
            if table.comment is not None:
                comment_on(connection, f"TABLE {place}", table.comment)
            for column in table.columns:
                if not column.nullable:
                    connection.execute(
                        f"ALTER TABLE {place} ALTER {quote(column.name)} SET NOT NULL"
                    )
                if column.comment is not None:
                    where = f"COLUMN {place}.{quote(column.name)}"
                    comment_on(connection, where, column.comment)
    finally:
        connection.execute("DETACH part")
    with duckdb.connect(str(path)) as own:
        taken = fingerprint(own)
        write_seal(own, taken)
        own.execute("CHECKPOINT")
    return taken


def _is_same(part: PartRecord, path: Path) -> bool:
    import duckdb

    try:
        with open_readonly(path) as connection:
            return read_seal(connection) == fingerprint(connection) == part.fingerprint
    except duckdb.Error as exc:
        raise DatabaseError(f"{path} is corrupt") from exc


def _is_touched(part: PartRecord, path: Path) -> bool:
    stat = path.stat()
    is_same = (stat.st_size, stat.st_mtime_ns) == (part.size, part.mtime_ns)
    return not is_same or _log(path).exists()


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}.wal")
