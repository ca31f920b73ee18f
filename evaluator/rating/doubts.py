"""What may have swayed a judge beside the contents: the slot, the length, the number, its own family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from core.ranking import Comparison
from evaluator.intervals import cluster_error, share_interval
from evaluator.rating.results import Result


@dataclass(frozen=True)
class Share:
    """So many of so many, with a 95 % interval that is clustered by entity."""

    count: int
    of: int
    low: float | None
    high: float | None

    @property
    def value(self) -> float | None:
        """None of nothing."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True)
class Effect:
    """How much more strength a set counts for by having e times as much of something as the other."""

    value: float
    """Natural-log units for each unit of the log ratio, beside the competitors' own strengths."""
    low: float | None
    """Clustered by entity; None where all decided games go by it, so that only the ridge bounds it."""
    high: float | None
    more_won: Share
    """Of the decided games in which one had more of it: those that the one with more won."""


def first_slot(comparisons: Iterable[Comparison]) -> Share:
    """Of the decided comparisons, those that the set shown first won. A judge without a bias: half."""
    decided = [c for c in comparisons if not c.is_forfeit and c.winner in ("left", "right")]
    won = [(c.winner == c.shown_first, c.entity_id) for c in decided]
    return share([hit for hit, _ in won], [entity for _, entity in won])


def share(hits: Sequence[bool], clusters: Sequence[str]) -> Share:
    """Count with a clustered interval."""
    values = [float(hit) for hit in hits]
    mean = sum(values) / len(values) if values else 0.0
    found = share_interval(mean, cluster_error(values, clusters), len(set(clusters)))
    low, high = found or (None, None)
    return Share(sum(hits), len(hits), low, high)


def length(result: Result) -> float | None:
    """log(characters of left / of right); None of a forfeit."""
    asked = result.asked
    return _log_ratio(asked.left_characters, asked.right_characters) if asked else None


def number(result: Result) -> float | None:
    """log(insights of left / of right); None of a forfeit."""
    asked = result.asked
    return _log_ratio(asked.left_insights, asked.right_insights) if asked else None


def effect(results: Iterable[Result], measure: Callable[[Result], float | None]) -> Effect | None:
    """Regress who wins on a log ratio, beside a strength for each competitor; a tie is half a win.

    None where the ratio does not vary, or below two entities. The strengths and the effect have a
    ridge of 0.01, so that what nobody has beaten does not leave for infinity.
    """
    import numpy as np

    measured = [(each, measure(each)) for each in results if not each.is_forfeit]
    rows = [(each, ratio) for each, ratio in measured if ratio is not None]
    ratios = np.array([ratio for _, ratio in rows])
    entities = {each.entity for each, _ in rows}
    if len(entities) < 2 or not (np.abs(ratios) > 1e-9).any():
        return None
    names = sorted({name for each, _ in rows for name in (each.left, each.right)})
    place = {name: at for at, name in enumerate(names)}
    design = np.zeros((len(rows), len(names) + 1))
    index = np.arange(len(rows))
    design[index, [place[each.left] for each, _ in rows]] = 1.0
    design[index, [place[each.right] for each, _ in rows]] = -1.0
    design[:, -1] = ratios
    score = np.array([{"left": 1.0, "right": 0.0, "tie": 0.5}[each.winner] for each, _ in rows])
    penalty = np.full(design.shape[1], _RIDGE)
    point = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-(design @ point)))
        gradient = design.T @ (score - chance) - penalty * point
        bend = (design * (chance * (1 - chance))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(bend, gradient)
        longest = float(np.abs(step).max())
        point += step * min(1.0, _LONGEST / max(longest, 1e-300))
        if longest < 1e-9:
            break
    # Clustered by entity: games on one entity go together.
    whose = {entity: at for at, entity in enumerate(sorted(entities))}
    by_entity = np.zeros((len(whose), design.shape[1]))
    np.add.at(
        by_entity, [whose[each.entity] for each, _ in rows], design * (score - chance)[:, None]
    )
    groups = len(whose)
    inverse = np.linalg.inv(bend)
    spread = inverse @ (by_entity.T @ by_entity) @ inverse * groups / (groups - 1)
    from scipy.special import stdtrit

    half = float(stdtrit(groups - 1, 0.975)) * float(np.sqrt(spread[-1, -1]))
    value, more_won = float(point[-1]), _more_won(rows)
    if more_won.count in (0, more_won.of):
        return Effect(value, None, None, more_won)
    return Effect(value, value - half, value + half, more_won)


def own_family(
    results: Iterable[Result], family: Callable[[str], str | None], judge: str
) -> Share | None:
    """Of the decided games of one of the judge's own family with another, those that its own won.

    `family` knows competitors and judges by name. None where there is no such game.
    """
    own = family(judge)
    if own is None:
        return None
    hits: list[bool] = []
    clusters: list[str] = []
    for each in results:
        sides = (family(each.left) == own, family(each.right) == own)
        if each.is_forfeit or each.winner == "tie" or sides[0] == sides[1]:
            continue
        if each.asked is not None and each.asked.judge != judge:
            continue
        hits.append(sides[0] == (each.winner == "left"))
        clusters.append(each.entity)
    return share(hits, clusters) if hits else None


_RIDGE: Final = 0.01
_STEPS: Final = 100
_LONGEST: Final = 2.0


def _more_won(rows: Sequence[tuple[Result, float]]) -> Share:
    decided = [(r, ratio) for r, ratio in rows if r.winner != "tie" and abs(ratio) > 1e-9]
    hits = [(r.winner == "left") == (ratio > 0) for r, ratio in decided]
    return share(hits, [r.entity for r, _ in decided])


def _log_ratio(left: int, right: int) -> float | None:
    from math import log

    return log(left / right) if left and right else None
