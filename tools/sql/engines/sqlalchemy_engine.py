"""Any database that SQLAlchemy Core speaks to: as safe as its role and its read-only transaction are.

Beside the databases that have an engine of their own (duckdb, sqlite, postgresql) this one knows
each by its SQLAlchemy dialect only. Its first wall is what the database enforces: READ_ONLY says how,
and a database that is not in it is refused unless scenario.toml vouches for the role. The second is the
parse tree of another project, sqlglot, which is not the database's own parser.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.errors import DatabaseError, ToolError
from databases.schema import Column, Key, Schema, Table
from databases.target import VOUCHED
from tools.sql.engine import Admitted, EngineLimits
from tools.sql.engines.text import said as first_of
from tools.sql.engines.tree import judge
from tools.sql.pg.errors import AWAY
from tools.sql.pg.values import as_frame
from tools.sql.suggest import MOST, column_hint, find_table, table_hint, tables_of

if TYPE_CHECKING:
    import pandas as pd
    import sqlalchemy as sa

_VOUCHED = VOUCHED.partition("=")[0]
READ_ONLY: dict[str, str] = {
    "sqlite": "PRAGMA query_only = ON",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
}
"""SQLAlchemy's name of a database, to what makes a fresh connection read-only."""
_OWN_ENGINE = {"postgresql": "postgresql", "duckdb": "duckdb"}
_SQLGLOT = {"mariadb": "mysql", "mssql": "tsql", "clickhousedb": "clickhouse"}
"""Where sqlglot has another name for the same language."""
BUFFERED = 1000
"""Rows that wait on our side."""


class SqlAlchemyEngine:
    """One database behind an SQLAlchemy URL."""

    def __init__(self, location: str) -> None:
        """Open it. Raises DatabaseError where it cannot be made safe, or not be reached."""
        import sqlalchemy as sa

        try:
            url = sa.make_url(location)
        except sa.exc.ArgumentError:  # its text quotes the URL, password and all
            raise DatabaseError("the URL of the database cannot be read") from None
        name = url.get_backend_name()
        self.dialect = _known_dialect(name)
        vouched = url.query.get(_VOUCHED) is not None
        _refuse_unsafe(name, vouched=vouched)
        self._place = url.difference_update_query([_VOUCHED]).render_as_string()
        try:
            # Databases differ in how a session is wiped; a new one for each statement is clean in all.
            self._engine = sa.create_engine(
                url.difference_update_query([_VOUCHED]), poolclass=sa.pool.NullPool
            )
        except (sa.exc.SQLAlchemyError, ImportError) as exc:
            raise DatabaseError(f"{self._place}: {exc}; install its driver") from None
        if command := READ_ONLY.get(name):

            def lock(connection: Any, _record: Any) -> None:
                cursor = connection.cursor()
                cursor.execute(command)
                cursor.close()

            sa.event.listen(self._engine, "connect", lock)
        self._lock = threading.Lock()
        self._schema: Schema | None = None
        self.connect().close()

    def schema(self) -> Schema:
        """Tables and views of the connection's own schema, by SQLAlchemy's inspector."""
        with self._lock:
            if self._schema is None:
                self._schema = _read_schema(self._engine)
            return self._schema

    def admit(self, sql: str) -> Admitted:
        """The statement, if sqlglot sees one read in it. Raises ToolError."""
        return judge(sql, self.dialect)

    def cursor(self) -> SqlAlchemyCursor:
        """A cursor that opens a connection of its own."""
        return SqlAlchemyCursor(self)

    def connect(self) -> sa.Connection:
        """A new connection. Raises DatabaseError in words for the operator."""
        import sqlalchemy as sa

        try:
            return self._engine.connect()
        except sa.exc.SQLAlchemyError as exc:
            said = exc.orig if isinstance(exc, sa.exc.DBAPIError) else exc
            raise DatabaseError(f"{self._place}: {said}") from None

    def explain(self, exc: Exception, tables: tuple[str, ...]) -> ToolError | None:
        """What the driver says, with the names that exist; its own faults without its words."""
        import sqlalchemy as sa

        if isinstance(exc, DatabaseError):
            return ToolError(AWAY, kind="internal")
        if not isinstance(exc, sa.exc.DBAPIError):
            return None
        said = first_of(exc.orig)
        if "interrupt" in said.lower() or "cancel" in said.lower():
            return ToolError("the query was stopped before its end", kind="cancelled")
        if exc.connection_invalidated:
            return ToolError(AWAY, kind="internal")
        if "readonly" in said.lower() or "read only" in said.lower() or "read-only" in said.lower():
            return ToolError("a write is refused: the database can only be read", kind="refused")
        schema = self.schema()
        used = tables_of(tables, schema)
        unknown = [name for name in tables[:MOST] if find_table(name, schema) is None]
        named = said.rpartition(":")[2].strip().strip("'\"`").rpartition(".")[2]
        if "table" in said.lower() and unknown:
            return ToolError(f"{said}\n{table_hint(unknown[0], schema)}", kind="sql")
        if "column" in said.lower():
            return ToolError(f"{said}\n{column_hint(named, used, schema)}", kind="sql")
        return ToolError(said, kind="sql")

    def close(self) -> None:
        """Nothing waits to be closed but what cursors hold."""
        self._engine.dispose()


