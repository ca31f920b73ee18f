"""What SQLite's engine says to a text that is no read: by how it divides, compiles or fails."""

from __future__ import annotations

import re
from typing import Any

from core.errors import ToolError
from tools.sql.engines.text import said, several
from tools.sql.reach import HINTS, OUT_OF_REACH, is_file_name

_PIECES = re.compile(
    r"""(?P<gap>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))|(?P<end>;)
    |'[^']*(?:'|\Z)|"[^"]*(?:"|\Z)|`[^`]*(?:`|\Z)|\[[^\]]*(?:\]|\Z)|\w+|.""",
    re.DOTALL | re.VERBOSE,
)
"""SQLite's own division of a text, as far as needed to see where statements begin and end."""
_NO_SUCH = re.compile(r"no such (?:function|table): (.+)")


def beginnings(sql: str) -> list[str]:
    """The first word of each statement in a text, in lower case."""
    begins, is_open = [], False
    for piece in _PIECES.finditer(sql):
        if piece["end"]:
            is_open = False
        elif piece["gap"] is None and not is_open:
            is_open = True
            begins.append(piece[0].lower())
    return begins


def refuse_rowless(program: list[tuple[Any, ...]]) -> None:
    """Raise ToolError for what SQLite compiles without asking the authorizer, and is no read."""
    into = {row[3] for row in program if row[1] == "Vacuum"}
    if into - {0}:
        raise ToolError(
            f"VACUUM INTO is refused: {HINTS['file']}",
            kind="refused",
            violations=("sql: VACUUM INTO",),
        )
    if not any(row[1] == "ResultRow" for row in program):  # VACUUM, REINDEX of nothing, ...
        raise ToolError(HINTS["write"], kind="refused")


def refusal(exc: Exception) -> ToolError | None:
    """What is said where SQLite itself, and not the authorizer, turned a statement back."""
    text = said(exc)
    if "one statement at a time" in text:
        return several()
    if "not authorized" in text or "may not be modified" in text or "readonly" in text:
        return ToolError(HINTS["write"], kind="refused")
    if (found := _NO_SUCH.match(text)) and (
        found[1].lower() in OUT_OF_REACH or is_file_name(found[1])
    ):
        is_file = is_file_name(found[1])
        return ToolError(
            f"{found[1]} is out of reach: {HINTS['file' if is_file else 'hidden']}",
            kind="refused",
            violations=(f"sql: {'file ' if is_file else ''}{found[1]}",),
        )
    return None
