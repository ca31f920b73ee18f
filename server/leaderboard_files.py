"""The leaderboard's files: all its tables, and its figure."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from analysis.drawing import Form
from analysis.facets import Facets
from analysis.leaderboard_drawing import Bar, Panel, draw, draw_facets
from analysis.models import ModelTable
from analysis.scoreboard import BASELINES
from analysis.statistics import Mean
from analysis.table import Cell, Table, table
from core.evaluation import LEVELS, Level
from server.standings import Standings
from server.standings_row import Row
from server.standings_tables import tables

ByScenario = Mapping[str, Mapping[Level, Facets]]


def all_tables(found: Standings, facets: ByScenario, models: ModelTable) -> list[Table]:
    """Those of the leaderboard, then those of facets, where there are any."""
    made = tables(found, models)
    return [*made, *_of_facets(facets)] if facets else made


def figure(found: Standings, facets: ByScenario, form: Form) -> bytes:
    """The ranked rows of each scenario; with facets the first scenario's models by their attribute."""
    for scenario, levels in facets.items():
        rows = next(b.main.rows for b in found.boards if b.scenario_id == scenario)
        means: dict[Level, dict[str, float]] = {
            level: {
                row.competitor: value for row in rows if (value := row.headline(level)) is not None
            }
            for level in levels
        }
        return draw_facets(levels, means, form)
    panels = [
        Panel(
            title=board.scenario_id,
            rows=[(row.competitor, _bars(row)) for row in board.main.rows],
            lines={
                BASELINES.get(name, name).format(noun="entity"): line.value
                for name, line in board.main.lines("trajectory").items()
            },
        )
        for board in found.boards
    ]
    return draw(panels, form)


def _bars(row: Row) -> dict[Level, Bar]:
    found: dict[Level, Bar] = {}
    for level in LEVELS:
        score = row.score(level)
        if score is not None and score.headline is not None:
            found[level] = Bar(score.headline, score.low, score.high)
    return found


def _of_facets(facets: ByScenario) -> list[Table]:
    placed = [
        (scenario, level, each)
        for scenario, levels in facets.items()
        for level, each in levels.items()
    ]
    at = ["scenario", "level", "attribute"]
    of_mean = ["low", "high", "standard_error", "items", "clusters"]
    groups: list[list[Cell]] = [
        [scenario, level, each.attribute, str(g.value), "; ".join(g.models), *_mean(g.mean)]
        for scenario, level, each in placed
        for g in each.groups
    ]
    contrasts: list[list[Cell]] = [
        [
            scenario,
            level,
            each.attribute,
            c.one,
            c.other,
            str(c.one_value),
            str(c.other_value),
            *_mean(c.difference),
            c.difference.p if c.difference else None,
            c.p_holm,
            c.left_out,
        ]
        for scenario, level, each in placed
        for c in each.contrasts
    ]
    slopes: list[list[Cell]] = [
        [scenario, level, each.attribute, "; ".join(s.models), s.strata, *_mean(s.per_tenfold)]
        for scenario, level, each in placed
        for s in [each.slope]
        if s is not None
    ]
    sides = ["one", "other", "one_value", "other_value", "difference"]
    return [
        table("facets", [*at, "value", "models", "accuracy", *of_mean], groups),
        table("contrasts", [*at, *sides, *of_mean, "p", "p_holm", "left_out"], contrasts),
        table("slopes", [*at, "models", "strata", "per_tenfold", *of_mean], slopes),
    ]


def _mean(mean: Mean | None) -> list[Cell]:
    if mean is None:
        return [None] * 6
    return list(chain([mean.value, mean.low, mean.high, mean.error], [mean.n, mean.clusters]))
