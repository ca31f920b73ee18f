"""Read an evidence statement without running it: one SELECT, reading only what the schema has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from core.errors import ChecklistError

if TYPE_CHECKING:
    from sqlglot import exp

Schema = Mapping[str, Collection[str]]
"""The columns of each table, by name."""

_TABLE_FUNCTIONS = {"range", "generate_series", "unnest"}
"""Functions that may stand in FROM: they make rows out of their arguments alone."""
_FICKLE = {
    "random", "rand", "setseed", "uuid", "gen_random_uuid", "now", "today", "get_current_time",
    "get_current_timestamp", "current_date", "current_time", "current_timestamp",
    "current_localtime", "current_localtimestamp", "nextval", "currval", "getvariable", "getenv",
    "current_setting", "txid_current", "version",
}  # fmt: skip
"""Functions whose value hangs on more than the data."""


def faults_of(sql: str, schema: Schema | None = None) -> list[str]:
    """What is wrong with a statement as evidence; empty where nothing is.

    This is a reader's look for early, clear errors. What keeps a statement from doing harm is how
    the database is opened.
    """
    import sqlglot
    from sqlglot import exp

    try:
        parsed = [tree for tree in sqlglot.parse(sql, dialect="duckdb") if tree is not None]
    except sqlglot.errors.SqlglotError as exc:
        return [f"cannot be read as SQL: {str(exc).splitlines()[0]}"]
    if len(parsed) != 1:
        return [f"holds {len(parsed)} statements, not one"]
    tree = parsed[0]
    if not isinstance(tree, exp.Select):
        return [f"is {_article(tree.key.upper())}, not a SELECT"]
    faults = list(_writes_or_strays(tree))
    if len(tree.selects) != 1 or tree.is_star:
        faults.append("does not select exactly one column")
    if schema is not None and not faults:
        faults += _unknown(tree, schema)
    return faults


def _writes_or_strays(tree: exp.Select) -> Iterator[str]:
    from sqlglot import exp

    for node in tree.walk():
        if isinstance(node, (exp.DML, exp.DDL, exp.Command, exp.Into)) and not isinstance(
            node, exp.Query
        ):
            yield f"does not only read: it holds {_article(node.key.upper())}"
        elif isinstance(node, exp.Table):
            yield from _stray_table(node)
        elif isinstance(node, exp.Func):
            name = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
            if name.lower() in _FICKLE:
                yield f"hangs on more than the data: {name.lower()}()"


def _stray_table(table: exp.Table) -> Iterator[str]:
    from sqlglot import exp

    if isinstance(table.this, exp.Func):
        function = table.this
        name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
        if name.lower() not in _TABLE_FUNCTIONS:
            yield f"reads from the function {name.lower()}(), not from a table"
    elif {".", "/", "*"} & set(table.name):
        yield f"reads a file, not a table: {table.name}"
    elif table.db or table.catalog:
        yield f"names the table {table.sql(dialect='duckdb')} with a schema or database in front"


def _unknown(tree: exp.Select, schema: Schema) -> list[str]:
    from sqlglot import exp
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.qualify import qualify

    known = {table.lower() for table in schema} | {
        cte.alias.lower() for cte in tree.find_all(exp.CTE)
    }
    missing = sorted(
        {
            table.name
            for table in tree.find_all(exp.Table)
            if isinstance(table.this, exp.Identifier) and table.name.lower() not in known
        }
    )
    if missing:
        return [f"reads a table that is not there: {name}" for name in missing]
    types: dict[str, object] = {
        table: dict.fromkeys(columns, "unknown") for table, columns in schema.items()
    }
    try:
        qualify(tree.copy(), schema=types, dialect="duckdb")
    except SqlglotError as exc:
        return [f"reads a column that is not there: {str(exc).splitlines()[0]}"]
    return []


def _article(word: str) -> str:
    return f"{'an' if word[:1] in 'AEIOU' else 'a'} {word}"


def columns_read(sql: str, schema: Schema) -> dict[str, frozenset[str]]:
    """The columns that one SELECT reads, by table; every table that it reads is there.

    Names are in lower case. Raises ChecklistError where the statement cannot be understood.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.qualify import qualify
    from sqlglot.optimizer.scope import traverse_scope

    known = {table.lower(): columns for table, columns in schema.items()}
    types: dict[str, object] = {
        table: dict.fromkeys((column.lower() for column in columns), "unknown")
        for table, columns in known.items()
    }
    try:
        tree = qualify(sqlglot.parse_one(sql, dialect="duckdb"), schema=types, dialect="duckdb")
        found: dict[str, set[str]] = {}
        for scope in traverse_scope(tree):
            tables = {
                alias: source.name.lower()
                for alias, source in scope.sources.items()
                if isinstance(source, exp.Table) and source.name.lower() in known
            }
            for table in tables.values():
                found.setdefault(table, set())
            for column in scope.columns:
                if column.table in tables:
                    found[tables[column.table]].add(column.name.lower())
    except SqlglotError as exc:
        raise ChecklistError(
            f"the evidence cannot be understood: {str(exc).splitlines()[0]}"
        ) from exc
    return {table: frozenset(columns) for table, columns in found.items()}
