"""The planted trend as facts that an honest explorer's sentences can support, and when it counts as discovered."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import duckdb

from core.checklist import ChecklistItem, Magnitude, Signals
from core.scenario import Entity
from evaluator.matching import match

QUARTER = 91
"""Days at either end of the period whose months count as its beginning and its end."""
HIGH, LOW = 1.4, 0.7
"""What the highest and the lowest month must be at least and at most, of the team's overall mean. A
month of fifty incidents strays by a sixth of it."""
LEAST_RISE = 0.3
"""What the second half must be above the first, of the overall mean: chance gives a third of that."""
MOST = 10
"""Nothing is so many times the overall mean."""
METRIC = ("@incidents.resolution_days", "resolution time", "time to resolution", "time to resolve")
HALVES = ("first half second half", "second half", "halves")


def _item(entity_id: str, name: str, signals: Signals) -> ChecklistItem:
    return ChecklistItem(
        id=f"{entity_id}-{name}",
        entity_id=entity_id,
        question="How does the time to resolution run over the year?",
        answer="It grows.",
        category="trend",
        difficulty="medium",
        source="the test",
        signals=signals,
    )


def at_the_end(entity_id: str, last: dt.date, mean: float) -> ChecklistItem:
    """The time to resolution is high in a month at the end of the period."""
    months = _months(last - dt.timedelta(QUARTER), last)
    return _item(entity_id, "end", _in_one_of(months, HIGH * mean, MOST * mean))


def at_the_beginning(entity_id: str, first: dt.date, mean: float) -> ChecklistItem:
    """It is low in a month at the beginning."""
    months = _months(first, first + dt.timedelta(QUARTER))
    return _item(entity_id, "start", _in_one_of(months, 0, LOW * mean))


def between_the_halves(entity_id: str, mean: float) -> ChecklistItem:
    """It is higher in the second half, by LEAST_RISE of its mean and up to any rise that there can be."""
    magnitude = _between(LEAST_RISE * mean, MOST * mean)
    signals = Signals(
        metric=METRIC,
        kind="change",
        comparator="time",
        direction="up",
        scope=(HALVES,),
        magnitude=magnitude,
        required=("direction", "magnitude", "scope"),
    )
    return _item(entity_id, "halves", signals)


def _in_one_of(months: Sequence[str], least: float, most: float) -> Signals:
    """No direction: that a team's mean is above the rest's says nothing of its months."""
    return Signals(
        metric=METRIC,
        kind="level",
        statistic="mean",
        period=tuple(months),
        magnitude=_between(least, most),
        required=("magnitude", "period"),
    )


def _between(least: float, most: float) -> Magnitude:
    return Magnitude(value=(most + least) / 2, unit="days", rel_tol=0, abs_tol=(most - least) / 2)


def _months(first: dt.date, last: dt.date) -> list[str]:
    days = (first + dt.timedelta(n) for n in range((last - first).days + 1))
    return sorted({f"{day:%B %Y}" for day in days})


def is_discovered(report: str, entity: Entity, others: Sequence[Entity], database: Path) -> bool:
    """Whether a report states the rise: from its beginning to its end, or between its halves.

    Both months must be named: in a year without a trend the highest one is in the last quarter by
    chance in a quarter of the teams, and so is the lowest in the first.
    """
    with duckdb.connect(str(database), read_only=True) as connection:
        row = connection.execute(
            "SELECT min(opened_at)::DATE, max(opened_at)::DATE, avg(resolution_days) FROM incidents "
            "WHERE team_id = ?",
            [entity.id],
        ).fetchone()
    assert row is not None
    first, last, mean = row

    def supports(item: ChecklistItem) -> bool:
        found = match(item, [(None, report)], entity=entity, others=others)
        return found.label == "supported"

    ends = supports(at_the_end(entity.id, last, mean)) and supports(
        at_the_beginning(entity.id, first, mean)
    )
    return ends or supports(between_the_halves(entity.id, mean))
