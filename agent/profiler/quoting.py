"""Put any name or value into SQL so that it stays one name or one value."""

from __future__ import annotations


def name(raw: str) -> str:
    """A table or column, whatever is in its name."""
    return '"' + raw.replace('"', '""') + '"'


def literal(raw: str) -> str:
    """A text value, whatever is in it."""
    return "'" + raw.replace("'", "''") + "'"


def decimal(value: float) -> str:
    """A number, without an exponent where it is whole."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
