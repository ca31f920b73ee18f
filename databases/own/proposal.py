"""Propose what becomes of each column, what agents are told of it, and how the entities are listed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count as numbers
from typing import Final

from core.sql import quote
from databases.comments import WHOLE
from databases.own.anonymise import AnonymiseMap, ColumnRule, TableRule, is_type
from databases.own.keys import Place, can_be_key, row_keys, singular, words
from databases.own.look import Look
from databases.own.profile import ColumnProfile, TableProfile
from databases.own.wording import described

_MANY: Final = 20
"""More different texts than this, and more than every second row's own, are names or remarks."""


@dataclass(frozen=True)
class Candidate:
    """A column whose values may be the entities."""

    place: Place
    table: TableProfile
    column: ColumnProfile
    pointed_at: int
    """Columns of other tables that point to it."""

    def __str__(self) -> str:
        told = f"{self.table.stem}.{self.column.name} ({self.column.distinct:,} different values"
        return f"{told}, {self.pointed_at} columns point to it)" if self.pointed_at else f"{told})"


@dataclass(frozen=True)
class Proposal:
    """What is written down to be edited."""

    map: AnonymiseMap
    descriptions: dict[str, dict[str, str]]
    """By the names that agents see; the table's own under `*`."""
    query: str
    left_out: int
    """Entities to which no row of another table belongs; the query leaves them out."""
    entities: int


def candidates(look: Look) -> list[Candidate]:
    """Columns that may be the entities, the likeliest first."""
    found = []
    children = {reference.child for reference in look.references}
    for table in look.tables:
        keys = {key.name for key in row_keys(table)}
        for column in table.columns:
            place = Place(table.name, column.name)
            pointed = sum(reference.parent == place for reference in look.references)
            repeated = not column.is_unique and 1 < column.distinct <= column.rows / 2
            grouping = repeated and can_be_key(column)
            if pointed or column.name in keys or (grouping and place not in children):
                found.append(Candidate(place, table, column, pointed))
    # One row per thing first, then what rows are grouped by; texts name things better than figures.
    found.sort(
        key=lambda c: (
            -c.pointed_at,
            not c.column.is_unique,
            not c.column.is_text,
            -c.column.distinct,
        )
    )
    return found


def propose(look: Look, entity: Candidate, *, noun: str, label: str | None) -> Proposal:
    """The map, the descriptions and the query for these entities."""
    kinds = _kinds(look, entity, noun)
    names = _unique([table.stem for table in look.tables], "table")
    rules: dict[str, TableRule] = {}
    for table, name in zip(look.tables, names, strict=True):
        columns = _unique([column.name for column in table.columns], "column")
        rules[table.key] = TableRule(
            name=name,
            columns={
                column.name: _rule(
                    column,
                    called,
                    kinds.get(Place(table.name, column.name)),
                    label_of=noun if table == entity.table and column.name == label else None,
                )
                for column, called in zip(table.columns, columns, strict=True)
            },
        )
    made = AnonymiseMap(entity=kinds[entity.place], tables=rules)
    alone = _without_rows(look, entity)
    return Proposal(
        map=made,
        descriptions=_descriptions(look, made),
        query=_query(look, made, entity, label, only_with_rows=alone > 0),
        left_out=alone,
        entities=entity.column.distinct - alone,
    )


def query_for(look: Look, entity: Candidate, label: str | None) -> str:
    """The entities of a database that is served as it is, in its own SQL."""
    place = ".".join(map(look.quote, entity.place.table.split(".", 1)))
    return _select(look.quote(entity.column.name), label and look.quote(label), place, entity, "")


def _kinds(look: Look, entity: Candidate, noun: str) -> dict[Place, str]:
    """Whose id each key column holds: columns that point to one another hold the same."""
    root: dict[Place, Place] = {}

    def top(place: Place) -> Place:
        while place in root:
            place = root[place]
        return place

    keys = [Place(t.name, key.name) for t in look.tables for key in row_keys(t)]
    for reference in look.references:
        child, parent = top(reference.child), top(reference.parent)
        if child != parent:
            root[child] = parent
    stems = {table.name: table.stem for table in look.tables}
    named: dict[Place, str] = {top(entity.place): _kind_name(noun, ())}
    for place in [*(r.parent for r in look.references), *keys]:
        if top(place) not in named:
            parts = [singular(word) for word in words(stems[top(place).table])]
            named[top(place)] = _kind_name("_".join(parts), named.values())
    places = {*keys, entity.place, *(r.child for r in look.references)}
    return {place: named[top(place)] for place in places if top(place) in named}


