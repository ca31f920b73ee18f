"""Hold the logistic against the logarithmic and the Gompertz curve, on entities that neither has seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from analysis.fits import LEAST_ENTITIES, Estimate, Sampled, nearest, sampled
from analysis.growth import Growth
from analysis.shapes import GOMPERTZ, LOG, LOGISTIC, Shape, least_squares

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

FOLDS: Final = 10


@dataclass(frozen=True)
class Rival:
    """One shape and how well it does."""

    name: str
    rmse: float
    """Between the curve and the shape fitted to it."""
    worse: Estimate | None
    """Mean squared error on entities that were not fitted, minus the logistic's: above 0 the logistic
    is nearer. None for the logistic itself, and where entities are too few."""

    @property
    def ruling(self) -> str:
        """What the interval says."""
        if self.worse is None or self.worse.low is None or self.worse.high is None:
            return "not tested"
        if self.worse.low > 0:
            return "the logistic is nearer"
        return "it is nearer than the logistic" if self.worse.high < 0 else "neither is nearer"


def rivals(grown: Growth, *, seed: int = 0) -> tuple[Rival, ...]:
    """Logistic, Gompertz and log; () where there is nothing to fit.

    Each shape is fitted ten times to the mean curve of nine tenths of the clusters, and held against
    every entity of the tenth left out. The points of one curve hang together, so that no criterion
    which counts them as observations (AICc) would be right; entities do not. The interval of the
    difference is Student's t over clusters.
    """
    data = sampled(grown)
    if isinstance(data, str):
        return ()
    losses = {shape.name: _losses(data, shape, seed) for shape in (LOGISTIC, GOMPERTZ, LOG)}
    return tuple(
        Rival(
            shape.name,
            _rmse(data, shape),
            None if shape is LOGISTIC else _worse(data, losses[shape.name], losses["logistic"]),
        )
        for shape in (LOGISTIC, GOMPERTZ, LOG)
    )


def _x(data: Sampled, shape: Shape) -> Array:
    import numpy as np

    return np.log(data.x) if shape is LOG and not data.is_log else data.x


def _rmse(data: Sampled, shape: Shape) -> float:
    import numpy as np

    x = _x(data, shape)
    theta = nearest(shape, x, data.mean)
    if theta is None:
        return float("nan")
    return float(np.sqrt(((shape.at(x, theta[None])[0][0] - data.mean) ** 2).mean()))


def _losses(data: Sampled, shape: Shape, seed: int) -> Array | None:
    """Per entity, its mean squared distance from the fit to other clusters; None where none is."""
    import numpy as np

    names = list(dict.fromkeys(data.clusters))
    if len(names) < LEAST_ENTITIES:
        return None
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of = {names[at]: place % FOLDS for place, at in enumerate(order.tolist())}
    folds = np.asarray([fold_of[name] for name in data.clusters])
    used = np.unique(folds)
    means = np.stack([data.rows[folds != fold].mean(axis=0) for fold in used])
    x = _x(data, shape)
    theta = nearest(shape, x, data.mean)
    if theta is None:
        return None
    fitted, _ = shape.at(x, least_squares(shape, x, means, theta))
    by_row = fitted[np.searchsorted(used, folds)]
    return np.asarray(((data.rows - by_row) ** 2).mean(axis=1))


def _worse(data: Sampled, mine: Array | None, logistic: Array | None) -> Estimate | None:
    if mine is None or logistic is None:
        return None
    return _clustered((mine - logistic).tolist(), data.clusters)


def _clustered(values: Sequence[float], clusters: Sequence[str]) -> Estimate:
    """The mean with Student's t interval over clusters (EVALUATION 4.2)."""
    import numpy as np
    from scipy.stats import t

    from analysis.statistics import membership

    table = np.asarray(values)
    mean = float(table.mean())
    member = membership(clusters)
    groups = len(member)
    away = (member @ (table - mean)) ** 2
    error = float(np.sqrt(groups / (groups - 1) * away.sum()) / len(table))
    reach = float(t.ppf(0.975, groups - 1)) * error
    return Estimate(mean, mean - reach, mean + reach)
