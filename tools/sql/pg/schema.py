"""Read what a PostgreSQL database lets a role see: its tables, columns, comments and keys; its functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.sql import quote
from databases.schema import Column, Key, Schema, Table
from tools.sql.pg.gate import Function

if TYPE_CHECKING:
    import psycopg

_OURS = "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'"
# Partitions are read through their table; an extension's pg_... relations show the server.
_RELATIONS = f"""
    SELECT c.oid, n.nspname, c.relname, pg_table_is_visible(c.oid),
        obj_description(c.oid, 'pg_class'), c.relkind IN ('v', 'm'),
        CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND {_OURS}
    AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
    AND NOT (c.relname LIKE 'pg\\_%' AND EXISTS (
        SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
        AND d.deptype = 'e'))
    ORDER BY n.nspname, c.relname
"""
_COLUMNS = """
    SELECT attrelid, attname, format_type(atttypid, atttypmod), NOT attnotnull,
        col_description(attrelid, attnum)
    FROM pg_attribute WHERE attrelid = ANY(%s) AND attnum > 0 AND NOT attisdropped
    AND has_column_privilege(attrelid, attnum, 'SELECT') ORDER BY attrelid, attnum
"""
_KEYS = """
    SELECT k.conrelid, k.contype, k.confrelid, array_agg(a.attname::text ORDER BY p.place)
    FROM pg_constraint k CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY p(attnum, place)
    JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.attnum
    WHERE k.conrelid = ANY(%s) AND k.contype IN ('p', 'u', 'f')
    GROUP BY k.oid, k.conrelid, k.contype, k.confrelid, k.conname
    ORDER BY k.conrelid, array_position('{p,u,f}'::"char"[], k.contype), k.conname
"""
_KINDS = {"p": "primary key", "u": "unique", "f": "foreign key"}
_FUNCTIONS = """
    SELECT p.proname::text, bool_or(n.nspname = 'pg_catalog') AS own, p.provolatile = 'v',
        p.prosecdef
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname <> 'information_schema'
    GROUP BY p.proname, n.nspname = 'pg_catalog', p.provolatile = 'v', p.prosecdef
"""
_CATALOGUE = "SELECT relname::text FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace"


def read_schema(connection: psycopg.Connection[Any]) -> Schema:
    """Tables and views that the role may read, by name, with their exact row counts.

    A table on the search path has its bare name, any other one its schema in front.
    """
    relations = connection.execute(_RELATIONS.encode()).fetchall()
    oids = [row[0] for row in relations]
    names = {
        oid: name if visible else f"{schema}.{name}" for oid, schema, name, visible, *_ in relations
    }
    columns: dict[int, list[Column]] = {}
    for oid, name, kind, nullable, comment in connection.execute(_COLUMNS.encode(), [oids]):
        column = Column(name=name, type=kind, nullable=nullable, comment=comment)
        columns.setdefault(oid, []).append(column)
    keys: dict[int, list[Key]] = {}
    for oid, kind, target, parts in connection.execute(_KEYS.encode(), [oids]):
        key = Key(kind=_KINDS[kind], columns=tuple(parts), references=names.get(target))
        keys.setdefault(oid, []).append(key)
    tables = []
    for oid, schema, name, _visible, comment, is_view, sql in relations:
        place = f"{quote(schema)}.{quote(name)}"
        counted = connection.execute(f"SELECT count(*) FROM {place}".encode()).fetchone()
        tables.append(
            Table(
                name=names[oid],
                comment=comment,
                row_count=counted[0] if counted else 0,
                columns=tuple(columns.get(oid, ())),
                keys=tuple(keys.get(oid, ())),
                is_view=is_view,
                view_sql=sql,
            )
        )
    return Schema(tables=tuple(tables))


def read_functions(connection: psycopg.Connection[Any]) -> list[Function]:
    """Every function of the database, as far as the gate must know it."""
    rows = connection.execute(_FUNCTIONS.encode()).fetchall()
    return [
        Function(name, in_catalog=own, is_volatile=volatile, as_owner=definer)
        for name, own, volatile, definer in rows
    ]


def read_column_names(connection: psycopg.Connection[Any]) -> set[str]:
    """Names of columns of the database's own tables, but for those that PostgreSQL's catalogue has."""
    rows = connection.execute(
        "SELECT DISTINCT a.attname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
        f" JOIN pg_namespace n ON n.oid = c.relnamespace WHERE a.attnum > 0 AND {_OURS}".encode()
    ).fetchall()
    catalogue = {name for (name,) in connection.execute(_CATALOGUE.encode())}
    return {name for (name,) in rows} - catalogue
