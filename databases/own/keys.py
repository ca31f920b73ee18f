"""Find keys by uniqueness, names and inclusion: which column names a row, and which points to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from databases.own.profile import Ask, ColumnProfile, Quote, TableProfile

_ID_WORDS: Final = frozenset(
    {"id", "ids", "key", "no", "nr", "num", "number", "code", "uuid", "guid", "ref"}
)
_MAX_KEY_TEXT: Final = 64
_PAIRS: Final = 2_000
"""So many inclusions are tried at most: each reads two columns."""


class Place(NamedTuple):
    """A column of a table, as it is called where it was profiled."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


class Reference(NamedTuple):
    """A column all of whose values stand in another table's key."""

    child: Place
    parent: Place


def words(name: str) -> list[str]:
    """'PatientNo' and 'patient_no' have the words patient and no."""
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return [word.lower() for word in re.split(r"[\W_]+", parts) if word]


def singular(word: str) -> str:
    """'patients' is patient, 'companies' company: good enough to compare names by."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def row_keys(table: TableProfile) -> list[ColumnProfile]:
    """Columns that name a row, the likeliest first; those that are unique by chance are left out.

    A column with a value of its own in each row is a key where its name says so, or where it is the
    first one.
    """
    found = [
        column
        for place, column in enumerate(table.columns)
        if column.is_unique and can_be_key(column) and (place == 0 or _is_named_key(column.name))
    ]
    return sorted(found, key=lambda column: -_likeness(table, column))


def references(tables: Sequence[TableProfile], ask: Ask, quote: Quote) -> list[Reference]:
    """Which columns point to which row keys, at most one each.

    Whole numbers stand in many a key by chance, so the name has to say it as well; texts may do
    without where two or more values are included.
    """
    parents = [(table, key) for table in tables for key in row_keys(table)]
    found: list[Reference] = []
    tried = 0
    for child in tables:
        own = {key.name for key in row_keys(child)}
        for column in child.columns:
            if not can_be_key(column) or not column.distinct:
                continue
            for likeness, parent, key in _candidates(
                child, column, parents, is_key=column.name in own
            ):
                tried += 1
                if tried > _PAIRS:
                    return found
                pair = Reference(Place(child.name, column.name), Place(parent.name, key.name))
                if (likeness or not column.is_number) and _included(pair, ask, quote):
                    found.append(pair)
                    break
    return found


def _candidates(
    child: TableProfile,
    column: ColumnProfile,
    parents: Sequence[tuple[TableProfile, ColumnProfile]],
    *,
    is_key: bool,
) -> list[tuple[int, TableProfile, ColumnProfile]]:
    """Keys that the column could point to, the likeliest first."""
    listed = []
    for parent, key in parents:
        if parent.name == child.name or key.distinct < column.distinct:
            continue
        if key.is_number != column.is_number or key.is_text != column.is_text:
            continue
        likeness = _same_name(column.name, parent, key)
        # Two tables of one row per thing: the one that is named after the thing is the parent.
        if is_key and (
            not likeness or (key.distinct == column.distinct and _own_name(child, column))
        ):
            continue
        if not likeness and column.distinct < 2:
            continue
        listed.append((likeness, parent, key))
    return sorted(listed, key=lambda each: (-each[0], each[1].name, each[2].name))


def _own_name(table: TableProfile, column: ColumnProfile) -> bool:
    return bool(set(map(singular, words(column.name))) & set(map(singular, words(table.stem))))


def _same_name(name: str, parent: TableProfile, key: ColumnProfile) -> int:
    """3: the same words. 2: the table's name in it ('patient', 'patient_id' -> patients). 0: neither."""
    mine, theirs = words(name), words(key.name)
    if mine == theirs and mine != ["id"]:
        return 3
    named = {singular(word) for word in words(parent.stem)} - _ID_WORDS
    bare = [singular(word) for word in mine if word not in _ID_WORDS]
    if bare and set(bare) <= named | {singular(w) for w in theirs}:
        return 2
    # 'patientid' has no words to tell apart.
    joined = "".join(mine)
    return 2 if any(joined in (f"{n}{i}" for i in _ID_WORDS) for n in named) else 0


def _included(pair: Reference, ask: Ask, quote: Quote) -> bool:
    child, parent = (".".join(map(quote, p.table.split(".", 1))) for p in pair)
    mine, theirs = quote(pair.child.column), quote(pair.parent.column)
    ((missing,),) = ask(
        f"SELECT count(*) FROM (SELECT DISTINCT {mine} AS v FROM {child} WHERE {mine} IS NOT NULL) c "
        f"WHERE NOT EXISTS (SELECT 1 FROM {parent} p WHERE p.{theirs} = c.v)"
    )
    return not missing


def can_be_key(column: ColumnProfile) -> bool:
    """Whether its values could name things: short texts and whole numbers, not figures or times."""
    if column.is_text:
        return (column.length or 0) <= _MAX_KEY_TEXT
    return column.type.upper() == "UUID" or (column.is_number and "INT" in column.type.upper())


def _is_named_key(name: str) -> bool:
    found = words(name)
    return bool(found) and (found[-1] in _ID_WORDS or found[-1].endswith(("id", "uuid")))


def _likeness(table: TableProfile, column: ColumnProfile) -> int:
    """How much a unique column looks like the table's own key."""
    named, own = _is_named_key(column.name), _own_name(table, column)
    first = table.columns[0].name == column.name
    return 4 * (words(column.name) == ["id"]) + 3 * (named and own) + 2 * named + first
