"""Put any name or value into SQL so that it stays one name or one value, numbers included."""

from __future__ import annotations

from core.sql import literal
from core.sql import quote as name

__all__ = ["decimal", "literal", "name"]


def decimal(value: float) -> str:
    """A number, without an exponent where it is whole."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
