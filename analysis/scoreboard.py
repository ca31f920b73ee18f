"""Set an agent's scores beside those of the baselines that read no data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.figures import Bar, BarGroup
from core.evaluation import Level, Score

BASELINES = {
    "shuffled_entity": "another one's",
    "generic": "generic text",
    "blank": "nothing at all",
}
"""Competitors that stand for what a score is worth, and how charts call them."""
LEVELS: dict[Level, str] = {"message": "Insights turn by turn", "trajectory": "Final report"}
AVERAGINGS = {"item": "over items", "sample": "over {entities}"}


@dataclass(frozen=True)
class ScoreRow:
    """One of the four accuracies (DDR-09) with the baselines' beside it."""

    level: str
    averaging: str
    own: Score
    baselines: tuple[Score | None, ...]
    """In the order of BASELINES; None = not computed."""


def score_rows(scores: Sequence[Score], entities: str) -> list[ScoreRow]:
    """The agent's rows: levels outside, averagings inside. `entities` is the noun's plural."""
    by_key: dict[tuple[str, str, str], Score] = {
        (s.competitor, s.level, s.averaging): s for s in scores
    }
    own = next((s.competitor for s in scores if s.competitor not in BASELINES), None)
    return [
        ScoreRow(
            words,
            how.format(entities=entities),
            score,
            tuple(by_key.get((name, level, averaging)) for name in BASELINES),
        )
        for level, words in LEVELS.items()
        for averaging, how in AVERAGINGS.items()
        if own and (score := by_key.get((own, level, averaging)))
    ]


def score_bars(scores: Sequence[Score]) -> list[BarGroup]:
    """The item-averaged strict scores of all competitors, one group per level."""
    groups = []
    for level, words in LEVELS.items():
        rows = [s for s in scores if s.level == level and s.averaging == "item"]
        rows.sort(
            key=lambda s: [*BASELINES].index(s.competitor) if s.competitor in BASELINES else -1
        )
        bars = tuple(
            Bar(
                BASELINES.get(s.competitor, s.competitor),
                s.strict,
                s.low,
                s.high,
                baseline=s.competitor in BASELINES,
            )
            for s in rows
        )
        if bars:
            groups.append(BarGroup(words, bars))
    return groups


def headline(scores: Sequence[Score], level: Level = "trajectory") -> Score | None:
    """The agent's item-averaged score at one level; None where it was not computed."""
    return next(
        (
            s
            for s in scores
            if s.competitor not in BASELINES and s.level == level and s.averaging == "item"
        ),
        None,
    )


def baseline(scores: Sequence[Score], name: str, level: Level = "trajectory") -> Score | None:
    """A baseline's item-averaged score at one level."""
    return next(
        (s for s in scores if (s.competitor, s.level, s.averaging) == (name, level, "item")), None
    )
