"""SQLite behind the SQL hand: an immutable file, an authorizer that lets only reads be compiled."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote as quote_in_uri

from core.errors import DatabaseError, ToolError
from core.sql import quote
from databases.schema import Schema
from tools.sql.engine import Admitted, EngineLimits
from tools.sql.engines.sqlite_guard import Guard
from tools.sql.engines.sqlite_refusals import beginnings, refusal, refuse_rowless
from tools.sql.engines.sqlite_schema import read_schema
from tools.sql.engines.text import EMPTY, refuse_no_text, said, several
from tools.sql.suggest import hint

if TYPE_CHECKING:
    import pandas as pd

STEPS = 20_000
"""Instructions of SQLite's machine between two looks at whether to stop: under a millisecond."""
IDLE = 8
"""Connections kept open for the next statement; each holds a page cache."""
CACHE_KB = 16_384
_BOUNDS = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LENGTH: 64 << 20,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 10,
}
"""One value of 64 MB is the longest: nothing interrupts a single function at work. A long pattern of
LIKE takes time with the power of its wildcards."""


class SqliteEngine:
    """One SQLite file. The class is its own factory (EngineFactory)."""

    dialect: ClassVar[str] = "sqlite"
    is_file: ClassVar[bool] = True

    def __init__(self, location: str, limits: EngineLimits) -> None:
        self._path = Path(location)
        self._limits = limits
        if limits.home is not None:  # what is sorted and does not fit into memory
            os.environ["SQLITE_TMPDIR"] = str(Path(limits.home, "tmp"))
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []
        self._schema: Schema | None = None
        _refuse_unfinished(self._path)
        try:
            self._judge = _Connection(self._path, limits, cached=0)
        except sqlite3.Error as exc:
            raise DatabaseError(f"{self._path} is not a readable SQLite database: {exc}") from exc

    def schema(self) -> Schema:
        """Read once: the database does not change."""
        with self._lock:
            if self._schema is None:
                connection = _Connection(self._path, self._limits)
                try:
                    self._schema = read_schema(connection.sqlite)
                finally:
                    connection.close()
            return self._schema

    def admit(self, sql: str) -> Admitted:
        """The statement, if SQLite compiles it under the authorizer. Raises ToolError, sqlite3.Error.

        It is compiled as EXPLAIN of it: sqlite3 cannot compile a statement without running it.
        """
        refuse_no_text(sql)
        begins = beginnings(sql)
        if not begins:
            raise ToolError(EMPTY, kind="sql")
        if len(begins) > 1:
            raise several(len(begins))
        (first,) = begins
        with self._lock:
            guard = self._judge.guard
            guard.begin()
            try:
                explained = sql if first == "explain" else f"EXPLAIN {sql}"
                program = self._judge.sqlite.execute(explained).fetchall()
            except sqlite3.Error as exc:
                if (told := guard.refusal() or refusal(exc)) is not None:
                    raise told from exc
                raise
            tables = tuple(dict.fromkeys(guard.tables))
        if first in {"explain", "pragma"}:
            return Admitted(reads=None, tables=tables)
        refuse_rowless(program)
        return Admitted(reads=sql, tables=tables)

    def cursor(self) -> SqliteCursor:
        """A cursor with a connection that no other statement has at the same time."""
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        return SqliteCursor(self, connection or _Connection(self._path, self._limits))

    def give_back(self, connection: _Connection) -> None:
        """Take a connection that has no statement any more."""
        with self._lock:
            if len(self._idle) < IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def explain(self, exc: Exception, tables: tuple[str, ...]) -> ToolError | None:
        """A sqlite3.Error as an agent can use it."""
        if isinstance(exc, sqlite3.Warning) or not isinstance(exc, sqlite3.Error):
            return refusal(exc)
        text = said(exc)
        if text == "interrupted":
            return ToolError("the query was stopped before its end", kind="cancelled")
        if told := refusal(exc):
            return told
        if "too big" in text:
            return ToolError(
                "a value is longer than 64 MB; filter or aggregate earlier", kind="limit"
            )
        helpful = hint(text, self.schema(), tables)
        return ToolError(f"{text}\n{helpful}" if helpful else text, kind="sql")

    def close(self) -> None:
        """Close every connection; no cursor may be at work."""
        with self._lock:
            for connection in [*self._idle, self._judge]:
                connection.close()
            self._idle.clear()


