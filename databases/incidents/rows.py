"""Draw the rows of incidents and changes from the teams' state, a block at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from databases.draws import Draws, Whole
from databases.incidents.state import DAYS, Teams
from databases.incidents.words import CATEGORIES, SUMMARIES

BLOCK: Final = 500_000
"""Rows that are drawn at once: some 300 MB at the peak."""
Columns = dict[str, NDArray[Any]]

_STEPS: Final = 1024
_SPREAD: Final = 0.7
"""Standard deviation of the logarithm of times."""


@dataclass(frozen=True)
class _Block:
    """Rows that are drawn at once."""

    row: Whole
    """Number in the whole table, from 0: what every draw hangs on."""
    team: Whole
    place: Whole
    """Number among the team's own rows."""
    number: Whole
    """Rows that the team has."""


def _luck() -> Whole:
    """Factors in thousandths that are log-normal with mean 1: the quantiles of equal chances."""
    normal = NormalDist()
    raw = [math.exp(_SPREAD * normal.inv_cdf((k + 0.5) / _STEPS)) for k in range(_STEPS)]
    mean = math.fsum(raw) / _STEPS
    return np.array([round(1000 * factor / mean) for factor in raw], dtype=np.int64)


def incidents(teams: Teams) -> Iterator[Columns]:
    """Blocks of the table incidents, codes for texts, sorted by team and time."""
    draws = Draws(f"{teams.plan.seed}|incidents")
    for block in _blocks(teams.incidents):
        yield _incidents(teams, draws, block)


def changes(teams: Teams) -> Iterator[Columns]:
    """Blocks of the table changes, sorted by team and day."""
    draws, luck = Draws(f"{teams.plan.seed}|changes"), _luck()
    for block in _blocks(teams.changes):
        row, team = block.row, block.team
        fails = draws.whole("outcome", row, 1000) < teams.rollback_pm[team]
        minutes = teams.downtime_min[team] * luck[draws.whole("downtime", row, _STEPS)] // 1000
        is_down = draws.whole("down", row, 1000) < np.where(fails, 900, 250)
        yield {
            "number": row + 1,
            "team": team,
            "category": draws.whole("category", row, len(CATEGORIES)),
            "day": block.place * DAYS // block.number,
            "outcome": fails.astype(np.int64),
            "downtime": np.where(is_down, minutes + 1, -1),
        }


def _blocks(counts: Whole) -> Iterator[_Block]:
    ends = np.cumsum(counts)
    for start in range(0, int(ends[-1]), BLOCK):
        row = np.arange(start, min(start + BLOCK, int(ends[-1])), dtype=np.int64)
        team = np.searchsorted(ends, row, side="right").astype(np.int64)
        yield _Block(row, team, row - (ends - counts)[team], counts[team])


def _incidents(teams: Teams, draws: Draws, block: _Block) -> Columns:
    row, team = block.row, block.team
    day, hour, minute = _moments(teams, draws, block)
    category = teams.categories.drawn(draws, "category", team, row)
    # What breaks down in an outage is what the team has most of.
    is_outage = (day == teams.outage_day[team]) & (teams.outage_pm[team] > 1000)
    category = np.where(is_outage, teams.main_category[team], category)
    agent = teams.workloads.drawn(draws, "agent", team, row)
    priority = 1 + teams.priorities.drawn(draws, "priority", team, row)
    minutes = _resolution(teams, draws, row, team=team, day=day, category=category, agent=agent)
    is_open = draws.whole("open", row, 1000) < teams.open_pm[team]
    is_rated = ~is_open & (draws.whole("rated", row, 1000) < 350)
    points = sum(
        (draws.whole(f"point {k}", row, 1000) < teams.mood_pm[team]).astype(np.int64)
        for k in range(4)
    )
    reopened = draws.whole("reopened", row, 1000) < teams.reopen_pm[team]
    response = teams.response_min[team] * _luck()[draws.whole("response", row, _STEPS)] // 1000
    return {
        "number": row + 1,
        "team": team,
        "agent": (np.cumsum(teams.agents) - teams.agents)[team] + agent,
        "category": category,
        "minute": (day * 24 + hour) * 60 + minute,
        "priority": priority,
        "channel": teams.channels.drawn(draws, "channel", team, row),
        "response": response * (1 + priority) // 4 + 1,
        # A hundredth of a day is 14.4 minutes.
        "resolution": np.where(is_open, -1, np.maximum(np.rint(minutes / 14.4), 1)).astype(
            np.int64
        ),
        "reopened": np.where(is_open, 0, reopened * (1 + draws.whole("again", row, 2))),
        "satisfaction": np.where(is_rated, 1 + points, -1),
        "summary": category * len(SUMMARIES) + draws.whole("summary", row, len(SUMMARIES)),
    }


def _moments(teams: Teams, draws: Draws, block: _Block) -> tuple[Whole, Whole, Whole]:
    """Day, hour and minute. A team's rows are spread evenly over its weights, so that they come in
    the order of time and no block needs to be sorted."""
    team, total = block.team, teams.days.totals[block.team]
    position = block.place * total // block.number
    room = np.maximum((block.place + 1) * total // block.number - position, 1)
    position = np.minimum(position + draws.whole("moment", block.row, room), total - 1)
    day, into = teams.days.within(team, position, teams.hours.totals[team])
    hour, minute = teams.hours.within(team, into, 60)
    return day, hour, minute


def _resolution(
    teams: Teams,
    draws: Draws,
    row: Whole,
    *,
    team: Whole,
    day: Whole,
    category: Whole,
    agent: Whole,
) -> NDArray[np.float64]:
    """Minutes: base x (1 + slope x days), times what category, agent, weekend and luck do."""
    growth = np.maximum(1_000_000 + teams.slope_micro[team] * day, 50_000) / 1e6
    slow = np.where(category == teams.slow_category[team], teams.slow_pm[team], 1000) / 1e3
    busy = np.where(agent == teams.busy_agent[team], teams.busy_slow_pm[team], 1000) / 1e3
    weekend = np.where(day % 7 >= 5, teams.weekend_slow_pm[team], 1000) / 1e3
    luck = _luck()[draws.whole("luck", row, _STEPS)] / 1e3
    minutes: NDArray[np.float64] = teams.base_min[team] * growth * slow * busy * weekend * luck
    return minutes
