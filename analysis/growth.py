"""What of a run was found where along an axis, entity by entity: all its curves are read off this."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import ceil
from typing import Final, Literal

from analysis.axes import Axis, Course, Source, Trail, courses
from core.checklist import ChecklistItem
from core.evaluation import Level, Verdict

Dating = Literal["first", "last"]
"""By which of its supporting turns a find is dated: the first is its discovery; the last is the
paper's rule (DDR-11, protocol ddr)."""

POINTS: Final = 1000
"""Of a curve, at most: one that reaches further is read at places of equal distance."""
FINE: Final = 400
"""Places at which a curve along tokens, money or time is read, at most."""


@dataclass(frozen=True)
class Find:
    """An item that a trajectory's insights support."""

    trajectory_id: str
    item_id: str
    turn: int | None
    """None = the support names no turn."""


@dataclass(frozen=True)
class Exploration:
    """One trajectory: where it stopped, and where it found what it found, in order."""

    end: float
    places: tuple[float, ...]
    first: float | None
    """Where its first turn that took anything ends; None where there is none."""


@dataclass(frozen=True)
class EntityGrowth:
    """One entity of the run."""

    id: str
    cluster: str
    items: int
    explorations: tuple[Exploration, ...]
    """Empty = it was never run, and counts as 0."""
    undated: int = 0
    """Finds without a turn, over all its explorations."""

    @property
    def chances(self) -> int:
        """Finds that were possible."""
        return self.items * max(len(self.explorations), 1)

    @property
    def places(self) -> list[float]:
        """Of all finds with a turn, in order."""
        return sorted(chain.from_iterable(each.places for each in self.explorations))

    def shares(self, xs: Sequence[float]) -> list[float]:
        """Of its chances, what was found by each of xs."""
        mine = self.places
        return [bisect_right(mine, x) / self.chances for x in xs]


@dataclass(frozen=True)
class Growth:
    """A run along one axis."""

    competitor: str
    axis: Axis
    entities: tuple[EntityGrowth, ...]
    source: Source = "measured"
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Trajectories without places on the axis, by reason; they count neither way."""

    @property
    def explorations(self) -> list[Exploration]:
        """Of all entities."""
        return [each for entity in self.entities for each in entity.explorations]

    @property
    def last(self) -> float:
        """How far the longest trajectory goes; 0 where nothing was done."""
        return max((each.end for each in self.explorations), default=0.0)

    @property
    def clusters(self) -> list[str]:
        """Of each entity."""
        return [entity.cluster for entity in self.entities]

    @property
    def undated_share(self) -> float:
        """The share of items whose support names no turn, averaged as the curve is."""
        shares = [entity.undated / entity.chances for entity in self.entities]
        return sum(shares) / len(shares) if shares else 0.0

    def rows(self, xs: Sequence[float]) -> list[list[float]]:
        """Each entity's share found by each of xs."""
        return [entity.shares(xs) for entity in self.entities]

    def grid(self) -> list[float]:
        """Where a curve is read: each turn or call; along other axes each place where it rises."""
        last = self.last
        if self.axis in ("turn", "calls"):
            if last <= POINTS:
                return [float(x) for x in range(1, int(last) + 1)]
            return [float(ceil(last * k / POINTS)) for k in range(1, POINTS + 1)]
        rises = sorted({place for each in self.explorations for place in each.places} | {last})
        if len(rises) > FINE:
            rises = [rises[ceil(len(rises) * k / FINE) - 1] for k in range(1, FINE + 1)]
        return rises if last > 0 else []


def finds(
    verdicts: Iterable[Verdict], *, level: Level = "message", dating: Dating = "first"
) -> list[Find]:
    """The supported items of one level, each dated by one of its supporting turns."""
    pick = min if dating == "first" else max
    return [
        Find(v.trajectory_id, v.item_id, pick(v.supporting_turns, default=None))
        for v in verdicts
        if v.level == level and v.label == "supported"
    ]


def latest_trails(trails: Sequence[Trail]) -> list[Trail]:
    """Of each entity and trial the highest attempt, in the order of first sight."""
    latest: dict[tuple[str, int], Trail] = {}
    for each in trails:
        key = (each.entity_id, each.trial)
        if key not in latest or each.attempt > latest[key].attempt:
            latest[key] = each
    return list(latest.values())


def growth(
    items: Sequence[ChecklistItem],
    trails: Sequence[Trail],
    found: Iterable[Find],
    axis: Axis,
    *,
    competitor: str = "",
    clusters: Mapping[str, str] | None = None,
    at_end: bool = False,
) -> Growth:
    """As run: the denominator is all items, unscored ones included; an entity never run counts as 0.

    Superseded attempts are left out. An entity of which no trajectory has places on the axis is left
    out whole: what it took is unknown, so that it is neither found nor missed at any of them.
    `at_end`: each find counts from where its trajectory stopped, whatever its turn (a report's are).
    """
    runs = latest_trails(trails)
    known, without = courses(runs, axis)
    sources = {each.source for each in known.values()}
    if len(sources) > 1:  # a total says nothing of turns: the two do not mix
        apart = {name: each for name, each in known.items() if each.source == "reported"}
        without |= dict.fromkeys(apart, "a reported total beside measured ones")
        known = {name: each for name, each in known.items() if name not in apart}
    begun = {run.entity_id for run in runs}
    mine: dict[str, list[Course]] = defaultdict(list)
    for each in known.values():
        mine[each.entity_id].append(each)
    asked = Counter(item.entity_id for item in items)
    wanted = {item.id for item in items}
    by_run: dict[str, list[Find]] = defaultdict(list)
    for find in found:
        if find.item_id in wanted:
            by_run[find.trajectory_id].append(find)
    groups = clusters or {}

    def dated(run: Course, find: Find) -> float | None:
        if at_end:
            return run.end
        return None if find.turn is None else _place(run, find.turn, axis)

    entities = [
        _entity(
            EntityGrowth(entity, groups.get(entity, entity), count, ()), mine[entity], by_run, dated
        )
        for entity, count in asked.items()
        if mine[entity] or entity not in begun
    ]
    return Growth(
        competitor=competitor,
        axis=axis,
        entities=tuple(entities) if known or not runs else (),
        source="reported" if sources == {"reported"} else "measured",
        left_out=dict(Counter(without.values())),
    )


def _entity(
    empty: EntityGrowth,
    mine: Sequence[Course],
    by_run: Mapping[str, Sequence[Find]],
    dated: Callable[[Course, Find], float | None],
) -> EntityGrowth:
    explorations, undated = [], 0
    for run in mine:
        theirs = [dated(run, find) for find in by_run.get(run.trajectory_id, ())]
        places = sorted(place for place in theirs if place is not None)
        undated += len(theirs) - len(places)
        first = min((place for place in run.places.values() if place > 0), default=None)
        end = max(run.end, *places) if places else run.end
        explorations.append(Exploration(end, tuple(places), first))
    return replace(empty, explorations=tuple(explorations), undated=undated)


def _place(run: Course, turn: int, axis: Axis) -> float:
    """Where a turn ends; of one that is not stored, where the last stored one before it does."""
    if turn in run.places:
        return run.places[turn]
    if axis == "turn":
        return float(turn)
    before = [index for index in run.places if index <= turn]
    return run.places[max(before)] if before else 0.0 if run.places else run.end
