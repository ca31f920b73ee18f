"""How accuracy grows along an axis, read from one judging pass (DDR-11, DDR-12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from analysis.attempts import latest_attempts
from analysis.axes import Axis, trail
from analysis.growth import POINTS, Growth, finds, growth
from analysis.statistics import DRAWS, cluster_bootstrap, interval
from core.checklist import ChecklistItem
from core.evaluation import Curve, CurvePoint, Verdict
from core.trajectory import Trajectory

__all__ = [
    "LABEL",
    "POINTS",
    "Axis",
    "accuracy_by_turn",
    "as_run",
    "ends",
    "undated_share",
    "value_at",
]

LABEL = "post-hoc threshold"
"""A point at turn k says what had been found by turn k of runs that knew of no budget. An agent
that is told a budget behaves otherwise, so this is not what a run of k turns would reach."""


def as_run(
    grown: Growth, xs: Sequence[float] | None = None, *, seed: int = 0, draws: int = DRAWS
) -> Curve:
    """The mean over entities of each one's share of items found, at each of xs; flat after a stop.

    Entities weigh alike; the trials of one entity are averaged first. The 95 % band resamples
    entities, or the clusters that they are put in; one cluster has no band. The points' n is the
    trajectories that the curve rests on. Without `xs` it is read wherever it rises.
    """
    places = grown.grid() if xs is None else [float(x) for x in xs]
    empty = Curve(competitor=grown.competitor, axis=grown.axis, source=grown.source, points=())
    if not grown.entities or not places or not grown.last:
        return empty
    rows = grown.rows(places)
    lows: Sequence[float | None] = [None] * len(places)
    highs: Sequence[float | None] = [None] * len(places)
    if len(set(grown.clusters)) > 1 and draws:
        lows, highs = interval(cluster_bootstrap(rows, grown.clusters, seed=seed, draws=draws))
    count = len(grown.explorations)
    points = tuple(
        CurvePoint(x=x, value=sum(column) / len(rows), low=low, high=high, n=count)
        for x, column, low, high in zip(places, zip(*rows, strict=True), lows, highs, strict=True)
    )
    return empty.model_copy(update={"points": points})


def accuracy_by_turn(
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
    *,
    clusters: Mapping[str, str] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    axis: Axis = "turn",
) -> Curve:
    """Cumulative accuracy of message-wise insights along whole trajectories, by turn or another axis.

    An item counts from its discovery, the first turn that supports it, and stays; so the curve
    holds its value after a trajectory stops (DDR-11, EVALUATION 4.4, as-run: the denominator is
    all items, unscored ones included). By `calls` it counts from the last call of that turn: an agent
    from outside may make many calls at once, and all of them are one turn. Superseded attempts are
    left out. Items that are supported without a turn are not in the curve: `undated_share` has them.
    """
    runs = latest_attempts(trajectories)
    grown = growth(
        items,
        [trail(run) for run in runs],
        finds(verdicts),
        axis,
        competitor=_competitor(runs),
        clusters=clusters,
    )
    return as_run(grown, seed=seed, draws=draws)


def undated_share(
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
) -> float:
    """The share of items whose message-wise support names no turn, averaged as the curve is.

    The curve's last value and this share add up to the sample-averaged strict accuracy.
    """
    trails = [trail(run) for run in latest_attempts(trajectories)]
    return growth(items, trails, finds(verdicts), "turn").undated_share


def value_at(curve: Curve, x: float) -> float | None:
    """The curve's height at x: that of the last point not beyond it, 0 before the first.

    None where the curve has no points.
    """
    if not curve.points:
        return None
    reached = [point for point in curve.points if point.x <= x]
    return reached[-1].value if reached else 0.0


def ends(trajectories: Sequence[Trajectory], axis: Literal["turn", "calls"] = "turn") -> list[int]:
    """Where on the axis each trajectory stopped; 0 for one without a turn. For turns and calls."""
    if axis == "turn":
        return [max((turn.index for turn in each.turns), default=0) for each in trajectories]
    return [each.tool_calls for each in trajectories]


def _competitor(runs: Sequence[Trajectory]) -> str:
    """The model's name where there is one, else the agent's; '' of no runs."""
    return (runs[0].model or runs[0].agent) if runs else ""
