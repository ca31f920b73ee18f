"""Read a CSV file into DuckDB, every cell a text, and say file and line where it is broken."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections import Counter
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn

from core.errors import ScenarioError
from core.sql import quote

if TYPE_CHECKING:
    import duckdb

DELIMITERS = ",;\t|"
ENCODINGS = ("utf-8", "latin-1", "utf-16")
"""What DuckDB reads by itself."""
MAX_LINE = 8_000_000
"""Bytes; a longer line is a file that is no CSV."""
_MAX_COLUMNS = 2_000


def header_of(path: Path, encoding: str = "utf-8") -> tuple[str, list[str]]:
    """The delimiter and the columns' names. Raises ScenarioError with file, line and column."""
    if encoding not in ENCODINGS:
        raise ScenarioError(f"{path}: encoding {encoding!r}; known: {', '.join(ENCODINGS)}")
    try:
        first = _first_line(path, encoding).strip("\r\n")
    except UnicodeDecodeError as exc:
        _fail_encoding(path, encoding, f"line 1, byte {exc.start + 1}", exc)
    except UnicodeError as exc:  # the two bytes that begin UTF-16 are missing
        _fail_encoding(path, encoding, "line 1", exc)
    except (OSError, EOFError, zlib.error) as exc:
        raise ScenarioError(f"{path}: cannot be read: {exc}") from exc
    if not first.strip():
        raise ScenarioError(f"{path}: line 1: there are no column names")
    outside = re.sub(r'"[^"]*"', "", first)
    delimiter = max(DELIMITERS, key=outside.count)
    try:
        (names,) = csv.reader([first], delimiter=delimiter, strict=True)
    except (csv.Error, ValueError) as exc:
        raise ScenarioError(f"{path}: line 1: cannot be read as column names: {exc}") from exc
    names = [name.strip() for name in names]
    if len(names) > _MAX_COLUMNS:
        raise ScenarioError(f"{path}: line 1: {len(names)} columns, at most {_MAX_COLUMNS}")
    if "" in names:
        raise ScenarioError(f"{path}: line 1: column {names.index('') + 1} has no name")
    counted = Counter(name.lower() for name in names)  # SQL does not tell a from A
    for place, name in enumerate(names, 1):
        if counted[name.lower()] > 1:
            raise ScenarioError(f"{path}: line 1, column {place}: the name {name!r} is there twice")
    return delimiter, names


def load_csv(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    table: str,
    *,
    workspace: Path,
    encoding: str = "utf-8",
) -> None:
    """Make a table of it. An empty cell is NULL. Raises ScenarioError with file and line."""
    import duckdb

    delimiter, names = header_of(path, encoding)
    # In a path of its own: one that somebody chose may hold what DuckDB reads as a pattern.
    link = workspace / f"{table}{'.csv.gz' if _is_gzip(path) else '.csv'}"
    link.unlink(missing_ok=True)
    link.symlink_to(path.absolute())
    try:
        connection.execute(
            f"CREATE OR REPLACE TABLE {quote(table)} AS SELECT * FROM read_csv($path, header = true, "
            "auto_detect = false, delim = $delim, quote = '\"', escape = '\"', columns = $columns, "
            f"strict_mode = true, max_line_size = {MAX_LINE}, encoding = $encoding)",
            {
                "path": str(link),
                "delim": delimiter,
                "columns": dict.fromkeys(names, "VARCHAR"),
                "encoding": encoding,
            },
        )
    except duckdb.Error as exc:
        _fail(path, encoding, exc)
    finally:
        link.unlink(missing_ok=True)


def line_of(path: Path, row: int, encoding: str = "utf-8") -> int:
    """The line on which a row (from 1, without the header) begins: a cell may hold line breaks."""
    delimiter, _ = header_of(path, encoding)
    with _opened(path, encoding) as stream:
        reader = csv.reader(stream, delimiter=delimiter)
        for number, _cells in enumerate(reader):
            begins = reader.line_num + 1
            if number == row - 1:
                return begins
    return row + 1


def _first_line(path: Path, encoding: str) -> str:
    """Of no more than the line: what is wrong further down is told with its own line."""
    if encoding == "utf-16":
        with _opened(path, encoding) as stream:
            return stream.readline(MAX_LINE)
    with gzip.open(path, "rb") if _is_gzip(path) else path.open("rb") as raw:
        return raw.readline(MAX_LINE).decode("utf-8-sig" if encoding == "utf-8" else encoding)


def _opened(path: Path, encoding: str) -> IO[str]:
    named = "utf-8-sig" if encoding == "utf-8" else encoding
    if _is_gzip(path):
        return gzip.open(path, "rt", encoding=named, newline="")
    return path.open("r", encoding=named, newline="")


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _fail(path: Path, encoding: str, exc: Exception) -> NoReturn:
    """DuckDB's own text names its options and shows the data: what counts is the line and the fault."""
    text = str(exc)
    found = re.search(r"CSV Error on Line: (\d+)", text)
    place = f"line {found[1]}" if found else "the file"
    if "unicode" in text or "not utf-8" in text:
        _fail_encoding(path, encoding, place, exc)
    if "GZIP" in text or "end of file" in text.lower():
        raise ScenarioError(f"{path}: it ends early: {text.splitlines()[0]}") from exc
    if counts := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text):
        said = f"{counts[2]} cells, where the header has {counts[1]} columns"
    elif "unterminated quote" in text:
        said = "a quoted cell does not end, or goes on behind its quote"
    elif "aximum line size" in text:
        said = f"a line, or a quoted cell that does not end, of over {MAX_LINE:,} bytes"
    else:
        said = "not a CSV file as RFC 4180 has it (line breaks of two kinds?)"
    raise ScenarioError(f"{path}: {place}: {said}") from exc


def _fail_encoding(path: Path, encoding: str, place: str, exc: Exception) -> NoReturn:
    others = " or ".join(each for each in ENCODINGS if each != encoding)
    raise ScenarioError(
        f"{path}: {place}: not {encoding}; say which encoding it is: {others} "
        "(--encoding of `scenarios new`, --set encoding= of `scenarios build`)"
    ) from exc
