"""Time of day and of week: when a carrier flies, and when it is late."""

from __future__ import annotations

from checklists.authoring.flights.words import (
    ARRIVAL_DELAY,
    DEPARTURE_DELAY,
    EXTREMES,
    FLIGHTS,
    HOUR,
    OUTCOME,
    TIME,
    WEEKDAY,
    above,
)
from checklists.authoring.template import (
    Figure,
    Key,
    Pick,
    Template,
    difference,
    filed,
    mean,
    share,
    share_of,
)

CATEGORY = "time of day and week"

_DEP, _ARR = "flights.departure_delay_min", "flights.arrival_delay_min"
_SHARE = "100.0 * count(*) / sum(count(*)) OVER ({whole})"

_HOUR_AS_VALUE = Key(
    sql=HOUR.sql,
    words=HOUR.words,
    aliases=lambda key: (key, *HOUR.aliases(key)),
    slot="scope",
)
MORNING = (
    "@flights.scheduled_hour before 12",
    "@flights.scheduled_hour below 12",
    "@flights.scheduled_hour under 12",
    "@flights.scheduled_hour less than 12",
    "before noon",
    "before 12:00",
    "before 12",
    "morning",
    "a.m.",
)
EVENING = (
    *above("flights.scheduled_hour", 18),
    "@flights.scheduled_hour from 18",
    "from 18:00",
    "after 18:00",
    "after 6 pm",
    "6 pm or later",
    "18:00 or later",
    "evening",
)

_BUSY: tuple[tuple[str, Pick, str], ...] = (
    ("busiest", "max", "most"),
    ("quietest", "min", "least"),
)

