"""Which insights are novel: those that no item of an evaluation used (DDR-13)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.evaluation import Verdict
from core.trajectory import Insight, Trajectory


@dataclass(frozen=True)
class Novelty:
    """Of one trajectory."""

    insights: tuple[Insight, ...]
    """The novel ones, in order of turns; each has a text."""
    handed_in: int
    """Message-wise insights with a text."""

    @property
    def used(self) -> int:
        """By some item."""
        return self.handed_in - len(self.insights)


def novel(trajectory: Trajectory, verdicts: Iterable[Verdict]) -> Novelty:
    """The message-wise insights that no verdict used, neither for its item nor against it.

    A verdict names turns. Where a turn has one insight, that is the one used. Where it has several,
    those are used in which the quote stands that decided the verdict; where it stands in none of
    them, nobody knows which was meant, and all of that turn are used. Verdicts on other trajectories and
    on reports say nothing here, nor do those without a label.
    """
    said = [i for i in trajectory.message_insights if i.text and i.text.strip()]
    by_turn: dict[int | None, list[Insight]] = {}
    for insight in said:
        by_turn.setdefault(insight.turn, []).append(insight)
    used: set[str] = set()
    for verdict in verdicts:
        if (
            verdict.trajectory_id != trajectory.id
            or verdict.level != "message"
            or verdict.label is None
        ):
            continue
        for turn in {*verdict.supporting_turns, *verdict.contradicting_turns}:
            used |= {insight.id for insight in _meant(by_turn.get(turn, []), verdict.evidence)}
    return Novelty(tuple(i for i in said if i.id not in used), len(said))


def _meant(insights: list[Insight], quote: str | None) -> list[Insight]:
    """Which insights of one turn a verdict that cites it used."""
    if len(insights) < 2 or not quote:
        return insights
    quoted = [each for each in insights if quote in (each.text or "")]
    return quoted or insights
