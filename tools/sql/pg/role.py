"""Whether a PostgreSQL role can do nothing but read one database, and what to run where it can do more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.sql import quote

if TYPE_CHECKING:
    import psycopg

MOST = 5
"""Objects of one kind that are named; more are counted."""


@dataclass(frozen=True)
class Fault:
    """One thing that the role can do beyond reading."""

    says: str
    remedy: str
    """The statement that takes it away, for the database's owner or a superuser."""


# A role can act as every role that it is a member of, by SET ROLE, whether or not it inherits.
_ROLES = "SELECT oid, rolname FROM pg_roles WHERE pg_has_role(current_user, oid, 'MEMBER')"
_ATTRIBUTES = f"""
    SELECT r.rolname, a.word FROM ({_ROLES}) m JOIN pg_roles r ON r.oid = m.oid
    CROSS JOIN LATERAL (VALUES
        ('SUPERUSER', r.rolsuper), ('CREATEROLE', r.rolcreaterole), ('CREATEDB', r.rolcreatedb),
        ('REPLICATION', r.rolreplication), ('BYPASSRLS', r.rolbypassrls)) a(word, has)
    WHERE a.has ORDER BY 1, 2
"""
_MEMBERSHIPS = f"""
    SELECT g.rolname, h.rolname FROM pg_auth_members a
    JOIN ({_ROLES}) h ON h.oid = a.member JOIN pg_roles g ON g.oid = a.roleid
    WHERE g.rolname LIKE 'pg\\_%' AND g.rolname <> 'pg_read_all_data'
    AND h.rolname NOT LIKE 'pg\\_%' ORDER BY 1, 2
"""
_OWNED = f"""
    WITH mine AS ({_ROLES})
    SELECT 'DATABASE', format('%I', datname), datdba FROM pg_database
        WHERE datname = current_database() AND datdba IN (SELECT oid FROM mine)
    UNION ALL SELECT 'SCHEMA', format('%I', nspname), nspowner FROM pg_namespace
        WHERE nspowner IN (SELECT oid FROM mine)
    UNION ALL SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
            WHEN 'S' THEN 'SEQUENCE' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END,
            oid::regclass::text, relowner FROM pg_class
        WHERE relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND relowner IN (SELECT oid FROM mine)
    UNION ALL SELECT 'ROUTINE', oid::regprocedure::text, proowner FROM pg_proc
        WHERE proowner IN (SELECT oid FROM mine)
    UNION ALL SELECT 'LARGE OBJECT', oid::text, lomowner FROM pg_largeobject_metadata
        WHERE lomowner IN (SELECT oid FROM mine)
    ORDER BY 1, 2
"""
_ON_DATABASE = f"""
    SELECT DISTINCT p.word, format('%I', current_database()) FROM ({_ROLES}) m
    CROSS JOIN (VALUES ('TEMPORARY'), ('CREATE')) p(word)
    WHERE has_database_privilege(m.oid, current_database(), p.word) ORDER BY 1
"""
_ON_SCHEMAS = f"""
    SELECT DISTINCT 'CREATE', format('%I', n.nspname) FROM ({_ROLES}) m CROSS JOIN pg_namespace n
    WHERE has_schema_privilege(m.oid, n.oid, 'CREATE') ORDER BY 2
"""
_PLACED = """pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')"""
_ON_TABLES = f"""
    SELECT p.word, c.oid::regclass::text FROM ({_ROLES}) m
    CROSS JOIN {_PLACED} CROSS JOIN (VALUES
        ('INSERT'), ('UPDATE'), ('DELETE'), ('TRUNCATE'), ('REFERENCES'), ('TRIGGER')) p(word)
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (
        has_table_privilege(m.oid, c.oid, p.word)
        OR CASE WHEN p.word IN ('INSERT', 'UPDATE', 'REFERENCES')
            THEN has_any_column_privilege(m.oid, c.oid, p.word) END)
    UNION SELECT p.word, c.oid::regclass::text FROM ({_ROLES}) m
    CROSS JOIN {_PLACED} CROSS JOIN (VALUES ('USAGE'), ('UPDATE')) p(word)
    WHERE c.relkind = 'S' AND has_sequence_privilege(m.oid, c.oid, p.word)
    ORDER BY 1, 2
"""
_ON_FUNCTIONS = f"""
    SELECT DISTINCT 'EXECUTE', p.oid::regprocedure::text FROM ({_ROLES}) m CROSS JOIN pg_proc p
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname IN (
        'pg_read_file', 'pg_read_binary_file', 'pg_stat_file', 'pg_ls_dir', 'pg_ls_logdir',
        'pg_ls_waldir', 'pg_ls_tmpdir', 'lo_import', 'lo_export', 'pg_reload_conf',
        'pg_rotate_logfile', 'pg_switch_wal', 'pg_create_restore_point', 'pg_promote',
        'pg_stat_reset', 'pg_stat_reset_shared', 'pg_hba_file_rules', 'pg_show_all_file_settings')
    AND has_function_privilege(m.oid, p.oid, 'EXECUTE') ORDER BY 2
"""
_READABLE = """
    SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%'
    AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'USAGE')
    AND has_any_column_privilege(c.oid, 'SELECT')
"""


