"""Get to know a database from nothing: tables, columns, the entity's rows and what joins to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent.profiler import quoting
from agent.profiler.columns import Figures, measure_columns, value_of
from agent.profiler.entity import Located, Place, locate
from agent.profiler.joins import composite_joins, single_joins
from agent.profiler.relation import Join, Relation
from agent.profiler.reply import Ask, Conversation, whole
from agent.profiler.roles import Column, Role, find_codes, role_of
from agent.profiler.schema import Table, read_schema
from agent.profiler.wording import humanise, table_words
from core.scenario import Task

_PATH = 2
"""Tables on the way from a row to its entity, at most."""
_EVERY_ROW = "1"
"""Key and literal where every row is the entity's."""
MAX_TABLES = 60
"""Tables that are looked at; a database of more is profiled by its first ones."""


@dataclass(frozen=True)
class World:
    """All that is known before the first question about the entity itself."""

    tables: tuple[Table, ...] = ()
    located: Located | None = None
    anchor: Relation | None = None
    """The table with one row for each entity."""
    relations: tuple[Relation, ...] = ()
    """Tables with rows of the entity, the fullest first."""
    apart: bool = False
    """Whether every row is the entity's: there is nobody to compare it with."""


@dataclass(frozen=True)
class Known:
    """Figures and roles of every column, by table.column."""

    figures: Mapping[str, Figures]
    roles: Mapping[str, Role]

    def rows(self, table: Table) -> int:
        """The rows of a table whose description does not tell them, as a view's may not."""
        told = (self.figures[f.key].rows for f in table.fields if f.key in self.figures)
        return max(told, default=0)

    def columns(
        self, table: Table, alias: str, of: str | None, leave_out: Sequence[str]
    ) -> tuple[Column, ...]:
        """A table's columns under an alias."""
        return tuple(
            Column(f, self.figures[f.key], self.roles[f.key], alias, of, humanise(f.name))
            for f in table.fields
            if f.key in self.figures and f.key not in leave_out
        )


def discover(task: Task) -> Conversation[World]:
    """Look at the schema, then at values, until the entity's rows can be asked about."""
    tables = yield from read_schema(MAX_TABLES)
    # The order in which questions are put must not hang on the names of the tables.
    tables.sort(key=lambda table: (-table.rows, -len(table.fields)))
    figures = yield from measure_columns(tables)
    roles = {
        f.key: role_of(f, figures[f.key]) for t in tables for f in t.fields if f.key in figures
    }
    if task.is_apart:
        return (yield from _apart(tables, figures, roles))
    located = yield from locate(task, tables, figures)
    if not located.places:
        return World(tables=tuple(tables), located=located)
    keys = {place.field.key for place in located.places}
    near = {place.field.table for place in located.places}
    joins = yield from single_joins(tables, figures, near)
    keys |= {here.key for join in joins for here, _ in join.pairs}
    for table in tables:
        doubted = {
            f.key: roles[f.key] for f in table.fields if f.key in roles and f.key not in keys
        }
        codes = yield from find_codes(table, figures, doubted)
        roles.update(dict.fromkeys(codes, Role.CODE))
    known = Known(figures, roles | _key_roles(keys, figures))
    relations = yield from _relations(tables, located, joins, known)
    return World(tuple(tables), located, _anchor(tables, located, known), relations)


def _apart(
    tables: Sequence[Table], figures: Mapping[str, Figures], roles: Mapping[str, Role]
) -> Conversation[World]:
    """The world of an entity that has the database to itself: each table is read whole."""
    joins = yield from single_joins(tables, figures, {table.name for table in tables})
    keys = {field.key for join in joins for pair in join.pairs for field in pair}
    found = dict(roles)
    for table in tables:
        own = {f.key: found[f.key] for f in table.fields if f.key in found and f.key not in keys}
        codes = yield from find_codes(table, figures, own)
        found.update(dict.fromkeys(codes, Role.CODE))
    known = Known(figures, found | _key_roles(keys, figures))
    relations = []
    for table in tables:
        rows = table.rows or known.rows(table)
        relation = Relation(
            table=table,
            words=table_words(table.name),
            source=f"{quoting.name(table.name)} AS f",
            key=_EVERY_ROW,
            literal=_EVERY_ROW,
            rows=rows,
            own=rows,
            columns=known.columns(table, "f", None, ()),
        )
        if rows:
            mine = [join for join in joins if join.origin == table.name]
            relations.append(_joined(relation, mine, known))
    return World(tuple(tables), relations=tuple(relations), apart=True)


