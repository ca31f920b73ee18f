"""One figure over the columns of scenarios, with its weights, and what it would be without chance (DDR-09)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from core.evaluation import Score
from core.record import Record


class Column(Record):
    """One accuracy of one scenario; all values are shares in [0, 1]."""

    name: str
    """Tells it from the other columns: 'flights, message, item'."""
    value: float | None
    """None = nothing was scored: then there is no overall figure either."""
    low: float | None = None
    """The lower end of its 95 % interval; None = not known."""
    chance: float | None = None
    """What the best constant answer scores; None where nothing can be guessed (open items)."""

    @property
    def clears_chance(self) -> bool:
        """Whether it is known to lie above chance: by its interval's end, or by itself without one."""
        reached = self.value if self.low is None else self.low
        return self.chance is None or (reached is not None and reached > self.chance)

    @property
    def corrected(self) -> float | None:
        """(value - chance) / (1 - chance): 0 is a constant's worth, 1 all right; as it is without chance."""
        if self.value is None or self.chance is None:
            return self.value
        return None if self.chance >= 1 else (self.value - self.chance) / (1 - self.chance)


class Overall(Record):
    """Of some columns."""

    value: float | None
    """The weighted mean of the columns as they stand."""
    without_chance: float | None
    """The same over the columns that clear chance alone, their weights scaled up to 1; None where
    none does."""
    corrected: float | None
    """The same over all columns, each corrected for chance."""
    weights: Mapping[str, float]
    """Per column; they sum to 1."""
    at_chance: tuple[str, ...]
    """The columns that do not clear chance."""

    @property
    def remark(self) -> str | None:
        """What has to be said beside `value`; None where nothing has."""
        if not self.at_chance:
            return None
        return f"holds columns that do not clear chance: {'; '.join(self.at_chance)}"


def overall(columns: Sequence[Column], weights: Mapping[str, float] | None = None) -> Overall:
    """The mean over the columns; `weights` by their names, any positive scale; else all alike.

    The paper's Overall is the unweighted mean of its twelve columns. Raises ValueError where two
    columns share a name, a weight is missing, or is not above 0.
    """
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise ValueError(f"columns that share a name: {', '.join(names)}")
    given = dict.fromkeys(names, 1.0) if weights is None else dict(weights)
    if set(given) != set(names):
        raise ValueError(f"weights for {', '.join(given)}; columns are {', '.join(names)}")
    if any(weight <= 0 for weight in given.values()):
        raise ValueError("a weight has to be above 0")
    total = fsum(given.values())
    return Overall(
        value=_mean([(given[c.name], c.value) for c in columns]),
        without_chance=_mean([(given[c.name], c.value) for c in columns if c.clears_chance]),
        corrected=_mean([(given[c.name], c.corrected) for c in columns]),
        weights={name: given[name] / total for name in names},
        at_chance=tuple(c.name for c in columns if not c.clears_chance),
    )


def columns_of(
    scenario: str, scores: Sequence[Score], constants: Sequence[Score] = ()
) -> list[Column]:
    """The columns that a competitor's scores are, with those of the best constant beside them."""
    chance = {(each.level, each.averaging): each.strict for each in constants}
    return [
        Column(
            name=f"{scenario}, {score.level}, {score.averaging}",
            value=score.strict,
            low=score.low,
            chance=chance.get((score.level, score.averaging)),
        )
        for score in scores
    ]


def _mean(weighted: Sequence[tuple[float, float | None]]) -> float | None:
    """None of nothing, and where one value is not known."""
    known = [(weight, value) for weight, value in weighted if value is not None]
    if not weighted or len(known) < len(weighted):
        return None
    return fsum(w * v for w, v in known) / fsum(w for w, _ in known)
