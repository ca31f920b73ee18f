"""What every engine says to a text that is no single statement."""

from __future__ import annotations

from core.errors import ToolError

EMPTY = "the query is empty: send one SELECT"
MOST_SAID = 4000
"""Characters of an engine's error. A statement writes such texts itself (`error(repeat('x', 6000000))`),
and each that looks at one would take its time."""


def said(text: object) -> str:
    """An engine's own words, so much of them as anyone should look at."""
    whole = str(text)
    return whole if len(whole) <= MOST_SAID else f"{whole[:MOST_SAID]}…"


def refuse_no_text(sql: str) -> None:
    """Raise ToolError for what no engine takes as SQL: NUL, half a surrogate pair, nothing."""
    if "\0" in sql:
        raise ToolError("the query holds a NUL character: leave it out", kind="sql")
    if not sql.isascii():
        try:
            sql.encode()
        except UnicodeEncodeError as exc:
            said = f"the query holds half a surrogate pair at character {exc.start}: leave it out"
            raise ToolError(said, kind="sql") from None
    if not sql.strip():
        raise ToolError(EMPTY, kind="sql")


def several(count: int | None = None) -> ToolError:
    """What is said of more than one statement."""
    held = "more than one" if count is None else str(count)
    return ToolError(
        f"one statement per call: this text holds {held}, and none was run", kind="refused"
    )