TEMPLATES = filed(
    CATEGORY,
    *(
        Template(
            name=f"{extreme}-hour-departure",
            theme=f"{extreme} hour",
            difficulty="medium",
            plain=True,
            figure=mean(_DEP, "min"),
            per=HOUR,
            pick=pick,
            disorder=TIME,
            metric=DEPARTURE_DELAY,
            question=(
                f"At which scheduled hour is {{entity}}'s mean departure delay {extreme}, "
                "and what is it then?"
            ),
            answer=(
                f"{{entity}}'s mean departure delay is {extreme} for departures scheduled in the "
                "hour from {group}, at {value}."
            ),
        )
        for extreme, pick in EXTREMES
    ),
    *(
        Template(
            name=f"{extreme}-weekday-{leg}",
            theme=f"{extreme} weekday",
            difficulty="medium",
            plain=True,
            figure=mean(column, "min"),
            per=WEEKDAY,
            pick=pick,
            disorder=TIME,
            metric=metric,
            question=f"On which weekday is {{entity}}'s mean {leg} delay {extreme}, and what is it then?",
            answer=f"{{entity}}'s mean {leg} delay is {extreme} on {{group}}s, at {{value}}.",
        )
        for leg, column, metric in (
            ("departure", _DEP, DEPARTURE_DELAY),
            ("arrival", _ARR, ARRIVAL_DELAY),
        )
        for extreme, pick in EXTREMES
    ),
    Template(
        name="busiest-hour",
        theme="busiest hour",
        difficulty="medium",
        plain=True,
        figure=share(_SHARE),
        per=_HOUR_AS_VALUE,
        disorder=TIME,
        metric=("@flights.scheduled_hour", "@flights", "flights", "departures"),
        question="In which scheduled hour does {entity} depart most often, and with what share of its flights?",
        answer="{entity} departs most often in the hour from {group}, with {value} of its flights.",
    ),
    *(
        Template(
            name=f"{extreme}-weekday-volume",
            theme="weekday volume",
            difficulty="medium",
            plain=True,
            figure=share(_SHARE),
            per=WEEKDAY,
            pick=pick,
            disorder=TIME,
            metric=FLIGHTS,
            question=f"On which weekday does {{entity}} fly {how}, and what share of its flights is that?",
            answer=f"{{entity}} flies {how} on {{group}}s, with {{value}} of its flights.",
        )
        for extreme, pick, how in _BUSY
    ),
    Template(
        name="mean-hour",
        theme="day's centre",
        difficulty="easy",
        plain=True,
        figure=mean("flights.scheduled_hour"),
        disorder=TIME,
        metric=("@flights.scheduled_hour", "scheduled hour", "hour of departure"),
        question="What is the mean scheduled hour of {entity}'s departures?",
        answer="The mean scheduled hour of {entity}'s departures is {value}, against {market} over all carriers.",
    ),
    Template(
        name="morning-share",
        theme="day's centre",
        difficulty="medium",
        figure=share_of("flights.scheduled_hour < 12"),
        disorder=TIME,
        metric=(*FLIGHTS, "@flights.scheduled_hour"),
        scope=(MORNING,),
        question="What share of {entity}'s flights is scheduled before noon?",
        answer="{value} of {entity}'s flights are scheduled to depart before 12:00, against {market} over all carriers.",
    ),
    Template(
        name="evening-share",
        theme="evening",
        difficulty="medium",
        figure=share_of("flights.scheduled_hour >= 18"),
        disorder=TIME,
        metric=(*FLIGHTS, "@flights.scheduled_hour"),
        scope=(EVENING,),
        question="What share of {entity}'s flights is scheduled at 18:00 or later?",
        answer="{value} of {entity}'s flights are scheduled to depart at 18:00 or later, against {market} over all carriers.",
    ),
    Template(
        name="weekend-share",
        theme="weekday volume",
        difficulty="medium",
        figure=share_of("isodow(flights.flight_date) >= 6"),
        disorder=TIME,
        metric=FLIGHTS,
        scope=(("weekend", "weekends", "Saturday Sunday", "Saturdays Sundays"),),
        question="What share of {entity}'s flights falls on a weekend?",
        answer="{value} of {entity}'s flights fall on a Saturday or Sunday (the weekend), against {market} over all carriers.",
    ),
    Template(
        name="hour-correlation",
        theme="build-up",
        difficulty="medium",
        plain=True,
        insight_type="diagnostic",
        figure=Figure(
            value=f"corr({_DEP}, flights.scheduled_hour)",
            kind="correlation",
            digits=2,
            support=f"count({_DEP})",
        ),
        disorder=OUTCOME,
        metric=DEPARTURE_DELAY,
        scope=(("@flights.scheduled_hour", "hour", "time of day"),),
        question="How strongly does {entity}'s departure delay go with the scheduled hour (correlation)?",
        answer="The correlation of {entity}'s departure delay with the scheduled hour is {value}, against {market} over all carriers.",
    ),
    Template(
        name="evening-minus-morning",
        theme="build-up",
        difficulty="hard",
        insight_type="diagnostic",
        figure=difference(
            (
                f"avg({_DEP}) FILTER (WHERE flights.scheduled_hour >= 18) - "
                f"avg({_DEP}) FILTER (WHERE flights.scheduled_hour < 12)"
            ),
            unit="min",
            support=f"count({_DEP})",
        ),
        disorder=TIME,
        metric=DEPARTURE_DELAY,
        scope=(EVENING,),
        question="By how much do {entity}'s mean departure delays differ between departures from 18:00 on and departures before noon?",
        answer="From 18:00 on {entity}'s mean departure delay is {value} {higher} than before 12:00.",
    ),
    Template(
        name="evening-delay",
        theme="evening delay",
        difficulty="medium",
        insight_type="diagnostic",
        figure=mean(_DEP, "min"),
        where="flights.scheduled_hour >= 18",
        disorder=TIME,
        metric=DEPARTURE_DELAY,
        scope=(EVENING,),
        question="How late does {entity} depart on average when the departure is scheduled at 18:00 or later?",
        answer="For departures scheduled at 18:00 or later (evening) {entity}'s mean departure delay is {value}, against {market} over all carriers.",
    ),
)
