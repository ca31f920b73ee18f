"""All of an exploration: each trajectory as a point, the tests over them, and the map of the schema."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from analysis.attempts import latest_attempts
from analysis.exploration.entropy import Use, use_of
from analysis.exploration.fields import Fields, readings
from analysis.exploration.heat import SchemaHeat, heat_of
from analysis.exploration.regime import Bin, Observation, Regime, bins, regimes
from analysis.exploration.steps import Step, steps_of
from analysis.exploration.thirds import Change, Ending, changes, ending
from core.trajectory import Trajectory


@dataclass(frozen=True)
class Group:
    """The trajectories of one run, which are one model's."""

    name: str
    """Of the model, or of the agent where there is none; tells it from the other groups."""
    trajectories: Sequence[Trajectory]
    """Of all attempts; the latest of each entity and trial counts."""
    accuracy: Mapping[str, float | None] = field(default_factory=dict)
    """By trajectory id, message-wise; empty without an evaluation, None where nothing was scored."""


@dataclass(frozen=True)
class Point:
    """One trajectory."""

    group: str
    trajectory_id: str
    entity_id: str
    cluster: str
    trial: int
    accuracy: float | None
    turns: int
    use: Use
    tables: int
    """That it read any field of."""
    unparsed: int | None
    """Statements that sqlglot cannot even parse; None where turns were not looked at."""

    @property
    def is_followed(self) -> bool:
        """Whether all that it read is known; if not, its coverage is a lower bound."""
        return not self.use.unfollowed

    @property
    def observation(self) -> Observation | None:
        """For the regime test; None where it cannot take part."""
        coverage, entropy = self.use.coverage, self.use.entropy
        if self.accuracy is None or coverage is None or entropy is None or not self.is_followed:
            return None
        return Observation(self.group, self.cluster, self.accuracy, coverage, entropy)


@dataclass(frozen=True)
class Explored:
    """What is found in one group."""

    name: str
    points: tuple[Point, ...]
    steps: Mapping[str, Sequence[Step]]
    """By trajectory id; empty where turns were not looked at, and so are the changes."""
    changes: tuple[Change, ...]
    ending: Ending
    heat: SchemaHeat


@dataclass(frozen=True)
class Exploration:
    """Of all groups together."""

    fields: Fields
    """All that could be read."""
    without_keys: bool
    groups: tuple[Explored, ...]
    regimes: tuple[Regime, ...]
    """Empty where no accuracy is known."""
    bins: tuple[Bin, ...]
    heat: SchemaHeat

    @property
    def points(self) -> tuple[Point, ...]:
        """Each trajectory, group by group."""
        return tuple(point for group in self.groups for point in group.points)

    @property
    def unfollowed(self) -> tuple[Point, ...]:
        """Trajectories that hold a statement which sqlglot could not follow."""
        return tuple(point for point in self.points if not point.is_followed)


def explore(
    groups: Sequence[Group],
    fields: Fields,
    *,
    dialect: str,
    clusters: Mapping[str, str],
    tables_of: Mapping[str, Collection[str]] | None = None,
    without_keys: bool = False,
    with_turns: bool = True,
) -> Exploration:
    """Everything that is to be known of where these trajectories looked.

    `dialect`: sqlglot's name of the database's; `clusters`: entity id to what its errors go together by;
    `tables_of`: entity id to its own tables, where entities differ in them. Without turns no SQL is parsed,
    which takes milliseconds a query: points, tests of accuracy and the map alone.
    """
    asked = fields.without_keys() if without_keys else fields
    owned = tables_of or {}
    parsed_as = dialect if with_turns else None
    made = [_group(each, asked, parsed_as, clusters, owned) for each in groups]
    observed = [o for each in made for point in each.points if (o := point.observation)]
    return Exploration(
        fields=asked,
        without_keys=without_keys,
        groups=tuple(made),
        regimes=tuple(regimes(observed)) if observed else (),
        bins=tuple(bins(observed)) if observed else (),
        heat=_heat([point for each in made for point in each.points], asked, owned),
    )


def _group(
    group: Group,
    fields: Fields,
    dialect: str | None,
    clusters: Mapping[str, str],
    tables_of: Mapping[str, Collection[str]],
) -> Explored:
    """`dialect`: None where turns are not looked at."""
    points: list[Point] = []
    steps: dict[str, list[Step]] = {}
    for each in latest_attempts(group.trajectories):
        mine = fields.within(tables_of.get(each.entity_id))
        read = readings(each, mine)
        use = use_of(read, len(mine))
        if dialect is not None:
            steps[each.id] = steps_of(each, read, mine, dialect)
        points.append(
            Point(
                group=group.name,
                trajectory_id=each.id,
                entity_id=each.entity_id,
                cluster=clusters.get(each.entity_id, each.entity_id),
                trial=each.trial,
                accuracy=group.accuracy.get(each.id),
                turns=len(each.turns),
                use=use,
                tables=len({mine.by_name[name].table for name in use.counts}),
                unparsed=sum(step.unparsed for step in steps[each.id])
                if dialect is not None
                else None,
            )
        )
    found = tuple(changes(steps, {point.trajectory_id: point.cluster for point in points}))
    return Explored(
        name=group.name,
        points=tuple(points),
        steps=steps,
        changes=found,
        ending=ending(found),
        heat=_heat(points, fields, tables_of),
    )


def _heat(
    points: Sequence[Point], fields: Fields, tables_of: Mapping[str, Collection[str]]
) -> SchemaHeat:
    return heat_of(
        fields,
        {point.trajectory_id: point.use.counts for point in points},
        {point.trajectory_id: tables_of.get(point.entity_id) for point in points},
    )
