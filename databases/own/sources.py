"""Find the tables in files, a folder, a DuckDB or a SQLite file, and load them into a DuckDB database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.errors import ScenarioError
from core.sql import literal, quote
from databases.own.csv_file import load_csv
from databases.sqlite_file import MAGIC, open_sqlite

if TYPE_CHECKING:
    import duckdb

_TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_CHUNK = 20_000
_MAX_TABLES = 500


@dataclass(frozen=True)
class SourceTable:
    """One table of a source."""

    key: str
    """How it is called there: a file's name below the folder, or the table's own."""
    kind: Literal["csv", "parquet", "duckdb", "sqlite"]
    path: Path

    @property
    def stem(self) -> str:
        """The key without the endings of a file."""
        name = self.key
        for ending in (*_TEXTS, ".parquet"):
            if self.kind in ("csv", "parquet") and name.lower().endswith(ending):
                return Path(name[: -len(ending)]).name
        return name


def find_tables(source: Path) -> list[SourceTable]:
    """The tables of a file or of the files in a folder, by name. Raises ScenarioError for none."""
    if source.is_dir():
        files = [f for f in sorted(source.iterdir()) if f.is_file() and _kind(f) in _FILES]
        found = [SourceTable(file.name, _FILES[_kind(file)], file) for file in files]
    elif source.is_file():
        found = list(_in_file(source))
    else:
        raise ScenarioError(f"{source}: there is no such file or folder")
    if not found:
        raise ScenarioError(
            f"{source}: holds no table; what is read: CSV (.csv, .tsv, .gz of either), Parquet, DuckDB, SQLite"
        )
    if len(found) > _MAX_TABLES:
        raise ScenarioError(f"{source}: {len(found)} tables, at most {_MAX_TABLES}")
    return found


def load(
    connection: duckdb.DuckDBPyConnection,
    table: SourceTable,
    name: str,
    *,
    workspace: Path,
    encoding: str = "utf-8",
) -> None:
    """Make a table `name` of it in the connection's database. Raises ScenarioError with the file."""
    import duckdb

    try:
        if table.kind == "csv":
            load_csv(connection, table.path, name, workspace=workspace, encoding=encoding)
        elif table.kind == "sqlite":
            _load_sqlite(connection, table, name)
        elif table.kind == "parquet":
            link = workspace / f"{name}.parquet"
            link.unlink(missing_ok=True)
            link.symlink_to(table.path.absolute())
            _copy(connection, f"read_parquet({literal(str(link))})", name)
            link.unlink()
        else:
            attach(connection, table.path)
            _copy(connection, f"theirs.main.{quote(table.key)}", name)
    except (duckdb.Error, sqlite3.Error) as exc:
        said = str(exc).splitlines()[0]
        raise ScenarioError(f"{table.path}: table {table.key!r} cannot be read: {said}") from exc


