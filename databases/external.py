"""A database that is there already: what it holds, its entities, and whether it is still the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Protocol

from core import plugins
from core.errors import ConfigError, DdrError
from core.scenario import Entity
from core.sql import quote
from databases.fingerprint import head
from databases.manifest import Manifest
from databases.record import TableOutline
from databases.schema import Schema, Table
from databases.target import OPENER, Target

ALGORITHM = "ddr-rows-1"
"""Tables and views in order of name, each with its head (databases/fingerprint.py) and the sum,
modulo 2^256, of the sha-256 of its rows: the order of rows does not count, duplicates do. A cell is
`length in bytes:text`, a NULL `-`, of the value as the engine hands it over."""
_CHUNK = 500
_WHOLE = 1 << 256


class _Cursor(Protocol):
    @property
    def columns(self) -> tuple[str, ...]: ...

    def execute(self, sql: str) -> None: ...

    def fetch(self, count: int) -> Sequence[tuple[Any, ...]]: ...

    def close(self) -> None: ...


class Source(Protocol):
    """What is needed of an engine (tools.sql.engine.Engine) here."""

    def schema(self) -> Schema:
        """Tables, columns, comments, keys and row counts."""
        ...

    def cursor(self) -> _Cursor:
        """A cursor for one statement."""
        ...

    def close(self) -> None:
        """Close the database."""
        ...


@dataclass(frozen=True)
class Survey:
    """What a build records of a database that it did not make."""

    fingerprint: str
    outline: tuple[TableOutline, ...]
    entities: tuple[Entity, ...]


@contextmanager
def opened(target: Target) -> Iterator[Source]:
    """The database, read-only, its role checked. Raises DatabaseError in words."""
    source: Source = plugins.load("ddr.engines", OPENER, {})(target)
    with closing(source):
        yield source


def survey(
    source: Source,
    manifest: Manifest,
    progress: Callable[[str, float], None],
    entities: tuple[Entity, ...] | None = None,
) -> Survey:
    """Read the whole database once. Entities that are known are not asked for again."""
    schema = source.schema()
    listed = entities or list_entities(manifest, *_listed(source, manifest))
    _refuse_own_tables(manifest, schema, listed)
    taken = take_fingerprint(source, schema, progress)
    return Survey(fingerprint=taken, outline=outline(schema), entities=listed)


def _refuse_own_tables(manifest: Manifest, schema: Schema, listed: Sequence[Entity]) -> None:
    """Nothing is copied here, so that an entity would see the tables of all others."""
    every = {table.name for table in schema.tables}
    for entity in listed:
        if entity.tables is not None and set(entity.tables) != every:
            raise ConfigError(
                f"scenario {manifest.id}: key 'entities.query': {manifest.entity_noun} {entity.id} has "
                "tables of its own, which only a database that [build] fills keeps apart; leave the "
                "column tables out, or let a builder copy the database"
            )


def _listed(source: Source, manifest: Manifest) -> tuple[Sequence[str], list[tuple[Any, ...]]]:
    try:
        with closing(source.cursor()) as cursor:
            cursor.execute(manifest.entities.query)
            return cursor.columns, list(_fetched(cursor))
    except DdrError:
        raise
    except Exception as exc:
        # Each engine has errors of its own; here they are about one key of scenario.toml.
        said = " ".join(str(exc).split())
        raise ConfigError(f"scenario {manifest.id}: key 'entities.query': {said}") from exc


def count_facts(source: Source, fact_columns: Mapping[str, str]) -> int:
    """How many facts can be asked for by name, in all tables that hold any (scenario.toml, `[facts]`)."""
    found = 0
    for table in source.schema().tables:
        named = fact_columns.get(table.name)
        for column in table.columns:
            if column.name == named:
                sql = f"SELECT count(DISTINCT {quote(column.name)}) FROM {table.quoted}"
                found += sum(count for (count,) in _rows(source, sql))
    return found


def take_fingerprint(
    source: Source, schema: Schema, progress: Callable[[str, float], None] = lambda *_: None
) -> str:
    """sha-256 (64 hex digits) over all that an agent can read there."""
    whole = hashlib.sha256(f"{ALGORITHM}\n".encode())
    for place, table in enumerate(_in_order(schema)):
        progress(f"reading {table.name}", 0.9 * place / len(schema.tables))
        total = 0
        for row in _rows(source, f"SELECT * FROM {table.quoted}"):
            text = "".join(map(_cell, row))
            total += int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
        whole.update(f"{head(table)}\n{total % _WHOLE:064x}\n".encode())
    return whole.hexdigest()


def outline(schema: Schema) -> tuple[TableOutline, ...]:
    """What each table looks like from outside."""
    return tuple(
        TableOutline(name=table.name, row_count=table.row_count, shape=_shape(table))
        for table in _in_order(schema)
    )


def changes(before: Iterable[TableOutline], now: Iterable[TableOutline]) -> list[str]:
    """What differs between two outlines, in words; nothing where they are equal."""
    old, new = {t.name: t for t in before}, {t.name: t for t in now}
    said = [f"{name} is gone" for name in sorted(old.keys() - new.keys())]
    said += [f"{name} is new" for name in sorted(new.keys() - old.keys())]
    for name in sorted(old.keys() & new.keys()):
        if old[name].row_count != new[name].row_count:
            said.append(f"{name} has {new[name].row_count:,} rows and had {old[name].row_count:,}")
        elif old[name].shape != new[name].shape:
            said.append(f"{name} has other columns, types, comments or keys")
    return said


def list_entities(
    manifest: Manifest, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> tuple[Entity, ...]:
    """The entities that a query lists. Raises ConfigError where it does not.

    The first two columns are id and label; goal, role, cluster_id and tables (a list, or names with
    commas between) are taken as such, all others as attributes.
    """
    where = f"scenario {manifest.id}: key 'entities.query'"
    if not rows or len(columns) < 2:
        raise ConfigError(f"{where}: must give the columns id and label, and one entity at least")
    ids = [row[0] for row in rows]
    if None in ids or len(set(ids)) < len(ids):
        raise ConfigError(f"{where}: gives an id twice, or none")
    return tuple(_entity(manifest.id, columns, row) for row in rows)


def _entity(scenario_id: str, columns: Sequence[str], row: tuple[Any, ...]) -> Entity:
    more = {c: v for c, v in zip(columns[2:], row[2:], strict=True) if v is not None}
    tables = more.pop("tables", None)
    if isinstance(tables, str):
        tables = [name.strip() for name in tables.split(",")]
    taken = {name: str(more.pop(name)) for name in ("goal", "role", "cluster_id") if name in more}
    return Entity(
        scenario_id=scenario_id,
        id=str(row[0]),
        label=str(row[1]),
        tables=None if tables is None else tuple(tables),
        attributes={name: str(value) for name, value in more.items()},
        **taken,
    )


def _in_order(schema: Schema) -> list[Table]:
    return sorted(schema.tables, key=lambda table: table.name)


def _shape(table: Table) -> str:
    return hashlib.sha256(head(table.model_copy(update={"row_count": 0})).encode()).hexdigest()


def _rows(source: Source, sql: str) -> Iterator[tuple[Any, ...]]:
    with closing(source.cursor()) as cursor:
        cursor.execute(sql)
        yield from _fetched(cursor)


def _fetched(cursor: _Cursor) -> Iterator[tuple[Any, ...]]:
    while chunk := cursor.fetch(_CHUNK):
        yield from chunk


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    text = _text(value)
    return f"{len(text.encode('utf-8', 'surrogatepass'))}:{text}"


def _text(value: Any) -> str:
    """One spelling for each value, whatever the session's time zone is."""
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        moved = value.astimezone(UTC) if value.tzinfo else value
        return moved.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value // timedelta(microseconds=1))
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, list | tuple):
        return f"[{''.join(map(_cell, value))}]"
    if isinstance(value, dict):
        pairs = sorted((_cell(key), _cell(item)) for key, item in value.items())
        return json.dumps(pairs)
    return str(value)
