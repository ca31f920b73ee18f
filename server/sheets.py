"""Sheets for people: handed out to their owner alone and over no other file, and read back as they come."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from checklists.cells import defused, undone
from core.errors import UsageError
from core.reading import Fault, json_lines, read_text

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a sheet that is taken back."""


def written(rows: Sequence[Mapping[str, str]], columns: Sequence[str], *, is_csv: bool) -> str:
    """The rows as CSV, whose cells are no formulas, or as JSON lines; a cell that is missing is empty."""
    if not is_csv:
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    stream = io.StringIO()
    # Lines end as csv has them by itself: else a carriage return in a cell stands without quotes.
    writer = csv.DictWriter(stream, columns, restval="")
    writer.writeheader()
    writer.writerows({name: defused(cell) for name, cell in row.items()} for row in rows)
    return stream.getvalue()


def hand_out(path: Path, text: str) -> None:
    """Write a file that only its owner can read. Raises UsageError where there is one, or none can be."""
    try:
        with open(path, "x", encoding="utf-8", newline="", opener=_private) as stream:
            # Half of a surrogate pair fits in no UTF-8.
            stream.write(text.encode("utf-8", "replace").decode())
    except FileExistsError as exc:
        raise UsageError(f"{path} is there already; give another name") from exc
    except OSError as exc:
        raise UsageError(f"{path} cannot be written: {exc.strerror}") from exc


def handed_in(path: Path, *, is_csv: bool, error: Fault) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Every row with its number: a record of a CSV, 1 for the first below its head, or a line of JSON.

    Cells are as they were before a mark kept them from being formulas. Raises `error`, with the place.
    """
    text = read_text(path, error=error, largest=LARGEST, shown=str(path))
    if is_csv:
        # A cell may be as long as the file: what an agent said stands in one.
        before = csv.field_size_limit(LARGEST)
        try:
            rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        except csv.Error as exc:
            raise error(f"{path} is no CSV: {exc}") from exc
        finally:
            csv.field_size_limit(before)
        for number, row in enumerate(rows, 1):
            yield number, {name: undone(cell or "") for name, cell in row.items() if name}
        return
    yield from json_lines(text, error=error, where=lambda number: f"{path}, row {number}")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
