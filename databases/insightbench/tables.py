"""Load the tables of one set into a schema of its own, each column with its comment."""

from __future__ import annotations

import csv
import hashlib
import tomllib
from functools import cache
from importlib import resources
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.errors import ScenarioError
from core.sql import quote
from core.wording import counted
from databases.comments import comment_on
from databases.insightbench.files import text_of

if TYPE_CHECKING:
    import duckdb

    from databases.insightbench.reading import InsightSet

MAX_MB: Final = 512
RECORDS, USERS = "records", "users"
_ABOUT: Final = {
    RECORDS: "The data of the set, a row each.",
    USERS: "People who are named in the other table, a row each.",
}


def load_tables(connection: duckdb.DuckDBPyConnection, found: InsightSet) -> tuple[str, ...]:
    """Make the schema and its one or two tables; their names, each with the schema before it.

    Raises ScenarioError with file and line where a CSV is not one, has no rows, or names a column
    twice.
    """
    connection.execute(f"CREATE SCHEMA {quote(found.id)}")
    files = {RECORDS: found.table} | ({USERS: found.users} if found.users else {})
    for name, path in files.items():
        _load(connection, f"{quote(found.id)}.{name}", path, _ABOUT[name])
    return tuple(f"{found.id}.{name}" for name in files)


def columns_of(found: InsightSet) -> tuple[str, ...]:
    """The columns of all tables of a set, by their headers. Raises ScenarioError as `load_tables`."""
    paths = [found.table, *([found.users] if found.users else ())]
    return tuple(column for path in paths for column in _header(path))


def table_hash(found: InsightSet) -> str:
    """What sets with the same main table have in common: the start of the sha-256 of its bytes."""
    return hashlib.sha256(found.table.read_bytes()).hexdigest()[:16]


def _load(connection: duckdb.DuckDBPyConnection, table: str, path: Path, about: str) -> None:
    import duckdb

    columns, rows = _checked(path)
    try:
        # Over all rows: a column whose first value comes late still gets its type.
        connection.execute(
            f"CREATE TABLE {table} AS SELECT * FROM read_csv($1, header = true, delim = ',', "
            "quote = '\"', escape = '\"', skip = 0, sample_size = -1, names = $2)",
            [str(path), columns],
        )
    except duckdb.Error as exc:
        said = " ".join(str(exc).split())
        raise ScenarioError(f"{path}: cannot be read as CSV: {said[:300]}") from exc
    (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone() or (0,)
    if count != rows:
        # The engine passes over lines that it takes for something else.
        raise ScenarioError(f"{path}: has {rows} rows, of which {count} could be read as CSV")
    comment_on(connection, f"TABLE {table}", about)
    for column in columns:
        meaning = _meanings().get(column, "As the file has it; what it means is not said.")
        comment_on(
            connection, f"COLUMN {table}.{quote(column)}", f"{meaning} NULL: empty in the file."
        )


def _checked(path: Path) -> tuple[list[str], int]:
    """The columns and the number of rows, of which each has a field for every column."""
    text = text_of(path, max_mb=MAX_MB)
    columns, count = _header(path), 0
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    try:
        next(reader)
        for row in reader:
            if row and len(row) != len(columns):
                raise ScenarioError(
                    f"{path}, line {reader.line_num}: {counted(len(row), 'field')}, "
                    f"and the header has {len(columns)}"
                )
            count += bool(row)
    except csv.Error as exc:
        raise ScenarioError(f"{path}, line {reader.line_num}: not CSV: {exc}") from exc
    if not count:
        raise ScenarioError(f"{path}: has a header and no rows; a set without data is none")
    return columns, count


def _header(path: Path) -> list[str]:
    """The column names. Reads the whole file, so that a byte which is no UTF-8 is told by its line."""
    text = text_of(path, max_mb=MAX_MB)
    names = next(csv.reader(text.splitlines()[:1]), [])
    if not names or not any(names):
        raise ScenarioError(f"{path}, line 1: a header with the names of the columns is wanted")
    given = [name.strip() or f"column_{at}" for at, name in enumerate(names, start=1)]
    lower = [name.lower() for name in given]
    if twice := next((name for name in given if lower.count(name.lower()) > 1), None):
        raise ScenarioError(f"{path}, line 1: the column {twice!r} stands twice")
    return given


@cache
def _meanings() -> dict[str, str]:
    text = resources.files(__package__).joinpath("columns.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
