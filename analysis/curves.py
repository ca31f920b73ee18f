"""All that is told of one run along one axis, read off its growth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.area import Area, area
from analysis.discovery import ActivePoint, among_active
from analysis.fits import REFITS, Fit, fit
from analysis.growth import Growth
from analysis.marginal import Marginal, budgets, by_window
from analysis.rivals import Rival, rivals
from analysis.scaling import as_run
from core.evaluation import Curve


@dataclass(frozen=True)
class Curves:
    """One competitor's."""

    run_id: str
    growth: Growth
    curve: Curve
    """As run, at every place where it rises."""
    table: Curve
    """The same at the budgets of a table."""
    active: tuple[ActivePoint, ...]
    """At the same budgets."""
    fit: Fit | str
    """A text says why there is none."""
    rivals: tuple[Rival, ...]
    area: Area | None
    marginal: tuple[Marginal, ...]

    @property
    def name(self) -> str:
        """The competitor."""
        return self.growth.competitor


def read_off(
    grown: Growth,
    run_id: str,
    *,
    over: tuple[float, float] | None,
    at: Sequence[float] | None = None,
    seed: int = 0,
    refits: int = REFITS,
) -> Curves:
    """`over`: the range of the area, the same for all competitors; `at`: the budgets of the table."""
    places = budgets(grown) if at is None else list(at)
    return Curves(
        run_id=run_id,
        growth=grown,
        curve=as_run(grown, seed=seed),
        table=as_run(grown, places, seed=seed),
        active=among_active(grown, places, seed=seed),
        fit=fit(grown, seed=seed, refits=refits),
        rivals=rivals(grown, seed=seed),
        area=area(grown, *over, seed=seed) if over else None,
        marginal=by_window(grown),
    )
