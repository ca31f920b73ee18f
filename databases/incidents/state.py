"""The hidden state of every team: what its incidents, its changes and its notes are drawn from."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from core.errors import UsageError
from databases.draws import Draws, Traits, Wheels, Whole, apportioned
from databases.incidents.words import CATEGORIES, CHANNELS, team_name
from databases.variants import within

if TYPE_CHECKING:
    from databases.variants import Options

DAYS: Final = 364
"""Length of the period, days: whole weeks, so that no weekday is more frequent."""
FEWEST_ROWS: Final = 60
"""Rows per team below which no figure of a team would mean anything."""
MOST_TEAMS: Final = 100_000
_HOURS: Final = (8,) * 6 + (40,) * 2 + (100,) * 10 + (40,) * 4 + (8,) * 2
_MOST_AGENTS: Final = 9
_CHANGE_EVERY: Final = 20
"""One row in so many is a change."""


@dataclass(frozen=True)
class Plan:
    """What the build was told, checked."""

    seed: str
    teams: int
    rows: int
    slope: float
    """By what share of its base a team's time to resolution grows per day (EVALUATION IB-02)."""
    intensity: float
    """How far teams are from one another, 0 (all alike, and no trend) to 1."""
    hostile: bool

    @classmethod
    def of(cls, seed: str, options: Options) -> Plan:
        """Raises UsageError where an option is out of bounds."""
        plan = cls(
            seed=seed,
            teams=int(options["entities"]),
            rows=int(options["rows"]),
            slope=within(options, "slope", -1, 1),
            intensity=within(options, "intensity", 0, 1),
            hostile=bool(options["hostile"]),
        )
        if not options["synthetic"]:
            raise UsageError("incidents are generated: there are no others, leave --synthetic on")
        if not 1 <= plan.teams <= MOST_TEAMS:
            raise UsageError(f"--entities is from 1 to {MOST_TEAMS:,}, not {plan.teams}")
        if plan.rows < FEWEST_ROWS * plan.teams:
            raise UsageError(
                f"--rows is at least {FEWEST_ROWS} for each of the {plan.teams} teams: "
                f"{FEWEST_ROWS * plan.teams:,}, not {plan.rows:,}"
            )
        return plan


