"""Fit a result into one reply, and say in it what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tools.limits import ToolLimits
from tools.values import as_json, clip, compact

NOTE_ROOM = 520
"""Kept free in every reply for the fields and the note that say what is missing."""


@dataclass(frozen=True)
class Fetched:
    """A result as it left the database: at most `limit` rows, and whether more were there."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool
    limit: int
    offset: int = 0


def render_rows(fetched: Fetched, limits: ToolLimits, remark: str | None = None) -> dict[str, Any]:
    """The reply of execute_query. `row_count`, `truncated`, `truncation_reason` and `note` are
    always there (field cases F8 to F10)."""
    cells = _Cells(limits)
    rows = [cells.row(row) for row in fetched.rows]
    room = limits.reply_chars - NOTE_ROOM - len(remark or "")
    columns, types, rows, whole = _narrow(fetched, rows, room)
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
            f"Only {len(kept)} of {len(rows)} fetched rows fit into {limits.reply_chars}"
            " characters; select fewer or shorter columns, or aggregate."
        )
    elif fetched.more:
        reason = reason or "rows"
        notes.append(
            f"There are more rows than these {len(kept)}: this is not the whole answer."
            " Aggregate (count, avg, GROUP BY), or page with ORDER BY, offset and limit"
            f" (at most {limits.max_rows})."
        )
    if cells.clipped:
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


class _Cells:
    """Clips values and remembers whether any was."""

    def __init__(self, limits: ToolLimits) -> None:
        self._most = limits.cell_chars
        self.clipped = False

    def row(self, row: Sequence[Any]) -> list[Any]:
        return [self._one(value) for value in row]

    def _one(self, value: Any) -> Any:
        # Long text is cut before it is rendered: a cell may hold megabytes.
        shown, cut = clip(as_json(value), self._most)
        self.clipped = self.clipped or cut
        return shown


def _narrow(
    fetched: Fetched, rows: list[list[Any]], room: int
) -> tuple[list[str], list[str], list[list[Any]], bool]:
    """As many leading columns as fit together with one row."""
    names = [clip(name, 200)[0] for name in fetched.columns]
    types = [clip(kind, 200)[0] for kind in fetched.types]
    first = rows[0] if rows else [None] * len(names)
    used, fits = 0, 0
    for name, kind, value in zip(names, types, first, strict=True):
        used += len(compact([name, kind, value])) + 2
        if used > room and fits:
            break
        fits += 1
    if fits == len(names):
        return names, types, rows, True
    return names[:fits], types[:fits], [row[:fits] for row in rows], False


def _shorten(rows: list[list[Any]], room: int) -> list[list[Any]]:
    """As many leading rows as fit; the first one always."""
    used = 0
    for place, row in enumerate(rows):
        used += len(compact(row)) + 1
        if used > room and place:
            return rows[:place]
    return rows


def head_and_tail(text: str, most: int) -> tuple[str, bool]:
    """The text cut to `most` characters in the middle, where it is longer."""
    if len(text) <= most:
        return text, False
    mark = f"\n… [clipped, {len(text)} characters in full] …\n"
    keep = max(most - len(mark), 0)
    tail = keep // 4
    return text[: keep - tail] + mark + (text[-tail:] if tail else ""), True


def fit(text: str, room: int) -> tuple[str, bool]:
    """The text cut in the middle so that its JSON takes at most `room` characters."""
    escaped = len(compact(text))
    if escaped <= room:
        return text, False
    most = max(len(text) * room // escaped - 8, 0)
    while True:
        shown, _ = head_and_tail(text, most)
        if len(compact(shown)) <= room or not most:
            return shown, True
        most = most * 3 // 4