class UrlFactory:
    """Opens any SQLAlchemy URL (EngineFactory); the engine's dialect is the database's own."""

    dialect: str = "sqlalchemy"
    is_file: bool = False

    def __call__(self, location: str, limits: EngineLimits) -> SqlAlchemyEngine:
        """Open it; what it may take is the server's to say, not ours. Raises DatabaseError."""
        return SqlAlchemyEngine(location)


open_url = UrlFactory()


class SqlAlchemyCursor:
    """One statement. It is rolled back, and its connection closed."""

    def __init__(self, engine: SqlAlchemyEngine) -> None:
        self._engine = engine
        self._connection: sa.Connection | None = None
        self._result: sa.CursorResult[Any] | None = None
        self._described: Sequence[Sequence[Any]] = ()
        self._lock = threading.Lock()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names; two may be the same."""
        return tuple(str(column[0]) for column in self._described)

    @property
    def types(self) -> tuple[str, ...]:
        """What the driver says of the types, which is often nothing."""
        names = (getattr(column[1], "name", None) for column in self._described)
        return tuple(str(name) if name else "unknown" for name in names)

    def execute(self, sql: str) -> None:
        """Run an admitted statement as it stands. Raises sqlalchemy's DBAPIError."""
        connection = self._engine.connect()
        with self._lock:
            self._connection = connection
        self._result = connection.execution_options(
            stream_results=True, max_row_buffer=BUFFERED, no_parameters=True
        ).exec_driver_sql(sql)
        # A result that is read to its end forgets it.
        cursor = self._result.cursor
        self._described = (cursor.description if cursor is not None else None) or ()

    def fetch(self, count: int) -> Sequence[tuple[Any, ...]]:
        """The next rows, at most `count`."""
        if self._result is None or not self._result.returns_rows or not count:
            return []
        return [tuple(row) for row in self._result.fetchmany(count)]

    def fetch_frame(self, count: int) -> pd.DataFrame:
        """The next rows as columns."""
        return as_frame(self.columns, self.types, self.fetch(count)).infer_objects()

    def interrupt(self) -> None:
        """Ask the driver, where it has a way (sqlite3's interrupt, others' cancel)."""
        with self._lock:
            if self._connection is None:
                return
            driver = self._connection.connection.driver_connection
            for way in ("interrupt", "cancel"):
                if ask := getattr(driver, way, None):
                    ask()
                    return

    def close(self) -> None:
        """Roll back and close the connection, with all that the statement left in its session."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _known_dialect(name: str) -> str:
    from sqlglot.dialects.dialect import Dialect

    if own := _OWN_ENGINE.get(name):
        raise DatabaseError(f'{name} has an engine of its own: write dialect = "{own}"')
    language = _SQLGLOT.get(name, name)
    if Dialect.get(language) is None:
        raise DatabaseError(
            f"nothing here can read the SQL of {name}: its statements could not be judged"
        )
    return language


def _refuse_unsafe(name: str, *, vouched: bool) -> None:
    if name in READ_ONLY or vouched:
        return
    raise DatabaseError(
        f"no way is known to open {name} so that nothing can be written. Give it a role that can only"
        " read (SELECT on the tables, no other right), and vouch for that in scenario.toml:"
        " [database] role_only_reads = true"
    )


def _read_schema(engine: sa.Engine) -> Schema:
    import sqlalchemy as sa

    inspector = sa.inspect(engine)
    views = inspector.get_view_names()
    tables = []
    with engine.connect() as connection:
        for name in sorted({*inspector.get_table_names(), *views}):
            counted = connection.execute(sa.select(sa.func.count()).select_from(sa.table(name)))
            tables.append(
                Table(
                    name=name,
                    comment=_comment(inspector, name),
                    row_count=counted.scalar_one(),
                    columns=tuple(_columns(inspector, name)),
                    keys=() if name in views else tuple(_keys(inspector, name)),
                    is_view=name in views,
                    view_sql=inspector.get_view_definition(name) if name in views else None,
                )
            )
    return Schema(tables=tuple(tables))


def _columns(inspector: sa.Inspector, table: str) -> list[Column]:
    return [
        Column(
            name=column["name"],
            type=str(column["type"]),
            nullable=bool(column["nullable"]),
            comment=column.get("comment"),
        )
        for column in inspector.get_columns(table)
    ]


def _keys(inspector: sa.Inspector, table: str) -> list[Key]:
    found = []
    if primary := inspector.get_pk_constraint(table)["constrained_columns"]:
        found.append(Key(kind="primary key", columns=tuple(primary)))
    unique: Sequence[Any] = ()
    with contextlib.suppress(NotImplementedError):  # not every database has them
        unique = inspector.get_unique_constraints(table)
    found += [Key(kind="unique", columns=tuple(key["column_names"])) for key in unique]
    for key in inspector.get_foreign_keys(table):
        columns = tuple(key["constrained_columns"])
        found.append(Key(kind="foreign key", columns=columns, references=key["referred_table"]))
    return found


def _comment(inspector: sa.Inspector, table: str) -> str | None:
    try:
        return inspector.get_table_comment(table)["text"]
    except NotImplementedError:  # not every database has them
        return None
