"""Take PostgreSQL's values as they are: what Python cannot hold exactly arrives as PostgreSQL's own text."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import psycopg

# Months in an interval, an exact number in JSON, an address with its mask: text loses none of them.
_AS_TEXT = (
    "interval",
    "json",
    "jsonb",
    "inet",
    "cidr",
    "record",
    "int4range",
    "int8range",
    "numrange",
    "daterange",
    "tsrange",
    "tstzrange",
    "int4multirange",
    "int8multirange",
    "nummultirange",
    "datemultirange",
    "tsmultirange",
    "tstzmultirange",
)
# Python's calendar ends at the years 1 and 9999, and knows no infinity and no 24:00.
_OUTGROWS_PYTHON = ("date", "timestamp", "timestamptz", "time", "timetz")
_INTEGERS = frozenset({"smallint", "integer", "bigint", "oid"})
_FLOATS = frozenset({"real", "double precision", "numeric"})
_TIMES = frozenset({"date", "timestamp without time zone", "timestamp with time zone"})


def register(connection: psycopg.Connection[Any]) -> None:
    """Set up how a connection of ours turns PostgreSQL's text into Python's values."""
    from psycopg.adapt import Loader
    from psycopg.errors import DataError
    from psycopg.pq import Format
    from psycopg.types.string import TextLoader

    def lenient(name: str) -> type[Loader]:
        info = connection.adapters.types[name]
        usual: Any = connection.adapters.get_loader(info.oid, Format.TEXT)

        class Lenient(Loader):
            """The usual value; the text where Python has none."""

            def __init__(self, oid: int, context: Any = None) -> None:
                super().__init__(oid, context)
                self._usual: Any = usual(oid, context)

            def load(self, data: Any) -> Any:
                try:
                    return self._usual.load(data)
                except DataError:
                    return bytes(data).decode()

        return Lenient

    for name in _OUTGROWS_PYTHON:
        connection.adapters.register_loader(name, lenient(name))
    for name in _AS_TEXT:
        connection.adapters.register_loader(name, TextLoader)


def as_frame(
    columns: Sequence[str], types: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> pd.DataFrame:
    """Rows as columns. Integers stay exact beside NULLs (Int64); decimals become floats, as in DuckDB's."""
    import pandas as pd

    taken = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    frame = pd.DataFrame(
        {
            place: _series(list(values), kind)
            for place, (values, kind) in enumerate(zip(taken, types, strict=True))
        }
    )
    frame.columns = pd.Index(columns)
    return frame


def _series(values: list[Any], kind: str) -> pd.Series[Any]:
    import pandas as pd

    if kind in _INTEGERS:
        return pd.Series(values, dtype="Int64" if None in values else "int64")
    if kind in _FLOATS:
        return pd.Series(
            [float("nan") if value is None else float(value) for value in values], dtype="float64"
        )
    if kind == "boolean":
        return pd.Series(values, dtype="boolean" if None in values else "bool")
    has_text = any(isinstance(value, str) for value in values)  # infinity, or a year like 10000
    if kind in _TIMES and not has_text:
        zoned = kind == "timestamp with time zone"
        with contextlib.suppress(ValueError, OverflowError):  # beyond pandas' calendar
            return pd.Series(pd.to_datetime(pd.Series(values, dtype="object"), utc=zoned))
    return pd.Series(values, dtype="object")
