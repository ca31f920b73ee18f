"""How accuracy grows turn by turn, read from one judging pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from analysis.attempts import latest_attempts
from analysis.statistics import DRAWS, cluster_bootstrap, interval
from core.checklist import ChecklistItem
from core.evaluation import Curve, CurvePoint, Verdict
from core.trajectory import Trajectory

LABEL = "post-hoc threshold"
"""A point at turn k says what had been found by turn k of runs that knew of no budget. An agent
that is told a budget behaves otherwise, so this is not what a run of k turns would reach."""


def accuracy_by_turn(
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
    *,
    clusters: Mapping[str, str] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> Curve:
    """Cumulative accuracy of message-wise insights at each turn from 1 to the longest run's last.

    An item counts from its discovery, the first turn that supports it, and stays; so the curve
    holds its value after a trajectory stops (DDR-11, EVALUATION 4.4, as-run: the denominator is
    all items, unscored ones included). Entities weigh alike; the trials of one entity are
    averaged first. The 95 % band resamples entities, or the clusters that `clusters` (entity id
    to cluster) puts them in; one cluster has no band. Superseded attempts are left out. Items
    that are supported without a turn are not in the curve: `undated_share` has them.
    """
    runs = latest_attempts(trajectories)
    discovered = {
        (v.trajectory_id, v.item_id): v.found_at_turn for v in verdicts if v.level == "message"
    }
    dated = {key: turn for key, turn in discovered.items() if turn is not None}
    last = max([turn.index for run in runs for turn in run.turns] + list(dated.values()), default=0)
    competitor = _competitor(runs)
    rows = {
        entity: _rise(own, _ids(runs, entity), dated, last)
        for entity, own in _by_entity(items).items()
    }
    if not rows or not last:
        return Curve(competitor=competitor, axis="turn", points=())
    names = [(clusters or {}).get(entity, entity) for entity in rows]
    lows: Sequence[float | None] = [None] * last
    highs: Sequence[float | None] = [None] * last
    if len(set(names)) > 1:
        sampled = cluster_bootstrap(list(rows.values()), names, seed=seed, draws=draws)
        lows, highs = interval(sampled)
    points = tuple(
        CurvePoint(
            x=k + 1,
            value=sum(row[k] for row in rows.values()) / len(rows),
            low=lows[k],
            high=highs[k],
            n=len(runs),
        )
        for k in range(last)
    )
    return Curve(competitor=competitor, axis="turn", points=points)


def undated_share(
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
) -> float:
    """The share of items whose message-wise support names no turn, averaged as the curve is.

    The curve's last value and this share add up to the sample-averaged strict accuracy.
    """
    runs = latest_attempts(trajectories)
    undated = {
        (v.trajectory_id, v.item_id): 1
        for v in verdicts
        if v.level == "message" and v.label == "supported" and v.found_at_turn is None
    }
    shares = [
        _rise(own, _ids(runs, entity), undated, 1)[0] for entity, own in _by_entity(items).items()
    ]
    return sum(shares) / len(shares) if shares else 0.0


def value_at(curve: Curve, x: float) -> float | None:
    """The curve's height at x: that of the last point not beyond it, 0 before the first.

    None where the curve has no points.
    """
    if not curve.points:
        return None
    reached = [point for point in curve.points if point.x <= x]
    return reached[-1].value if reached else 0.0


def _rise(
    item_ids: Sequence[str],
    trajectory_ids: Sequence[str],
    found: Mapping[tuple[str, str], int],
    last: int,
) -> list[float]:
    """One entity's accuracy at turns 1..last; 0 throughout where it was never run."""
    steps = [0] * (last + 1)
    for trajectory in trajectory_ids:
        for item in item_ids:
            if turn := found.get((trajectory, item)):
                steps[turn] += 1
    total = len(item_ids) * max(len(trajectory_ids), 1)
    risen, heights = 0, []
    for count in steps[1:]:
        risen += count
        heights.append(risen / total)
    return heights


def _ids(runs: Sequence[Trajectory], entity_id: str) -> list[str]:
    return [run.id for run in runs if run.entity_id == entity_id]


def _by_entity(items: Sequence[ChecklistItem]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = defaultdict(list)
    for item in items:
        grouped[item.entity_id].append(item.id)
    return dict(grouped)


def _competitor(runs: Sequence[Trajectory]) -> str:
    """The model's name where there is one, else the agent's; '' of no runs."""
    return (runs[0].model or runs[0].agent) if runs else ""