class Teams:
    """The state, an array entry per team. Shares are in thousandths (`_pm`), times as named."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._draws = Draws(f"{plan.seed}|teams")
        self.people = Draws(f"{plan.seed}|people")
        """For what no signal hangs on: sites, grades, working times."""
        self.count = plan.teams
        self._traits = Traits(self._draws, self.count, plan.intensity)
        self.start = dt.date(2021, 1, 4) + dt.timedelta(weeks=int(self._one("start", 0, 103)))
        order = self._draws.order("names", max(self.count, 64))[: self.count]
        self.names = [team_name(int(place)) for place in order]
        width = max(3, len(str(self.count)))
        self.ids = [f"T{number:0{width}d}" for number in range(1, self.count + 1)]
        self.agents = self._traits.own("agents", 6, 4, _MOST_AGENTS)
        self._sizes = self._traits.own("size", 500, 100, 1000)
        factor = self._traits.own("slope", 0, 500, 1500)
        self.slope_micro: Whole = np.rint(plan.slope * 1000 * factor).astype(np.int64)
        """Growth of the time to resolution per day, millionths of its base."""
        self.base_min = self._traits.own("base", 1440, 800, 2200)
        """Time to resolution on the first day, minutes."""
        self.busy_agent = self._draws.whole("busy agent", range(self.count), self.agents)
        self.busy_share_pm = self._traits.own("busy share", 0, 150, 450)
        """Share of all incidents that one agent gets beyond an equal part."""
        self.busy_slow_pm = self._traits.own("busy slow", 1000, 1200, 2000)
        self.main_category = self._traits.any("main category", len(CATEGORIES))
        self.main_share_pm = self._traits.own("main share", 0, 150, 450)
        self.slow_category = self._traits.any("slow category", len(CATEGORIES))
        self.slow_pm = self._traits.own("slow", 1000, 1400, 2600)
        self.main_channel = self._traits.any("main channel", len(CHANNELS))
        self.channel_share_pm = self._traits.own("channel share", 0, 100, 600)
        self.peak_month = self._traits.any("peak month", 12) + 1
        self.peak_pm = self._traits.own("peak", 1000, 1400, 2400)
        self.peak_weekday = self._traits.any("peak weekday", 5)
        self.weekday_pm = self._traits.own("weekday", 1000, 1150, 1700)
        self.weekend_pm = self._traits.own("weekend", 300, 30, 900)
        """Incidents on a day of the weekend, against a working day."""
        self.weekend_slow_pm = self._traits.own("weekend slow", 1000, 800, 1900)
        self.peak_hour = self._traits.any("peak hour", 11) + 7
        self.hour_pm = self._traits.own("hour", 1000, 1500, 4000)
        self.outage_day = self._traits.any("outage day", DAYS - 60) + 30
        self.outage_pm = self._traits.own("outage", 1000, 5000, 14000)
        self.urgent_pm = self._traits.own("urgent", 100, 30, 300)
        self.response_min = self._traits.own("response", 45, 10, 150)
        self.open_pm = self._traits.own("open", 40, 5, 120)
        self.reopen_pm = self._traits.own("reopen", 80, 10, 240)
        self.mood_pm = self._traits.own("mood", 600, 350, 850)
        """Each of four points of satisfaction above 1 is given with this chance."""
        self.rollback_pm = self._traits.own("rollback", 100, 10, 350)
        self.downtime_min = self._traits.own("downtime", 40, 10, 120)
        self.round_clock = self._traits.any("cover", 3) == 0

    @cached_property
    def changes(self) -> Whole:
        """Changes per team."""
        return apportioned(
            self.plan.rows // _CHANGE_EVERY, self._traits.own("changes", 500, 200, 1000)
        )

    @cached_property
    def incidents(self) -> Whole:
        """Incidents per team: all rows that nothing else needs."""
        others = int(self.changes.sum() + self.agents.sum()) + self.count + len(CATEGORIES)
        return apportioned(self.plan.rows - others, self._sizes)

    @cached_property
    def dates(self) -> list[dt.date]:
        """The days of the period."""
        return [self.start + dt.timedelta(days=day) for day in range(DAYS)]

    @cached_property
    def days(self) -> Wheels:
        """Which day: season, weekday, weekend, an outage, and the chance of each day."""
        months = np.array([date.month for date in self.dates])
        weekdays = np.arange(DAYS) % 7
        every = np.arange(self.count)[:, None]
        weights = 8000 + self._draws.whole("day", every * DAYS + np.arange(DAYS), 4000)
        apart = np.abs(months[None, :] - self.peak_month[:, None])
        season = np.where(
            np.minimum(apart, 12 - apart) == 1,
            (1000 + self.peak_pm[:, None]) // 2,
            np.where(apart == 0, self.peak_pm[:, None], 1000),
        )
        weekday = np.where(weekdays == self.peak_weekday[:, None], self.weekday_pm[:, None], 1000)
        weekday = np.where(weekdays >= 5, self.weekend_pm[:, None], weekday)
        outage = np.where(
            np.arange(DAYS) == self.outage_day[:, None], self.outage_pm[:, None], 1000
        )
        return Wheels(weights * season // 1000 * weekday // 1000 * outage // 1000)

    @cached_property
    def hours(self) -> Wheels:
        """Which hour of a day."""
        is_peak = np.arange(24) == self.peak_hour[:, None]
        return Wheels(np.array(_HOURS) * np.where(is_peak, self.hour_pm[:, None], 1000) // 10)

    @cached_property
    def categories(self) -> Wheels:
        """Which category."""
        return _tilted(len(CATEGORIES), self.main_category, self.main_share_pm)

    @cached_property
    def channels(self) -> Wheels:
        """By which channel."""
        return _tilted(len(CHANNELS), self.main_channel, self.channel_share_pm)

    @cached_property
    def workloads(self) -> Wheels:
        """Which agent of the team."""
        has = np.arange(_MOST_AGENTS) < self.agents[:, None]
        equal = np.where(has, (1000 - self.busy_share_pm[:, None]) // self.agents[:, None], 0)
        is_busy = np.arange(_MOST_AGENTS) == self.busy_agent[:, None]
        return Wheels(equal + np.where(is_busy, self.busy_share_pm[:, None], 0))

    @cached_property
    def priorities(self) -> Wheels:
        """How urgent, 1 to 4."""
        rest = 1000 - self.urgent_pm
        first = self.urgent_pm // 4
        return Wheels(
            np.stack([first, self.urgent_pm - first, rest * 3 // 5, rest - rest * 3 // 5], axis=1)
        )

    def _one(self, name: str, least: int, most: int) -> int:
        return int(self._draws.between(name, 0, least, most))


def _tilted(slots: int, favourite: Whole, share_pm: Whole) -> Wheels:
    """Equal slots, but for a share that goes to one of them beforehand."""
    equal = np.repeat((1000 - share_pm[:, None]) * 10 // slots, slots, axis=1)
    is_favourite = np.arange(slots) == favourite[:, None]
    return Wheels(equal + np.where(is_favourite, share_pm[:, None] * 10, 0))
