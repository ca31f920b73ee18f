"""Tell what a column is for from its type and values, never from its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from agent.profiler import quoting
from agent.profiler.columns import Figures, value_of
from agent.profiler.reply import Ask, Conversation, number, whole
from agent.profiler.schema import Field, Kind, Table

_MANY = 62
"""More distinct whole numbers than a cycle of time has (minutes, days of a month)."""
_CODES = 200
"""Fewer distinct whole numbers than this are hardly numbers that only name something."""


class Role(StrEnum):
    """What may be said of a column."""

    EMPTY = "empty"
    CONSTANT = "constant"
    UNIQUE = "unique"
    """A name or number of its own in each row."""
    CATEGORY = "category"
    FLAG = "flag"
    TIME = "time"
    """A date or a moment, also one written as text."""
    STEP = "step"
    """Few whole numbers close together: an hour, a month, a count, a grade."""
    CLOCK = "clock"
    """HHMM, where a mean means nothing."""
    CODE = "code"
    """Whole numbers that seem to name something rather than to measure it."""
    YEAR = "year"
    MEASURE = "measure"
    MIXED = "mixed"
    """Numbers of many kinds, told apart by another column: a mean over all means nothing."""

    @property
    def averaged(self) -> bool:
        """Whether a mean says something."""
        return self in (Role.MEASURE, Role.YEAR, Role.STEP, Role.FLAG)


def role_of(column: Field, figures: Figures) -> Role:
    """The role by type and values; CODE needs `find_codes`."""
    if not figures.filled:
        return Role.EMPTY
    if column.kind is not Kind.FLAG and figures.distinct <= 1:
        return Role.CONSTANT
    if column.kind is Kind.FLAG:
        return Role.FLAG
    if column.kind in (Kind.DATE, Kind.MOMENT):
        return Role.TIME
    if column.kind is Kind.TEXT:
        return _text_role(figures)
    return _number_role(figures)


def _text_role(figures: Figures) -> Role:
    if figures.clock_share >= 0.98 and figures.distinct > 5 and figures.whole_share < 0.5:
        return Role.TIME
    # A column of nearly as many values as rows names its rows.
    return Role.UNIQUE if figures.distinct > max(20, 0.8 * figures.filled) else Role.CATEGORY


def _number_role(figures: Figures) -> Role:
    least, most = figures.least, figures.most
    if figures.whole_share < 1:
        return Role.MEASURE
    if (least, most) == (0, 1):
        return Role.FLAG
    if least >= 1500 and most <= 2200 and figures.distinct > 2:
        return Role.YEAR
    if figures.distinct <= _MANY and most - least <= 60:
        return Role.STEP if figures.rows > 2 * figures.distinct else Role.MEASURE
    if least >= 0 and 1000 <= most <= 2400 and _clock_like(figures):
        return Role.CLOCK
    if figures.unique and figures.filled > 50 and least >= 0:
        return Role.UNIQUE
    return Role.MEASURE


def _clock_like(figures: Figures) -> bool:
    return figures.distinct > _MANY and figures.clock_share >= 0.995


def find_codes(
    table: Table, columns: Mapping[str, Figures], roles: Mapping[str, Role]
) -> Conversation[set[str]]:
    """Names of whole-number columns that name rather than measure.

    A measure's neighbouring values are about equally frequent and it thins out towards its ends;
    mostly it goes with some other measure. A code is handed out number by number, and goes with
    nothing. One turn, and only where there is a doubt.
    """
    numeric = [
        f for f in table.fields if roles.get(f.key) is Role.MEASURE and columns[f.key].filled
    ]
    doubted = [f for f in numeric if _may_be_code(f, columns[f.key])][:8]
    if not doubted:
        return set()
    query = "\nUNION ALL ".join(_doubt_sql(i, table, f, numeric) for i, f in enumerate(doubted))
    reply = yield Ask(
        "execute_query",
        {"query": query, "limit": 50},
        f"Tell numbers that measure from numbers that name in {table.name}.",
    )
    codes = set()
    for row in reply.rows:
        column = doubted[whole(row.get("i"))]
        alike, goes_with = number(row.get("alike")) or 0.0, number(row.get("goes_with")) or 0.0
        figures = columns[column.key]
        dense = whole(row.get("d")) >= 0.99 * (figures.most - figures.least + 1)
        if (alike < 0.3 or dense) and goes_with < 0.3:
            codes.add(column.key)
    return codes


def _may_be_code(column: Field, figures: Figures) -> bool:
    return (
        column.kind is Kind.WHOLE
        and figures.distinct >= _CODES
        and figures.least > 0
        and figures.rows > 2 * figures.distinct
    )


def _doubt_sql(place: int, table: Table, column: Field, numeric: Iterable[Field]) -> str:
    x, source = value_of(column), quoting.name(table.name)
    others = [f"abs(corr({x}, {value_of(o)}))" for o in numeric if o.name != column.name][:8]
    goes_with = f"greatest({', '.join([*others, '0'])})"
    return (
        f"SELECT {place} AS i, (SELECT count(DISTINCT {x}) FROM {source}) AS d, "
        f"(SELECT corr(ln(n), ln(next)) FROM (SELECT n, lead(n) OVER (ORDER BY v) AS next FROM "
        f"(SELECT {x} AS v, count(*) AS n FROM {source} WHERE {x} IS NOT NULL GROUP BY 1))) AS alike, "
        f"(SELECT {goes_with} FROM {source}) AS goes_with"
    )


@dataclass(frozen=True)
class Column:
    """A column inside a relation: what it is and how SQL and a sentence name it."""

    field: Field
    figures: Figures
    role: Role
    alias: str = "f"
    of: str | None = None
    """The words of its table, where a sentence needs them."""
    words: str = ""
    """Its name as words, without the table."""

    @property
    def key(self) -> str:
        """Its name in the whole database."""
        return self.field.key

    @property
    def joined(self) -> bool:
        """Whether it belongs to another table than the rows themselves."""
        return self.alias != "f"

    @property
    def expr(self) -> str:
        """SQL for its value; dates in text are read as dates, flags as 0 and 1."""
        value = value_of(self.field, self.alias)
        if self.role is Role.TIME and self.field.kind is Kind.TEXT:
            return f"TRY_CAST({value} AS TIMESTAMP)"
        return f"CAST({value} AS INTEGER)" if self.field.kind is Kind.FLAG else value

    @property
    def phrase(self) -> str:
        """How a sentence names it: "departure delay (min)", "seat count of aircraft"."""
        return f"{self.words} of {self.of}" if self.of else self.words
