"""Write a table to a file row by row, so that a long one is never held whole: CSV, JSON, Parquet."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Final, Literal, Protocol, Self

from analysis.table import BEYOND, Cell, Column, Kind
from core.errors import StoreError

if TYPE_CHECKING:
    import duckdb

TableForm = Literal["csv", "json", "parquet"]
TABLES: Final[tuple[TableForm, ...]] = ("csv", "json", "parquet")

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_BATCH: Final = 20_000
"""Rows that go into DuckDB at once."""
_SQL_TYPES: Final[dict[Kind, str]] = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "truth": "BOOLEAN",
}


class Rows(Protocol):
    """Takes rows, and is told when there are no more."""

    def add(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Further rows, each as long as the table is wide."""
        ...

    def close(self) -> None:
        """Write what is left."""
        ...


class LinesOf:
    """Where csv.writer's lines go, each with a \\n at its end.

    It quotes only those ends of lines that its own end holds: a lone \\r within a cell, which most
    readers take for the end of the row, needs \\r\\n to be among them.
    """

    END: Final = "\r\n"

    def __init__(self, target: IO[str]) -> None:
        self._target = target

    def write(self, line: str) -> int:
        """One row as csv.writer hands it over, whole."""
        return self._target.write(line.removesuffix(self.END) + "\n")


class CsvRows:
    """UTF-8 with a head; no cell of text begins with what a spreadsheet would take for a formula."""

    def __init__(self, target: IO[bytes], columns: Sequence[Column]) -> None:
        # newline="": csv writes its own. "replace": half a surrogate pair is no UTF-8.
        self._text = io.TextIOWrapper(target, "utf-8", "replace", newline="", write_through=True)
        self._writer = csv.writer(LinesOf(self._text), lineterminator=LinesOf.END)
        self._writer.writerow([column.name for column in columns])

    def add(self, rows: Iterable[Sequence[Cell]]) -> None:
        self._writer.writerows([_harmless(cell) for cell in row] for row in rows)

    def close(self) -> None:
        self._text.flush()
        self._text.detach()


class JsonRows:
    """One array with an object per row, a line each; what is no number, or has no end, is null."""

    def __init__(self, target: IO[bytes], columns: Sequence[Column]) -> None:
        self._target, self._names, self._any = target, [each.name for each in columns], False

    def add(self, rows: Iterable[Sequence[Cell]]) -> None:
        for row in rows:
            cells = [None if is_endless(cell) else cell for cell in row]
            record = dict(zip(self._names, cells, strict=True))
            text = json.dumps(record, ensure_ascii=False, allow_nan=False)
            self._target.write((",\n" if self._any else "[\n").encode())
            self._target.write(text.encode("utf-8", "replace"))
            self._any = True

    def close(self) -> None:
        self._target.write(b"\n]\n" if self._any else b"[]\n")


