"""PostgreSQL behind the SQL hand: a role that can only read, a read-only transaction per statement."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from core.errors import DatabaseError, ToolError
from databases.schema import Schema
from tools.sql.engine import Admitted, EngineLimits
from tools.sql.pg.connect import Opener
from tools.sql.pg.errors import in_words
from tools.sql.pg.gate import Gate, explained_by, is_explain
from tools.sql.pg.schema import read_column_names, read_functions, read_schema
from tools.sql.pg.values import as_frame

if TYPE_CHECKING:
    import pandas as pd
    import psycopg

TERMINATE_S = 1.0
"""How long after the first cancellation the statement's own connection is ended."""
FIRST_ROWS = 64
"""Of a frame. How long they are says how many come next."""
MOST_ROWS = 4096
"""Of a frame in one message of the server."""
FRAME_BYTES = 32 << 20
"""About what a part of a frame may weigh."""
KEPT = 4
"""Connections that wait for the next statement."""


class PostgresEngine:
    """One database of one server. The class is its own factory (EngineFactory)."""

    dialect: ClassVar[str] = "postgres"
    is_file: ClassVar[bool] = False

    def __init__(self, location: str, limits: EngineLimits) -> None:
        self._opener = Opener(location, limits.threads)
        self._lock = threading.Lock()
        self._idle: list[psycopg.Connection[Any]] = []
        self._types: dict[int, str] = {}
        self._schema: Schema | None = None
        self._watch = _Watch(self._opener, self._opener.checked())
        with self._watch.asking() as connection:
            self._gate = Gate(read_functions(connection), read_column_names(connection))

    def schema(self) -> Schema:
        """Read once: `ddr scenarios build` has fixed what the database holds."""
        with self._lock:
            if self._schema is None:
                with contextlib.closing(self._opener.open()) as connection:
                    connection.execute("SET LOCAL statement_timeout = 0")  # it counts every row
                    self._schema = read_schema(connection)
            return self._schema

    def admit(self, sql: str) -> Admitted:
        """The statement, if it may run. Raises ToolError."""
        return self._gate.admit(sql)

    def cursor(self) -> PostgresCursor:
        """A cursor with a connection that no other statement has at the same time."""
        return PostgresCursor(self)

    def explain(self, exc: Exception, tables: tuple[str, ...]) -> ToolError | None:
        """A psycopg.Error as an agent can use it."""
        return in_words(exc, self.schema, tables)

    def close(self) -> None:
        """Close every connection that is not in use."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        self._watch.close()

    def take(self) -> psycopg.Connection[Any]:
        """A clean connection; one that the server has closed meanwhile is never handed out."""
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if _is_alive(connection):
                    return connection
                connection.close()
        return self._opener.open()

    def give_back(self, connection: psycopg.Connection[Any], *, sound: bool) -> None:
        """End the transaction and all that it may have left, or else the connection."""
        import psycopg

        try:
            if sound and not connection.closed:
                connection.rollback()
                connection.autocommit = True
                connection.execute("DISCARD ALL")
                connection.autocommit = False
                with self._lock:
                    if len(self._idle) < KEPT:
                        self._idle.append(connection)
                        return
        except psycopg.Error:
            pass  # such a connection is not used again
        connection.close()

    def stop(self, pid: int, *, hard: bool) -> None:
        """Ask the server to stop a statement of ours, or end its connection."""
        call = "pg_terminate_backend" if hard else "pg_cancel_backend"
        with self._watch.asking() as connection:
            connection.execute(f"SELECT {call}(%s)".encode(), [pid])

    def type_names(self, oids: Sequence[int]) -> tuple[str, ...]:
        """PostgreSQL's names of types."""
        if new := [oid for oid in oids if oid not in self._types]:
            with self._watch.asking() as connection:
                rows = connection.execute(
                    "SELECT o, format_type(o, NULL) FROM unnest(%s::oid[]) o", [new]
                ).fetchall()
            self._types.update({int(oid): name for oid, name in rows})
        return tuple(self._types[oid] for oid in oids)