def faults(connection: psycopg.Connection[Any]) -> list[Fault]:
    """What the connection's role can do beyond reading, each with its remedy; empty where nothing.

    Privileges that every role has (PUBLIC) count: on a fresh database TEMPORARY is one.
    """
    if attributes := _rows(connection, _ATTRIBUTES):
        found = [
            Fault(f"role {role} is {word}", f"ALTER ROLE {quote(role)} NO{word};")
            for role, word in attributes
        ]
        if any(word == "SUPERUSER" for _, word in attributes):
            return found  # it may do anything: the rest of the list would say nothing
    else:
        found = []
    (me,) = _rows(connection, "SELECT current_user")[0]
    found += [
        Fault(f"role {member} is a member of {role}", f"REVOKE {role} FROM {quote(member)};")
        for role, member in _rows(connection, _MEMBERSHIPS)
    ]
    found += [
        Fault(f"the role owns {kind.lower()} {name}", f"ALTER {kind} {name} OWNER TO another_role;")
        for kind, name, _ in _short(_rows(connection, _OWNED))
    ]
    for query, kind in ((_ON_DATABASE, "DATABASE"), (_ON_SCHEMAS, "SCHEMA"), (_ON_TABLES, "")):
        found += _granted(_rows(connection, query), kind, me)
    if not found:  # memberships bring some of these with them, and go first
        found += _granted(_rows(connection, _ON_FUNCTIONS), "FUNCTION", me)
    if not found and _rows(connection, _READABLE)[0][0] == 0:
        found.append(Fault("the role can read no table", "\n".join(grants(me))))
    return found


def grants(role: str, schema: str = "public") -> list[str]:
    """What lets a role read a schema's tables, and nothing else."""
    return [
        f"GRANT USAGE ON SCHEMA {quote(schema)} TO {quote(role)};",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {quote(schema)} TO {quote(role)};",
    ]


def _granted(rows: list[tuple[Any, ...]], kind: str, role: str) -> Iterator[Fault]:
    """Privileges on objects. Many come by way of PUBLIC, so that is taken away as well."""
    for word, name in _short(rows):
        what = f"{kind.lower()} {name}".strip()
        on = f"{kind} {name}".strip()
        if kind == "" and word == "USAGE":
            on = f"SEQUENCE {name}"
        yield Fault(
            f"the role has {word} on {what}", f"REVOKE {word} ON {on} FROM PUBLIC, {quote(role)};"
        )


def _short(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """A few of each kind: a role that may write to a thousand tables has one fault, not a thousand."""
    kept: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        kept.setdefault(row[0], []).append(row)
    return [row for some in kept.values() for row in some[:MOST]]


def _rows(connection: psycopg.Connection[Any], query: str) -> list[tuple[Any, ...]]:
    return connection.execute(query.encode()).fetchall()
