"""What facts about flights may be grouped by, and what a sentence calls the groups."""

from __future__ import annotations

from checklists.authoring import keys
from checklists.authoring.template import Key


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


KEYS: dict[str, Key] = {
    "month": keys.month("flights.flight_date"),
    "day": keys.day("flights.flight_date"),
    "weekday": keys.weekday("flights.flight_date"),
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
    "origin": keys.named("flights.origin_id"),
    "destination": keys.named("flights.destination_id"),
    "aircraft": keys.named("flights.aircraft_id"),
    "manufacturer": keys.named("aircraft.manufacturer"),
    "model": keys.named("aircraft.model"),
}
"""By the name that a fact's `per` gives."""