def _kind_name(text: str, taken: Iterable[str]) -> str:
    plain = "_".join(words(text)).encode("ascii", "ignore").decode().strip("_")[:30]
    base = plain if plain[:1].isalpha() else f"kind_{plain}".rstrip("_")
    used = set(taken)
    return next(name for n in numbers(1) if (name := base if n == 1 else f"{base}_{n}") not in used)


def _unique(given: Sequence[str], what: str) -> list[str]:
    """Names in small letters and underlines, no two alike."""
    made: list[str] = []
    for text in given:
        plain = "_".join(words(text))[:60] or what
        base = plain if not plain[0].isdigit() else f"{what}_{plain}"
        made.append(
            next(n for i in numbers(1) if (n := base if i == 1 else f"{base}_{i}") not in made)
        )
    return made


def _rule(
    column: ColumnProfile, called: str, kind: str | None, *, label_of: str | None
) -> ColumnRule:
    about = {"name": called, "type": column.type, "format": column.format}
    if not is_type(column.type):
        about["type"] = "VARCHAR"
    if kind is not None:
        return ColumnRule(**about, change="id", kind=kind)
    if label_of is not None and column.is_text and column.codes is None:
        return ColumnRule(**about, change="id", kind=_kind_name(f"{label_of}_name", ()))
    if column.type in ("DATE", "TIMESTAMP"):
        return ColumnRule(**about, change="shift")
    tells = column.reaches or column.is_free_text or column.type == "BLOB"
    named = column.is_text and column.distinct > max(_MANY, column.filled / 2)
    return ColumnRule(**about, change="drop" if tells or named else "keep")


def _descriptions(look: Look, made: AnonymiseMap) -> dict[str, dict[str, str]]:
    told: dict[str, dict[str, str]] = {}
    for table in look.tables:
        rule = made.tables[table.key]
        thing = " ".join(singular(word) for word in words(table.stem)) or "thing"
        whole = f"One row per {thing}." if row_keys(table) else f"Rows of {rule.name}."
        columns = {
            column.name: described(column, rule.columns[column.name])
            for column in table.columns
            if rule.columns[column.name].change != "drop"
        }
        told[rule.name] = {
            WHOLE: whole,
            **{rule.columns[source].name: text for source, text in columns.items()},
        }
    return told


def _pointing(look: Look, entity: Candidate) -> list[Place]:
    return [r.child for r in look.references if r.parent == entity.place]


def _without_rows(look: Look, entity: Candidate) -> int:
    pointing = _pointing(look, entity)
    if not pointing or not entity.column.is_unique:
        return 0
    mine = f"e.{look.quote(entity.column.name)}"
    exist = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {look.quote(p.table)} c WHERE c.{look.quote(p.column)} = {mine})"
        for p in pointing
    )
    ((alone,),) = look.ask(f"SELECT count(*) FROM {look.quote(entity.place.table)} e WHERE {exist}")
    return int(alone)


def _query(
    look: Look, made: AnonymiseMap, entity: Candidate, label: str | None, *, only_with_rows: bool
) -> str:
    rule = made.tables[entity.table.key]
    mine = quote(rule.columns[entity.column.name].name)
    shown = None if label is None else quote(rule.columns[label].name)
    keys = {table.name: table.key for table in look.tables}
    where = ""
    if only_with_rows:
        children = []
        for child in _pointing(look, entity):
            its = made.tables[keys[child.table]]
            column = quote(its.columns[child.column].name)
            children.append(
                f"EXISTS (SELECT 1 FROM {quote(its.name)} c WHERE c.{column} = e.{mine})"
            )
        where = " OR ".join(children)
    return _select(mine, shown, quote(rule.name), entity, where)


def _select(mine: str, label: str | None, table: str, entity: Candidate, where: str) -> str:
    if entity.column.is_unique:
        condition = f" WHERE {where}" if where else ""
        return f"SELECT e.{mine} AS id, e.{label or mine} AS label FROM {table} e{condition} ORDER BY 1"
    return (
        f"SELECT e.{mine} AS id, min(e.{label or mine}) AS label FROM {table} e "
        f"WHERE e.{mine} IS NOT NULL GROUP BY e.{mine} ORDER BY 1"
    )
