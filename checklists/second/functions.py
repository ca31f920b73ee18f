"""What SQLite lacks, in Python, with DuckDB's meaning: aggregates, dates as ISO texts, arithmetic."""

from __future__ import annotations

import datetime as dt
import math
import sqlite3
import statistics
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar

PREFIX = "ddr_"
"""What the names of all functions that are added begin with."""


class _Gathers(ABC):
    """An aggregate that sees all values at the end; rows with a NULL are left out, as SQL has it."""

    least: ClassVar[int] = 1

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []

    def step(self, *values: Any) -> None:
        """Take one row."""
        if None not in values:
            self.rows.append(values)

    def finalize(self) -> Any:
        """The aggregate's value; NULL where there are too few rows."""
        return self.of() if len(self.rows) >= self.least else None

    @abstractmethod
    def of(self) -> Any:
        """The value of enough rows."""

    def column(self, number: int = 0) -> list[Any]:
        """One argument's values."""
        return [row[number] for row in self.rows]


class _Median(_Gathers):
    def of(self) -> float:
        return float(statistics.median(self.column()))


class _QuantileCont(_Gathers):
    def of(self) -> float:
        values, share = sorted(self.column()), self.rows[0][1]
        place = (len(values) - 1) * share
        low = math.floor(place)
        high = min(low + 1, len(values) - 1)
        return float(values[low] + (values[high] - values[low]) * (place - low))


class _QuantileDisc(_Gathers):
    def of(self) -> Any:
        values, share = sorted(self.column()), self.rows[0][1]
        return values[max(0, math.ceil(len(values) * share) - 1)]


class _Mode(_Gathers):
    """The most frequent value, the smallest of several: `mode(x ORDER BY x)`."""

    def of(self) -> Any:
        counted = Counter(self.column())
        most = max(counted.values())
        return min(value for value, count in counted.items() if count == most)


class _Spread(_Gathers):
    sample: ClassVar[bool] = True
    root: ClassVar[bool] = False

    def of(self) -> float:
        values = self.column()
        mean = math.fsum(values) / len(values)
        squares = math.fsum((value - mean) ** 2 for value in values)
        variance = squares / (len(values) - self.sample)
        return math.sqrt(variance) if self.root else variance


class _VarSamp(_Spread):
    least = 2


class _VarPop(_Spread):
    sample = False


class _StddevSamp(_VarSamp):
    root = True


class _StddevPop(_VarPop):
    root = True


class _Pairs(_Gathers):
    """Of pairs (y, x): sums of squares about the means."""

    def moments(self) -> tuple[float, float, float]:
        ys, xs = self.column(0), self.column(1)
        y, x = math.fsum(ys) / len(ys), math.fsum(xs) / len(xs)
        yy = math.fsum((each - y) ** 2 for each in ys)
        xx = math.fsum((each - x) ** 2 for each in xs)
        xy = math.fsum((b - x) * (a - y) for a, b in zip(ys, xs, strict=True))
        return yy, xx, xy


class _Corr(_Pairs):
    def of(self) -> float | None:
        yy, xx, xy = self.moments()
        return xy / math.sqrt(yy * xx) if yy > 0 and xx > 0 else None


class _RegrSlope(_Pairs):
    def of(self) -> float | None:
        _, xx, xy = self.moments()
        return xy / xx if xx > 0 else None


class _RegrR2(_Pairs):
    def of(self) -> float | None:
        yy, xx, xy = self.moments()
        if xx == 0:
            return None
        return xy * xy / (yy * xx) if yy > 0 else 1.0


class _CovarSamp(_Pairs):
    least = 2

    def of(self) -> float:
        return self.moments()[2] / (len(self.rows) - 1)


class _CovarPop(_Pairs):
    def of(self) -> float:
        return self.moments()[2] / len(self.rows)


class _ArgMax(_Gathers):
    def of(self) -> Any:
        best = max(row[1] for row in self.rows)
        return next(row[0] for row in self.rows if row[1] == best)


class _ArgMin(_Gathers):
    def of(self) -> Any:
        best = min(row[1] for row in self.rows)
        return next(row[0] for row in self.rows if row[1] == best)


def _moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


