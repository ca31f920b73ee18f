"""What turns after a chosen end still found: accuracy gained by extra turn, with its interval."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from analysis.statistics import DRAWS, cluster_bootstrap, interval
from core.evaluation import Level, Verdict
from core.trajectory import StopReason, Trajectory
from core.wording import counted


@dataclass(frozen=True)
class GainPoint:
    """What had been gained by one extra turn."""

    turn: int
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Gain:
    """What trajectories found that went on after they had ended by themselves.

    Shares are of all items of an entity, unscored ones included; trials of one entity are averaged,
    then entities. Only items that the original had not found count, and only those that its checker
    had scored: of the others nobody knows whether they are new.
    """

    offered: int
    """Extra turns that each might take."""
    trajectories: int
    """That went on and were judged."""
    entities: int
    left_out: int
    """That went on, but ended by a fault, have not ended, or are not judged on both sides."""
    taken: float | None
    """Extra turns taken, on average over entities; None where nothing could be compared."""
    stopped_at_once: int
    """Trajectories that said again at once that they were done."""
    stopped_again: int
    """Trajectories that ended by themselves again, those at once included."""
    before: float | None
    """Share of the items that the originals had found."""
    points: tuple[GainPoint, ...]
    """Gained by each extra turn; flat after a trajectory has stopped again."""
    per_turn: float | None
    """Gained in all for each extra turn taken; None where none was taken."""
    per_turn_low: float | None
    per_turn_high: float | None
    own_last_per_turn: float | None
    """What as many of its own last turns had brought the original, for each of them."""
    report_before: float | None
    report_after: float | None
    """The share of items that reports state, over the trajectories of which both are judged."""

    @property
    def gained(self) -> GainPoint | None:
        """All that was gained; None where nothing could be compared."""
        return self.points[-1] if self.points else None

    @property
    def answer(self) -> str:
        """Did it stop too early? In words."""
        end = self.gained
        if end is None:
            return "nobody knows: nothing could be compared"
        if end.value == 0:
            return f"no: {counted(self.offered, 'more turn')} found nothing that was not known"
        if end.low is None:
            return "nobody knows: one cluster of entities gives no interval"
        if end.low > 0:
            return "yes: more turns still found what was not known"
        return "nobody knows: the interval reaches down to nothing"


@dataclass(frozen=True)
class _Pair:
    """One trajectory that went on, and what each side found."""

    entity_id: str
    taken: int
    items: int
    found: int
    new: tuple[int, ...]
    """The extra turn at which each new item was found; one without a turn counts at the last."""
    late: int
    """Items that the original discovered in its own last turns."""
    own: int
    """How many its own last turns are."""
    reports: tuple[float, float] | None


def gain(
    originals: Sequence[Trajectory],
    onward: Sequence[tuple[str, Trajectory]],
    before: Sequence[Verdict],
    after: Sequence[Verdict],
    *,
    offered: int,
    clusters: Mapping[str, str],
    seed: int = 0,
    draws: int = DRAWS,
) -> Gain:
    """`onward`: (id of the original, what went on from it); `before` and `after`: verdicts of one
    evaluation each, by the same checker. The 95 % intervals resample `clusters` (entity to cluster)."""
    known = {each.id: each for each in originals}
    said, heard = _by_trajectory(before), _by_trajectory(after)
    pairs, left_out, again, at_once = [], 0, 0, 0
    for origin, trajectory in onward:
        original = known.get(origin)
        stop = trajectory.stop_reason
        mine, theirs = said.get(origin, {}), heard.get(trajectory.id, {})
        if original is None or stop is None or not stop.scored or not mine or not theirs:
            left_out += 1
            continue
        again += stop is StopReason.FINISHED
        at_once += stop is StopReason.FINISHED and not trajectory.turns
        pairs.append(_pair(original, trajectory, mine, theirs, offered))
    return _summed(pairs, (left_out, again, at_once), offered, clusters, (seed, draws))


_Said = Mapping[tuple[str, Level], Verdict]


def _by_trajectory(verdicts: Sequence[Verdict]) -> dict[str, dict[tuple[str, Level], Verdict]]:
    found: dict[str, dict[tuple[str, Level], Verdict]] = defaultdict(dict)
    for verdict in verdicts:
        found[verdict.trajectory_id][verdict.item_id, verdict.level] = verdict
    return found


def _pair(
    original: Trajectory, onward: Trajectory, mine: _Said, theirs: _Said, offered: int
) -> _Pair:
    items = [item for item, level in mine if level == "message"]
    new, found, late = [], 0, 0
    own = min(offered, len(original.turns))
    for item in items:
        had, has = mine[item, "message"], theirs.get((item, "message"))
        if had.label == "supported":
            found += 1
            turn = had.found_at_turn
            late += turn is not None and turn > len(original.turns) - own
        elif had.label is not None and has is not None and has.label == "supported":
            new.append(has.found_at_turn or offered)
    return _Pair(
        entity_id=original.entity_id,
        taken=len(onward.turns),
        items=len(items),
        found=found,
        new=tuple(new),
        late=late,
        own=own,
        reports=_reports(mine, theirs),
    )


def _reports(mine: _Said, theirs: _Said) -> tuple[float, float] | None:
    """The share of items that each report states; None where one side was not judged."""
    items = [item for item, level in mine if level == "trajectory"]
    pairs = [(mine[i, "trajectory"], theirs.get((i, "trajectory"))) for i in items]
    if not pairs or any(other is None for _, other in pairs):
        return None
    shares = zip(*((a.label, b.label if b else None) for a, b in pairs), strict=True)
    before, after = (fmean(label == "supported" for label in side) for side in shares)
    return before, after


def _summed(
    pairs: Sequence[_Pair],
    counts: tuple[int, int, int],
    offered: int,
    clusters: Mapping[str, str],
    chance: tuple[int, int],
) -> Gain:
    left_out, again, at_once = counts
    by_entity: dict[str, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.items:
            by_entity[pair.entity_id].append(pair)
    turns = range(1, offered + 1)
    # A row for each entity: gained by turn 1, 2, ...; then turns taken.
    rows = [
        [fmean(sum(t <= turn for t in p.new) / p.items for p in own) for turn in turns]
        + [fmean(p.taken for p in own)]
        for own in by_entity.values()
    ]
    means = [fmean(column) for column in zip(*rows, strict=True)]
    lows: list[float | None] = [None] * len(means)
    highs: list[float | None] = [None] * len(means)
    ratio: tuple[float | None, float | None] = (None, None)
    names = [clusters.get(entity, entity) for entity in by_entity]
    if len(set(names)) > 1:
        drawn = cluster_bootstrap(rows, names, seed=chance[0], draws=chance[1])
        some, others = interval(drawn)
        lows, highs = list(some), list(others)
        ratio = _ratio_interval(drawn)
    reports = [p.reports for own in by_entity.values() for p in own if p.reports]
    taken = means[-1] if means else None
    return Gain(
        offered=offered,
        trajectories=len(pairs),
        entities=len(by_entity),
        left_out=left_out,
        taken=taken,
        stopped_at_once=at_once,
        stopped_again=again,
        before=_mean([fmean(p.found / p.items for p in own) for own in by_entity.values()]),
        points=tuple(
            GainPoint(turn, means[n], lows[n], highs[n]) for n, turn in enumerate(turns) if means
        ),
        per_turn=means[-2] / taken if taken else None,
        per_turn_low=ratio[0],
        per_turn_high=ratio[1],
        own_last_per_turn=_mean(
            [
                fmean(p.late / p.items / p.own for p in own if p.own)
                for own in by_entity.values()
                if any(p.own for p in own)
            ]
        ),
        report_before=_mean([one for one, _ in reports]),
        report_after=_mean([other for _, other in reports]),
    )


def _ratio_interval(drawn: object) -> tuple[float | None, float | None]:
    """Of gained over taken; None where a draw may hold no extra turn at all."""
    import numpy as np

    table = np.asarray(drawn)
    if not (table[:, -1] > 0).all():
        return None, None
    lows, highs = interval((table[:, -2] / table[:, -1])[:, None])
    return lows[0], highs[0]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
