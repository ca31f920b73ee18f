"""Write the notes that a team's lead would have written: the same state as the rows, in words."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Iterator
from typing import Final

from core.document import Document
from databases.incidents.state import DAYS, Teams
from databases.incidents.words import CATEGORIES, CHANNELS

_WEEKDAYS: Final = tuple(calendar.day_name)
_CATEGORIES: Final = tuple(CATEGORIES)
_QUARTER: Final = DAYS // 4


def documents(teams: Teams) -> Iterator[Document]:
    """A review of the year and four quarterly notes for each team, by id."""
    for place, team in enumerate(teams.ids):
        yield _review(teams, place, team)
        for quarter in range(1, 5):
            yield _quarterly(teams, place, team, quarter)


def _review(teams: Teams, place: int, team: str) -> Document:
    """What the state holds and nothing else: where a trait is neutral, nothing is said of it."""
    said = [*_times(teams, place), *_people(teams, place), *_calendar(teams, place)]
    if not said:
        said = ["Nothing set this team apart this year: work came and went as everywhere."]
    return Document(
        id=f"{team}-review",
        entity_id=team,
        kind="review",
        title=f"Year in review, team {teams.names[place]}",
        text=" ".join(said),
        written_on=teams.dates[-1],
        values={
            "growth_per_day": int(teams.slope_micro[place]) / 1_000_000,
            "base_days": round(int(teams.base_min[place]) / 1440, 3),
        },
    )


def _times(teams: Teams, place: int) -> Iterator[str]:
    slope = int(teams.slope_micro[place])
    if slope:
        times = 1 + slope * (DAYS - 1) / 1_000_000
        way = "longer and longer" if slope > 0 else "less and less time"
        yield (
            f"Resolving an incident took {way}: by the end of the year about {max(times, 0.05):.1f} "
            "times as long as at its start, and it went that way steadily."
        )
    if teams.slow_pm[place] > 1000:
        kind = _CATEGORIES[int(teams.slow_category[place])].lower()
        yield f"Incidents about {kind} took {_times_as(teams.slow_pm[place])} as long as others."
    if teams.weekend_slow_pm[place] != 1000:
        yield f"What was reported at a weekend took {_times_as(teams.weekend_slow_pm[place])} as long."


def _people(teams: Teams, place: int) -> Iterator[str]:
    if (share := int(teams.busy_share_pm[place])) > 0:
        letter = "ABCDEFGHIJ"[int(teams.busy_agent[place])]
        whole = share + (1000 - share) // int(teams.agents[place])
        yield (
            f"Agent {teams.ids[place]}-{letter} carried about {whole / 10:.0f}% of all incidents, "
            f"and needed {_times_as(teams.busy_slow_pm[place])} as long for each."
        )
    if teams.main_share_pm[place] > 0:
        kind = _CATEGORIES[int(teams.main_category[place])].lower()
        yield f"Most of what came in was about {kind}."
    if teams.channel_share_pm[place] > 0:
        yield f"People turned to us by {CHANNELS[int(teams.main_channel[place])]} most of all."


def _calendar(teams: Teams, place: int) -> Iterator[str]:
    if teams.peak_pm[place] > 1000:
        yield f"{calendar.month_name[int(teams.peak_month[place])]} was the busiest month."
    if teams.weekday_pm[place] > 1000:
        yield f"{_WEEKDAYS[int(teams.peak_weekday[place])]}s were busier than other days."
    if teams.outage_pm[place] > 1000:
        day = teams.dates[int(teams.outage_day[place])]
        kind = _CATEGORIES[int(teams.main_category[place])].lower()
        yield f"On {day.day} {day:%B} an outage ({kind}) brought several days' work at once."


def _quarterly(teams: Teams, place: int, team: str, quarter: int) -> Document:
    first, last = (quarter - 1) * _QUARTER, quarter * _QUARTER - 1
    middle = (first + last) // 2
    base = int(teams.base_min[place]) / 1440
    growth = max(1 + int(teams.slope_micro[place]) * middle / 1_000_000, 0.05)
    said = [f"A usual incident of this quarter was resolved in {base * growth:.1f} days."]
    outage = int(teams.outage_day[place])
    if teams.outage_pm[place] > 1000 and first <= outage <= last:
        said.append(f"The outage of {teams.dates[outage].isoformat()} kept everybody busy.")
    if teams.rollback_pm[place] != 100:
        said.append(f"About {teams.rollback_pm[place] / 10:.0f}% of our changes are rolled back.")
    return Document(
        id=f"{team}-quarter-{quarter}",
        entity_id=team,
        kind="note",
        title=f"Quarter {quarter}, team {teams.names[place]}",
        text=" ".join(said),
        written_on=teams.start + dt.timedelta(days=last),
        values={"usual_days": round(base * growth, 2)},
    )


def _times_as(permille: int) -> str:
    return f"{permille / 1000:.1f} times"
