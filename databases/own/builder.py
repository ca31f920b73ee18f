"""Build a scenario of somebody's own files: import, check, anonymise by the map that lies beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from core.errors import ConfigError, UnknownNameError
from core.sql import literal, quote
from databases.builder import BuildContext, Built
from databases.manifest import read_manifest
from databases.own.anonymise import NAME, AnonymiseMap, read_map
from databases.own.changes import KEPT, Changes
from databases.own.fitting import Fitting
from databases.own.leaks import refuse_leaks
from databases.own.sources import SourceTable, find_tables, load

if TYPE_CHECKING:
    import duckdb

_WEEKS: Final = (104, 936)
"""Dates move by two to eighteen years where the map does not say how far."""
_SHOWN: Final = 5
_MEMORY: Final = "2GiB"
"""What an import may hold; beyond it goes to the disk, however large the files are."""


def build(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    """The contract is databases.builder.Builder; options: from, encoding.

    Raises ConfigError with file and key for the map, ScenarioError with file and line for the data.
    """
    if context.folder is None:
        raise ConfigError("this builder needs the folder in which its scenario.toml stands")
    place = context.folder / NAME
    rules = read_map(place)
    manifest = read_manifest(context.folder / "scenario.toml")
    source = Path(str(context.options["from"]))
    encoding = str(context.options.get("encoding", "utf-8"))
    tables = _matched(rules, source, place)
    size = sum(path.stat().st_size for path in {table.path for table in tables.values()})
    context.refuse_full_disk(10 + 4 * size // 1_000_000)
    connection.execute(f"SET memory_limit = '{_MEMORY}'")
    connection.execute(f"ATTACH {literal(str(context.workspace / 'raw.duckdb'))} AS raw")
    own = connection.execute("SELECT current_database()").fetchall()[0][0]
    connection.execute("USE raw")
    for number, (key, table) in enumerate(tables.items()):
        context.progress(f"reading {key}", 0.05 + 0.4 * number / len(tables))
        name = f"s{number}"
        load(connection, table, name, workspace=context.workspace, encoding=encoding)
        Fitting(connection, name, table, place, encoding).fit(rules.tables[key])
    changes = Changes(
        rules,
        {key: f"raw.s{number}" for number, key in enumerate(tables)},
        seed=context.seed,
        weeks=weeks_of(rules, context.seed),
    )
    context.progress("replacing ids", 0.5)
    changes.name_ids(connection)
    refuse_leaks(connection, changes.replaced(), manifest.descriptions, context.folder)
    connection.execute(f"USE {quote(own)}")
    for number, key in enumerate(tables):
        context.progress(f"writing {rules.tables[key].name}", 0.55 + 0.2 * number / len(tables))
        connection.execute(changes.table(key))
    _refuse_bare_entities(connection, rules, manifest.entities.query, context.folder)
    secrets = changes.secrets(connection)
    connection.execute("DETACH raw")
    return Built(secrets=secrets, notes=_notes(secrets, _unnamed(rules, source)))


def weeks_of(rules: AnonymiseMap, seed: str) -> int:
    """By how many weeks this map moves dates under a seed."""
    if rules.weeks is not None:
        return rules.weeks
    low, high = _WEEKS
    drawn = int.from_bytes(hashlib.sha256(f"weeks\x1f{seed}".encode()).digest()[:8])
    return -(low + drawn // 2 % (high - low)) if drawn % 2 else low + drawn // 2 % (high - low)


def _matched(rules: AnonymiseMap, source: Path, place: Path) -> dict[str, SourceTable]:
    """The source's tables that the map names. One that is not named is left out: nobody looked at it."""
    found = {table.key: table for table in find_tables(source)}
    if len(rules.tables) == len(found) == 1 and source.is_file():
        # The same data under another file's name.
        return dict(zip(rules.tables, found.values(), strict=True))
    for key in rules.tables:
        if key not in found:
            said = UnknownNameError(f"table of {source}", key, found)
            raise ConfigError(f"{place}: key 'tables.{key}': {said}")
    return {key: found[key] for key in rules.tables}


def _refuse_bare_entities(
    connection: duckdb.DuckDBPyConnection, rules: AnonymiseMap, query: str, folder: Path
) -> None:
    """Raise where the query does not run, or lists an entity of which no other table has a row."""
    import duckdb

    key = f"{folder / 'scenario.toml'}: key 'entities.query'"
    try:
        connection.execute(f"CREATE TEMP TABLE _listed AS SELECT * FROM ({query.rstrip('; ')})")
        own = connection.execute("SELECT column_name FROM (DESCRIBE _listed)").fetchall()
    except duckdb.Error as exc:
        raise ConfigError(f"{key}: {str(exc).splitlines()[0]}") from exc
    listed = f"CAST({quote(own[0][0])} AS VARCHAR)"
    holders = rules.holders(rules.entity) if rules.entity else []
    # The first place is the entity's own table, where there are others.
    owner = _owner(connection, holders)
    others = [holder for holder in holders if holder != owner]
    if others:
        absent = " AND ".join(
            f"{listed} NOT IN (SELECT CAST({quote(c)} AS VARCHAR) FROM {quote(t)} WHERE {quote(c)} IS NOT NULL)"
            for t, c in others
        )
        bare = connection.execute(
            f"SELECT {listed} FROM _listed WHERE {absent} ORDER BY 1"
        ).fetchall()
        if bare:
            shown = ", ".join(str(row[0]) for row in bare[:_SHOWN])
            more = f" and {len(bare) - _SHOWN} more" if len(bare) > _SHOWN else ""
            _fail_bare(key, f"{shown}{more}", [t for t, _ in others])
    connection.execute("DROP TABLE _listed")


def _owner(
    connection: duckdb.DuckDBPyConnection, holders: list[tuple[str, str]]
) -> tuple[str, str] | None:
    """The column in which each id stands once; None where there is none."""
    for table, column in holders:
        ((is_owner,),) = connection.execute(
            f"SELECT count(*) = count(DISTINCT {quote(column)}) FROM {quote(table)}"
        ).fetchall()
        if is_owner:
            return table, column
    return None


def _fail_bare(key: str, shown: str, others: list[str]) -> NoReturn:
    raise ConfigError(
        f"{key}: entities without a row in {' or '.join(others)}: {shown}; nothing could be found "
        "out about them: leave them out with WHERE EXISTS (SELECT ...)"
    )


def _unnamed(rules: AnonymiseMap, source: Path) -> list[str]:
    if source.is_file() and len(rules.tables) == 1:
        return []
    return [table.key for table in find_tables(source) if table.key not in rules.tables]


def _notes(secrets: Mapping[str, Any], unnamed: list[str]) -> list[str]:
    left = [kind for kind, ids in secrets["ids"].items() if ids is None]
    notes = [
        f"the ids of kind {kind} are over {KEPT:,}: which is which is not kept, and follows from the seed"
        for kind in left
    ]
    if unnamed:
        notes.append(f"left out, since the map does not name them: {', '.join(unnamed[:20])}")
    return notes
