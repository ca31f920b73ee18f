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
    """Ask which columns hold the id or label, then which of them are the same kind of key."""
    found = yield from _search(task, tables, figures)
    anchor = _anchor(task, found)
    if anchor is None:
        repeated = [p for p in found if not p.unique]
        if not repeated:
            return Located(found[0] if found else None, ())
        # Without a table of the entities the likeliest key is the column of most values.
        anchor = max(repeated, key=lambda p: figures[p.field.key].distinct)
    others = [p for p in found if p.field.table != anchor.field.table and not p.unique]
    same = yield from _same_domain(anchor, others, figures)
    if anchor.unique:
        return Located(anchor, tuple(same))
    return Located(None, (anchor, *same))


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
    return field.kind is Kind.TEXT and not field.type.upper().startswith("UUID")


def _anchor(task: Task, found: Sequence[Place]) -> Place | None:
    """The table about the entities: the id is unique in it, best with the label in the same row."""
    labelled = {p.field.table for p in found if p.value == task.entity_label and p.unique}
    unique = [p for p in found if p.unique]
    if not unique:
        return None

    def worth(place: Place) -> tuple[bool, bool, int]:
        kin = sum(
            p.field.kind is place.field.kind and p.value == place.value
            for p in found
            if p.field.table != place.field.table
        )
        told_by_label = place.value != task.entity_label and place.field.table in labelled
        return (told_by_label, kin > 0, kin)

    return max(unique, key=worth)


def _same_domain(
    anchor: Place, others: Sequence[Place], figures: Mapping[str, Figures]
) -> Conversation[list[Place]]:
    """Of the columns that hold the value too, one per table whose values are the anchor's kind."""
    alike = [p for p in others if p.field.kind is anchor.field.kind and p.value == anchor.value]
    if not alike:
        return []
    domain = f"SELECT {value_of(anchor.field)} FROM {quoting.name(anchor.field.table)}"
    query = "\nUNION ALL ".join(
        f"SELECT {i} AS i, count(*) AS d, count(*) FILTER (WHERE v IN ({domain})) AS inside "
        f"FROM (SELECT DISTINCT {value_of(p.field)} AS v FROM {quoting.name(p.field.table)}) "
        f"WHERE v IS NOT NULL"
        for i, p in enumerate(alike[:_BATCH])
    )
    reply = yield Ask(
        "execute_query",
        {"query": query, "limit": 200},
        f"See which of these columns hold the same keys as {anchor.field.table}.",
    )
    best: dict[str, tuple[int, Place]] = {}
    size = figures[anchor.field.key].distinct
    for row in reply.rows:
        place = alike[whole(row.get("i"))]
        distinct, inside = whole(row.get("d")), whole(row.get("inside"))
        # Small whole numbers are inside any key's range: they must cover it too.
        covers = inside >= 0.3 * size or place.field.kind is not Kind.WHOLE
        if distinct and inside >= 0.5 * distinct and covers:
            known = best.get(place.field.table)
            if known is None or inside > known[0]:
                best[place.field.table] = (inside, place)
    return [place for _, place in best.values()]
