"""Rankings: what a large one takes, whether it finds what was planted, and whether its intervals hold."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from bench.figures import Bench, Goal, Measured, Probe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.ranking import Comparison
    from evaluator.rating.results import Result

MODELS: Final = 22
ENTITIES: Final = 291
"""With every pair on every entity: 67,221 comparisons."""
ROUNDS: Final = 5
REPEATS: Final = 200
SPREAD: Final = 0.8
"""Standard deviation of a competitor's strength from entity to entity."""


def games(
    strengths: Sequence[float], entities: int, *, nu: float, spread: float, seed: int
) -> list[Result]:
    """Every pair on every entity, drawn from Davidson's model; strengths differ between entities."""
    import numpy as np

    from core.ranking import Winner
    from evaluator.rating.results import Result

    draw = np.random.default_rng(seed)
    one, other = np.triu_indices(len(strengths), 1)
    here = np.asarray(strengths) + draw.normal(0, spread, (entities, len(strengths)))
    won, lost = np.exp(here[:, one]), np.exp(here[:, other])
    tied = nu * np.sqrt(won * lost)
    at = draw.random(won.shape) * (won + lost + tied)
    ended = np.where(at < won, 0, np.where(at < won + lost, 1, 2)).tolist()
    endings: tuple[Winner, ...] = ("left", "right", "tie")
    names = [f"m{number:02d}" for number in range(len(strengths))]
    pairs = [(names[i], names[j]) for i, j in zip(one.tolist(), other.tolist(), strict=True)]
    return [
        Result(f"e{entity:05d}", left, right, endings[how])
        for entity, row in enumerate(ended)
        for (left, right), how in zip(pairs, row, strict=True)
    ]


def as_stored(results: Sequence[Result]) -> list[Comparison]:
    """The same as a ranking's store holds them, asked in one order each."""
    from core.ranking import Comparison

    return [
        Comparison(
            ranking_id="bench",
            entity_id=each.entity,
            left=each.left,
            right=each.right,
            shown_first="left",
            winner=each.winner,
            left_insights=5,
            right_insights=5,
            left_characters=500,
            right_characters=500,
            judge="bench",
        )
        for each in results
    ]


def seconds(bench: Bench) -> Mapping[str, Measured]:
    """From stored comparisons to ratings with 1000 resamples of entities."""
    from evaluator.rating.results import settle
    from evaluator.rating.scale import BOOTSTRAPS, rate

    bench.say("drawing comparisons")
    planted = _planted(MODELS)
    stored = as_stored(games(planted, ENTITIES, nu=0.3, spread=0.0, seed=1))
    names = sorted({each.left for each in stored} | {each.right for each in stored})
    took = []
    for turn in range(1, ROUNDS + 1):
        bench.say(f"rating, {turn} of {ROUNDS}")
        began = time.perf_counter()
        scale = rate(settle(stored, both_orders=False).results, names)
        took.append(time.perf_counter() - began)
    if next(r.competitor for r in scale.ratings) != names[0]:
        raise RuntimeError("the strongest is not the strongest")
    told = f"{len(stored):,} comparisons of {MODELS}, {BOOTSTRAPS} resamples, with reading them out"
    return {"seconds": Measured(statistics.median(took), told)}


def slope(bench: Bench) -> Mapping[str, Measured]:
    """Strengths found, against those planted: 8 competitors, 30 % ties; mean over 20 draws."""
    import numpy as np

    from evaluator.rating.fitting import Method
    from evaluator.rating.scale import rate

    bench.say("recovering planted strengths")
    planted = np.linspace(1, -1, 8).tolist()

    def found(method: Method) -> list[float]:
        slopes = []
        for seed in range(20):
            drawn = games(planted, 200, nu=1.0, spread=0.0, seed=seed)
            names = [f"m{number:02d}" for number in range(8)]
            rated = rate(drawn, names, method=method, bootstraps=0).strengths()
            slopes.append(float(np.polyfit(planted, [rated[name] for name in names], 1)[0]))
        return slopes

    mine, halves = found("davidson"), found("half-win")
    off = abs(statistics.fmean(mine) - 1)
    told = (
        f"slope {statistics.fmean(mine):.4f} ({min(mine):.3f} to {max(mine):.3f} in single draws); "
        f"ties as half wins {statistics.fmean(halves):.3f}"
    )
    return {"slope": Measured(statistics.fmean(mine), told), "slope_off": Measured(off, told)}