class PostgresCursor:
    """One statement in a read-only transaction of its own, which is rolled back."""

    def __init__(self, engine: PostgresEngine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[Any] | None = None
        self._cursor: psycopg.Cursor[Any] | psycopg.ServerCursor[Any] | None = None
        self._rows: Iterator[tuple[Any, ...]] | None = None
        self._columns: tuple[str, ...] = ()
        self._types: tuple[str, ...] = ()
        self._stopped_at: float | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names; two may be the same."""
        return self._columns

    @property
    def types(self) -> tuple[str, ...]:
        """PostgreSQL's names of the types."""
        return self._types

    def execute(self, sql: str) -> None:
        """Run an admitted statement. Raises psycopg.Error.

        DECLARE CURSOR takes one SELECT and nothing else by the server's own grammar, and leaves
        its rows on the server; both ways use the protocol that takes one statement at a time.
        """
        connection = self._engine.take()
        with self._lock:
            self._connection = connection
        if is_explain(sql):
            with connection.cursor(name="ddr", scrollable=False) as judged:
                judged.execute(explained_by(sql).inner.encode())
            self._cursor = cursor = connection.cursor()
            self._rows = iter(list(cursor.stream(sql.encode())))
        else:
            self._cursor = connection.cursor(name="ddr", scrollable=False)
            self._cursor.execute(sql.encode())
        described = self._cursor.description or []
        self._columns = tuple(column.name for column in described)
        self._types = self._engine.type_names([column.type_code for column in described])

    def fetch(self, count: int) -> Sequence[tuple[Any, ...]]:
        """The next rows, at most `count`."""
        if self._rows is not None:
            return list(itertools.islice(self._rows, count))
        assert self._cursor is not None
        return self._cursor.fetchmany(count) if count else []

    def fetch_frame(self, count: int) -> pd.DataFrame:
        """The next rows as columns: fewer than `count` where they are long, and so never much at once."""
        rows: list[tuple[Any, ...]] = []
        size, block = 0, FIRST_ROWS
        while len(rows) < count and size < FRAME_BYTES:
            some = self.fetch(min(block, count - len(rows)))
            if not some:
                break
            rows += some
            longest = max(map(_weight, some[:: max(1, len(some) // FIRST_ROWS)]))
            size += longest * len(some)
            block = max(1, min(block * 4, MOST_ROWS, FRAME_BYTES // (4 * longest)))
        return as_frame(self._columns, self._types, rows)

    def interrupt(self) -> None:
        """Cancel the statement over another connection; asked again for long, end its connection."""
        import psycopg

        with self._lock:
            if self._connection is None or self._connection.closed:
                return
            now = time.monotonic()
            self._stopped_at = self._stopped_at or now
            hard = now - self._stopped_at >= TERMINATE_S
            with contextlib.suppress(psycopg.Error, DatabaseError):  # asked again, or killed
                self._engine.stop(self._connection.info.backend_pid, hard=hard)

    def close(self) -> None:
        """Roll back. A connection whose statement was interrupted is not used again: a late
        cancellation would meet the next one."""
        with self._lock:
            connection, self._connection = self._connection, None
        self._cursor = self._rows = None
        if connection is not None:
            self._engine.give_back(connection, sound=self._stopped_at is None)


def _weight(row: tuple[Any, ...]) -> int:
    """About how many bytes a row takes."""
    return sum(len(cell) if isinstance(cell, (str, bytes, list)) else 8 for cell in row) + 1


class _Watch:
    """The connection over which others are cancelled; opened anew where it was lost."""

    def __init__(self, opener: Opener, first: psycopg.Connection[Any]) -> None:
        self._opener = opener
        self._lock = threading.Lock()
        self._connection = first

    @contextlib.contextmanager
    def asking(self) -> Iterator[psycopg.Connection[Any]]:
        """The connection, for one question at a time."""
        with self._lock:
            if not _is_alive(self._connection):
                self._connection.close()
                self._connection = self._opener.open()
            try:
                yield self._connection
            finally:
                if not self._connection.closed:
                    self._connection.rollback()

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def _is_alive(connection: psycopg.Connection[Any]) -> bool:
    """Whether an idle connection still has its server: a closed one can be read from."""
    import select

    import psycopg

    if connection.closed:
        return False
    try:
        readable, _, _ = select.select([connection.fileno()], [], [], 0)
    except (psycopg.Error, ValueError, DatabaseError):
        return False
    return not readable
