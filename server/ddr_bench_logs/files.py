"""Read the files of one session: CSV and JSON, bounded, with file and line of what is wrong."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from core.errors import LogError
from core.reading import kind_of, read_json, read_text

LARGEST: Final = 512 * 1024 * 1024
"""Bytes of one file."""
MOST: Final = 100_000
"""Rows of one file."""
HIGHEST: Final = 1e9
"""Of a number in a cell: tokens of a call, characters, seconds."""
_YEARS: Final = range(1970, 2200)


@dataclass(frozen=True)
class Row:
    """One row of a CSV file."""

    file: str
    line: int
    """The line on which it ends."""
    cells: Mapping[str, str]

    def text(self, name: str) -> str:
        """A cell; empty where the file lacks the column."""
        return self.cells.get(name, "")

    def number(self, name: str) -> float:
        """A cell as a number from 0 to HIGHEST; an empty one is 0. Raises LogError."""
        text = self.text(name).strip()
        try:
            value = float(text or 0)
        except ValueError:
            value = math.nan
        if not 0 <= value <= HIGHEST:  # NaN is neither
            raise self.fault(name, f"{text[:40]!r} is no number from 0 to {HIGHEST:.0f}")
        return value

    def json(self, name: str) -> Any:
        """A cell that holds JSON; None where it is empty. Raises LogError."""
        text = self.text(name).strip()
        if not text:
            return None
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as exc:
            raise self.fault(name, f"not JSON: {exc}") from exc

    def time(self, name: str) -> datetime | None:
        """A cell as a moment; None where it is empty. Raises LogError."""
        text = self.text(name).strip()
        try:
            return moment(text) if text else None
        except ValueError as exc:
            raise self.fault(name, f"{text[:40]!r} is no time in ISO form") from exc

    def fault(self, name: str, text: str) -> LogError:
        """What is wrong with a cell."""
        return LogError(f"{self.file}: line {self.line}: column {name!r}: {text}")


def rows(path: Path, needed: tuple[str, ...], *, may_break_off: bool = False) -> list[Row]:
    """The rows of a CSV file with a head; further columns are left alone.

    `may_break_off`: a last row that the writer did not finish is left out. Raises LogError.
    """
    text = read_text(path, error=LogError, largest=LARGEST)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    found: list[Row] = []
    with _long_fields():
        try:
            heads = reader.fieldnames or ()
            missing = [name for name in needed if name not in heads]
            if missing:
                raise LogError(f"{path.name}: line 1: the column {missing[0]!r} is missing")
            for cells in reader:
                plain = {k: v or "" for k, v in cells.items() if isinstance(k, str)}
                found.append(Row(path.name, reader.line_num, plain))
                if len(found) > MOST:
                    raise LogError(f"{path.name}: more than {MOST} rows")
        except csv.Error as exc:
            if not (may_break_off and "unexpected end of data" in str(exc)):
                raise LogError(f"{path.name}: line {reader.line_num}: {exc}") from exc
    return found


def object_of(path: Path) -> dict[str, Any]:
    """The one object of a JSON file. Raises LogError."""
    # Not strict: the released code writes what Python's json module does, NaN too.
    found = read_json(path, error=LogError, largest=LARGEST, strict=False)
    if not isinstance(found, dict):
        raise LogError(f"{path.name}: one object belongs here, not {kind_of(found)}")
    return found


def moment(text: str) -> datetime:
    """A time in ISO form; one without a zone, as the released code writes it, is taken for UTC.

    Raises ValueError, also for a year in which nobody explored.
    """
    found = datetime.fromisoformat(text)
    if found.year not in _YEARS:
        raise ValueError(f"{text} is no time of a log")
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


@contextmanager
def _long_fields() -> Iterator[None]:
    """The csv module's bound on one field is too low for a whole prompt, and is the process's."""
    before = csv.field_size_limit(LARGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)
