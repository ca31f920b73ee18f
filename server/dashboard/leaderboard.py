"""The first page: who found how much, for everybody to see; ids and pairs for whoever has a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.responses import Response

from analysis.figures import Bar
from analysis.scoreboard import BASELINES
from core.errors import DdrError
from core.evaluation import Level
from databases.catalog import open_scenario
from server.dashboard.bars import WIDTHS, ceiling_of, ranking_figure
from server.dashboard.pages import page
from server.dashboard.viewer import Anyone, InPlace, Place, Viewer
from server.rest_app.problems import without_paths
from server.standings import Board, Group, Standings, standings
from server.standings_row import Row

router = APIRouter()

PATIENCE_S: Final = 0.2
"""So long a visitor waits for runs that nobody has summed up yet; the rest is said to be pending."""
LEVELS: Final[tuple[tuple[Level, str], ...]] = (
    ("trajectory", "Final report"),
    ("message", "Insights turn by turn"),
)


@dataclass(frozen=True)
class Ranked:
    """A group of rows that rest on the same things, drawn."""

    key: str
    """Unique on the page."""
    group: Group
    number: int
    """Among the scenario's, from 1."""
    figures: tuple[tuple[Markup, ...], ...]
    """Per level a drawing, and one for phones."""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(run, name) of each row that can be compared with another."""
        found = [(row.run_id, named(row, self.group)) for row in self.group.rows if row.run_id]
        return found if len(found) > 1 else []


@dataclass(frozen=True)
class Shown:
    """A scenario's part of the page."""

    scenario_id: str
    title: str
    noun: str
    ranked: tuple[Ranked, ...]


@router.get("/")
def leaderboard(
    who: Anyone,
    here: InPlace,
    scenario: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    """Models by scenarios; `scenario` shows that one alone."""
    found = seen_by(who, standings(here.store, here.settings, patience_s=PATIENCE_S))
    boards = [each for each in found.boards if scenario in (None, each.scenario_id)]
    return page(
        "leaderboard.html",
        who,
        title="Leaderboard",
        at="leaderboard",
        wide=True,
        boards=[_shown(board, here) for board in boards],
        standings=found,
        scenario=scenario,
        levels=LEVELS,
        by_place=_by_place(found),
        left_out={run: without_paths(why) for run, why in found.left_out.items()},
    )


def seen_by(who: Viewer, found: Standings) -> Standings:
    """What of it somebody may know: runs that have no row may go on, and those are an admin's."""
    if who.role is None:
        return found.public()
    return found if who.is_admin else found.model_copy(update={"left_out": {}})


def named(row: Row, group: Group) -> str:
    """A competitor, told apart from one of the same name in the group."""
    same = [each for each in group.rows if each.competitor == row.competitor]
    return row.competitor if len(same) == 1 else f"{row.competitor} ({row.agent})"


def _by_place(found: Standings) -> dict[tuple[str, str, str, str], Row]:
    """The rows of main groups, by competitor, protocol, class and scenario."""
    return {
        (row.competitor, row.protocol, row.agent_class, row.scenario_id): row
        for board in found.boards
        for row in board.main.rows
    }


def _shown(board: Board, here: Place) -> Shown:
    title, noun = board.scenario_id, "entity"
    try:
        scenario = open_scenario(board.scenario_id, here.settings.home).scenario
        title, noun = scenario.title, scenario.entity_noun
    except DdrError:  # it was scored when it was here
        pass
    ranked = [
        _ranked(f"{board.scenario_id}-{number}", number, group, noun)
        for number, group in enumerate(board.groups, start=1)
    ]
    return Shown(board.scenario_id, title, noun, tuple(ranked))


def _ranked(key: str, number: int, group: Group, noun: str) -> Ranked:
    drawn = [
        ([_bar(row, group, level) for row in group.rows], _lines(group, level, noun))
        for level, _ in LEVELS
    ]
    ceiling = ceiling_of(
        value
        for bars, lines in drawn
        for value in (*lines.values(), *(end for bar in bars for end in (bar.value, bar.high)))
    )
    figures = [
        tuple(
            ranking_figure(
                bars,
                lines,
                name=f"{key}-{level}-{width}",
                title=words,
                width=width,
                ceiling=ceiling,
            )
            for width in WIDTHS
        )
        for (level, words), (bars, lines) in zip(LEVELS, drawn, strict=True)
    ]
    return Ranked(key, group, number, tuple(figures))


def _lines(group: Group, level: Level, noun: str) -> dict[str, float]:
    return {
        BASELINES.get(name, name).format(noun=noun): line.value
        for name, line in group.lines(level).items()
    }


def _bar(row: Row, group: Group, level: Level) -> Bar:
    score = row.score(level)
    if score is None:
        return Bar(named(row, group), None)
    is_least = score.headline is None
    return Bar(named(row, group), score.strict, score.low, score.high, is_least=is_least)
