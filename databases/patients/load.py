"""Stream the owners' files into the database, sorted, in a bounded amount of memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from core.errors import ScenarioError
from core.sql import literal, quote
from databases.patients.layout import NOTE_COLUMNS, create
from databases.patients.source import SourceFile, find_twice

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb

    from databases.builder import BuildContext

_LINE = re.compile(r"CSV Error on Line: (\d+)")
_READ = (
    "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = '', "
    "max_line_size = {line}, buffer_size = {buffer}"
)
"""The owners' dialect, said in full: nothing is guessed from the first rows."""
_LINE_BYTES, _NOTE_BYTES = 500_000, 4_000_000
"""The longest line that is read. Buffers are a multiple of it, and several are open at a time."""


def load(
    connection: duckdb.DuckDBPyConnection, files: Sequence[SourceFile], context: BuildContext
) -> None:
    """Fill every table. Raises ScenarioError with file and line where a file is broken."""
    sizes = [file.plain_bytes for file in files]
    done, whole = 0, max(1, sum(sizes))
    for file, size in zip(files, sizes, strict=True):
        context.progress(f"reading {file.shown}", 0.05 + 0.7 * done / whole)
        _load_one(connection, file)
        done += size
    _refuse_orphans(connection, files)


def _load_one(connection: duckdb.DuckDBPyConnection, file: SourceFile) -> None:
    table = file.table
    create(connection, table)
    order = ", ".join(map(quote, table.order))
    with faults_told(file.shown):
        connection.execute(
            f"INSERT INTO {quote(table.name)} BY NAME SELECT * FROM {csv_of(file.path, file.types)} "
            f"ORDER BY {order}"
        )
    for column in ("subject_id", *([table.unique] if table.unique else ())):
        if column in table.types:
            _refuse_missing_id(connection, file, column)
    if table.unique:
        _refuse_twice(connection, file, table.unique)


def csv_of(path: Path, types: dict[str, str], longest: int = _LINE_BYTES) -> str:
    """The table function that reads one file."""
    how = _READ.format(line=longest, buffer=4 * longest)
    columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in types.items())
    return f"read_csv({literal(str(path))}, columns = {{{columns}}}, {how})"


def notes_of(path: Path, columns: Sequence[str]) -> str:
    """The same for a file of notes, whose columns are in this order."""
    return csv_of(path, {column: NOTE_COLUMNS[column] for column in columns}, _NOTE_BYTES)


@contextmanager
def faults_told(shown: str) -> Iterator[None]:
    """Turn what the engine says of a file into a ScenarioError with file, line and what is wrong."""
    import duckdb

    try:
        yield
    except (duckdb.InvalidInputException, duckdb.ConversionException) as exc:
        said = str(exc)
        line = _LINE.search(said)
        where = f"{shown}: line {line[1]}" if line else shown
        raise ScenarioError(f"{where}: {_plainly(said)}") from exc
    except duckdb.IOException as exc:
        if "GZIP" not in str(exc):
            raise
        raise ScenarioError(f"{shown} ends early: it is cut short; fetch it again") from exc


def _plainly(said: str) -> str:
    """The one line of the engine's many that says what is wrong; never the row, which is a patient's."""
    if "not utf-8" in said:
        return "it is not UTF-8; take the file as it is published"
    for line in said.splitlines():
        if column := re.match(r'Error when converting column "(\w+)"', line):
            return f"the column {column[1]} holds what is no value of its type"
        if line.startswith(("Expected Number of Columns", "Value with unterminated quote")):
            return line.strip()
    return "it is not the CSV that v3.1 has"


def _refuse_missing_id(
    connection: duckdb.DuckDBPyConnection, file: SourceFile, column: str
) -> None:
    row = connection.execute(
        f'SELECT count(*) FROM "{file.table.name}" WHERE "{column}" IS NULL'
    ).fetchone()
    if row and row[0]:
        line = next((n for n, value in file.values(column) if not value), 0)
        raise ScenarioError(f"{file.shown}: line {line}: {column} is empty")


def _refuse_twice(connection: duckdb.DuckDBPyConnection, file: SourceFile, column: str) -> None:
    row = connection.execute(
        f'SELECT count("{column}") - count(DISTINCT "{column}") FROM "{file.table.name}"'
    ).fetchone()
    if row and row[0]:
        value, line, before = find_twice(file, column)
        raise ScenarioError(
            f"{file.shown}: line {line}: {column} {value} stands twice (first on line {before})"
        )


def _refuse_orphans(connection: duckdb.DuckDBPyConnection, files: Sequence[SourceFile]) -> None:
    """Stays in hospital of nobody: then two releases were mixed."""
    row = connection.execute(
        "SELECT min(subject_id) FROM admissions ANTI JOIN patients USING (subject_id)"
    ).fetchone()
    if row is None or row[0] is None:
        return
    file = next(file for file in files if file.table.name == "admissions")
    line = next((n for n, value in file.values("subject_id") if value == str(row[0])), 0)
    raise ScenarioError(
        f"{file.shown}: line {line}: subject_id {row[0]} is not in the patients' file; "
        "are the files of one release?"
    )
