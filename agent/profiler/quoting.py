"""Put any name or value into SQL so that it stays one name or one value, numbers included."""

from __future__ import annotations

from core.sql import literal
from core.sql import quote as name

__all__ = ["decimal", "literal", "name", "shown"]


def decimal(value: float) -> str:
    """A number, without an exponent where it is whole."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def shown(value: str) -> str:
    """SQL: a value as a sentence calls it, in one line; of a long one its beginning and its end, by which
    those that begin alike are told apart."""
    line = f"trim(regexp_replace(CAST({value} AS VARCHAR), '[\\s\\pZ]+', ' ', 'g'))"
    return f"regexp_replace({line}, '^(.{{37}}).{{4,}}(.{{20}})$', '\\1...\\2', 's')"
