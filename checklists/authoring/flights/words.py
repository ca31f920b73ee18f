"""What the flights' columns and periods are called, in SQL, in sentences and in claims."""

from __future__ import annotations

import datetime as dt

from checklists.authoring.template import Key, Pick

EXTREMES: tuple[tuple[str, Pick], ...] = (("highest", "max"), ("lowest", "min"))

OUTCOME = (
    "outcome: flights(actual_departure_hhmm, departure_delay_min, actual_arrival_hhmm, "
    "arrival_delay_min, air_time_min)"
)
ENTITIES = "entities: flights(carrier_id)"
TIME = (
    "time: flights(flight_date, scheduled_departure_hhmm, scheduled_hour, scheduled_minute, "
    "scheduled_at_utc)"
)
AIRCRAFT = "join: flights(aircraft_id)"
WEATHER = "join: weather(airport_id, observed_on, observed_hour, observed_at_utc)"

FLOWN_BY = "flights JOIN aircraft USING (aircraft_id)"
IN_WEATHER = (
    "flights JOIN weather ON weather.airport_id = flights.origin_id "
    "AND weather.observed_on = flights.flight_date "
    "AND weather.observed_hour = flights.scheduled_hour"
)

DEPARTURE_DELAY = (
    "@flights.departure_delay_min",
    "delay at departure",
    "departs late",
    "depart late",
    "leaves late",
    "leave late",
    "late departure",
)
ARRIVAL_DELAY = (
    "@flights.arrival_delay_min",
    "delay at arrival",
    "delay on arrival",
    "arrives late",
    "arrive late",
    "late arrival",
)
CANCELLED = (
    "missing @flights.departure_delay_min",
    "missing @flights.actual_departure_hhmm",
    "cancelled",
    "canceled",
    "cancellation",
    "never departed",
    "did not depart",
    "never left",
)
FLIGHTS = ("@flights", "flights", "rows", "departures")


def above(column: str, limit: int, *words: str) -> tuple[str, ...]:
    """What a condition 'column above limit' may be called."""
    ways = ("above", "over", "more than", "greater than", "exceeding", "at least")
    return (*(f"@{column} {way} {limit}" for way in ways), *words)


def late(column: str, limit: int, *words: str) -> tuple[str, ...]:
    """What 'more than so many minutes late' may be called."""
    ways = ("more than", "over", "at least")
    return (
        *above(column, limit),
        *(f"{way} {limit} minutes late" for way in ways),
        *(f"{way} {limit} min late" for way in ways),
        *(f"delayed by {way} {limit} minutes" for way in ways),
        *(f"late by {way} {limit} minutes" for way in ways),
        *words,
    )


QUARTER = ("quarter of an hour late", "late by quarter of an hour")
HOUR_LATE = ("an hour late", "one hour late", "an hour or more late", "delayed by over an hour")
DEPARTING = (
    "@flights.departure_delay_min",
    "departures",
    "depart",
    "departed",
    "leave",
    "leaves",
    "left",
    "@flights",
)
ARRIVING = ("@flights.arrival_delay_min", "arrivals", "arrive", "arrives", "arrived")


def _month_words(key: str) -> str:
    return dt.date.fromisoformat(f"{key}-01").strftime("%B %Y")


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


MONTH = Key(
    sql="strftime(flights.flight_date, '%Y-%m')",
    words=_month_words,
    aliases=_month_aliases,
    slot="period",
)
DAY = Key(
    sql="strftime(flights.flight_date, '%Y-%m-%d')",
    words=_day_words,
    aliases=_day_aliases,
    slot="period",
)
WEEKDAY = Key(
    sql="dayname(flights.flight_date)",
    words=lambda key: key,
    aliases=lambda key: (key, f"{key}s"),
    slot="scope",
)
HOUR = Key(
    sql="flights.scheduled_hour",
    words=lambda key: f"{key}:00",
    aliases=_hour_aliases,
    slot="scope",
)


def named(column: str, name: str) -> Key:
    """A key whose groups go by the column's own values (A017, EMBRAER)."""
    return Key(
        sql=column,
        words=lambda key: key,
        aliases=lambda key: (key, f"@{column} {key}", *((f"{name} {key}",) if name else ())),
        slot="scope",
    )


ROUTE_SQL = "flights.origin_id || '-' || flights.destination_id"


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


ROUTE = Key(
    sql=ROUTE_SQL,
    words=lambda key: key,
    aliases=_route_aliases,
    slot="scope",
)
ORIGIN = named("flights.origin_id", "")
DESTINATION = named("flights.destination_id", "")
MANUFACTURER = named("aircraft.manufacturer", "")
MODEL = named("aircraft.model", "")
FLIGHT_NUMBER = named("flights.flight_number", "flight")
AIRCRAFT_ID = named("flights.aircraft_id", "")
