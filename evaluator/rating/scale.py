"""From games to ratings: strengths with intervals over entities, ranks, and who beats whom how surely."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Final

from core.ranking import Rating
from evaluator.rating.components import Components, components
from evaluator.rating.davidson import Fits
from evaluator.rating.fitting import Fitting, Method
from evaluator.rating.results import Result
from evaluator.rating.tally import Tally, tally

if TYPE_CHECKING:
    from evaluator.rating.tally import Bools, Floats

BOOTSTRAPS: Final = 1000
_CLOSE: Final = 1e-7
"""Strengths that differ by less are equal."""


@dataclass(frozen=True)
class Term:
    """One further parameter with its 95 % interval, in natural-log units."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Scale:
    """Competitors on one scale for each component."""

    ratings: tuple[Rating, ...]
    """By component, the strongest first; equal ones by name."""
    beats: dict[tuple[str, str], float]
    """P(the first beats the second): share of the resamples in which it is the stronger one; of two
    in one component, each way round. Empty below two entities."""
    method: Method
    nu: float | None
    """How likely a tie is between equals, against a win of either; None where ties are half wins, or
    all there is."""
    order: Term | None
    """How much more whoever is shown first has; None without a term of order."""
    prior: str | None
    """In words what sets the strengths that the games leave without bounds; None where none is left."""
    warnings: tuple[str, ...]
    entities: int

    def of(self, competitor: str) -> Rating:
        """The rating of one. Raises KeyError."""
        return {each.competitor: each for each in self.ratings}[competitor]

    def strengths(self) -> dict[str, float]:
        """By name, of those that played."""
        return {r.competitor: r.strength for r in self.ratings if r.strength is not None}


def rate(
    results: Iterable[Result],
    names: Sequence[str],
    *,
    method: Method = "davidson",
    seed: int = 0,
    bootstraps: int = BOOTSTRAPS,
) -> Scale:
    """Rate competitors by their games (EVALUATION 4.1).

    `names` are all competitors, in whatever order. For the method 'order' each game tells who was shown
    first. Intervals resample entities, all games of one together; their percentiles are set
    wider by Student's t with G - 1 degrees of freedom and by sqrt(G / (G - 1)), since few entities
    otherwise give intervals that are too narrow (Hesterberg 2015).
    """
    played = list(results)
    games = tally(played, sorted(names), ordered=method == "order")
    joined = components(games)
    fitting = Fitting(games, joined, method)
    best = fitting.fit(games.total[None])
    drawn: Fits | None = None
    if games.entities >= 2 and bootstraps:
        drawn = fitting.fit_resamples(games.resampled(bootstraps, seed), best)
    return Scale(
        ratings=_ratings(
            games, joined, method=method, best=best, drawn=drawn, forfeits=_forfeits(played)
        ),
        beats=_beats(games, joined, drawn),
        method=method,
        nu=_nu(fitting, best),
        order=_order(best, drawn, games.entities),
        prior=fitting.prior,
        warnings=_warnings(games, joined),
        entities=games.entities,
    )


def interval(values: Floats, entities: int) -> tuple[Floats, Floats]:
    """The 95 % interval along the first axis, its percentiles widened for the number of entities."""
    import numpy as np
    from scipy.special import ndtr, stdtrit

    reach = np.sqrt(entities / (entities - 1)) * stdtrit(entities - 1, 0.975)
    tail = float(ndtr(-reach))
    low, high = np.quantile(values, [tail, 1 - tail], axis=0)
    return low, high


