"""Punctuality by place: where a carrier is late, and how it fares on the routes of others."""

from __future__ import annotations

from checklists.authoring.flights.punctuality import CATEGORY
from checklists.authoring.flights.words import (
    ARRIVAL_DELAY,
    DEPARTURE_DELAY,
    DESTINATION,
    ORIGIN,
    OUTCOME,
)
from checklists.authoring.template import Template, difference, filed, mean

_DEP, _ARR = "flights.departure_delay_min", "flights.arrival_delay_min"
_ROUTE_MEANS = (
    "totals AS (SELECT origin_id, destination_id, carrier_id, sum(arrival_delay_min) AS own, "
    "count(arrival_delay_min) AS own_rows FROM flights "
    "GROUP BY origin_id, destination_id, carrier_id), "
    "others AS (SELECT *, sum(own) OVER route - own AS other, "
    "sum(own_rows) OVER route - own_rows AS other_rows FROM totals "
    "WINDOW route AS (PARTITION BY origin_id, destination_id))"
)

TEMPLATES = filed(
    CATEGORY,
    Template(
        name="worst-origin",
        theme="worst origin",
        difficulty="medium",
        plain=True,
        insight_type="diagnostic",
        figure=mean(_DEP, "min"),
        per=ORIGIN,
        disorder=OUTCOME,
        metric=DEPARTURE_DELAY,
        question="From which airport does {entity} depart latest on average, and how late?",
        answer="{entity}'s mean departure delay is highest at origin {group}, at {value}.",
    ),
    Template(
        name="worst-destination",
        theme="destination delay",
        difficulty="medium",
        insight_type="diagnostic",
        figure=mean(_ARR, "min"),
        per=DESTINATION,
        floor=100,
        disorder=OUTCOME,
        metric=ARRIVAL_DELAY,
        question="To which destination with at least 100 recorded arrivals is {entity} latest on average, and how late?",
        answer="{entity}'s mean arrival delay is highest at destination {group}, at {value}; only destinations with at least 100 recorded arrivals are compared.",
    ),
    Template(
        name="best-destination",
        theme="destination delay",
        difficulty="medium",
        insight_type="diagnostic",
        figure=mean(_ARR, "min"),
        per=DESTINATION,
        pick="min",
        floor=100,
        disorder=OUTCOME,
        metric=ARRIVAL_DELAY,
        question="To which destination with at least 100 recorded arrivals is {entity} most punctual on average, and with what mean arrival delay?",
        answer="{entity}'s mean arrival delay is lowest at destination {group}, at {value}; only destinations with at least 100 recorded arrivals are compared.",
    ),
    Template(
        name="same-route-gap",
        theme="like for like",
        difficulty="hard",
        insight_type="diagnostic",
        figure=difference(
            (
                "sum(flights.own) / sum(flights.own_rows) - "
                "sum(flights.other / flights.other_rows * flights.own_rows) / sum(flights.own_rows)"
            ),
            unit="min",
            support="sum(flights.own_rows)",
        ),
        relation="others AS flights",
        ctes=_ROUTE_MEANS,
        where="flights.other_rows > 0 AND flights.own_rows > 0",
        disorder=OUTCOME,
        metric=ARRIVAL_DELAY,
        scope=(
            (
                "@flights.origin_id @flights.destination_id",
                "same routes",
                "same route",
                "like for like",
                "route-adjusted",
                "adjusted for route",
                "shared routes",
                "routes it shares",
            ),
        ),
        question="On the routes that it shares with others, by how much does {entity}'s mean arrival delay differ from theirs, route for route and weighted by its own flights?",
        answer="On the routes that it shares with others {entity}'s mean arrival delay is {value} {higher} than theirs, route for route.",
    ),
)
