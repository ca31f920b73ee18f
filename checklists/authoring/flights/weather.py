"""Weather: what rain, poor sight, wind and frost at the origin do to a carrier."""

from __future__ import annotations

from checklists.authoring.flights.words import (
    ARRIVAL_DELAY,
    CANCELLED,
    DEPARTURE_DELAY,
    FLIGHTS,
    IN_WEATHER,
    WEATHER,
    above,
)
from checklists.authoring.template import Figure, Template, difference, filed, mean, share_of

CATEGORY = "weather"

_DEP, _ARR = "flights.departure_delay_min", "flights.arrival_delay_min"
_WET, _DRY = "weather.precipitation_in > 0", "weather.precipitation_in = 0"

_AT = " @flights.origin_id @weather.airport_id"
"""Words that may stand beside a condition: at the origin, at the airport."""

WET = (
    f"@weather.precipitation_in above 0{_AT}",
    *above("weather.precipitation_in", 0),
    "@weather.precipitation_in positive",
    "rain",
    "rains",
    "rainy",
    "wet",
    "precipitation is recorded",
    "some precipitation",
)
POOR_SIGHT = (
    f"@weather.visibility_mi below 3{_AT}",
    "@weather.visibility_mi below 3",
    "@weather.visibility_mi under 3",
    "@weather.visibility_mi less than 3",
    "visibility less than 3",
    "low visibility",
    "poor visibility",
)
HAZE = (
    f"@weather.visibility_mi below 10{_AT}",
    "@weather.visibility_mi below 10",
    "@weather.visibility_mi under 10",
    "@weather.visibility_mi less than 10",
    "reduced visibility",
)
WINDY = (
    f"@weather.wind_speed_mph above 20{_AT}",
    *above("weather.wind_speed_mph", 20),
    "wind above 20",
    "wind over 20",
    "winds above 20",
    "winds over 20",
    "strong wind",
    "windy",
)
FROST = (
    f"@weather.temperature_f below 32{_AT}",
    "@weather.temperature_f below 32",
    "@weather.temperature_f under 32",
    "@weather.temperature_f less than 32",
    "below freezing",
    "freezing",
    "frost",
)

_CONDITIONS = (
    ("wet", _WET, WET, "in hours with rain or other precipitation at the origin", True, "medium"),
    (
        "haze",
        "weather.visibility_mi < 10",
        HAZE,
        "when the visibility at the origin is below 10 miles",
        False,
        "medium",
    ),
    (
        "poor-sight",
        "weather.visibility_mi < 3",
        POOR_SIGHT,
        "when the visibility at the origin is below 3 miles",
        False,
        "hard",
    ),
    (
        "windy",
        "weather.wind_speed_mph > 20",
        WINDY,
        "when the wind speed at the origin is above 20 mph",
        False,
        "hard",
    ),
    (
        "frost",
        "weather.temperature_f < 32",
        FROST,
        "when the temperature at the origin is below 32 °F",
        False,
        "hard",
    ),
)

TEMPLATES = filed(
    CATEGORY,
    *(
        Template(
            name=f"{name}-{leg}-delay",
            theme=f"{name} delay",
            difficulty="hard" if difficulty == "hard" else "medium",
            plain=plain,
            insight_type="diagnostic",
            figure=mean(column, "min"),
            relation=IN_WEATHER,
            where=condition,
            disorder=WEATHER,
            metric=metric,
            scope=(group,),
            question=f"What is {{entity}}'s mean {leg} delay {words}?",
            answer=(
                f"{{entity}}'s mean {leg} delay {words} is {{value}}, "
                "against {market} over all carriers."
            ),
        )
        for name, condition, group, words, plain, difficulty in _CONDITIONS
        for leg, column, metric in (
            ("departure", _DEP, DEPARTURE_DELAY),
            ("arrival", _ARR, ARRIVAL_DELAY),
        )
    ),
    Template(
        name="wet-share",
        theme="exposure",
        difficulty="medium",
        figure=share_of(f"{_WET}"),
        relation=IN_WEATHER,
        disorder=WEATHER,
        metric=FLIGHTS,
        scope=(WET,),
        question="What share of {entity}'s flights is scheduled in an hour with rain or other precipitation at the origin?",
        answer="{value} of {entity}'s flights are scheduled in an hour with precipitation above 0 (rain) at the origin, against {market} over all carriers.",
    ),
    Template(
        name="wet-effect",
        theme="wet effect",
        difficulty="hard",
        insight_type="diagnostic",
        figure=difference(
            f"avg({_DEP}) FILTER (WHERE {_WET}) - avg({_DEP}) FILTER (WHERE {_DRY})",
            unit="min",
            support=f"count({_DEP}) FILTER (WHERE {_WET})",
        ),
        relation=IN_WEATHER,
        disorder=WEATHER,
        metric=DEPARTURE_DELAY,
        scope=(WET,),
        question="By how much does {entity}'s mean departure delay differ between hours with precipitation at the origin and dry hours?",
        answer="In hours with precipitation above 0 (rain) at the origin {entity}'s mean departure delay is {value} {higher} than in dry hours.",
    ),
    Template(
        name="wet-cancelled",
        theme="bad weather cancellations",
        difficulty="hard",
        insight_type="diagnostic",
        figure=share_of("flights.actual_departure_hhmm IS NULL"),
        relation=IN_WEATHER,
        where=_WET,
        disorder=WEATHER,
        metric=CANCELLED,
        scope=(WET,),
        min_support=100,
        question="What share of {entity}'s flights is cancelled in hours with precipitation at the origin?",
        answer="In hours with precipitation above 0 (rain) at the origin {value} of {entity}'s flights are cancelled, against {market} over all carriers.",
    ),
    Template(
        name="poor-sight-cancelled",
        theme="bad weather cancellations",
        difficulty="hard",
        insight_type="diagnostic",
        figure=share_of("flights.actual_departure_hhmm IS NULL"),
        relation=IN_WEATHER,
        where="weather.visibility_mi < 3",
        disorder=WEATHER,
        metric=CANCELLED,
        scope=(POOR_SIGHT,),
        min_support=100,
        question="What share of {entity}'s flights is cancelled when the visibility at the origin is below 3 miles?",
        answer="When the visibility at the origin is below 3 miles {value} of {entity}'s flights are cancelled, against {market} over all carriers.",
    ),
    *(
        Template(
            name=f"{name}-correlation",
            theme="weather correlation",
            difficulty="medium",
            plain=True,
            insight_type="diagnostic",
            figure=Figure(
                value=f"corr({_DEP}, weather.{column})",
                kind="correlation",
                digits=2,
                support=f"count({_DEP})",
            ),
            relation=IN_WEATHER,
            disorder=WEATHER,
            metric=DEPARTURE_DELAY,
            scope=((f"@weather.{column}", name, f"@weather.{column}{_AT}"),),
            question=f"How strongly does {{entity}}'s departure delay go with the {name} at the origin (correlation)?",
            answer=f"The correlation of {{entity}}'s departure delay with the {name} at the origin is {{value}}, against {{market}} over all carriers.",
        )
        for name, column in (
            ("humidity", "humidity_pct"),
            ("visibility", "visibility_mi"),
            ("pressure", "pressure_mbar"),
        )
    ),
)