def _key_roles(keys: set[str], figures: Mapping[str, Figures]) -> dict[str, Role]:
    """A key is never averaged: its values are names, be they texts or numbers."""
    return {
        key: Role.CATEGORY if figures[key].distinct < figures[key].filled else Role.UNIQUE
        for key in keys
        if key in figures
    }


@dataclass(frozen=True)
class Home:
    """How a table's rows are told to be the entity's: by a column, at the end of a path of joins."""

    place: Place
    path: tuple[Join, ...] = ()


def _anchor(tables: Sequence[Table], located: Located, known: Known) -> Relation | None:
    place = located.anchor
    return _relation(_table(tables, place.field.table), Home(place), known) if place else None


def _relation(table: Table, home: Home, known: Known) -> Relation:
    aliases = ["f", *(f"l{i + 1}" for i in range(len(home.path)))]
    links = (join.clause(aliases[i + 1], aliases[i]) for i, join in enumerate(home.path))
    return Relation(
        table=table,
        words=table_words(table.name),
        source=" ".join([f"{quoting.name(table.name)} AS f", *links]),
        key=value_of(home.place.field, aliases[-1]),
        literal=home.place.literal,
        rows=table.rows or known.rows(table),
        own=home.place.matches,
        columns=known.columns(table, "f", None, [home.place.field.key]),
        alone=not home.path,
    )


def _relations(
    tables: Sequence[Table], located: Located, joins: Sequence[Join], known: Known
) -> Conversation[tuple[Relation, ...]]:
    homes = _homes(located, joins)
    counted = []
    for name, home in homes.items():
        relation = _relation(_table(tables, name), home, known)
        if home.path or not home.place.matches:
            relation = yield from _count(relation)
        if relation.own:
            counted.append(relation)
    relations = []
    for relation in sorted(counted, key=lambda r: -r.own):
        table = relation.table.name
        own_joins = [j for j in joins if j.origin == table and j.target.name not in homes]
        if located.anchor:
            anchor = located.anchor.field.table
            own_joins = [j for j in own_joins if j.target.name != anchor]
        near = {j.target.name for j in own_joins} | {table}
        near |= {located.anchor.field.table} if located.anchor else set()
        composite: Sequence[Join] = []
        if relation.alone:
            others = [t for t in tables if t.name not in near and t.rows != 1]
            composite = yield from composite_joins(
                relation.table, others, known.figures, known.roles
            )
        relations.append(_joined(relation, [*own_joins, *composite], known))
    return tuple(relations)


def _homes(located: Located, joins: Sequence[Join]) -> dict[str, Home]:
    """Tables with rows of the entity: by a column of their own, or by way of such a table's key."""
    homes = {place.field.table: Home(place) for place in located.facts}
    anchor = located.anchor
    known = dict(homes)
    if anchor:
        known[anchor.field.table] = Home(anchor)
    for _ in range(_PATH):
        for join in joins:
            here, there = join.pairs[0]
            home = known.get(join.target.name)
            if home is None or here.table in known:
                continue
            if there.key == home.place.field.key and not home.path:
                # It holds the entity's own key, though this entity may be rare in it.
                homes[here.table] = Home(replace(home.place, field=here, matches=0))
            else:
                homes[here.table] = Home(home.place, (join, *home.path))
        known |= homes
    return homes


def _count(relation: Relation) -> Conversation[Relation]:
    reply = yield Ask(
        "execute_query",
        {"query": f"SELECT count(*) AS n FROM {relation.source} WHERE {relation.where}"},
        f"See how many rows of {relation.words} belong to it.",
    )
    return replace(relation, own=whole(reply.one.get("n")))


def _joined(relation: Relation, joins: Sequence[Join], known: Known) -> Relation:
    targets = [join.target.name for join in joins]
    joined = []
    for place, join in enumerate(joins):
        words = table_words(join.target.name)
        if targets.count(join.target.name) > 1:
            words = f"{words} by {humanise(join.pairs[0][0].name)}"
        keys = [*join.shared, *(there.key for _, there in join.pairs)]
        alias = f"d{place + 1}"
        joined.append((join, alias, known.columns(join.target, alias, words, keys)))
    return relation.with_joins(joined)


def _table(tables: Sequence[Table], name: str) -> Table:
    return next(table for table in tables if table.name == name)