def _date_diff(unit: str, start: str, end: str) -> int:
    """How many borders of the unit lie between two moments."""
    a, b = _moment(start), _moment(end)
    if unit == "year":
        return b.year - a.year
    if unit in {"month", "quarter"}:
        months = 12 * (b.year - a.year) + b.month - a.month
        return months if unit == "month" else 4 * (b.year - a.year) + _quarter(b) - _quarter(a)
    days = b.date().toordinal() - a.date().toordinal()
    if unit == "day":
        return days
    if unit == "week":
        return (b.date().toordinal() - 1) // 7 - (a.date().toordinal() - 1) // 7
    if unit == "hour":
        return 24 * days + b.hour - a.hour
    if unit == "minute":
        return 60 * (24 * days + b.hour - a.hour) + b.minute - a.minute
    raise ValueError(f"no unit {unit}")


def _quarter(moment: dt.datetime) -> int:
    return (moment.month + 2) // 3


_PARTS: dict[str, Callable[[dt.datetime], int]] = {
    "year": lambda m: m.year,
    "quarter": _quarter,
    "month": lambda m: m.month,
    "week": lambda m: m.isocalendar().week,
    "day": lambda m: m.day,
    "doy": lambda m: m.timetuple().tm_yday,
    "dow": lambda m: m.isoweekday() % 7,
    "isodow": lambda m: m.isoweekday(),
    "hour": lambda m: m.hour,
    "minute": lambda m: m.minute,
}
PARTS = frozenset(_PARTS)
"""What can be taken out of a date or a moment."""
UNITS = frozenset({"year", "quarter", "month", "week", "day", "hour", "minute"})
"""What a difference of dates can be counted in."""


def _after(day: str, days: float) -> str:
    return (dt.date.fromisoformat(day) + dt.timedelta(days=int(days))).isoformat()


def _days_between(later: str, earlier: str) -> int:
    return dt.date.fromisoformat(later).toordinal() - dt.date.fromisoformat(earlier).toordinal()


def _halves_away(value: float, digits: int = 0) -> float:
    scale = 10.0**digits
    return math.copysign(math.floor(abs(value) * scale + 0.5) / scale, value)


_AGGREGATES: dict[str, tuple[int, type[_Gathers]]] = {
    "median": (1, _Median), "quantile_cont": (2, _QuantileCont), "quantile_disc": (2, _QuantileDisc),
    "mode": (1, _Mode), "var_samp": (1, _VarSamp), "var_pop": (1, _VarPop),
    "stddev_samp": (1, _StddevSamp), "stddev_pop": (1, _StddevPop), "corr": (2, _Corr),
    "regr_slope": (2, _RegrSlope), "regr_r2": (2, _RegrR2), "covar_samp": (2, _CovarSamp),
    "covar_pop": (2, _CovarPop), "arg_max": (2, _ArgMax), "arg_min": (2, _ArgMin),
}  # fmt: skip

_SCALARS: dict[str, tuple[int, Callable[..., Any]]] = {
    "strftime": (2, lambda text, form: _moment(text).strftime(form)),
    "dayname": (1, lambda text: f"{_moment(text):%A}"),
    "monthname": (1, lambda text: f"{_moment(text):%B}"),
    "part": (2, lambda part, text: _PARTS[part](_moment(text))),
    "date_diff": (3, _date_diff),
    "date": (1, lambda text: text[:10]),
    "after": (2, _after),
    "days_between": (2, _days_between),
    "floor": (1, math.floor),
    "ceil": (1, math.ceil),
    "whole": (1, round),
    "round": (2, _halves_away),
    "sqrt": (1, math.sqrt),
    "ln": (1, math.log),
    "log10": (1, math.log10),
    "exp": (1, math.exp),
    "pow": (2, lambda a, b: float(a) ** b),
}


def _null_in_null_out(function: Callable[..., Any]) -> Callable[..., Any]:
    # A table has few different days and hours, and each is read a thousand times.
    known = lru_cache(maxsize=4096)(function)
    return lambda *values: None if None in values else known(*values)


def add_functions(connection: sqlite3.Connection) -> None:
    """Make all of them known to a connection."""
    for name, (arguments, aggregate) in _AGGREGATES.items():
        connection.create_aggregate(PREFIX + name, arguments, aggregate)
    for name, (arguments, function) in _SCALARS.items():
        connection.create_function(
            PREFIX + name, arguments, _null_in_null_out(function), deterministic=True
        )
