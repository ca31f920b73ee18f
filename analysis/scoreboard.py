"""Set an agent's scores beside those of the baselines that read no data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.figures import Bar, BarGroup
from core.evaluation import Level, Score

BASELINES = {
    "shuffled_entity": "another {noun}'s",
    "generic": "generic text",
    "blank": "no text",
    "population": "what is so of others",
    "constant": "a constant answer",
    "closed_book": "the model unseeing",
}
"""Competitors that stand for what a score is worth, and how charts call them."""
ALWAYS = ("shuffled_entity", "generic", "blank")
"""Those that have their place in the table even where they were not judged."""
LEVELS: dict[Level, str] = {
    "message": "Insights turn by turn (message-wise)",
    "trajectory": "Final report (trajectory-wise)",
}


@dataclass(frozen=True)
class ScoreRow:
    """One of the four accuracies (DDR-09) with the baselines' beside it."""

    level: str
    averaging: str
    own: Score
    baselines: tuple[Score | None, ...]
    """In the order of Scoreboard.names; None = not computed."""


@dataclass(frozen=True)
class Scoreboard:
    """A run's scores as a report asks for them."""

    scores: Sequence[Score]
    noun: str
    nouns: str

    @property
    def names(self) -> tuple[str, ...]:
        """The baselines that have a place: three always, the others where they were judged."""
        judged = {score.competitor for score in self.scores}
        return tuple(name for name in BASELINES if name in ALWAYS or name in judged)

    @property
    def words(self) -> tuple[str, ...]:
        """How the baselines are called."""
        return tuple(BASELINES[name].format(noun=self.noun) for name in self.names)

    def own(self, level: Level = "trajectory", averaging: str = "item") -> Score | None:
        """The agent's score; None where it was not computed."""
        mine = (s for s in self.scores if s.competitor not in BASELINES)
        return next((s for s in mine if (s.level, s.averaging) == (level, averaging)), None)

    def baseline(
        self, name: str, level: Level = "trajectory", averaging: str = "item"
    ) -> Score | None:
        """A baseline's score; None where it was not computed."""
        mine = (s for s in self.scores if s.competitor == name)
        return next((s for s in mine if (s.level, s.averaging) == (level, averaging)), None)

    def rows(self) -> list[ScoreRow]:
        """The agent's four accuracies, levels outside and averagings inside."""
        averagings = {"item": "over items", "sample": f"over {self.nouns}"}
        return [
            ScoreRow(words, how, own, tuple(self.baseline(b, level, averaging) for b in self.names))
            for level, words in LEVELS.items()
            for averaging, how in averagings.items()
            if (own := self.own(level, averaging))
        ]

    def missing(self) -> list[tuple[str, str]]:
        """(level, reason) of each missing headline, once where both averagings give the same."""
        told = (
            (row.level, row.own.headline_reason)
            for row in self.rows()
            if row.own.headline is None and row.own.headline_reason
        )
        return list(dict.fromkeys(told))

    def bars(self, name: str | None = None) -> list[BarGroup]:
        """The item-averaged strict scores of agent and baselines, one group per level.

        `name` is how the agent is called; None = as in its scores.
        """
        groups = []
        for level, words in LEVELS.items():
            own = self.own(level)
            others = [
                _bar(called, score, baseline=True)
                for name, called in zip(self.names, self.words, strict=True)
                if (score := self.baseline(name, level))
            ]
            if own:
                first = _bar(name or own.competitor, own)
                groups.append(BarGroup(words, (first, *others)))
        return groups


def _bar(called: str, score: Score, *, baseline: bool = False) -> Bar:
    return Bar(
        called,
        score.strict,
        score.low,
        score.high,
        baseline=baseline,
        is_least=score.headline is None,
    )
