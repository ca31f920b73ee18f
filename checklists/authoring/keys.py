"""What facts of any scenario may be grouped by: months, days, weekdays, hours, years, a column's values."""

from __future__ import annotations

import datetime as dt

from checklists.authoring.template import Key


def month(column: str) -> Key:
    """The calendar month of a date or timestamp."""
    return Key(
        sql=f"strftime({column}, '%Y-%m')",
        words=lambda key: f"{_day(f'{key}-01'):%B %Y}",
        aliases=lambda key: (f"{_day(f'{key}-01'):%B %Y}", key, f"{_day(f'{key}-01'):%b %Y}"),
        slot="period",
    )


def day(column: str) -> Key:
    """The day of a date or timestamp."""
    return Key(
        sql=f"strftime({column}, '%Y-%m-%d')",
        words=lambda key: f"{_day(key).day} {_day(key):%B %Y}",
        aliases=_day_aliases,
        slot="period",
    )


def weekday(column: str) -> Key:
    """The day of the week."""
    return Key(
        sql=f"dayname({column})",
        words=lambda key: key,
        aliases=lambda key: (key, f"{key}s"),
        slot="scope",
    )


def hour(column: str, name: str) -> Key:
    """The hour of a timestamp; `name` is the column in words ('@incidents.opened_at')."""
    return Key(
        sql=f"hour({column})",
        words=lambda key: f"{key}:00",
        aliases=lambda key: (
            key,
            f"hour {key}",
            f"hour {key} of {name}",
            f"{int(key):02d}:00",
            f"{key} o'clock",
        ),
        slot="scope",
    )


def year(sql: str) -> Key:
    """A year, as a number."""
    return Key(
        sql=sql,
        words=lambda key: key,
        aliases=lambda key: (key, f"fiscal year {key}", f"fiscal {key}", f"FY {key}"),
        slot="period",
    )


def named(column: str) -> Key:
    """Groups that go by the column's own values (A017, portal)."""
    return Key(
        sql=column,
        words=lambda key: key,
        aliases=lambda key: (key, f"@{column} {key}"),
        slot="scope",
    )


def _day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def _day_aliases(key: str) -> tuple[str, ...]:
    day = _day(key)
    return (
        key,
        f"{day.day} {day:%B %Y}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b %Y}",
        f"{day:%b} {day.day}, {day.year}",
    )