class ParquetRows:
    """By DuckDB, with the columns' own types; a batch at a time, on disk where it grows.

    A column of integers is one of numbers where an integer is too long for the format's. Raises
    StoreError where there is no place to gather them.
    """

    def __init__(self, target: IO[bytes], columns: Sequence[Column]) -> None:
        self._target, self._columns = target, columns
        self._kinds = [each.kind for each in columns]
        self._waiting: list[Sequence[Cell]] = []
        with _gathering():
            self._folder = tempfile.TemporaryDirectory(prefix="ddr-parquet-")
            try:
                self._database = self._begin()
            except BaseException:
                self._folder.cleanup()
                raise

    def _begin(self) -> duckdb.DuckDBPyConnection:
        import duckdb

        database = duckdb.connect(f"{self._folder.name}/t.duckdb")
        # 0: pandas' columns of objects come as text, and each is cast to the type that we name.
        database.execute("SET pandas_analyze_sample = 0")
        told = ", ".join(f"{_quoted(each.name)} {_SQL_TYPES[each.kind]}" for each in self._columns)
        database.execute(f"CREATE TABLE t ({told})")
        return database

    def add(self, rows: Iterable[Sequence[Cell]]) -> None:
        for row in rows:
            self._waiting.append(row)
            if len(self._waiting) >= _BATCH:
                self._flush()

    def close(self) -> None:
        try:
            self._flush()
            path = Path(self._folder.name) / "t.parquet"
            target = str(path).replace("'", "''")
            with _gathering():
                self._database.execute(f"COPY t TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
            with path.open("rb") as written:
                while part := written.read(1 << 20):
                    self._target.write(part)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Leave nothing behind."""
        import duckdb

        with suppress(duckdb.Error):  # what could not be kept is not wanted any more
            self._database.close()
        with suppress(OSError):
            self._folder.cleanup()

    def _flush(self) -> None:
        with _gathering():
            self._insert()

    def _insert(self) -> None:
        import pandas as pd

        if not self._waiting:
            return
        cells: dict[str, Any] = {}
        casts = []
        for place, column in enumerate(self._columns):
            values = [_storable(row[place], column.kind) for row in self._waiting]
            if self._kinds[place] == "integer" and any(map(_is_long, values)):
                name = _quoted(column.name)
                self._database.execute(f"ALTER TABLE t ALTER COLUMN {name} TYPE DOUBLE")
                self._kinds[place] = "number"
            cells[f"c{place}"] = pd.Series(values, dtype=object)
            casts.append(f"CAST(c{place} AS {_SQL_TYPES[self._kinds[place]]})")
        self._database.register("batch", pd.DataFrame(cells))
        self._database.execute(f"INSERT INTO t SELECT {', '.join(casts)} FROM batch")
        self._database.unregister("batch")
        self._waiting = []


@contextmanager
def _gathering() -> Iterator[None]:
    import duckdb

    try:
        yield
    except (duckdb.Error, OSError) as exc:
        why = (getattr(exc, "strerror", None) or str(exc)).partition("\n")[0]
        raise StoreError(
            f"rows for Parquet cannot be gathered in a file: {why}; free space there, or set TMPDIR to "
            "another folder"
        ) from exc


_KINDS: Final[dict[TableForm, type[CsvRows | JsonRows | ParquetRows]]] = {
    "csv": CsvRows,
    "json": JsonRows,
    "parquet": ParquetRows,
}


def rows_to(target: IO[bytes], form: TableForm, columns: Sequence[Column]) -> Rows:
    """Where the rows of a table go, in one form."""
    return _KINDS[form](target, columns)


class TableFile:
    """A table's file, written beside its final name: no reader meets half of it.

    Leaving the block without an error puts it in its place; else nothing is left behind. Raises
    StoreError where it cannot be written.
    """

    def __init__(self, path: Path, form: TableForm, columns: Sequence[Column]) -> None:
        self.path, self.rows = path, 0
        """`rows`: how many were written so far."""
        self._fresh = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._fresh.open("wb")
        except OSError as exc:
            raise unwritable(path, exc) from exc
        try:
            self._rows = rows_to(self._file, form, columns)
        except BaseException:
            self._discard()
            raise

    def add(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Further rows."""
        try:
            self._rows.add(rows)
        except OSError as exc:
            raise unwritable(self.path, exc) from exc
        self.rows += len(rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._rows.close()
                self._file.close()
                self._fresh.replace(self.path)
        except OSError as exc:
            raise unwritable(self.path, exc) from exc
        finally:
            if kind is not None and isinstance(self._rows, ParquetRows):
                self._rows.abandon()
            self._discard()

    def _discard(self) -> None:
        with suppress(OSError):  # a full disk may say so only now
            self._file.close()
        with suppress(OSError):
            self._fresh.unlink(missing_ok=True)


def unwritable(path: Path, exc: OSError) -> StoreError:
    """That a file cannot be written, and why."""
    return StoreError(f"{path} cannot be written: {exc.strerror or exc}; give another --out")


def is_endless(cell: Cell) -> bool:
    """Whether it is no number that a file should hold: without end, or none at all."""
    return isinstance(cell, float) and not -float("inf") < cell < float("inf")


def _harmless(cell: Cell) -> Cell:
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        return f"'{cell}"
    return None if is_endless(cell) else cell


def _storable(cell: Cell, kind: Kind) -> Cell:
    if cell is None or is_endless(cell):
        return None
    if kind != "text" and isinstance(cell, int) and abs(cell) > sys.float_info.max:
        return None  # longer than any number of the format
    # Half of a surrogate pair is no text that a Parquet file can hold.
    return str(cell).encode("utf-8", "replace").decode() if kind == "text" else cell


def _is_long(cell: Cell) -> bool:
    return isinstance(cell, int) and not -BEYOND <= cell < BEYOND


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