def attach(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Somebody's DuckDB file, read-only, as `theirs`; done once for all its tables."""
    known = {
        row[0]
        for row in connection.execute("SELECT database_name FROM duckdb_databases()").fetchall()
    }
    if "theirs" not in known:
        connection.execute(f"ATTACH {literal(str(path.absolute()))} AS theirs (READ_ONLY)")


_FILES: dict[str, Literal["csv", "parquet"]] = {"csv": "csv", "parquet": "parquet"}


def _kind(file: Path) -> str:
    name = file.name.lower()
    if name.startswith("."):
        return ""
    return "csv" if name.endswith(_TEXTS) else "parquet" if name.endswith(".parquet") else ""


def _in_file(source: Path) -> Iterator[SourceTable]:
    with source.open("rb") as stream:
        head = stream.read(16)
    if head.startswith(MAGIC):
        yield from (SourceTable(name, "sqlite", source) for name in _sqlite_tables(source))
    elif head[8:12] == b"DUCK":
        yield from (SourceTable(name, "duckdb", source) for name in _duckdb_tables(source))
    elif kind := _FILES.get(_kind(source)):
        yield SourceTable(source.name, kind, source)


def _duckdb_tables(path: Path) -> list[str]:
    import duckdb

    # Base tables alone: a view's text may read files, and would be run here with their owner's rights.
    try:
        with duckdb.connect() as connection:
            attach(connection, path)
            rows = connection.execute(
                "SELECT table_name FROM duckdb_tables() WHERE database_name = 'theirs' "
                "AND schema_name = 'main' AND NOT internal ORDER BY 1"
            ).fetchall()
    except duckdb.Error as exc:
        raise ScenarioError(f"{path}: {str(exc).splitlines()[0]}") from exc
    return [name for (name,) in rows]


def _copy(connection: duckdb.DuckDBPyConnection, relation: str, name: str) -> None:
    """With types that every tool can show: nested values as text, moments in UTC."""
    columns = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    shown = ", ".join(_plain(column, kind) for column, kind, *_ in columns)
    connection.execute(f"CREATE OR REPLACE TABLE {quote(name)} AS SELECT {shown} FROM {relation}")


def _plain(column: str, kind: str) -> str:
    name = quote(column)
    if kind in ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ"):
        # By its microseconds: as a cast it would hang on the session's time zone.
        return f"make_timestamp(epoch_us({name})) AS {name}"
    if kind.startswith("TIMESTAMP"):
        return f"CAST({name} AS TIMESTAMP) AS {name}"
    return name if _is_simple(kind) else f"CAST({name} AS VARCHAR) AS {name}"


def _is_simple(kind: str) -> bool:
    from databases.own.anonymise import is_type

    return is_type(kind)


def _sqlite(path: Path) -> sqlite3.Connection:
    connection = open_sqlite(path)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return connection


def _sqlite_tables(path: Path) -> list[str]:
    try:
        with closing(_sqlite(path)) as connection:
            rows = connection.execute("PRAGMA table_list").fetchall()
    except sqlite3.Error as exc:
        raise ScenarioError(f"{path}: {exc}") from exc
    return sorted(
        name
        for schema, name, kind, *_ in rows
        if schema == "main" and kind == "table" and not name.startswith("sqlite_")
    )


_SQLITE_TYPES = {frozenset({"integer"}): "BIGINT", frozenset({"real"}): "DOUBLE"}
_SQLITE_TYPES[frozenset({"integer", "real"})] = "DOUBLE"
_SQLITE_TYPES[frozenset({"blob"})] = "BLOB"


def _load_sqlite(connection: duckdb.DuckDBPyConnection, table: SourceTable, name: str) -> None:
    """By the types that its cells really have: SQLite's declared ones promise nothing."""
    import pandas as pd

    with closing(_sqlite(table.path)) as theirs:
        listed = theirs.execute(f"SELECT * FROM {quote(table.key)} LIMIT 0").description
        columns = [column[0] for column in listed]
        kinds = []
        for column in columns:
            rows = theirs.execute(
                f"SELECT DISTINCT typeof({quote(column)}) FROM {quote(table.key)}"
            ).fetchall()
            found = frozenset(kind for (kind,) in rows) - {"null"}
            kinds.append(_SQLITE_TYPES.get(found, "VARCHAR"))
        defined = ", ".join(f"{quote(c)} {k}" for c, k in zip(columns, kinds, strict=True))
        connection.execute(f"CREATE OR REPLACE TABLE {quote(name)} ({defined})")
        cursor = theirs.execute(f"SELECT * FROM {quote(table.key)}")
        while rows := cursor.fetchmany(_CHUNK):
            frame = pd.DataFrame(
                {
                    f"c{place}": pd.Series(
                        [_cell(row[place], kind) for row in rows], dtype="object"
                    )
                    for place, kind in enumerate(kinds)
                }
            )
            connection.register("_chunk", frame)
            cells = ", ".join(f"CAST(c{place} AS {kind})" for place, kind in enumerate(kinds))
            connection.execute(f"INSERT INTO {quote(name)} SELECT {cells} FROM _chunk")
            connection.unregister("_chunk")


def _cell(value: Any, kind: str) -> Any:
    if value is None or kind != "VARCHAR":
        return value
    return value.hex() if isinstance(value, bytes) else str(value)
