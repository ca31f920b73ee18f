"""Season and trend: how a carrier's year runs."""

from __future__ import annotations

from checklists.authoring.flights.words import (
    ARRIVAL_DELAY,
    CANCELLED,
    DEPARTING,
    DEPARTURE_DELAY,
    EXTREMES,
    FLIGHTS,
    HOUR_LATE,
    MONTH,
    TIME,
    late,
)
from checklists.authoring.template import Figure, Template, difference, filed, mean, share_of

CATEGORY = "season and trend"

_DEP, _ARR = "flights.departure_delay_min", "flights.arrival_delay_min"
_SPAN = (
    "span AS (SELECT min(flight_date) + CAST((max(flight_date) - min(flight_date) + 1) // 2 "
    "AS INTEGER) AS middle FROM flights)"
)
_HALVES = "flights CROSS JOIN span"
_SECOND = "flights.flight_date >= span.middle"
_FIRST = "flights.flight_date < span.middle"


def _half_change(delay: str) -> str:
    return f"avg({delay}) FILTER (WHERE {_SECOND}) - avg({delay}) FILTER (WHERE {_FIRST})"


HALF_YEAR = (
    (
        "first half second half",
        "second half",
        "half of the period",
        "half of the year",
        "half-year",
        "halves",
    ),
)

TEMPLATES = filed(
    CATEGORY,
    *(
        Template(
            name=f"{extreme}-month-{leg}",
            theme=f"{extreme} month",
            difficulty="medium",
            plain=True,
            figure=mean(column, "min"),
            per=MONTH,
            pick=pick,
            disorder=TIME,
            metric=metric,
            question=f"In which month is {{entity}}'s mean {leg} delay {extreme}, and what is it then?",
            answer=f"{{entity}}'s mean {leg} delay is {extreme} in {{group}}, at {{value}}.",
        )
        for leg, column, metric in (
            ("departure", _DEP, DEPARTURE_DELAY),
            ("arrival", _ARR, ARRIVAL_DELAY),
        )
        for extreme, pick in EXTREMES
    ),
    Template(
        name="busiest-month",
        theme="monthly volume",
        difficulty="medium",
        plain=True,
        figure=Figure(value="count(*)", kind="count", statistic="count", digits=0),
        per=MONTH,
        disorder=TIME,
        metric=FLIGHTS,
        question="In which month does {entity} have most flights, and how many?",
        answer="{entity}'s busiest month is {group}, with {value} flights.",
    ),
    Template(
        name="worst-month-cancelled",
        theme="monthly cancellations",
        difficulty="medium",
        figure=share_of("flights.actual_departure_hhmm IS NULL"),
        per=MONTH,
        disorder=TIME,
        metric=CANCELLED,
        question="In which month does {entity} cancel the largest share of its flights, and what share?",
        answer="{entity} cancels most in {group}: {value} of its flights have no recorded departure.",
    ),
    Template(
        name="worst-month-over-60",
        theme="monthly long delays",
        difficulty="hard",
        figure=share_of(f"{_DEP} > 60", support=f"count({_DEP})"),
        per=MONTH,
        disorder=TIME,
        metric=late("flights.departure_delay_min", 60, *HOUR_LATE),
        scope=(DEPARTING,),
        question="In which month is the share of {entity}'s departures that are more than an hour late largest, and how large is it?",
        answer="In {group} {value} of {entity}'s departures are more than 60 minutes late, its largest monthly share.",
    ),
    Template(
        name="half-year-change-departure",
        theme="half-year change",
        difficulty="hard",
        figure=difference(
            _half_change(_DEP), unit="min", support=f"count({_DEP})", comparator="time"
        ),
        relation=_HALVES,
        ctes=_SPAN,
        disorder=TIME,
        metric=DEPARTURE_DELAY,
        scope=HALF_YEAR,
        question="By how much does {entity}'s mean departure delay change from the first half of the period to the second?",
        answer="In the second half of the period {entity}'s mean departure delay is {value} {higher} than in the first half.",
    ),
    Template(
        name="half-year-change-arrival",
        theme="half-year change",
        difficulty="hard",
        figure=difference(
            _half_change(_ARR), unit="min", support=f"count({_ARR})", comparator="time"
        ),
        relation=_HALVES,
        ctes=_SPAN,
        disorder=TIME,
        metric=ARRIVAL_DELAY,
        scope=HALF_YEAR,
        question="By how much does {entity}'s mean arrival delay change from the first half of the period to the second?",
        answer="In the second half of the period {entity}'s mean arrival delay is {value} {higher} than in the first half.",
    ),
    Template(
        name="half-year-change-volume",
        theme="growth",
        difficulty="hard",
        figure=difference(
            (
                f"100.0 * (count(*) FILTER (WHERE {_SECOND}) - count(*) FILTER (WHERE {_FIRST})) "
                f"/ count(*) FILTER (WHERE {_FIRST})"
            ),
            unit="%",
            comparator="time",
        ),
        relation=_HALVES,
        ctes=_SPAN,
        disorder=TIME,
        metric=FLIGHTS,
        scope=HALF_YEAR,
        question="By how much does {entity}'s number of flights change from the first half of the period to the second?",
        answer="In the second half of the period {entity}'s number of flights is {value} {higher} than in the first half.",
    ),
)
