"""Ask of a statement that holds whether disorder breaks it: a fact that none can break says nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from checklists.breaking import broken_by_disorder
from checklists.perturb import Perturbation
from core.checklist import ChecklistItem
from core.errors import ChecklistError, UnknownNameError

if TYPE_CHECKING:
    import duckdb
    from sqlglot import exp

SEEDS: Final = range(20)
SURVIVES: Final = "it holds on disordered copies of the database as well"


def disordered(
    items: Sequence[ChecklistItem],
    connection: duckdb.DuckDBPyConnection,
    schema: Mapping[str, Collection[str]],
    seconds: float,
) -> list[ChecklistItem]:
    """The items that some disorder of what they rest on breaks, each with its perturbation.

    What a statement computes is dealt anew first, then whose rows they are; on 19 of 20 copies the
    item must fail (checklists/breaking.py), and each time within `seconds`.
    """
    ways = {item.id: list(perturbations(item, schema)) for item in items}
    broken: dict[str, ChecklistItem] = {}
    for turn in range(max(map(len, ways.values()), default=0)):
        tried = [
            item.model_copy(update={"perturbation": ways[item.id][turn]})
            for item in items
            if item.id not in broken and turn < len(ways[item.id])
        ]
        outcome = broken_by_disorder(
            tried,
            connection,
            SEEDS,
            asked=None,
            schema=schema,
            progress=lambda _what, _share: None,
            seconds=seconds,
        )
        broken.update({item.id: item for item in tried if item.id not in outcome.failed})
    return [broken[item.id] for item in items if item.id in broken]


def perturbations(item: ChecklistItem, schema: Mapping[str, Collection[str]]) -> Iterator[str]:
    """What an item's statement rests on: the columns that it computes with, and its entity's own."""
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(item.evidence_sql or "SELECT 1", dialect="duckdb")
    owners = _Owners(tree, schema)
    computed: dict[str, dict[str, None]] = {}
    for select in tree.find_all(exp.Select):
        for column in (c for each in select.expressions for c in each.find_all(exp.Column)):
            for table in owners(column):
                computed.setdefault(table, {})[column.name] = None
    found = [("outcome", table, list(columns)) for table, columns in computed.items()]
    for equal in tree.find_all(exp.EQ):
        sides = (equal.this, equal.expression)
        if any(isinstance(each, exp.Literal) and each.this == item.entity_id for each in sides):
            columns = [each for each in sides if isinstance(each, exp.Column)]
            found += [("entities", t, [c.name]) for c in columns for t in owners(c)]
    for kind, table, names in found:
        text = f"{kind}: {table}({', '.join(names)})"
        try:
            Perturbation.parse(text)
        except (ChecklistError, UnknownNameError):
            continue  # a name that the form cannot hold
        yield text


class _Owners:
    """Whose columns the columns of a statement are."""

    def __init__(self, tree: exp.Expr, schema: Mapping[str, Collection[str]]) -> None:
        from sqlglot import exp

        tables = {name.lower(): name for name in schema}
        self._columns = {name: {c.lower() for c in columns} for name, columns in schema.items()}
        self._read: dict[str, str] = {}
        for table in tree.find_all(exp.Table):
            if (name := tables.get(table.name.lower())) is not None:
                self._read[table.alias_or_name.lower()] = name

    def __call__(self, column: exp.Column) -> list[str]:
        """The table whose column it is; none where that is not certain."""
        named = self._read.get(column.table.lower()) if column.table else None
        tables = [named] if named else sorted(set(self._read.values()))
        having = [each for each in tables if column.name.lower() in self._columns[each]]
        return having if len(having) == 1 else []
