"""Write tables and figures to files; the suffix says in which form."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from analysis.drawing import FORMS, Form
from analysis.table import Cell, Column, Table
from core.errors import UsageError
from server.table_writers import TABLES, TableForm, is_endless, rows_to, unwritable

SUFFIXES: Final = (*TABLES, *FORMS)

Draw = Callable[[Form], bytes]
"""The bytes of a figure in one form."""


def check(paths: Sequence[Path], *, draws: bool = True) -> None:
    """Raise UsageError for a suffix that is none of ours, before any work is done."""
    known = SUFFIXES if draws else TABLES
    for path in paths:
        if _form(path) not in known:
            raise UsageError(
                f"--out {path}: the suffix says the form; known: "
                + ", ".join(f".{each}" for each in known)
            )


def write(path: Path, tables: Sequence[Table], draw: Draw | None = None) -> list[Path]:
    """Write all tables, or the figure, in the form that the suffix names; what was written.

    JSON holds all tables in one file. CSV and Parquet hold one: with several, each goes to its own file,
    whose name ends in the table's (`out.csv` -> `out-points.csv`). Raises StoreError.
    """
    form = _form(path)
    if form in FORMS:
        if draw is None:
            raise UsageError(f"--out {path}: there is no figure here, only tables")
        return [put(path, draw("svg" if form == "svg" else "png"))]
    if form == "json":
        body = {each.name: _records(each) for each in tables}
        text = json.dumps(body, ensure_ascii=False, indent=1, allow_nan=False)
        return [put(path, (text + "\n").encode("utf-8", "replace"))]
    encode = csv_bytes if form == "csv" else parquet_bytes
    several = len(tables) > 1
    return [
        put(path.with_name(f"{path.stem}-{each.name}.{form}") if several else path, encode(each))
        for each in tables
    ]


def csv_bytes(table: Table) -> bytes:
    """UTF-8 with a head; no cell of text begins with what a spreadsheet would take for a formula."""
    return _bytes(table, "csv")


def parquet_bytes(table: Table) -> bytes:
    """One Parquet file; a column holds numbers where all that is known in it is a number."""
    return _bytes(table, "parquet")


def _bytes(table: Table, form: TableForm) -> bytes:
    buffer = io.BytesIO()
    columns = [Column(*each) for each in zip(table.columns, table.kinds, strict=True)]
    rows = rows_to(buffer, form, columns)
    rows.add(table.rows)
    rows.close()
    return buffer.getvalue()


def put(path: Path, content: bytes) -> Path:
    """Write beside the final name first, so that no reader meets half a file. Raises StoreError."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(content)
        fresh.replace(path)
    except OSError as exc:
        with suppress(OSError):
            fresh.unlink()
        raise unwritable(path, exc) from exc
    return path


def _form(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _records(table: Table) -> list[dict[str, Cell]]:
    finite = [[None if is_endless(cell) else cell for cell in row] for row in table.rows]
    return [dict(zip(table.columns, row, strict=True)) for row in finite]
