"""Judge a statement by sqlglot's tree: one read, and no function that is known to reach past the data.

For databases whose own parser cannot be asked. What sqlglot cannot follow is refused: the
database's own wall (a read-only transaction, a role) is the first, and this one the second.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from core.errors import ToolError
from tools.sql.engine import Admitted
from tools.sql.engines.text import EMPTY, refuse_no_text, said, several

if TYPE_CHECKING:
    from sqlglot import exp

LONGEST = 20_000
"""Characters of a statement: sqlglot's time grows with their square."""
_WRITE = (
    "the database can only be read; for intermediate results use WITH x AS (SELECT ...) in one"
    " SELECT"
)
_HIDDEN = "it is not a way to this database's own tables (no files, no server, no SQL in strings)"
_UNREADABLE = "the query cannot be judged, and what cannot be judged does not run"
_MYSQL_CODE = re.compile(r"/\*M?!")
"""A comment that MySQL runs."""
OUT_OF_REACH = frozenset(
    {
        # files and code
        "bfilename", "edit", "file", "fileio", "fts3_tokenizer", "getenv", "load_extension",
        "load_file", "readfile", "read_csv", "read_json", "read_parquet", "read_text", "sys_eval",
        "sys_exec", "writefile",
        # other servers
        "dblink", "executable", "hdfs", "http_get", "http_post", "httpuritype", "jdbc", "mongodb",
        "mysql", "odbc", "opendatasource", "openquery", "openrowset", "postgresql", "redis", "remote",
        "remotesecure", "s3", "s3cluster", "sqlite", "url", "urlcluster",
        # the server, waits and locks
        "benchmark", "current_setting", "get_lock", "getvariable", "is_free_lock", "is_used_lock",
        "master_pos_wait", "nextval", "release_all_locks", "release_lock", "set_config", "setval",
        "sleep", "sleepeachrow", "source_pos_wait", "sys_context", "waitfor",
        # SQL in a string
        "crosstab", "dbms_xmlgen", "query", "query_to_xml", "query_table",
    }
)  # fmt: skip
PREFIXES = ("pg_", "xp_", "sp_", "dbms_", "utl_", "lo_", "fn_", "system$")
CATALOGUES = frozenset(
    {"mysql", "performance_schema", "sys", "system", "v$session", "pg_catalog", "dbo_sys"}
)
"""Schemas that tell of the server and of other sessions."""
TABLES = frozenset({"pragma_database_list", "processlist", "user_privileges", "global_variables"})


def judge(sql: str, dialect: str) -> Admitted:
    """The statement, if it may run. Raises ToolError `refused`, or `sql` on bad syntax."""
    from sqlglot import exp

    refuse_no_text(sql)
    if len(sql) > LONGEST:
        raise ToolError(f"the query has more than {LONGEST} characters", kind="sql")
    if dialect == "mysql" and _MYSQL_CODE.search(sql):
        raise ToolError("a comment that begins with /*! or /*M! is code: refused", kind="refused")
    trees = _parsed(sql, dialect)
    if not trees:
        raise ToolError(EMPTY, kind="sql")
    if len(trees) > 1:
        raise several(len(trees))
    (tree,) = trees
    if inner := _explained(tree, sql, dialect):
        return Admitted(reads=None, tables=_tables(inner))
    _check(tree)
    if not isinstance(tree, (exp.Query, exp.Values)):
        raise ToolError(f"{tree.key.upper()} is refused: {_WRITE}", kind="refused")
    return Admitted(reads=sql, tables=_tables(tree))


def _check(tree: exp.Expr) -> None:
    from sqlglot import exp

    if tree.find(exp.DML, exp.DDL, exp.Command, exp.Into, exp.Set, exp.Lock):
        raise ToolError(f"this is refused: {_WRITE}", kind="refused")
    hidden = [name for node in tree.find_all(exp.Func) if _is_hidden(name := _name(node))]
    # A package's function: utl_http.request('...').
    packages = [part.name.lower() for node in tree.find_all(exp.Dot) for part in _names(node)]
    hidden += [name for name in packages if name.startswith(PREFIXES)]
    hidden += [node.sql() for node in tree.find_all(exp.SessionParameter)]
    hidden += [node.name.lower() for node in tree.find_all(exp.Table) if _is_server(node)]
    if hidden:
        raise ToolError(
            f"{hidden[0]} is out of reach: {_HIDDEN}",
            kind="refused",
            violations=tuple(f"sql: {name}" for name in dict.fromkeys(hidden)),
        )


def _explained(tree: exp.Expr, sql: str, dialect: str) -> exp.Expr | None:
    """The read that an EXPLAIN explains. EXPLAIN ANALYZE, which runs it, is not taken."""
    found = re.match(r"\s*explain(?:\s+query\s+plan)?\s+(?=select|with|values|\()", sql, re.I)
    if found is None:
        return None
    trees = _parsed(sql[found.end() :], dialect)
    if len(trees) != 1:
        return None
    _check(trees[0])
    return trees[0]


def _is_hidden(name: str) -> bool:
    return name in OUT_OF_REACH | TABLES or name.startswith(PREFIXES)


def _is_server(table: exp.Table) -> bool:
    schemas = {table.db.lower(), table.catalog.lower()}
    name = table.name.lower()
    return bool(schemas & CATALOGUES) or name in TABLES or name.startswith(("pg_", "v$"))


def _name(node: exp.Func) -> str:
    from sqlglot import exp

    return (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lower()


def _names(node: exp.Dot) -> Iterator[exp.Identifier]:
    from sqlglot import exp

    return node.find_all(exp.Identifier)


def _tables(tree: exp.Expr) -> tuple[str, ...]:
    from sqlglot import exp

    return tuple(dict.fromkeys(node.name for node in tree.find_all(exp.Table) if node.name))


def _parsed(sql: str, dialect: str) -> list[exp.Expr]:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    parse: Callable[..., list[exp.Expr | None]] = sqlglot.parse
    try:
        trees = parse(sql, read=dialect)
    except (SqlglotError, RecursionError) as exc:
        first = said(exc).partition("\n")[0]
        raise ToolError(f"{_UNREADABLE}: {first}", kind="sql") from exc
    return [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
