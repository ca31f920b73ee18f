"""What facts about flights may be grouped by, and what a sentence calls the groups."""

from __future__ import annotations

import datetime as dt

from checklists.authoring.template import Key


def _month_words(key: str) -> str:
    return f"{dt.date.fromisoformat(f'{key}-01'):%B %Y}"


def _month_aliases(key: str) -> tuple[str, ...]:
    day = dt.date.fromisoformat(f"{key}-01")
    return (f"{day:%B %Y}", key, f"{day:%b %Y}")


def _day_words(key: str) -> str:
    day = dt.date.fromisoformat(key)
    return f"{day.day} {day:%B %Y}"


def _day_aliases(key: str) -> tuple[str, ...]:
    day = dt.date.fromisoformat(key)
    return (
        key,
        f"{day.day} {day:%B %Y}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b %Y}",
        f"{day:%b} {day.day}, {day.year}",
    )


def _hour_aliases(key: str) -> tuple[str, ...]:
    hour = int(key)
    clock = f"{(hour - 1) % 12 + 1} {'am' if hour < 12 else 'pm'}"
    return (
        f"@flights.scheduled_hour {hour}",
        f"hour {hour}",
        f"{hour:02d}:00",
        f"{hour} o'clock",
        clock,
        clock.replace(" ", ""),
    )


def _route_aliases(key: str) -> tuple[str, ...]:
    origin, _, destination = key.partition("-")
    return (
        key,
        f"@flights.origin_id {origin} @flights.destination_id {destination}",
        f"{origin} to {destination}",
        f"{origin} {destination}",
        f"route {key}",
        f"route from {origin} to {destination}",
    )


def _named(column: str) -> Key:
    """Groups that go by the column's own values (A017, EMBRAER)."""
    return Key(
        sql=column,
        words=lambda key: key,
        aliases=lambda key: (key, f"@{column} {key}"),
        slot="scope",
    )


KEYS: dict[str, Key] = {
    "month": Key(
        sql="strftime(flights.flight_date, '%Y-%m')",
        words=_month_words,
        aliases=_month_aliases,
        slot="period",
    ),
    "day": Key(
        sql="strftime(flights.flight_date, '%Y-%m-%d')",
        words=_day_words,
        aliases=_day_aliases,
        slot="period",
    ),
    "weekday": Key(
        sql="dayname(flights.flight_date)",
        words=lambda key: key,
        aliases=lambda key: (key, f"{key}s"),
        slot="scope",
    ),
    "hour": Key(
        sql="flights.scheduled_hour",
        words=lambda key: f"{key}:00",
        aliases=_hour_aliases,
        slot="scope",
    ),
    # Where the hour itself is what is counted: 'the most frequent scheduled hour is 17'.
    "busiest hour": Key(
        sql="flights.scheduled_hour",
        words=lambda key: f"{key}:00",
        aliases=lambda key: (key, *_hour_aliases(key)),
        slot="scope",
    ),
    "route": Key(
        sql="flights.origin_id || '-' || flights.destination_id",
        words=lambda key: key,
        aliases=_route_aliases,
        slot="scope",
    ),
    "flight number": Key(
        sql="flights.flight_number",
        words=lambda key: f"flight {key}",
        aliases=lambda key: (
            f"@flights.flight_number {key}",
            f"flight {key}",
            f"flight no {key}",
        ),
        slot="scope",
    ),
    "origin": _named("flights.origin_id"),
    "destination": _named("flights.destination_id"),
    "aircraft": _named("flights.aircraft_id"),
    "manufacturer": _named("aircraft.manufacturer"),
    "model": _named("aircraft.model"),
}
"""By the name that a fact's `per` gives."""
