"""One way to rate, on one set of games: which terms it has, and which prior it needs there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from core.errors import one_of
from evaluator.rating.components import Components
from evaluator.rating.davidson import Fits, fit
from evaluator.rating.tally import TIED, Tally

if TYPE_CHECKING:
    from evaluator.rating.tally import Floats

Method = Literal["davidson", "half-win", "order"]
METHODS: Final[tuple[Method, ...]] = get_args(Method)

RIDGE: Final = 0.01
"""A normal prior with a standard deviation of 10 on each strength: it moves nothing but what has no
bound of its own."""


def method_of(name: str) -> Method:
    """Raises UnknownNameError with those there are."""
    return one_of("method", name, METHODS)


class Fitting:
    """One method on one set of games, and the prior that it needs there."""

    def __init__(self, games: Tally, joined: Components, method: Method) -> None:
        import numpy as np

        self._pairs, self._group = games.pairs, joined.group
        self.method, self._order = method, method == "order"
        ties = games.total[..., TIED].sum()
        self.with_ties = method != "half-win" and ties > 0
        self.is_decided = bool(games.total.sum() > ties)
        self._nu_ridge = RIDGE if self.with_ties and not joined.goes_round else 0.0
        self._loose = np.isin(joined.group, list(joined.one_way)) | (self._nu_ridge > 0)
        self._pseudo = method == "half-win" and bool(self._loose.any())
        self._ridge = np.where(self._loose, 0.0 if self._pseudo else RIDGE, 0.0)
        self.prior = self._in_words()

    def fit(self, counts: Floats) -> Fits:
        """One fit for each data set of `counts` (B, pairs, orders, outcomes)."""
        return fit(
            self._with_prior(counts),
            self._pairs,
            self._group,
            ties=self.with_ties,
            order=self._order,
            ridge=self._ridge,
            nu_ridge=self._nu_ridge,
            delta_ridge=RIDGE,  # whoever is first may always win
        )

    def fit_resamples(self, counts: Floats, start: Fits) -> Fits:
        """A resample may leave out what bounds a strength, so each has the ridge."""
        import numpy as np

        return fit(
            self._with_prior(counts),
            self._pairs,
            self._group,
            ties=self.with_ties,
            order=self._order,
            ridge=np.full(len(self._group), RIDGE),
            nu_ridge=RIDGE,
            delta_ridge=RIDGE,
            tolerance=3e-3,  # what is still missing then is about the square of it
            start=start,
        )

    def _with_prior(self, counts: Floats) -> Floats:
        """With one game more for each pair that met, half of it won by either: a tie."""
        if not self._pseudo:
            return counts
        one, other = self._pairs
        met = counts.sum(axis=(1, 3)) > 0
        added = counts.copy()
        added[:, 0, :, TIED] += met & (self._loose[one] & self._loose[other])
        return added

    def _in_words(self) -> str | None:
        if not self._loose.any():
            return None
        if self._pseudo:
            return "one game more, half of it won by either, for each pair that met"
        return f"a ridge of {RIDGE} on strengths, a normal prior with a standard deviation of 10"