class _Connection:
    """One connection on which nothing but reads can be compiled."""

    def __init__(self, path: Path, limits: EngineLimits, *, cached: int = 16) -> None:
        # immutable: no lock, no journal, no -shm beside the file, whose folder need not be writable.
        self.sqlite = sqlite3.connect(
            f"file:{quote_in_uri(str(path.absolute()))}?mode=ro&immutable=1",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=cached,
        )
        try:
            for bound, value in _BOUNDS.items():
                self.sqlite.setlimit(bound, value)
            for setting in (
                f"hard_heap_limit = {limits.memory_mb << 20}",
                f"cache_size = -{CACHE_KB}",
                "trusted_schema = OFF",
                "query_only = ON",
            ):
                self.sqlite.execute(f"PRAGMA {setting}")
            made = dict(self.sqlite.execute("SELECT name, sql FROM sqlite_master").fetchall())
            for name, sql in made.items():
                if str(sql).upper().startswith("CREATE VIRTUAL"):
                    # Its module prepares what it might ever need, writes among it: before the guard.
                    with contextlib.suppress(sqlite3.Error):
                        self.sqlite.execute(f"SELECT 1 FROM {quote(name)} LIMIT 0").close()
        except BaseException:
            self.sqlite.close()
            raise
        self.sqlite.text_factory = _text
        self.guard = Guard(frozenset(map(str.lower, made)))
        self.sqlite.set_authorizer(self.guard)

    def close(self) -> None:
        self.sqlite.close()


class SqliteCursor:
    """One statement. Rows are made as they are fetched."""

    def __init__(self, engine: SqliteEngine, connection: _Connection) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._connection: _Connection | None = connection
        self._cursor = connection.sqlite.cursor()
        self._is_stopped = False
        self._kinds: list[str | None] = []
        connection.sqlite.set_progress_handler(self._asked_to_stop, STEPS)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names; two may be the same."""
        return tuple(column[0] for column in self._cursor.description or ())

    @property
    def types(self) -> tuple[str, ...]:
        """Of each column the storage class of the first value, among the rows so far, that is not
        NULL: in SQLite values have types, and columns have none."""
        found = self._kinds or [None] * len(self.columns)
        return tuple(kind or "NULL" for kind in found)

    def execute(self, sql: str) -> None:
        """Run an admitted statement. Raises sqlite3.Error."""
        self._cursor.execute(sql)

    def fetch(self, count: int) -> Sequence[tuple[Any, ...]]:
        """The next rows, at most `count`."""
        rows: list[tuple[Any, ...]] = self._cursor.fetchmany(count) if count else []
        if rows and not self._kinds:
            self._kinds = [None] * len(rows[0])
        for place, kind in enumerate(self._kinds):
            if kind is None:
                values = (row[place] for row in rows)
                self._kinds[place] = next((_KINDS[type(v)] for v in values if v is not None), None)
        return rows

    def fetch_frame(self, count: int) -> pd.DataFrame:
        """The next rows as columns; whole numbers keep their 64 bits also beside NULL."""
        import pandas as pd

        rows = self.fetch(count)
        names = self.columns
        by_column = list(zip(*rows, strict=True)) if rows else [()] * len(names)
        frame = pd.DataFrame({place: _array(values) for place, values in enumerate(by_column)})
        frame.columns = pd.Index(names)
        return frame

    def interrupt(self) -> None:
        """Ask the statement to stop; a single long function call does not listen."""
        with self._lock:
            self._is_stopped = True
            if self._connection is not None:
                self._connection.sqlite.interrupt()

    def close(self) -> None:
        """End the statement. A connection that was interrupted is not used again."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is None:
            return
        self._cursor.close()
        connection.sqlite.set_progress_handler(None, 0)
        if self._is_stopped:
            connection.close()
        else:
            self._engine.give_back(connection)

    def _asked_to_stop(self) -> bool:
        return self._is_stopped


_KINDS = {int: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB"}


def _refuse_unfinished(path: Path) -> None:
    """Raise DatabaseError where the file is missing, or alone does not hold the whole database."""
    try:
        if not path.is_file():
            raise DatabaseError(f"there is no database at {path}")
        for ending, is_unfinished in (("-wal", bool), ("-journal", _is_hot)):
            beside = path.with_name(path.name + ending)
            if beside.is_file() and is_unfinished(beside.open("rb").read(8)):
                raise DatabaseError(
                    f"{path} is not finished: {beside.name} lies beside it. Close whoever writes, then"
                    f" run: sqlite3 {path} 'PRAGMA wal_checkpoint(TRUNCATE)'"
                )
        with path.open("rb"):
            pass
    except PermissionError as exc:
        raise DatabaseError(f"{path} may not be read by this user") from exc


def _is_hot(head: bytes) -> bool:
    """Whether a rollback journal still has to be rolled back; one that is done has another head."""
    return head == bytes.fromhex("d9d505f920a163d7")


def _text(raw: bytes) -> str | bytes:
    """SQLite does not look whether a TEXT is UTF-8; what is not comes as its bytes."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _array(values: Sequence[Any]) -> Any:
    import numpy as np
    import pandas as pd

    kinds = set(map(type, values))
    if kinds == {int}:
        return np.array(values, dtype=np.int64)
    if kinds == {int, type(None)}:
        return pd.array(list(values), dtype="Int64")
    if kinds and kinds <= {int, float, type(None)}:
        return np.array(values, dtype=np.float64)
    if kinds == {str}:
        return pd.array(list(values), dtype="str")
    return pd.Series(values, dtype=object).array
