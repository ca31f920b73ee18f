"""What a run that was really held to a limit came to, beside what a longer one had found by there.

A point of a curve is a post-hoc threshold: the agent knew of no budget. A run of the same agent with
that limit is the experiment which the threshold only imagines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis.axes import Axis
from analysis.growth import Growth
from analysis.statistics import cluster_bootstrap, interval
from core.run import RunSpec
from server.curves import RunCurves

LIMITS: Final[Mapping[Axis, str]] = {
    "turn": "max_turns",
    "billed_tokens": "max_tokens",
    "cost_usd": "max_cost_usd",
    "seconds": "max_seconds",
}
"""The limit of a run that ends it along an axis; calls and new tokens have none."""


@dataclass(frozen=True)
class Rerun:
    """A real run beside the threshold of another."""

    run_id: str
    beside: str
    """The longer run whose curve is read at the limit."""
    limit: float
    announced: bool
    """Whether the agent of the real run was told what is left of its budget."""
    entities: int
    """That both explored; both figures are over these."""
    real: float
    """What it found, with a turn."""
    threshold: float
    """What the longer run had found by there."""
    low: float | None
    high: float | None
    """95 % interval of real - threshold, paired by entity."""


def limit_of(spec: RunSpec, axis: Axis) -> float | None:
    """What ends the run along an axis; None = nothing."""
    name = LIMITS.get(axis)
    value = getattr(spec.limits, name) if name else None
    return None if value is None else float(value)


def is_rerun(short: RunSpec, long: RunSpec, axis: Axis) -> bool:
    """Whether one is the other again under a lower limit on this axis, all else being alike."""
    limit, other = limit_of(short, axis), limit_of(long, axis)
    if short.id == long.id or limit is None or (other is not None and other <= limit):
        return False
    return _kind(short) == _kind(long)


def reruns(found: Sequence[RunCurves], axis: Axis, *, seed: int = 0) -> tuple[Rerun, ...]:
    """Each pair among these runs of which one is the other under a lower limit."""
    return tuple(
        _beside(short, long, axis, seed)
        for long in found
        for short in found
        if is_rerun(short.spec, long.spec, axis)
        if _shared(short, long, axis)
    )


def _beside(short: RunCurves, long: RunCurves, axis: Axis, seed: int) -> Rerun:
    limit = limit_of(short.spec, axis)
    assert limit is not None
    both = _shared(short, long, axis)
    one, other = _only(short.growths[axis], both), _only(long.growths[axis], both)
    mine = [row[0] for row in one.rows([max(one.last, limit)])]
    theirs = [row[0] for row in other.rows([limit])]
    low = high = None
    if len(set(one.clusters)) > 1:
        apart = [[a - b] for a, b in zip(mine, theirs, strict=True)]
        lows, highs = interval(cluster_bootstrap(apart, one.clusters, seed=seed))
        low, high = lows[0], highs[0]
    return Rerun(
        run_id=short.spec.id,
        beside=long.spec.id,
        limit=limit,
        announced=short.spec.announced_budget,
        entities=len(both),
        real=sum(mine) / len(mine),
        threshold=sum(theirs) / len(theirs),
        low=low,
        high=high,
    )


def _shared(one: RunCurves, other: RunCurves, axis: Axis) -> frozenset[str]:
    """Entities of which both have a trajectory on the axis."""
    mine, theirs = (
        frozenset(e.id for e in each.growths[axis].entities if e.explorations)
        for each in (one, other)
    )
    return mine & theirs


def _only(grown: Growth, entities: frozenset[str]) -> Growth:
    kept = sorted((e for e in grown.entities if e.id in entities), key=lambda e: e.id)
    return replace(grown, entities=tuple(kept))


def _kind(spec: RunSpec) -> tuple[object, ...]:
    """What makes two runs the same experiment but for limits and what is told of them."""
    return (
        spec.scenario_id,
        spec.scenario_fingerprint,
        spec.agent,
        spec.agent_class,
        spec.model,
        spec.tools,
        spec.protocol,
        spec.goal,
        spec.insight_model,
        spec.insights,
    )
