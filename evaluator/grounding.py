"""Grounding: which numbers of an agent's insights come from what its trajectory was shown (EVALUATION 5.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from core.evaluation import LEVELS, Level
from core.trajectory import Insight, Trajectory
from evaluator.intervals import cluster_error, share_interval
from evaluator.tracing.altered import altered
from evaluator.tracing.claimed import Claims, NoClaim, claims_in, spellings
from evaluator.tracing.noted import Noted
from evaluator.tracing.tracing import Shown, Traced

__all__ = ["GroundedInsight", "Grounding", "Share", "claims_of", "grounding_of", "share"]

ALL: Final = 1 << 30
"""Beyond every turn."""


@dataclass(frozen=True)
class GroundedInsight:
    """An insight with its numbers."""

    insight_id: str
    level: Level
    turn: int | None
    """None at trajectory level."""
    numbers: tuple[Traced, ...]
    left_out: Mapping[NoClaim, int]
    """Numbers that are no claims, by kind."""

    @property
    def claimed(self) -> int:
        """Numbers that count: observed, derived or not found."""
        return sum(each.is_claim for each in self.numbers)

    @property
    def grounded(self) -> int:
        """Those that were shown or follow in one step."""
        return sum(each.is_grounded for each in self.numbers)

    @property
    def has_untraced(self) -> bool | None:
        """Whether one of its numbers is not found (the proxy of DDR-29); None where none counts."""
        return None if not self.claimed else self.claimed > self.grounded


@dataclass(frozen=True)
class Grounding:
    """A trajectory's insights with their numbers. Derived, never stored."""

    trajectory_id: str
    entity_id: str
    insights: tuple[GroundedInsight, ...]

    def at(self, level: Level) -> tuple[GroundedInsight, ...]:
        """Those of one level."""
        return tuple(each for each in self.insights if each.level == level)


@dataclass(frozen=True)
class Share:
    """A share with what it is out of; its 95 % interval is clustered."""

    value: float | None
    """None where it is out of nothing."""
    low: float | None
    high: float | None
    hits: int
    out_of: int


def grounding_of(trajectory: Trajectory) -> Grounding:
    """Every number of every insight, traced to what was shown up to its turn."""
    return _traced(trajectory, Shown.by(trajectory.turns))


def by_another(trajectory: Trajectory, other: Trajectory) -> Grounding:
    """The same insights, traced to what another trajectory was shown up to the same turns: how much
    of them would be found by chance, or is true of everybody."""
    return _traced(trajectory, Shown.by(other.turns))


def by_altered_figures(trajectory: Trajectory) -> Grounding:
    """The same insights with every figure moved: how much invented ones would be found."""
    return _traced(trajectory, Shown.by(trajectory.turns), alter=True)


def _traced(trajectory: Trajectory, shown: Shown, *, alter: bool = False) -> Grounding:
    found: list[GroundedInsight] = []
    for insight, stated in claims_of(trajectory):
        claims = altered(stated, insight.id) if alter else stated
        turn = insight.turn if insight.level == "message" else None
        traced = shown.trace(claims, until=ALL if turn is None else turn, own=turn)
        if turn is None:
            noted = Noted(number for each in found for number in each.numbers)
            traced = tuple(noted.settle(number) for number in traced)
        found.append(
            GroundedInsight(insight.id, insight.level, insight.turn, traced, claims.left_out)
        )
    return Grounding(trajectory.id, trajectory.entity_id, tuple(found))


def claims_of(
    trajectory: Trajectory, only: Container[int | None] | None = None
) -> Iterator[tuple[Insight, Claims]]:
    """Each insight that is looked at with the numbers that it claims, untraced.

    `only`: those of these turns; None among them stands for the report.
    """
    given = spellings(_task(trajectory))
    for insight in _said(trajectory):
        if only is not None and insight.turn not in only:
            continue
        yield insight, claims_in(insight.text or "", given=given)


def _task(trajectory: Trajectory) -> str:
    """What it was told before its first turn."""
    preamble = trajectory.preamble
    if preamble is None:
        return trajectory.entity_id
    return f"{preamble.start_prompt} {trajectory.entity_id}"


def _said(trajectory: Trajectory) -> Iterable[Insight]:
    """Its insights with a text; of several reports the last."""
    yield from (i for i in trajectory.message_insights if i.text)
    yield from [i for i in trajectory.insights if i.level == "trajectory" and i.text][-1:]


def share(hits: Sequence[bool], clusters: Sequence[Hashable]) -> Share:
    """The share of true ones, with its interval clustered (usually by entity)."""
    if not hits:
        return Share(None, None, None, 0, 0)
    value = sum(hits) / len(hits)
    ends = share_interval(
        value, cluster_error([float(h) for h in hits], clusters), len(set(clusters))
    )
    low, high = ends or (None, None)
    return Share(value, low, high, sum(hits), len(hits))


def grounded_share(
    found: Sequence[Grounding],
    clusters: Mapping[str, str],
    level: Level | None = None,
    *,
    sure: bool = False,
) -> Share:
    """The share of numbers that are grounded, of those that count. `clusters` by entity id.

    `sure`: only those that are found where chance would seldom find them.
    """
    pairs = [
        (
            number.is_sure if sure else number.is_grounded,
            clusters.get(each.entity_id, each.entity_id),
        )
        for each in found
        for insight in each.insights
        if level in (None, insight.level)
        for number in insight.numbers
        if number.is_claim
    ]
    return share([hit for hit, _ in pairs], [cluster for _, cluster in pairs])


def untraced_share(
    found: Sequence[Grounding], clusters: Mapping[str, str], only: Iterable[str] | None = None
) -> Share:
    """The automatic proxy of the hallucination rate (DDR-29): message-wise insights with at least one
    number that is not found, of those with numbers that count. `only`: ids of insights."""
    among = None if only is None else frozenset(only)
    pairs = [
        (insight.has_untraced, clusters.get(each.entity_id, each.entity_id))
        for each in found
        for insight in each.at(LEVELS[0])
        if insight.has_untraced is not None and (among is None or insight.insight_id in among)
    ]
    return share([bool(hit) for hit, _ in pairs], [cluster for _, cluster in pairs])


def states(found: Sequence[Grounding]) -> dict[str, int]:
    """How many numbers are in which state, those that are no claims by their kind too."""
    counted: Counter[str] = Counter()
    for each in found:
        for insight in each.insights:
            counted.update(number.state for number in insight.numbers)
            counted.update(insight.left_out)
    return dict(sorted(counted.items()))
