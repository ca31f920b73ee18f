"""How fast runs find that are still active, and what all would find if none stopped (EVALUATION 4.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from analysis.growth import EntityGrowth, Growth
from analysis.statistics import cluster_draws, interval, membership

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

WARNING: Final = (
    "stopping is informative: agents stop when they think that there is nothing more to find, so "
    "those still active differ from those that stopped, and this curve says more than any run showed"
)
_DRAWS: Final = 500


@dataclass(frozen=True)
class ActivePoint:
    """At one place of the axis."""

    x: float
    active: int
    """Trajectories that go at least as far."""
    hazard: float | None
    """Of the items that active ones had not found, the share found since the point before; None
    where nobody was active."""
    found: float | None
    """1 - Kaplan and Meier's survival; None beyond the last active trajectory."""
    low: float | None = None
    high: float | None = None


def among_active(
    grown: Growth, xs: Sequence[float], *, seed: int = 0, draws: int = _DRAWS
) -> tuple[ActivePoint, ...]:
    """Discovery among the runs still active, at each of xs in rising order.

    Each (item, trajectory) is at risk until it is found, or until the trajectory stops: a stop says
    nothing of what was still to be found. Entities weigh alike, each item of each trial of an entity
    alike in it, so that without stops the curve is the as-run curve. What is supported without a turn
    counts as not found. Bands resample clusters. () for reported totals, which have no places.
    """
    import numpy as np

    if grown.source == "reported" or not grown.entities:
        return ()
    events = sorted({place for each in grown.explorations for place in each.places})
    found, at_risk = _counts(grown.entities, events)
    ends = np.sort([each.end for each in grown.explorations])
    active = [int(len(ends) - np.searchsorted(ends, x, side="left")) for x in xs]
    rise = _curves(found.sum(axis=0)[None], at_risk.sum(axis=0)[None])[0]
    lows, highs = _band(grown, found, at_risk, seed, draws)
    reach = float(ends[-1]) if len(ends) else 0.0
    points, before = [], 0
    for x, count in zip(xs, active, strict=True):
        upto = int(np.searchsorted(events, x, side="right"))
        seen = x <= reach
        points.append(
            ActivePoint(
                x=x,
                active=count,
                hazard=_hazard(found, at_risk, before, upto) if count else None,
                found=(float(rise[upto - 1]) if upto else 0.0) if seen else None,
                low=lows[upto - 1] if lows and upto and seen else None,
                high=highs[upto - 1] if highs and upto and seen else None,
            )
        )
        before = upto
    return tuple(points)


def _counts(entities: Sequence[EntityGrowth], events: Sequence[float]) -> tuple[Array, Array]:
    """(found at each event, at risk just before it), entities x events, in shares of the entity."""
    import numpy as np

    found = np.zeros((len(entities), len(events)))
    at_risk = np.zeros_like(found)
    where = np.asarray(events)
    for row, entity in enumerate(entities):
        for run in entity.explorations:
            earlier = np.searchsorted(run.places, where, side="left")
            at_risk[row] += np.where(where <= run.end, entity.items - earlier, 0)
            for place, count in Counter(run.places).items():
                found[row, int(np.searchsorted(where, place))] += count
        found[row] /= entity.chances
        at_risk[row] /= entity.chances
    return found, at_risk


def _curves(found: Array, at_risk: Array) -> Array:
    """1 - product of (1 - found / at risk), along the events."""
    import numpy as np

    left = 1 - np.divide(found, at_risk, out=np.zeros_like(found), where=at_risk > 0)
    return np.asarray(1 - np.cumprod(left.clip(0, 1), axis=1))


def _hazard(found: Array, at_risk: Array, first: int, past: int) -> float:
    """Of what was at risk when the stretch began, or came to be, the share found in it."""
    if past <= first:
        return 0.0
    stretch = _curves(
        found[:, first:past].sum(axis=0)[None], at_risk[:, first:past].sum(axis=0)[None]
    )
    return float(stretch[0, -1])


def _band(
    grown: Growth, found: Array, at_risk: Array, seed: int, draws: int
) -> tuple[list[float], list[float]]:
    if len(set(grown.clusters)) < 2 or not found.shape[1] or not draws:
        return [], []
    member = membership(grown.clusters)
    drawn = cluster_draws(len(member), seed=seed, draws=draws)
    return interval(_curves(drawn @ (member @ found), drawn @ (member @ at_risk)))
