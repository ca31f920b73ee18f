"""Whether the benchmark ranks rightly: the more a profiler may ask, the higher it stands.

Four profilers that differ in nothing but how many questions about an entity they may put (2, 5, 10,
or until they stop by themselves) explore the same entities, and the checker without a model judges
their reports. They must come out in order, each surely above the one before it: P(better) >= 0.95, by a
bootstrap of the paired differences over entities.

Every exploration is a whole run, made once for each limit; the four of one database share what it
answered, since they look at its schema alike and put the same first questions. What a limit's run came
to is kept, so that a bench that was cut goes on where it was. A seed draws the entities that count, without putting
back: DRAWN of a scenario's. So seeds share entities, and on a twin they share the generated data: ten
seeds are ten smaller studies of the same data, not ten sets of data.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bench.answered import Answers
from bench.figures import Bench, Goal, Measured, Probe
from bench.limited import MOST, Field, Shares, shares

SEEDS = 10
RESAMPLES = 2000
SURE = 0.95
DRAWN = 0.75
"""Of a scenario's entities, for one seed."""
TWIN = 48
"""Entities of a twin."""
PATIENTS = 24
"""Of the one whose schema alone takes some 600 turns for each entity."""

FIELDS: dict[str, Field] = {
    "destinations": Field("destinations"),
    "incidents": Field("incidents", {"seed": "ranks", "entities": TWIN, "rows": 24_000}),
    "filings": Field("filings", {"seed": "ranks", "entities": TWIN}),
    "patients": Field("patients", {"seed": "ranks", "entities": PATIENTS}),
    "wearables": Field("wearables", {"seed": "ranks", "entities": TWIN}),
}


@dataclass(frozen=True)
class Order:
    """What one seed's entities say of the profilers."""

    means: tuple[float, ...]
    """By rising number of questions."""
    better: tuple[float, ...]
    """P(better than the one before), one fewer."""

    @property
    def is_right(self) -> bool:
        """Whether they stand in order, each surely above the one before."""
        return all(p >= SURE for p in self.better) and list(self.means) == sorted(self.means)


def probability_better(
    one: Shares, other: Shares, ids: Sequence[str], draw: random.Random
) -> float:
    """The share of bootstrap samples of these entities in which `other` is above `one`; a tie is half."""
    differences = [other[each] - one[each] for each in ids]
    won = 0.0
    for _ in range(RESAMPLES):
        total = sum(draw.choices(differences, k=len(differences)))
        won += 1.0 if total > 0 else 0.5 if total == 0 else 0.0
    return won / RESAMPLES


def order(found: Sequence[Shares], seed: int) -> Order:
    """The profilers' order by the entities that a seed draws."""
    draw = random.Random(seed)
    everybody = sorted(found[0])
    ids = draw.sample(everybody, round(DRAWN * len(everybody)))
    means = tuple(sum(each[i] for i in ids) / len(ids) for each in found)
    better = tuple(probability_better(one, other, ids, draw) for one, other in pairwise(found))
    return Order(means, better)


def figure(name: str, found: Sequence[Shares]) -> Measured:
    """How many seeds come out right, with the means and the least sure neighbours."""
    orders = [order(found, seed) for seed in range(SEEDS)]
    means = [sum(each.values()) / len(each) for each in found]
    least = [min(each.better[n] for each in orders) for n in range(len(MOST) - 1)]
    told = " < ".join(f"{mean:.3f}" for mean in means)
    sure = ", ".join(f"{p:.3f}" for p in least)
    said = f"{name}, {len(found[0])} entities: {told}; least P(better) over the seeds: {sure}"
    return Measured(float(sum(each.is_right for each in orders)), said)


def _probe(name: str) -> Callable[[Bench], Mapping[str, float | Measured]]:
    def measure(bench: Bench) -> Mapping[str, float | Measured]:
        home = bench.home / "ranks"
        home.mkdir(parents=True, exist_ok=True)
        answers: Answers = {}
        found = [shares(FIELDS[name], home, m, answers=answers, tell=bench.say) for m in MOST]
        return {f"seeds_in_order_{name}": figure(name, found)}

    return measure


PROBES = tuple(
    Probe((Goal(f"seeds_in_order_{name}", 9, "of 10", "higher"),), _probe(name)) for name in FIELDS
)
