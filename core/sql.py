"""Put any name or text into SQL so that it stays one name or one text."""

from __future__ import annotations


def quote(name: str) -> str:
    """An identifier: a table or a column, whatever is in its name."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text value, whatever is in it. The doubled quote is the one escape that standard SQL knows."""
    return "'" + text.replace("'", "''") + "'"
