"""Write a block's columns into a table: numbers, times, and texts by their place in a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from databases.patients.layout import Table, layout

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from databases.patients.twin.draws import Ints

NONE = -1
"""Stands for NULL among whole numbers, and among places in a list."""


@dataclass
class Writer:
    """The database being filled, and the numbers handed out so far."""

    connection: duckdb.DuckDBPyConnection
    tables: frozenset[str]
    """Those that are wanted; rows of others are dropped."""
    _counters: dict[str, int] = field(default_factory=dict)

    def ids(self, name: str, count: int) -> Ints:
        """The next ids of a kind, one after another."""
        import numpy as np

        first = self._counters.get(name, 1)
        self._counters[name] = first + count
        return np.arange(first, first + count)

    def wants(self, table: str) -> bool:
        """Whether a table is filled at all."""
        return table in self.tables

    def put(self, table: str, columns: Mapping[str, Any], **expressions: str) -> None:
        """Append rows. A column that is neither given nor an expression (SQL over the given) is NULL."""
        import pandas as pd

        if not self.wants(table):
            return
        frame = pd.DataFrame(dict(columns), copy=False)
        if frame.empty:
            return
        shown = ", ".join(_selected(layout()[table], columns, expressions))
        self.connection.register("block_rows", frame)
        try:
            self.connection.execute(f'INSERT INTO "{table}" SELECT {shown} FROM block_rows')
        finally:
            self.connection.unregister("block_rows")


def _selected(
    table: Table, columns: Mapping[str, Any], expressions: Mapping[str, str]
) -> list[str]:
    import numpy as np

    shown = []
    for column in table.columns:
        given = columns.get(column.name)
        if column.name in expressions:
            shown.append(expressions[column.name])
        elif given is None:
            shown.append("NULL")
        elif isinstance(given, np.ndarray) and given.dtype.kind == "i":
            shown.append(f"nullif({column.name}, {NONE})")
        else:
            shown.append(f"{column.name}")
    return shown


def texts(places: Ints, words: Sequence[str]) -> pd.Categorical[str]:
    """The words at these places; NONE is NULL. Words may repeat."""
    import numpy as np
    import pandas as pd

    known: list[str] = list(dict.fromkeys(words))
    if len(known) < len(words):
        renumbered = np.array([*(known.index(word) for word in words), NONE])
        places = renumbered[places]
    return pd.Categorical.from_codes(places, pd.Index(known))


def times(minutes: Ints) -> NDArray[np.datetime64]:
    """Moments from minutes since 1970."""
    return minutes.astype("datetime64[m]").astype("datetime64[s]")


def days(minutes: Ints) -> NDArray[np.datetime64]:
    """Their days at midnight."""
    return minutes.astype("datetime64[m]").astype("datetime64[D]").astype("datetime64[s]")


def no_time(moments: NDArray[np.datetime64], unknown: NDArray[np.bool_]) -> NDArray[np.datetime64]:
    """The moments with NULL where they are unknown."""
    import numpy as np

    return np.where(unknown, np.datetime64("NaT", "s"), moments)


def same(word: str, count: int) -> pd.Categorical[str]:
    """One word for every row."""
    import numpy as np

    return texts(np.zeros(count, np.int64), [word])


NUMBER_AS_TEXT = "CASE WHEN {0} = floor({0}) THEN CAST(CAST({0} AS BIGINT) AS VARCHAR) ELSE CAST({0} AS VARCHAR) END"
"""A value as the owners write it: 7, 7.4."""