def coverage(bench: Bench) -> Mapping[str, Measured]:
    """How many of the 95 % intervals hold the truth: 8 competitors on 40 entities that differ."""
    import numpy as np

    from evaluator.rating.scale import rate

    planted = np.linspace(1, -1, 8).tolist()
    names = [f"m{number:02d}" for number in range(8)]
    bench.say("what very many entities would give")
    truth = rate(games(planted, 12_000, nu=1.0, spread=SPREAD, seed=99), names, bootstraps=0)
    aim = truth.strengths()

    held = 0
    for seed in range(REPEATS):
        if seed % 20 == 0:
            bench.say(f"intervals, {seed} of {REPEATS}")
        scale = rate(games(planted, 40, nu=1.0, spread=SPREAD, seed=seed), names, seed=seed)
        held += sum(
            r.low is not None and r.high is not None and r.low <= aim[r.competitor] <= r.high
            for r in scale.ratings
        )
    told = (
        f"{held} of {REPEATS * len(names)} intervals; strengths differ by {SPREAD} between entities"
    )
    return {"coverage_40": Measured(held / (REPEATS * len(names)), told)}


def adaptive(bench: Bench) -> Mapping[str, Measured]:
    """Kendall's tau of the ranking by a quarter of the pairs with the one by all; the mean of 5 draws."""
    import numpy as np
    from scipy.stats import kendalltau

    from evaluator.adaptive import Cell, rounds
    from evaluator.rating.scale import rate

    planted = _planted(MODELS)
    names = [f"m{number:02d}" for number in range(MODELS)]
    found: dict[str, list[float]] = {"chosen": [], "drawn": []}
    for seed in range(5):
        bench.say(f"a quarter of the pairs, {seed + 1} of 5")
        whole = games(planted, 100, nu=0.5, spread=SPREAD, seed=seed)
        by_cell = {Cell(each.entity, 1, each.left, each.right): each for each in whole}
        asked: list[Result] = []
        for cells in rounds(list(by_cell), asked, seed=seed):
            asked += [by_cell[cell] for cell in cells]
        chance = np.random.default_rng(seed).choice(len(whole), len(asked), replace=False)
        by_all = rate(whole, names, bootstraps=0).strengths()
        some = {"chosen": asked, "drawn": [whole[place] for place in chance.tolist()]}
        for how, results in some.items():
            by_some = rate(results, names, bootstraps=0).strengths()
            columns = [[scale[name] for name in names] for scale in (by_all, by_some)]
            found[how].append(float(kendalltau(*columns).statistic))
    told = (
        f"{MODELS} competitors on 100 entities; least {min(found['chosen']):.3f}; "
        f"by a quarter drawn by chance {statistics.fmean(found['drawn']):.3f}"
    )
    return {"adaptive_kendall": Measured(statistics.fmean(found["chosen"]), told)}


def _planted(count: int) -> list[float]:
    """Strengths of many competitors, the strongest first."""
    import numpy as np

    return [float(value) for value in np.linspace(1.5, -1.5, count)]


PROBES = (
    Probe((Goal("seconds", 0.5, "s", "lower"),), seconds),
    Probe(
        (Goal("slope", 0.95, "ratio", "higher"), Goal("slope_off", 0.05, "ratio", "lower")), slope
    ),
    Probe((Goal("coverage_40", 0.93, "share", "higher"),), coverage),
    Probe((Goal("adaptive_kendall", 0.95, "tau", "higher"),), adaptive),
)