def _ratings(
    games: Tally,
    joined: Components,
    *,
    method: Method,
    best: Fits,
    drawn: Fits | None,
    forfeits: dict[tuple[str, bool], int],
) -> tuple[Rating, ...]:
    import numpy as np

    strengths = best.strengths[0]
    here = joined.group[:, None] == joined.group[None]
    rank, _ = _ranks(strengths[None], here)
    lows = highs = firsts = lasts = None
    if drawn is not None:
        lows, highs = interval(drawn.strengths, games.entities)
        rank_low, rank_high = _ranks(drawn.strengths, here)
        firsts, _ = interval(rank_low, games.entities)
        _, lasts = interval(rank_high, games.entities)
    found = []
    for place, name in enumerate(games.names):
        group = int(joined.group[place])
        idle = group in joined.alone
        wins, losses = int(games.beaten[place].sum()), int(games.beaten[:, place].sum())
        ties = int(games.tied[place].sum())
        note = _note(idle, wins, losses, ties)
        # No resample tells how far what nobody has beaten might reach.
        held = drawn is None or place in joined.unbounded
        found.append(
            Rating(
                competitor=name,
                strength=None if idle else float(strengths[place]),
                low=None if held or lows is None else float(lows[place]),
                high=None if held or highs is None else float(highs[place]),
                rank=None if idle else int(rank[0, place]),
                rank_low=None if idle or firsts is None else int(np.floor(firsts[place])),
                rank_high=None if idle or lasts is None else int(np.ceil(lasts[place])),
                component=group + 1,
                wins=wins,
                losses=losses,
                ties=ties,
                forfeits_won=forfeits.get((name, True), 0),
                forfeits_lost=forfeits.get((name, False), 0),
                method=method,
                note=note,
            )
        )
    return tuple(sorted(found, key=lambda r: (r.component, r.rank or 0, r.competitor)))


def _note(idle: bool, wins: int, losses: int, ties: int) -> str | None:
    if idle:
        return "compared with nobody"
    if not wins and not ties:
        return "no wins: unbounded below"
    if not losses and not ties:
        return "no losses: unbounded above"
    return None


def _ranks(strengths: Floats, here: Bools) -> tuple[Floats, Floats]:
    """(B, K) each: the best and the worst rank of each in its component, equal ones sharing both."""
    import numpy as np

    gap = strengths[:, None, :] - strengths[:, :, None]
    above = ((gap > _CLOSE) & here).sum(axis=2, dtype=np.int64)
    level = ((np.abs(gap) <= _CLOSE) & here).sum(axis=2, dtype=np.int64)
    return above + 1.0, above + level + 0.0


def _beats(games: Tally, joined: Components, drawn: Fits | None) -> dict[tuple[str, str], float]:
    import numpy as np

    if drawn is None:
        return {}
    gap = drawn.strengths[:, :, None] - drawn.strengths[:, None, :]
    share = (gap > _CLOSE).mean(axis=0) + (np.abs(gap) <= _CLOSE).mean(axis=0) / 2
    return {
        (one, other): float(share[i, j])
        for i, one in enumerate(games.names)
        for j, other in enumerate(games.names)
        if i != j and joined.group[i] == joined.group[j]
    }


def _nu(fitting: Fitting, best: Fits) -> float | None:
    """Where all games are ties it has no bound; where none is one, it is 0."""
    if best.log_nu is None:
        return None if fitting.method == "half-win" else 0.0
    return exp(best.log_nu[0]) if fitting.is_decided else None


def _order(best: Fits, drawn: Fits | None, entities: int) -> Term | None:
    if best.delta is None:
        return None
    if drawn is None or drawn.delta is None:
        return Term(float(best.delta[0]), None, None)
    low, high = interval(drawn.delta, entities)
    return Term(float(best.delta[0]), float(low), float(high))


def _forfeits(results: Sequence[Result]) -> dict[tuple[str, bool], int]:
    """How often each won, or lost, against an empty set, or with one."""
    found: dict[tuple[str, bool], int] = {}
    for each in results:
        if each.is_forfeit and each.winner != "tie":
            for name, side in ((each.left, "left"), (each.right, "right")):
                key = (name, each.winner == side)
                found[key] = found.get(key, 0) + 1
    return found


def _warnings(games: Tally, joined: Components) -> tuple[str, ...]:
    found = []
    scales = sorted(set(joined.group.tolist()) - joined.alone)
    if len(scales) > 1:
        found.append(
            f"{len(scales)} components that were never compared: there is no order across them"
        )
    for group in sorted(joined.one_way):
        parts: dict[int, list[str]] = {}
        for place, name in enumerate(games.names):
            if joined.group[place] == group:
                parts.setdefault(int(joined.strong[place]), []).append(name)
        told = "; ".join(sorted(", ".join(part) for part in parts.values()))
        found.append(f"not strongly connected: a prior sets the gaps between ({told})")
    return tuple(found)
