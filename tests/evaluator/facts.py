"""Facts about carrier 03 (Kestrel) that the evaluator's tests put to their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.checklist import ChecklistItem, Magnitude, Signals
from core.scenario import Entity
from evaluator.matching import Match, match, match_all
from tests.evaluator.records import entity, item

LABELS = [
    "Heron",
    "Merlin",
    "Kestrel",
    "Osprey",
    "Harrier",
    "Goshawk",
    "Condor",
    "Egret",
    "Ibis",
    "Plover",
    "Curlew",
    "Dunlin",
    "Avocet",
    "Bittern",
    "Crane",
    "Stork",
]
CARRIERS = [entity(f"{number:02}", label) for number, label in enumerate(LABELS, 1)]
OWN = CARRIERS[2]
OTHERS = [each for each in CARRIERS if each is not OWN]

DEPARTURE = ("@flights.departure_delay_min", "delay at departure")
ARRIVAL = ("@flights.arrival_delay_min", "delay on arrival")
FLIGHTS = ("@flights", "flights")


def signals(
    metric: Sequence[str],
    value: float | None = None,
    unit: str = "",
    *,
    statistic: str | None = "mean",
    kind: str = "level",
    required: Sequence[str] | None = None,
    rel_tol: float = 0.02,
    abs_tol: float = 0.0,
    **slots: Any,
) -> Signals:
    """Signals that require every slot that they have, unless told which."""
    magnitude = None
    if value is not None:
        magnitude = Magnitude(value=value, unit=unit, rel_tol=rel_tol, abs_tol=abs_tol)
    have = [name for name in ("direction", "period", "scope") if slots.get(name)]
    have += ["magnitude"] if magnitude else []
    return Signals.model_validate(
        {
            "metric": tuple(metric),
            "kind": kind,
            "statistic": statistic,
            "magnitude": magnitude,
            "required": tuple(have if required is None else required),
            **slots,
        }
    )


MEAN = signals(DEPARTURE, 20.0, "min")
ARRIVAL_MEAN = signals(ARRIVAL, 15.2, "min")
MEDIAN = signals(DEPARTURE, -2.0, "min", statistic="median")
LONGEST = signals(DEPARTURE, 1301, "min", statistic="max", kind="extreme")
AGAINST = signals(DEPARTURE, 20.0, "min", direction="up", comparator="group")
HIGHER = signals(DEPARTURE, direction="up", comparator="group")
GAP = signals(
    DEPARTURE, 8.1, "min", statistic=None, kind="change", direction="up", comparator="group"
)
TREND = signals(
    DEPARTURE,
    3.4,
    "min",
    statistic=None,
    kind="change",
    direction="up",
    comparator="time",
    scope=(("first half second half", "second half"),),
)
COUNT = signals(FLIGHTS, 54_635, statistic="count", kind="count")
SHARE = signals(FLIGHTS, 16.2, "%", statistic="share", kind="share")
MISSING = signals(
    ("missing @flights.departure_delay_min", "cancelled", "cancellation"),
    5.2,
    "%",
    statistic="share",
    kind="share",
)
DISTINCT = signals(("@flights.destination_id",), 47, statistic="distinct", kind="count", rel_tol=0)
TOP = signals(
    ("@flights.destination_id", "airport"),
    23.4,
    "%",
    statistic="share",
    kind="share",
    scope=(("A017", "@flights.destination_id A017"),),
)
TOP_NAME = signals(("@flights.destination_id",), statistic=None, kind="rank", scope=(("A017",),))
TOP_COUNT = signals(
    ("@flights.destination_id",), 12_801, statistic="count", kind="count", scope=(("A017",),)
)
FLEET = signals(
    ("@aircraft.manufacturer", "aircraft"),
    72.4,
    "%",
    statistic="share",
    kind="share",
    scope=(("EMBRAER",),),
)
SEATS = signals(("@aircraft.seat_count", "seats"), 161.2)
JULY = signals(ARRIVAL, 28.4, "min", kind="extreme", direction="up", period=("July 2019",))
OCTOBER = signals(ARRIVAL, -2.1, "min", kind="extreme", direction="down", period=("2019-10",))
PEAK = signals(ARRIVAL, kind="extreme", direction="up", period=("July 2019",))
JULY_LEVEL = signals(ARRIVAL, 28.4, "min", period=("July 2019", "2019-07", "Jul 2019"))
WORST_DAY = signals(
    DEPARTURE, 114.2, "min", kind="extreme", direction="up", period=("2019-03-08", "8 March 2019")
)
HOUR_19 = signals(DEPARTURE, 24.3, "min", scope=(("@flights.scheduled_hour 19", "19:00"),))
HOUR_6 = signals(DEPARTURE, 1.2, "min", scope=(("@flights.scheduled_hour 6", "6 am"),))
SATURDAY = signals(DEPARTURE, 9.4, "min", scope=(("Saturday", "Saturdays"),))
WET = signals(DEPARTURE, 35.2, "min", scope=(("@weather.precipitation_in above 0", "rain", "wet"),))
CORRELATION = signals(
    DEPARTURE,
    0.34,
    statistic=None,
    kind="correlation",
    direction="up",
    scope=(("@flights.distance_mi", "distance"),),
)
NEGATIVE = signals(
    DEPARTURE,
    0.34,
    statistic=None,
    kind="correlation",
    direction="down",
    scope=(("@flights.distance_mi", "distance"),),
)


def judge(
    fact: Signals, *texts: str, own: Entity = OWN, others: Sequence[Entity] = OTHERS
) -> Match:
    """What the matching rules say of one fact, each text an insight of its own turn."""
    insights = list(enumerate(texts, 1))
    return match(item("i", own.id, fact), insights, entity=own, others=others)


def judge_all(facts: Sequence[Signals], *texts: str) -> list[Match]:
    """The same for several facts at once, which then compete for figures."""
    items: list[ChecklistItem] = [item(f"i{n}", OWN.id, fact) for n, fact in enumerate(facts)]
    return match_all(items, list(enumerate(texts, 1)), entity=OWN, others=OTHERS)
