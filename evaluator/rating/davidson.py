"""Davidson's model of games with ties, by Newton's method, many data sets at once.

P(i wins) ~ e^ti, P(j wins) ~ e^tj, P(tie) ~ nu e^((ti+tj)/2) (Davidson 1970); whoever is shown first
has e^delta more (Davidson and Beaver 1977). Without ties, or with each of them counted as half a win for
either, it is the model of Bradley and Terry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evaluator.rating.tally import LOST, TIED, WON

if TYPE_CHECKING:
    from evaluator.rating.tally import Floats, Ints

STEPS: Final = 200
LONGEST: Final = 2.0
"""Of a step, in natural-log units: from afar Newton's own may leave for good."""
TOGETHER: Final = 64
"""Data sets at a time: what is computed of them stays in the processor's cache."""
_NEVER_SINGULAR: Final = 1e-12


@dataclass(frozen=True)
class Fits:
    """Of B data sets with K competitors."""

    strengths: Floats
    """(B, K), natural-log units; the mean of each group is 0."""
    log_nu: Floats | None
    """(B,); None in a model without ties."""
    delta: Floats | None
    """(B,); None in a model without order."""

    def part(self, first: int, end: int) -> Fits:
        """Some of the data sets; one that stands for all stays."""
        some = slice(first, end) if len(self.strengths) > 1 else slice(None)
        return Fits(
            self.strengths[some],
            None if self.log_nu is None else self.log_nu[some],
            None if self.delta is None else self.delta[some],
        )

    @staticmethod
    def joined(parts: Sequence[Fits]) -> Fits:
        """One behind the other."""
        import numpy as np

        def whole(found: Sequence[Floats | None]) -> Floats | None:
            known = [each for each in found if each is not None]
            return np.concatenate(known) if known else None

        return Fits(
            np.concatenate([each.strengths for each in parts]),
            whole([each.log_nu for each in parts]),
            whole([each.delta for each in parts]),
        )


def fit(
    counts: Floats,
    pairs: tuple[Ints, Ints],
    groups: Ints,
    *,
    ties: bool,
    order: bool,
    ridge: Floats,
    nu_ridge: float = 0.0,
    delta_ridge: float = 0.0,
    tolerance: float = 1e-10,
    start: Fits | None = None,
) -> Fits:
    """The likeliest strengths.

    `counts` (B, S, P, 3) as in Tally; without S = 3 nobody was shown first. `groups` (K,): who is on whose scale,
    numbered from 0. `ridge` (K,): of each strength's square, half of it is taken from the log-likelihood;
    0 where games go all round, else the strength would leave for infinity. Raises ValueError where it
    does not settle.
    """
    import numpy as np

    if len(counts) > TOGETHER:
        parts = [
            fit(
                counts[at : at + TOGETHER],
                pairs,
                groups,
                ties=ties,
                order=order,
                ridge=ridge,
                nu_ridge=nu_ridge,
                delta_ridge=delta_ridge,
                tolerance=tolerance,
                start=None if start is None else start.part(at, at + TOGETHER),
            )
            for at in range(0, len(counts), TOGETHER)
        ]
        return Fits.joined(parts)
    games = _Games(counts, pairs, groups, ties=ties, order=order)
    point = games.start(start)
    penalty = np.concatenate([ridge, [nu_ridge] if ties else [], [delta_ridge] if order else []])
    diagonal = np.arange(len(penalty))
    for _ in range(STEPS):
        gradient, bend = games.slopes(point)
        gradient -= penalty * point
        bend[:, diagonal, diagonal] += penalty + _NEVER_SINGULAR
        step = np.linalg.solve(bend, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True, initial=_NEVER_SINGULAR)
        point += step * np.minimum(1.0, LONGEST / longest)
        if longest.max(initial=0.0) < tolerance:
            return games.named(point)
    raise ValueError(f"no strengths settle within {STEPS} steps")


