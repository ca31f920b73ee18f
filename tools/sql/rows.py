"""The rows of a statement as execute_query's reply: read no further than fits, and told what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from tools.limits import ToolLimits
from tools.sql.engine import Cursor
from tools.values import INT64, as_json, clip, compact

NOTE_ROOM = 640
"""Kept free in every reply for the fields and the note that say what is missing."""
SKIP_BLOCK = 2048
"""Rows thrown away at a time on the way to an offset."""
MOST_BESIDE = 8
"""Characters for each column, beyond its name, its type and what a row holds of it."""
BLOCK = 32
"""Rows fetched at a time; the first comes alone, for it may hold megabytes."""


@dataclass(frozen=True)
class Fetched:
    """Rows as they go into a reply: at most `limit`, their values strict JSON, long ones clipped."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[list[Any], ...]
    more: bool
    """Whether the statement has rows beyond these."""
    offset: int = 0
    clipped: bool = False


def read_rows(
    cursor: Cursor, *, limit: int, offset: int, cell_chars: int, most_chars: int
) -> Fetched:
    """The rows from `offset` on. One more than `limit` is fetched to know whether there are more
    (field cases F8, F9); where they outgrow `most_chars` nothing more is fetched (F10)."""
    left = offset
    while left and (skipped := len(cursor.fetch(min(left, SKIP_BLOCK)))):
        left -= skipped
    rows: list[list[Any]] = []
    used, more, clipped, block = 0, False, False, 1
    while not more and (fetched := cursor.fetch(min(block, limit + 1 - len(rows)))):
        for row in fetched:
            if more := len(rows) == limit or used > most_chars:
                break
            cells, size, cut = _fit_cells(row, cell_chars)
            rows.append(cells)
            used += size
            clipped = clipped or cut
        block = BLOCK
    return Fetched(cursor.columns, cursor.types, tuple(rows), more, offset, clipped)


def _fit_cells(row: Sequence[Any], most: int) -> tuple[list[Any], int, bool]:
    """A row's values as JSON, about how many characters they take, and whether one was clipped.

    What most values are goes first: a short text, a finite number.
    """
    cells = list(row)
    size, clipped = len(cells), False
    for place, value in enumerate(cells):
        kind = type(value)
        if kind is str and len(value) <= most:
            size += len(value)
        elif not (
            (kind is int and -INT64 <= value < INT64)
            or (kind is float and isfinite(value))
            or value is None
            or kind is bool
        ):
            cells[place], cut = clip(as_json(value), most)
            size += len(cells[place]) if isinstance(cells[place], str) else 0
            clipped = clipped or cut
    return cells, size, clipped


def render_rows(
    fetched: Fetched,
    limits: ToolLimits,
    remark: str | None = None,
    *,
    reply_chars: int | None = None,
) -> dict[str, Any]:
    """The reply of execute_query. `row_count`, `truncated`, `truncation_reason` and `note` are
    always there (field cases F8 to F10)."""
    most = reply_chars or limits.reply_chars
    room = most - NOTE_ROOM - len(remark or "")
    columns, types = _clipped(fetched.columns), _clipped(fetched.types)
    rows: Sequence[list[Any]] = fetched.rows
    kept, whole = list(rows), True
    # What mostly fits is seen to fit in one text, more than either sum below would come to.
    if len(compact([columns, types, rows])) + MOST_BESIDE * len(columns) > room:
        columns, types, rows, whole = _narrow(columns, types, rows, room)
        kept = _shorten(rows, room - len(compact([columns, types])))
    reason: str | None = None
    notes = [remark] if remark else []
    if not whole:
        reason = "bytes"
        notes.append(
            f"Only {len(columns)} of {len(fetched.columns)} columns fit; select fewer by name."
        )
    if len(kept) < len(rows):
        reason = "bytes"
        notes.append(
            f"Only these {len(kept)} rows fit into {most} characters: this is not the whole answer."
            " Select fewer or shorter columns, aggregate,"
            f"{_ask_for_more(most, limits)} or go on at offset {fetched.offset + len(kept)}."
        )
    elif fetched.more:
        reason = reason or "rows"
        notes.append(
            f"There are more rows than these {len(kept)}: this is not the whole answer."
            " Aggregate (count, avg, GROUP BY), or page with ORDER BY, offset and limit"
            f" (at most {limits.max_rows})."
        )
    if fetched.clipped:
        reason = reason or "cells"
        notes.append(
            f"Values longer than {limits.cell_chars} characters are clipped and marked;"
            " read the rest with substr()."
        )
    return {
        "row_count": len(kept),
        "truncated": reason is not None,
        "truncation_reason": reason,
        "note": " ".join(notes) or None,
        **({"offset": fetched.offset} if fetched.offset else {}),
        "columns": columns,
        "types": types,
        "rows": kept,
    }


def _ask_for_more(most: int, limits: ToolLimits) -> str:
    if most >= limits.reply_room(limits.max_reply_chars):
        return ""
    return f" ask for a longer reply (reply_chars, at most {limits.max_reply_chars}),"


def _clipped(names: Sequence[str]) -> list[str]:
    return [clip(name, 200)[0] for name in names]


def _narrow(
    names: list[str], types: list[str], rows: Sequence[list[Any]], room: int
) -> tuple[list[str], list[str], Sequence[list[Any]], bool]:
    """As many leading columns as fit together with one row."""
    first = rows[0] if rows else [None] * len(names)
    count = len(names)
    # As much as the sum below comes to in the end, without a text for each column.
    whole = sum(len(compact(part)) for part in (names, types, first)) + 3 * count - 3
    if count and whole <= room:
        return names, types, rows, True
    used, fits = 0, 0
    for name, kind, value in zip(names, types, first, strict=True):
        used += len(compact([name, kind, value])) + 2
        if used > room and fits:
            break
        fits += 1
    if fits == len(names):
        return names, types, rows, True
    return names[:fits], types[:fits], [row[:fits] for row in rows], False


def _shorten(rows: Sequence[list[Any]], room: int) -> list[list[Any]]:
    """As many leading rows as fit; the first one always."""
    if len(compact(rows)) - 1 <= room:  # the same sum, in one text
        return list(rows)
    used = 0
    for place, row in enumerate(rows):
        used += len(compact(row)) + 1
        if used > room and place:
            return list(rows[:place])
    return list(rows)
