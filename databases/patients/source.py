"""The owners' files: found, their headers held against the layout, and the disk against their sizes."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from core.errors import ScenarioError
from databases.patients.layout import Table

ENDINGS = (".csv.gz", ".csv")
GZ_FACTOR = 9
"""Bytes of CSV in a byte of gz, about; as measured on the twin's tables, rounded up."""
_LONGEST_HEADER = 100_000
_MB = 1_000_000


@dataclass(frozen=True)
class SourceFile:
    """One table's file, whose header is what it should be."""

    table: Table
    path: Path
    shown: str
    """Its name for messages: hosp/admissions.csv.gz."""
    columns: tuple[str, ...]
    """As its header has them: all of the table's, in an order of its own."""

    @property
    def types(self) -> dict[str, str]:
        """Column to type, in the file's order."""
        return {column: self.table.types[column] for column in self.columns}

    @property
    def plain_bytes(self) -> int:
        """How large it is as CSV, about."""
        size = self.path.stat().st_size
        return size * GZ_FACTOR if self.path.suffix == ".gz" else size

    def values(self, column: str) -> Iterator[tuple[int, str]]:
        """The line on which each row begins, and its value of a column: slow, for messages."""
        with reading(self.path, self.shown) as stream:
            rows = csv.reader(line.decode("utf-8", "replace") for line in stream)
            place = next(rows).index(column)
            line = rows.line_num + 1
            for row in rows:
                yield line, row[place] if place < len(row) else ""
                line = rows.line_num + 1


def find_files(folder: Path, tables: Iterable[Table]) -> list[SourceFile]:
    """The file of every table. Raises ScenarioError naming each that is missing or has other columns."""
    if not folder.is_dir():
        raise ScenarioError(
            f"{folder} is not a folder; give --from the one that holds hosp and icu"
        )
    found: list[SourceFile] = []
    missing: list[str] = []
    for table in tables:
        if (path := find_file(folder / table.module, table.name)) is None:
            missing.append(f"{table.module}/{table.name}.csv.gz")
            continue
        shown = f"{table.module}/{path.name}"
        columns = read_header(path, shown, list(table.types))
        found.append(SourceFile(table, path, shown, tuple(columns)))
    if missing:
        raise ScenarioError(
            f"{folder} lacks {', '.join(missing)} (or .csv); it should be a whole MIMIC-IV v3.1"
        )
    return found


def find_file(folder: Path, name: str) -> Path | None:
    """A table's file, compressed or not; None where there is none."""
    paths = (folder / f"{name}{ending}" for ending in ENDINGS)
    return next((path for path in paths if path.is_file()), None)


def read_header(path: Path, shown: str, wanted: Sequence[str]) -> list[str]:
    """The first line's columns. Raises ScenarioError with file and line where it has not just these."""
    with reading(path, shown) as stream:
        line = stream.readline(_LONGEST_HEADER)
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise ScenarioError(f"{shown}: line 1 is not UTF-8: {exc.reason}") from exc
    columns = next(csv.reader([text]), [])
    if lacking := [column for column in wanted if column not in columns]:
        raise ScenarioError(
            f"{shown}: line 1 lacks the column {', '.join(lacking)}; the layout of v3.1 has it"
        )
    if beyond := [column for column in columns if column not in wanted]:
        raise ScenarioError(
            f"{shown}: line 1 has the column {', '.join(beyond)}, which v3.1 has not; "
            "take the files as they are published"
        )
    if len(columns) > len(wanted):
        raise ScenarioError(f"{shown}: line 1 has a column twice")
    return columns


def megabytes_needed(files: Iterable[SourceFile]) -> int:
    """Free disk that a build from these takes: the database, and the largest table while it is sorted."""
    sizes = [file.plain_bytes for file in files]
    return round((0.6 * sum(sizes) + 1.2 * max(sizes, default=0)) / _MB)


@contextmanager
def reading(path: Path, shown: str) -> Iterator[BinaryIO]:
    """A file's bytes, decompressed. What is wrong with them is a ScenarioError that names it."""
    try:
        with path.open("rb") as plain, ExitStack() as stack:
            if path.suffix != ".gz":
                yield cast("BinaryIO", plain)
            else:
                yield cast("BinaryIO", stack.enter_context(gzip.GzipFile(fileobj=plain)))
    except EOFError as exc:
        raise ScenarioError(f"{shown} ends early: it is cut short; fetch it again") from exc
    except (OSError, zlib.error) as exc:
        raise ScenarioError(f"{shown} cannot be read: {exc}") from exc


def find_twice(file: SourceFile, column: str) -> tuple[str, int, int]:
    """The first value that stands twice, its line, and the line where it stood before."""
    seen: dict[str, int] = {}
    for line, value in file.values(column):
        if value in seen:
            return value, line, seen[value]
        seen[value] = line
    raise AssertionError("asked only where a value stands twice")
