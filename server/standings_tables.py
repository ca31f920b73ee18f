"""The leaderboard as tables for files, and as lines of the paper's Table 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from analysis.leaderboard import Entry, entry, keys
from analysis.models import ATTRIBUTES, ModelTable
from analysis.table import Cell, Table, table
from core.evaluation import LEVELS, Score
from evaluator.published import SCENARIOS, table2
from evaluator.scoring import AVERAGINGS
from server.standings import Standings, Total
from server.standings_row import Row, columns_by_key

_SCORES: Final = tuple((level, averaging) for level in LEVELS for averaging in AVERAGINGS)
_OF_SCORE: Final = ("accuracy", "low", "high", "coverage")
_WHO: Final = ("scenario", "group", "competitor", "protocol", "agent_class")


def tables(found: Standings, models: ModelTable) -> list[Table]:
    """Rows, what each group rests on, baselines, and figures over scenarios."""
    return [_rows(found, models), _groups(found), _baselines(found), _totals(found)]


def entries(found: Standings) -> tuple[list[Entry], list[str]]:
    """The main groups' rows as lines of Table 2, and the scenarios that are its columns."""
    scenarios = [board.scenario_id for board in found.boards]
    names = Counter(total.competitor for total in found.totals)
    rows = {
        (board.scenario_id, row.competitor, row.protocol, row.agent_class): row
        for board in found.boards
        for row in board.main.rows
    }
    made = []
    for total in found.totals:
        mine = {
            name: rows[name, total.competitor, total.protocol, total.agent_class]
            for name in total.scenarios
        }
        name = total.competitor if names[total.competitor] == 1 else _apart(total)
        made.append(_entry(name, mine, total, scenarios))
    return made, scenarios


def published(scenarios: Sequence[str]) -> tuple[list[Entry], list[str]]:
    """DDR-Bench's Table 2 for those of these scenarios that the paper has; all three where it has none."""
    shown = [name for name in scenarios if name in SCENARIOS] or list(SCENARIOS)
    whole = set(shown) == set(SCENARIOS)
    return [
        Entry(
            competitor=row.model,
            values={key: row.accuracy(*key) for key in keys(shown)},
            overall=row.overall if whole else None,
        )
        for row in table2()
    ], shown


def _entry(name: str, mine: dict[str, Row], total: Total, scenarios: Sequence[str]) -> Entry:
    low = {
        key
        for row in mine.values()
        for key, column in columns_by_key(row).items()
        if not column.clears_chance
    }
    made = entry(name, {each: row.scores for each, row in mine.items()}, None, low)
    is_whole = all(key in made.values for key in keys(scenarios))
    return Entry(
        made.competitor, made.values, total.overall.value if is_whole else None, made.at_chance
    )


def _apart(total: Total) -> str:
    return f"{total.competitor} ({total.protocol}, {total.agent_class})"


def _rows(found: Standings, models: ModelTable) -> Table:
    columns = [
        *_WHO,
        "run",
        "evaluation",
        "explored_at",
        "judged_at",
        *(f"{what}_{level}_{averaging}" for level, averaging in _SCORES for what in _OF_SCORE),
        "items",
        "entities",
        "trials",
        "turns_per_entity",
        "self_terminated",
        "novelty",
        "novelty_low",
        "novelty_high",
        "novelty_rank",
        "cost_usd_per_entity",
        "cost_reason",
        "agent_cost_usd_per_entity",
        "input_tokens_per_entity",
        "output_tokens_per_entity",
        "older_runs",
        *ATTRIBUTES,
    ]
    return table("leaderboard", columns, [_row(*each, models) for each in _placed(found)])


def _row(scenario: str, group: int, row: Row, models: ModelTable) -> list[Cell]:
    facts = models.of(row.model)
    first = row.score("message")
    rating = row.novelty
    return [
        scenario,
        group,
        row.competitor,
        row.protocol,
        row.agent_class,
        row.run_id,
        row.evaluation_id,
        row.explored_at.isoformat(),
        row.judged_at.isoformat(),
        *(cell for key in _SCORES for cell in _score(row.score(*key))),
        first.items if first else None,
        row.entities,
        row.trials,
        row.turns,
        row.self_terminated,
        *((rating.strength, rating.low, rating.high, rating.rank) if rating else (None,) * 4),
        row.price.cost_usd,
        row.price.reason,
        row.price.agent_usd,
        row.price.input_tokens,
        row.price.output_tokens,
        row.older,
        *(facts.value(name) if facts else None for name in ATTRIBUTES),
    ]


def _score(score: Score | None) -> tuple[Cell, ...]:
    if score is None:
        return (None,) * len(_OF_SCORE)
    return score.headline, score.low, score.high, score.coverage


def _groups(found: Standings) -> Table:
    rows: list[list[Cell]] = [
        [board.scenario_id, number, what, value]
        for board in found.boards
        for number, group in enumerate(board.groups, start=1)
        for what, value in group.ruling.items()
    ]
    return table("groups", ["scenario", "group", "rests_on", "value"], rows)


def _baselines(found: Standings) -> Table:
    rows: list[list[Cell]] = [
        [
            scenario,
            group,
            row.competitor,
            row.protocol,
            row.agent_class,
            name,
            score.level,
            score.averaging,
            score.strict,
            score.low,
            score.high,
        ]
        for scenario, group, row in _placed(found)
        for name, scores in row.baselines.items()
        for score in scores
    ]
    columns = [*_WHO, "baseline", "level", "averaging", "accuracy", "low", "high"]
    return table("baselines", columns, rows)


def _totals(found: Standings) -> Table:
    rows: list[list[Cell]] = [
        [
            total.competitor,
            total.protocol,
            total.agent_class,
            " ".join(total.scenarios),
            len(total.overall.weights),
            total.overall.value,
            total.overall.without_chance,
            total.overall.corrected,
            "; ".join(total.overall.at_chance),
        ]
        for total in found.totals
    ]
    columns = [
        "competitor",
        "protocol",
        "agent_class",
        "scenarios",
        "columns",
        "overall",
        "without_chance_columns",
        "corrected_for_chance",
        "columns_at_chance",
    ]
    return table("overall", columns, rows)


def _placed(found: Standings) -> list[tuple[str, int, Row]]:
    """(scenario, group from 1, row)"""
    return [
        (board.scenario_id, number, row)
        for board in found.boards
        for number, group in enumerate(board.groups, start=1)
        for row in group.rows
    ]
