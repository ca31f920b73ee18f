"""Ask a table for the figures by which the roles of its columns are told."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.profiler import quoting
from agent.profiler.reply import Ask, Conversation, number, whole
from agent.profiler.schema import Field, Kind, Table

EXACT_ROWS = 100_000
"""Above this many rows distinct values are counted approximately."""
_BATCH = 24
_LONGEST = 60
"""Characters of a lowest or highest value: enough to tell whether two ranges meet."""
_QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Figures:
    """What one query told of a column over the whole table."""

    rows: int = 0
    filled: int = 0
    distinct: int = 0
    low: str | None = None
    high: str | None = None
    mean: float | None = None
    deviation: float | None = None
    whole_share: float = 0.0
    """Share of the values without a fraction; of texts, the share that reads as a number."""
    clock_share: float = 0.0
    """Share of the values whose last two digits are below 60; of texts, that read as a date."""
    quantiles: Mapping[float, float] = field(default_factory=dict)

    @property
    def least(self) -> float:
        """The lowest value as a number; 0 where it is none."""
        return number(self.low) or 0.0

    @property
    def most(self) -> float:
        """The highest value as a number; 0 where it is none."""
        return number(self.high) or 0.0

    @property
    def unique(self) -> bool:
        """Whether (nearly) each value occurs once, as a key's do."""
        slack = 0.999 if self.rows <= EXACT_ROWS else 0.95
        return self.filled > 0 and self.distinct >= slack * self.filled

    @property
    def usually_filled(self) -> bool:
        """Whether a value is there in nine rows of ten."""
        return self.filled >= 0.9 * self.rows > 0


def value_of(column: Field, alias: str = "") -> str:
    """SQL for a column's value: reals without NaN and infinity, moments in UTC, UUIDs as text."""
    raw = f"{alias}.{quoting.name(column.name)}" if alias else quoting.name(column.name)
    if column.type.upper() in ("FLOAT", "DOUBLE", "REAL"):
        return f"CASE WHEN isfinite({raw}) THEN {raw} END"
    if column.type.upper() == "UUID":
        return f"CAST({raw} AS VARCHAR)"
    if column.zoned:
        return f"({raw} AT TIME ZONE 'UTC')"
    return raw


def measure_columns(tables: Iterable[Table]) -> Conversation[dict[str, Figures]]:
    """Ask each table for its columns' figures, a batch of columns a turn; keys are table.column."""
    found: dict[str, Figures] = {}
    for table in tables:
        usable = [f for f in table.fields if f.kind is not Kind.OTHER]
        for start in range(0, len(usable), _BATCH):
            batch = usable[start : start + _BATCH]
            reply = yield Ask(
                "execute_query",
                {"query": _figures_sql(table, batch), "limit": 200},
                f"See what the columns of {table.name} hold.",
            )
            for row in reply.rows:
                place = whole(row.get("i"))
                if 0 <= place < len(batch):
                    found[batch[place].key] = _read(row)
    return found


def _figures_sql(table: Table, batch: Sequence[Field]) -> str:
    count = "count(DISTINCT x)" if table.rows <= EXACT_ROWS else "approx_count_distinct(x)"
    return "\nUNION ALL ".join(_one(table, i, column, count) for i, column in enumerate(batch))


def _one(table: Table, place: int, column: Field, distinct: str) -> str:
    extra = ["NULL"] * 5
    if column.kind.numeric:
        extra = [
            "avg(CAST(x AS DOUBLE))",
            "stddev_samp(CAST(x AS DOUBLE))",
            "count(*) FILTER (WHERE x = floor(x)) / nullif(count(x), 0)",
            "count(*) FILTER (WHERE abs(x) % 100 < 60) / nullif(count(x), 0)",
            f"CAST(quantile_disc(CAST(x AS DOUBLE), {list(_QUANTILES)}) AS VARCHAR)",
        ]
    elif column.kind is Kind.TEXT:
        extra[2] = "count(TRY_CAST(x AS DOUBLE)) / nullif(count(x), 0)"
        extra[3] = "count(TRY_CAST(x AS TIMESTAMP)) / nullif(count(x), 0)"
    names = ("mean", "sd", "whole", "clock", "q")
    more = ", ".join(f"{value} AS {name}" for value, name in zip(extra, names, strict=True))
    return (
        f"SELECT {place} AS i, count(*) AS n, count(x) AS filled, {distinct} AS d, "
        f"left(CAST(min(x) AS VARCHAR), {_LONGEST}) AS low, "
        f"left(CAST(max(x) AS VARCHAR), {_LONGEST}) AS high, {more} "
        f"FROM (SELECT {value_of(column)} AS x FROM {quoting.name(table.name)})"
    )


def _read(row: Mapping[str, Any]) -> Figures:
    try:
        cuts = [number(v) for v in json.loads(str(row.get("q")))]
    except (ValueError, TypeError):
        cuts = []
    return Figures(
        rows=whole(row.get("n")),
        filled=whole(row.get("filled")),
        distinct=whole(row.get("d")),
        low=row.get("low"),
        high=row.get("high"),
        mean=number(row.get("mean")),
        deviation=number(row.get("sd")),
        whole_share=number(row.get("whole")) or 0.0,
        clock_share=number(row.get("clock")) or 0.0,
        quantiles={q: v for q, v in zip(_QUANTILES, cuts, strict=False) if v is not None},
    )
