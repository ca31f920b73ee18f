"""Run one admitted statement: streamed, bounded in time and size, every failure in words that help."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from core.errors import ToolError
from databases.schema import Schema, read_schema
from tools.deadline import Deadline
from tools.limits import ToolLimits
from tools.rendering import Fetched
from tools.sql.access import AccessLog
from tools.sql.gate import Gate
from tools.sql.reach import HINTS
from tools.sql.suggest import engine_message, hint

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")
CLOSE_S = 2.0
SKIP_BLOCK = 2048
"""Rows thrown away at a time on the way to an offset."""
_FILE = re.compile(r'Cannot access \w+ "([^"]*)"')


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What a statement gave, and the fields that it read."""

    value: T
    fields: tuple[str, ...]


class SqlSession:
    """One agent's way into one open database. Its methods block: call them from a thread."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, limits: ToolLimits) -> None:
        self._connection = connection
        self._limits = limits
        self._lock = threading.RLock()
        self._slots = threading.BoundedSemaphore(limits.queries_at_once)
        self._known: tuple[Schema, AccessLog] | None = None
        self._running: set[Deadline] = set()
        self._gate = Gate(connection)

    @property
    def schema(self) -> Schema:
        """Tables, columns and row counts, read once: the database does not change."""
        return self._learn()[0]

    def fetch(
        self, sql: str, *, limit: int, offset: int = 0, deadline: Deadline | None = None
    ) -> Answer[Fetched]:
        """At most `limit` rows. One more is fetched to know whether there are more (F8, F9)."""

        def take(cursor: duckdb.DuckDBPyConnection) -> Fetched:
            columns = cursor.description or []
            left = offset
            while left and (skipped := len(cursor.fetchmany(min(left, SKIP_BLOCK)))):
                left -= skipped
            rows = cursor.fetchmany(limit + 1)
            return Fetched(
                columns=tuple(column[0] for column in columns),
                types=tuple(str(column[1]).strip('"') for column in columns),
                rows=tuple(rows[:limit]),
                more=len(rows) > limit,
                limit=limit,
                offset=offset,
            )

        return self.run(sql, take, deadline)

    def run(
        self,
        sql: str,
        take: Callable[[duckdb.DuckDBPyConnection], T],
        deadline: Deadline | None = None,
    ) -> Answer[T]:
        """Judge and run a statement on a cursor of its own, and take what is wanted from it.

        Raises ToolError: refused, sql, timeout, limit.
        """
        import duckdb

        deadline = deadline or Deadline(self._limits.sql_seconds)
        tables: tuple[str, ...] = ()
        try:
            admitted = self._gate.admit(sql)
            tables = admitted.tables
            value = self._run(sql, take, deadline)
        except duckdb.Error as exc:
            raise self._explain(exc, tables, deadline) from exc
        fields = self._learn()[1].fields(admitted.reads) if admitted.reads else ()
        return Answer(value, fields)

    def close(self) -> None:
        """Interrupt what still runs, then close the connection; blocks until it has ended.

        A query that does not give in keeps the connection: under it, it must not be closed.
        """
        for deadline in list(self._running):
            deadline.cancel()
        last = time.monotonic() + CLOSE_S
        for _ in range(self._limits.queries_at_once):
            if not self._slots.acquire(timeout=max(last - time.monotonic(), 0)):
                return
        self._gate.close()
        self._connection.close()

    def _run(
        self, sql: str, take: Callable[[duckdb.DuckDBPyConnection], T], deadline: Deadline
    ) -> T:
        if not self._slots.acquire(timeout=deadline.seconds):
            raise ToolError(
                f"{self._limits.queries_at_once} earlier queries of this session have not ended"
                " yet; try again later",
                kind="limit",
            )
        self._running.add(deadline)
        try:
            with self._lock:
                cursor = self._connection.cursor()
            try:
                with deadline.watching(cursor.interrupt):
                    return take(cursor.execute(sql))
            finally:
                cursor.close()  # whatever a statement left behind (TEMP, PREPARE) ends with it
        finally:
            self._running.discard(deadline)
            self._slots.release()

    def _learn(self) -> tuple[Schema, AccessLog]:
        with self._lock:
            if self._known is None:
                with closing(self._connection.cursor()) as cursor:
                    schema = read_schema(cursor)
                self._known = (schema, AccessLog(schema))
            return self._known

    def _explain(self, exc: duckdb.Error, tables: tuple[str, ...], deadline: Deadline) -> ToolError:
        """The engine's failure, as an agent can use it."""
        import duckdb

        text = str(exc)
        if deadline.reason and isinstance(exc, duckdb.InterruptException):
            return stopped(deadline)
        if isinstance(exc, duckdb.PermissionException):
            found = _FILE.search(text)
            named = f"'{found[1]}'" if found else "this"
            seen = f"sql: file {found[1]}" if found else "sql: file access"
            return ToolError(
                f"{named} is out of reach: {HINTS['file']}", kind="refused", violations=(seen,)
            )
        if isinstance(exc, duckdb.OutOfMemoryException):
            return ToolError(
                "the query needs more memory than there is; filter or aggregate earlier",
                kind="limit",
            )
        helpful = hint(text, self.schema, tables)
        message = engine_message(text)
        return ToolError(f"{message}\n{helpful}" if helpful else message, kind="sql")


def stopped(deadline: Deadline) -> ToolError:
    """What is said of a statement that was cut short."""
    if deadline.reason == "cancelled":
        return ToolError("the query was cancelled", kind="cancelled")
    return ToolError(
        f"the query was stopped at the time limit of {deadline.seconds:g} s and gave nothing;"
        " filter or aggregate earlier, and look for a join without a condition",
        kind="timeout",
    )