class _Games:
    """The log-likelihood of B data sets, as a function of points (B, W): strengths, log nu, delta."""

    def __init__(
        self, counts: Floats, pairs: tuple[Ints, Ints], groups: Ints, *, ties: bool, order: bool
    ) -> None:
        import numpy as np

        counts = counts if order else counts.sum(axis=1, keepdims=True)
        won, lost, tied = counts[..., WON], counts[..., LOST], counts[..., TIED]
        if not ties:
            won, lost = won + tied / 2, lost + tied / 2
        self._tied, self._games = tied, won + lost + (tied if ties else 0.0)
        self._lead = won - lost
        self._one, self._other = pairs
        self._groups, self._size = groups, len(groups)
        self._nu = self._size if ties else None
        self._delta = self._size + ties if order else None
        self._width = self._size + ties + order
        self._sign = np.array([0.0, 1.0, -1.0])[: counts.shape[1], None]
        places = np.arange(len(self._one))
        self._facing = np.zeros((len(places), self._size))
        self._facing[places, self._one], self._facing[places, self._other] = 1.0, -1.0
        # One group's strengths may all move together: held by these, which change no optimum.
        self._held = (groups[:, None] == groups[None]).astype(float)

    def start(self, fits: Fits | None) -> Floats:
        """Where to begin: at equality, or at what is known."""
        import numpy as np

        point = np.zeros((len(self._games), self._width))
        if fits is not None:
            point[:, : self._size] = fits.strengths
            for at, value in ((self._nu, fits.log_nu), (self._delta, fits.delta)):
                if at is not None and value is not None:
                    point[:, at] = value
        return point

    def named(self, point: Floats) -> Fits:
        """A point as what it says."""
        return Fits(
            _centred(point[:, : self._size], self._groups),
            None if self._nu is None else point[:, self._nu],
            None if self._delta is None else point[:, self._delta],
        )

    def slopes(self, point: Floats) -> tuple[Floats, Floats]:
        """The gradient (B, W) and the negative Hessian (B, W, W)."""
        import numpy as np

        size, one, other, games = self._size, self._one, self._other, self._games
        gap = (point[:, one] - point[:, other])[:, None]
        if self._delta is not None:
            gap = gap + self._sign * point[:, self._delta, None, None]
        up = np.exp(gap / 2)
        down = 1 / up
        tie = 0.0 if self._nu is None else np.exp(point[:, self._nu, None, None])
        whole = up + down + tie
        lead = (up - down) / whole
        slope = (self._lead - games * lead) / 2
        curve = games * ((up + down) / whole - lead * lead) / 4
        gradient = np.empty((len(point), self._width))
        bend = np.empty((len(point), self._width, self._width))
        gradient[:, :size] = slope.sum(axis=1) @ self._facing
        summed = curve.sum(axis=1)
        bend[:, :size, :size] = self._held
        bend[:, one, other] -= summed
        bend[:, other, one] -= summed
        diagonal = np.arange(size)
        bend[:, diagonal, diagonal] += summed @ np.abs(self._facing)
        if (nu := self._nu) is not None:
            share = tie / whole
            gradient[:, nu] = (self._tied - games * share).sum(axis=(1, 2))
            cross = -games * share * lead / 2
            self._put(bend, nu, cross)
            bend[:, nu, nu] = (games * share * (1 - share)).sum(axis=(1, 2))
        if (delta := self._delta) is not None:
            gradient[:, delta] = (slope * self._sign).sum(axis=(1, 2))
            self._put(bend, delta, curve * self._sign)
            bend[:, delta, delta] = (curve * self._sign**2).sum(axis=(1, 2))
            if nu is not None:
                mixed = (cross * self._sign).sum(axis=(1, 2))
                bend[:, nu, delta] = bend[:, delta, nu] = mixed
        return gradient, bend

    def _put(self, bend: Floats, row: int, values: Floats) -> None:
        """What a further parameter has in common with the strengths."""
        found = values.sum(axis=1) @ self._facing
        bend[:, row, : self._size] = bend[:, : self._size, row] = found


def _centred(strengths: Floats, groups: Ints) -> Floats:
    """With mean 0 in each group."""
    import numpy as np

    member = (groups[:, None] == np.arange(groups.max(initial=-1) + 1)).astype(float)
    means = strengths @ (member / np.maximum(member.sum(axis=0), 1))
    found: Floats = strengths - means @ member.T
    return found
