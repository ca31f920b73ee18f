"""The finish marker: which reply ends an exploration, and which only speaks of ending it."""

from __future__ import annotations

from typing import Final

from core.protocols import Reply

MARKER: Final = "FINISH:"


def finishing_report(reply: Reply) -> str | None:
    """The report of a reply that ends the exploration; empty where it has none. None = it goes on.

    Only a message that starts with the marker, white space aside, and calls no tool ends it
    (field case F27).
    """
    return None if reply.tool_calls else after_marker(reply.text)


def after_marker(text: str) -> str | None:
    """What follows the marker in a text that starts with it, stripped; None where it does not."""
    said = text.lstrip()
    return said.removeprefix(MARKER).strip() if said.startswith(MARKER) else None


def near_finish(reply: Reply) -> bool:
    """Whether the marker stands in a reply that ends nothing: too late in it, or beside a call."""
    return MARKER in reply.text and finishing_report(reply) is None
