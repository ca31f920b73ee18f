"""Find where the entity lives: the columns that hold its id or its label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.profiler import quoting
from agent.profiler.columns import Figures, value_of
from agent.profiler.reply import Ask, Conversation, whole
from agent.profiler.schema import Field, Kind, Table
from core.scenario import Task

_BATCH = 60
_WHOLE_LIMIT = 2**63


@dataclass(frozen=True)
class Place:
    """A column that holds the entity's id or label, and how often."""

    field: Field
    value: str
    matches: int
    unique: bool
    """Whether each entity has one row there: a table about the entities."""

    @property
    def literal(self) -> str:
        """SQL for the value, of the column's own type so that storage can be pruned."""
        return self.value if self.field.kind is Kind.WHOLE else quoting.literal(self.value)


@dataclass(frozen=True)
class Located:
    """The entity's places: at most one row about it, and tables with rows of its own."""

    anchor: Place | None
    facts: tuple[Place, ...]

    @property
    def places(self) -> tuple[Place, ...]:
        """All of them, the anchor first."""
        return ((self.anchor,) if self.anchor else ()) + self.facts


def locate(
    task: Task, tables: Sequence[Table], figures: Mapping[str, Figures]
) -> Conversation[Located]:
    """Ask which columns hold the id or label, then which of them hold the same kind of key."""
    found = yield from _search(task, tables, figures)
    if not found:
        return Located(None, ())
    kin = yield from _kin(found, figures)
    labelled = {p.field.table for p in found if p.value == task.entity_label and p.unique}

    def worth(place: Place) -> tuple[bool, int, bool, int]:
        told = place.value != task.entity_label and place.field.table in labelled
        size = figures[place.field.key].distinct
        # Keys of the entities are what other tables refer to. Without any reference, a table of
        # entities is rather small, and a column of keys has rather many values.
        return told, len(kin[place]), place.unique, -size if place.unique else size

    best = max(found, key=worth)
    others = tuple(p for p in kin[best] if not p.unique)
    return Located(best, others) if best.unique else Located(None, (best, *others))


def _search(
    task: Task, tables: Sequence[Table], figures: Mapping[str, Figures]
) -> Conversation[list[Place]]:
    values = [task.entity_id]
    if task.entity_label != task.entity_id:
        values.append(task.entity_label)
    asked = [
        (field, value)
        for table in tables
        for field in table.fields
        for value in values
        if _could_hold(field, figures.get(field.key), value)
    ]
    found: list[Place] = []
    for start in range(0, len(asked), _BATCH):
        batch = asked[start : start + _BATCH]
        query = "\nUNION ALL ".join(
            f"SELECT {i} AS i, count(*) AS n FROM {quoting.name(field.table)} "
            f"WHERE {value_of(field)} = {value if field.kind is Kind.WHOLE else quoting.literal(value)}"
            for i, (field, value) in enumerate(batch)
        )
        reply = yield Ask(
            "execute_query",
            {"query": query, "limit": 200},
            f"Find the columns that hold this {task.entity_noun}.",
        )
        for row in reply.rows:
            place, matches = whole(row.get("i")), whole(row.get("n"))
            if matches and 0 <= place < len(batch):
                field, value = batch[place]
                unique = matches == 1 and figures[field.key].unique
                found.append(Place(field, value, matches, unique))
    return found


def _could_hold(field: Field, figures: Figures | None, value: str) -> bool:
    if figures is None or not figures.filled:
        return False
    if field.kind is Kind.WHOLE:
        canonical = value.removeprefix("-").isdecimal() and value.isascii()
        return canonical and str(int(value)) == value and abs(int(value)) < _WHOLE_LIMIT
    return field.kind is Kind.TEXT


def _kin(
    found: Sequence[Place], figures: Mapping[str, Figures]
) -> Conversation[dict[Place, list[Place]]]:
    """For each place, the places of other tables whose values are of its kind, one per table."""
    kin: dict[Place, list[Place]] = {place: [] for place in found}
    pairs = [
        (one, other)
        for one in found
        for other in found
        if one.field.table != other.field.table
        and one.field.kind is other.field.kind
        and one.value == other.value
        and _covers(figures[other.field.key].distinct, one, figures)
    ][:_BATCH]
    if not pairs:
        return kin
    query = "\nUNION ALL ".join(
        f"SELECT {i} AS i, count(*) AS d, count(*) FILTER (WHERE v IN (SELECT {value_of(one.field)} "
        f"FROM {quoting.name(one.field.table)})) AS inside FROM (SELECT DISTINCT {value_of(other.field)} AS v "
        f"FROM {quoting.name(other.field.table)}) WHERE v IS NOT NULL"
        for i, (one, other) in enumerate(pairs)
    )
    reply = yield Ask(
        "execute_query",
        {"query": query, "limit": 200},
        "See which of these columns hold the same keys.",
    )
    best: dict[tuple[Place, str], tuple[int, Place]] = {}
    for row in reply.rows:
        one, other = pairs[whole(row.get("i"))]
        distinct, inside = whole(row.get("d")), whole(row.get("inside"))
        if inside >= max(1, 0.5 * distinct) and _covers(inside, one, figures):
            known = best.get((one, other.field.table))
            if known is None or inside > known[0]:
                best[one, other.field.table] = (inside, other)
    for (one, _), (_, other) in best.items():
        kin[one].append(other)
    return kin


def _covers(distinct: int, place: Place, figures: Mapping[str, Figures]) -> bool:
    """Small whole numbers are inside any key's range: they must cover it too."""
    return place.field.kind is not Kind.WHOLE or distinct >= 0.3 * figures[place.field.key].distinct
