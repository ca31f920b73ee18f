"""Shapes that a curve may have, and least squares for many curves of one shape at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_ROUNDS: Final = 60
_STEADY: Final = 1e-8
_FIRST_DAMPING: Final = 1e-3
_FARTHEST: Final = 60.0
"""Of an exponent: beyond it a share is 0 or 1 to the last digit."""
_HALF: Final = 0.36651292058166435
"""-log(log 2): where a Gompertz curve is at half of its ceiling, in units of its slope, negated."""


@dataclass(frozen=True)
class Shape:
    """A function of x with free parameters, all of them without bounds."""

    name: str
    parameters: int
    at: Callable[[Array, Array], tuple[Array, Array]]
    """(x of length K, parameters B x P) -> values B x K, derivatives B x K x P."""


def logistic(x: Array, theta: Array) -> tuple[Array, Array]:
    """ceiling / (1 + exp(-slope (x - midpoint))); parameters: logit ceiling, log slope, midpoint."""
    import numpy as np

    ceiling, slope, away = _spread(x, theta)
    share = 1 / (1 + np.exp(-np.clip(slope * away, -_FARTHEST, _FARTHEST)))
    value = ceiling * share
    rise = value * (1 - share) * slope
    parts = ((1 - ceiling) * value, rise * away, -rise)
    return value, np.stack(parts, axis=-1)


def gompertz(x: Array, theta: Array) -> tuple[Array, Array]:
    """ceiling * exp(-log 2 * exp(-slope (x - midpoint))): half of the ceiling at the midpoint too."""
    import numpy as np

    ceiling, slope, away = _spread(x, theta)
    inner = np.exp(-np.clip(slope * away + _HALF, -_FARTHEST, _FARTHEST))
    share = np.exp(-inner)
    value = ceiling * share
    rise = value * inner * slope
    parts = ((1 - ceiling) * value, rise * away, -rise)
    return value, np.stack(parts, axis=-1)


def linear(x: Array, theta: Array) -> tuple[Array, Array]:
    """a + b x; over log x it is the logarithmic curve."""
    import numpy as np

    value = theta[:, :1] + theta[:, 1:2] * x
    ones = np.ones_like(value)
    return value, np.stack((ones, ones * x), axis=-1)


LOGISTIC: Final = Shape("logistic", 3, logistic)
GOMPERTZ: Final = Shape("gompertz", 3, gompertz)
LOG: Final = Shape("log", 2, linear)


def _spread(x: Array, theta: Array) -> tuple[Array, Array, Array]:
    import numpy as np

    bounded = np.clip(theta, [-_FARTHEST, -_FARTHEST, -np.inf], [_FARTHEST, _FARTHEST, np.inf])
    ceiling = 1 / (1 + np.exp(-bounded[:, :1]))
    return ceiling, np.exp(bounded[:, 1:2]), x - bounded[:, 2:3]


def least_squares(shape: Shape, x: Array, curves: Array, start: Array) -> Array:
    """The parameters (B x P) nearest to each of B curves, by Levenberg and Marquardt's steps.

    All curves step together, which is a hundred times quicker than one after the other. `start` has P
    values, or P for each curve.
    """
    import numpy as np

    theta = np.array(np.broadcast_to(start, (len(curves), shape.parameters)), dtype=float)
    damping = np.full(len(curves), _FIRST_DAMPING)
    value, slope = shape.at(x, theta)
    rest = curves - value
    loss = (rest**2).sum(axis=1)
    for _ in range(_ROUNDS):
        square = np.einsum("bki,bkj->bij", slope, slope)
        pull = np.einsum("bki,bk->bi", slope, rest)
        ridge = np.einsum("bii->bi", square) + 1e-12
        held = square + (damping[:, None] * ridge)[:, :, None] * np.eye(shape.parameters)
        step = np.linalg.solve(held, pull[:, :, None])[:, :, 0]
        tried = theta + step
        value, fresh = shape.at(x, tried)
        left = curves - value
        after = (left**2).sum(axis=1)
        better = after < loss
        theta[better], slope[better], rest[better] = tried[better], fresh[better], left[better]
        loss = np.where(better, after, loss)
        damping = np.clip(np.where(better, damping / 5, damping * 4), 1e-12, 1e12)
        if bool(np.all(np.abs(step) <= _STEADY * (1 + np.abs(theta)))):
            break
    return theta


def influence(shape: Shape, x: Array, theta: Array, rows: Array) -> Array:
    """B x P x G: how far each of G rows pulls each parameter of B fits (to a mean of rows).

    The first-order effect of a row on a least-squares fit to the mean, but for a constant.
    """
    import numpy as np

    _, slope = shape.at(x, theta)
    square = np.einsum("bki,bkj->bij", slope, slope)
    project = np.einsum("bij,bkj->bik", np.linalg.pinv(square, hermitian=True), slope)
    return np.asarray(project @ rows.T)
