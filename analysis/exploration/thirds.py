"""Does a trajectory end in few, complex queries with small answers? Its first third against its last.

What the claim means here: in the last third there are fewer queries to a turn, they have larger parse
trees, and their answers have fewer characters. Each part is a paired test over trajectories; the whole
holds where each part does, at LEVEL without a correction, for a conjunction is no likelier by chance
than its least likely part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final, Literal

from analysis.exploration.steps import Step
from analysis.statistics import median

LEVEL: Final = 0.05
Kind = Literal["difference", "ratio"]
"""Sizes are compared as ratios, so that one long answer does not decide."""


@dataclass(frozen=True)
class Quantity:
    """Something that each third of a trajectory has one value of."""

    name: str
    kind: Kind
    of: Callable[[Sequence[Step]], float | None]
    """Its value over some turns; None where they have none."""


def _mean(parts: Sequence[float]) -> float | None:
    return sum(parts) / len(parts) if parts else None


def _per_turn(pick: Callable[[Step], int | None]) -> Callable[[Sequence[Step]], float | None]:
    """The mean over those turns of which it is known."""
    return lambda steps: _mean([v for step in steps if (v := pick(step)) is not None])


def _per_part(
    pick: Callable[[Step], Sequence[int]],
) -> Callable[[Sequence[Step]], float | None]:
    """The mean over all queries, or answers, of the turns together."""
    return lambda steps: _mean([value for step in steps for value in pick(step)])


QUERIES: Final = "queries_per_turn"
NODES: Final = "nodes_per_query"
ANSWER: Final = "characters_per_answer"
QUANTITIES: Final = (
    Quantity(QUERIES, "difference", _per_turn(lambda s: s.queries)),
    Quantity(NODES, "ratio", _per_part(lambda s: [c.nodes for c in s.complexities])),
    Quantity(
        "joins_per_query", "difference", _per_part(lambda s: [c.joins for c in s.complexities])
    ),
    Quantity(
        "subqueries_per_query",
        "difference",
        _per_part(lambda s: [c.subqueries + c.ctes for c in s.complexities]),
    ),
    Quantity(
        "aggregates_per_query",
        "difference",
        _per_part(lambda s: [c.aggregates for c in s.complexities]),
    ),
    Quantity(
        "windows_per_query", "difference", _per_part(lambda s: [c.windows for c in s.complexities])
    ),
    Quantity("rows_per_answer", "difference", _per_part(lambda s: s.rows)),
    Quantity(ANSWER, "ratio", _per_part(lambda s: s.characters)),
    Quantity("own_tokens_per_turn", "ratio", _per_turn(lambda s: s.tokens.own)),
    Quantity("tool_tokens_per_turn", "ratio", _per_turn(lambda s: s.tokens.tools)),
    Quantity("prompt_tokens_per_turn", "difference", _per_turn(lambda s: s.tokens.prompts)),
    Quantity("new_fields_per_turn", "difference", _per_turn(lambda s: s.look.new_fields)),
    Quantity("returns_per_turn", "difference", _per_turn(lambda s: s.look.returned)),
)
"""Subqueries include CTEs."""


@dataclass(frozen=True)
class Change:
    """One quantity in the first and the last third, paired within trajectories."""

    quantity: str
    kind: Kind
    first: float | None
    middle: float | None
    last: float | None
    """Medians over the trajectories that have a value in each third."""
    trajectories: int
    """Those; of a ratio, those in which the first and the last are above 0."""
    clusters: int
    change: float | None
    """Last - first, or last / first: the mean over clusters of their trajectories' mean, a ratio's by
    its logarithm."""
    low: float | None
    high: float | None
    """95 %, t over clusters."""
    p: float | None
    """Two-sided; None below two clusters, and where nothing varies."""
    fell: int
    rose: int
    """Trajectories, of those."""


@dataclass(frozen=True)
class Ending:
    """The answer for one group: whether each part of the claim holds; None where it cannot be told."""

    few: bool | None
    complex: bool | None
    small: bool | None

    @property
    def all(self) -> bool | None:
        """Whether it ends in few, complex, small-answer queries."""
        parts = (self.few, self.complex, self.small)
        if False in parts:
            return False
        return None if None in parts else True


def thirds(steps: Sequence[Step]) -> tuple[Sequence[Step], Sequence[Step], Sequence[Step]] | None:
    """The turns of a trajectory by their place in it; None with fewer than three.

    Turn i of n falls into the third ceil(3 i / n). A last turn without a call, which only says that it
    is done, belongs to none: it would make every ending one with fewer queries.
    """
    kept = list(steps)
    if kept and not kept[-1].calls:
        kept.pop()
    n = len(kept)
    if n < 3:
        return None
    parts: tuple[list[Step], list[Step], list[Step]] = ([], [], [])
    for place, step in enumerate(kept, start=1):
        parts[-(-3 * place // n) - 1].append(step)
    return parts


def changes(
    trajectories: Mapping[str, Sequence[Step]], clusters: Mapping[str, str]
) -> list[Change]:
    """Each quantity over the trajectories of a group (id to its steps; id to its cluster)."""
    parted = {name: parts for name, steps in trajectories.items() if (parts := thirds(steps))}
    return [_change(quantity, parted, clusters) for quantity in QUANTITIES]


def ending(found: Sequence[Change]) -> Ending:
    """Read off the three parts of the claim."""
    by_name = {change.quantity: change for change in found}
    return Ending(
        few=_goes(by_name[QUERIES], up=False),
        complex=_goes(by_name[NODES], up=True),
        small=_goes(by_name[ANSWER], up=False),
    )


def _goes(change: Change, *, up: bool) -> bool | None:
    if change.change is None:
        return None
    neutral = 1.0 if change.kind == "ratio" else 0.0
    if change.p is None:
        # One cluster, or all of them alike to the last digit: no test has anything to say of a change.
        return False if change.clusters > 1 and change.change == neutral else None
    return change.p < LEVEL and (change.change > neutral) is up


def _change(
    quantity: Quantity,
    parted: Mapping[str, tuple[Sequence[Step], Sequence[Step], Sequence[Step]]],
    clusters: Mapping[str, str],
) -> Change:
    values = {name: [quantity.of(part) for part in parts] for name, parts in parted.items()}
    whole = {n: (a, b, c) for n, (a, b, c) in values.items() if a is not None and c is not None}
    if quantity.kind == "ratio":
        whole = {n: v for n, v in whole.items() if min(v[0], v[2]) > 0}
    pairs = {n: (first, last) for n, (first, _, last) in whole.items()}
    differences = {
        n: log(last / first) if quantity.kind == "ratio" else last - first
        for n, (first, last) in pairs.items()
    }
    mean, low, high, p, count = _over_clusters(differences, clusters)
    told = [None if each is None else _back(each, quantity.kind) for each in (mean, low, high)]
    return Change(
        quantity=quantity.name,
        kind=quantity.kind,
        first=median([first for first, _ in pairs.values()]),
        middle=median([b for _, b, _ in whole.values() if b is not None]),
        last=median([last for _, last in pairs.values()]),
        trajectories=len(pairs),
        clusters=count,
        change=told[0],
        low=told[1],
        high=told[2],
        p=p,
        fell=sum(last < first for first, last in pairs.values()),
        rose=sum(last > first for first, last in pairs.values()),
    )


def _back(value: float, kind: Kind) -> float:
    from math import exp

    return exp(value) if kind == "ratio" else value


def _over_clusters(
    differences: Mapping[str, float], clusters: Mapping[str, str]
) -> tuple[float | None, float | None, float | None, float | None, int]:
    """Mean, low, high, p and number of clusters, from one mean per cluster."""
    grouped: dict[str, list[float]] = {}
    for name, value in differences.items():
        grouped.setdefault(clusters[name], []).append(value)
    means = [sum(group) / len(group) for group in grouped.values()]
    count = len(means)
    if not means:
        return None, None, None, None, 0
    mean = sum(means) / count
    if count < 2:
        return mean, None, None, None, count
    from scipy import stats

    error = (sum((each - mean) ** 2 for each in means) / (count - 1) / count) ** 0.5
    if error <= 1e-12:
        return mean, mean, mean, None, count
    reach = float(stats.t.ppf(0.975, count - 1)) * error
    p = float(2 * stats.t.sf(abs(mean) / error, count - 1))
    return mean, mean - reach, mean + reach, p, count
