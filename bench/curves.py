"""Curves: whether a planted logistic is found again, and whether its intervals hold what was planted."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Final

from bench.figures import Bench, Goal, Measured, Probe

if TYPE_CHECKING:
    from analysis.axes import Axis
    from analysis.growth import Growth

REPEATS: Final = 500
"""Runs that are drawn for each plan; the share of intervals that hold is then known to 0.01."""
ITEMS: Final = 7
TURNS: Final = 40


@dataclass(frozen=True)
class Plan:
    """What is planted: P(an item is found by x) = ceiling / (1 + exp(-slope (u - midpoint)))."""

    entities: int
    axis: Axis
    ceiling: float
    slope: float
    midpoint: float
    alike: float
    """How far the items of one entity go together: the correlation of what draws them."""


PLANS: Final = (
    Plan(100, "turn", 0.6, 0.3, 10.0, 0.15),
    Plan(16, "turn", 0.6, 0.3, 10.0, 0.15),
    Plan(100, "cost_usd", 0.5, 2.0, 0.2, 0.3),
)
"""As many entities as the paper's scenarios have, as few as the demo has, and a curve over log dollars."""


def planted(plan: Plan, seed: int) -> Growth:
    """A run whose mean curve is the plan's: items of one entity share a part of their luck.

    Each trajectory goes TURNS turns, so that nothing but chance lies between the curve and the plan.
    """
    import numpy as np
    from scipy.stats import norm

    from analysis.growth import EntityGrowth, Exploration, Growth

    draw = np.random.default_rng(seed)
    shape = (plan.entities, ITEMS)
    shared, own = draw.standard_normal((plan.entities, 1)), draw.standard_normal(shape)
    luck = norm.cdf(np.sqrt(plan.alike) * shared + np.sqrt(1 - plan.alike) * own)
    places = np.asarray(_places(plan))
    away = np.log(places / plan.midpoint) if plan.axis == "cost_usd" else places - plan.midpoint
    by = plan.ceiling / (1 + np.exp(-plan.slope * away))
    when = np.searchsorted(by, luck)
    entities = []
    for number, row in enumerate(when.tolist()):
        found = sorted(float(places[at]) for at in row if at < len(places))
        run = Exploration(end=float(places[-1]), places=tuple(found), first=float(places[0]))
        name = f"e{number:03d}"
        entities.append(EntityGrowth(name, name, ITEMS, (run,)))
    return Growth("planted", plan.axis, tuple(entities))


def _places(plan: Plan) -> list[float]:
    """Where turns end: each one, or dollars that grow by a like factor from turn to turn."""
    if plan.axis == "turn":
        return [float(turn) for turn in range(1, TURNS + 1)]
    low, high = log(plan.midpoint) - 3, log(plan.midpoint) + 2
    fine = 10 * TURNS  # the curve is read between turns too: steps must be small beside it
    return [exp(low + (high - low) * at / (fine - 1)) for at in range(fine)]


def recovered(bench: Bench) -> Mapping[str, Measured]:
    """Fits of many planted runs: how far midpoints are off, and how many intervals hold."""
    from analysis.fits import fit

    held: dict[str, list[bool]] = {}
    errors: list[float] = []
    for number, plan in enumerate(PLANS):
        bench.say(f"fitting {REPEATS} planted curves, {number + 1} of {len(PLANS)} plans")
        truth = {"ceiling": plan.ceiling, "slope": plan.slope, "midpoint": plan.midpoint}
        for seed in range(REPEATS):
            # Plans share no luck: what one misses by chance is not missed by all.
            found = fit(planted(plan, REPEATS * number + seed), seed=seed)
            if isinstance(found, str):
                raise RuntimeError(found)
            for name, value in truth.items():
                of = getattr(found, name)
                holds = of.low is not None and of.high is not None and of.low <= value <= of.high
                held.setdefault(f"{plan.entities} {plan.axis} {name}", []).append(holds)
            if number == 0:
                errors.append(abs(found.midpoint.value / plan.midpoint - 1))
    shares = {name: statistics.fmean(each) for name, each in held.items()}
    told = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
    pooled = statistics.fmean(shares.values())
    worst = sorted(errors)[int(0.95 * len(errors))]
    off = (
        f"19 of 20 midpoints of {PLANS[0].entities} entities are as near or nearer; median "
        f"{statistics.median(errors):.4f}"
    )
    return {
        "midpoint_error": Measured(worst, off),
        "interval_coverage": Measured(pooled, told),
        "interval_coverage_most": Measured(pooled, told),
    }


PROBES = (
    Probe(
        (
            Goal("midpoint_error", 0.10, "ratio", "lower"),
            Goal("interval_coverage", 0.93, "share", "higher"),
            Goal("interval_coverage_most", 0.97, "share", "lower"),
        ),
        recovered,
    ),
)
