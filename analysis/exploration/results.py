"""How much a tool answered: rows and characters."""

from __future__ import annotations

import json
from dataclasses import dataclass

from core.trajectory import ToolResult


@dataclass(frozen=True)
class Size:
    """Of one tool result, as the agent saw it."""

    characters: int
    rows: int | None
    """Rows of a query's answer that were shown; None where it is no table."""


def size_of(result: ToolResult) -> Size:
    """Rows are those of a JSON object with a list `rows`; an error answers none."""
    rows: int | None = None
    if not result.is_error:
        try:
            said = json.loads(result.text)
        except (ValueError, RecursionError):
            said = None
        listed = said.get("rows") if isinstance(said, dict) else None
        rows = len(listed) if isinstance(listed, list) else None
    return Size(characters=len(result.text), rows=rows)
