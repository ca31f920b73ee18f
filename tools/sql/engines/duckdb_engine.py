"""DuckDB behind the SQL hand: one locked instance, a gate on its own parser, a cursor per statement."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from core.errors import ToolError
from databases.connection import open_readonly, own_folders
from databases.schema import Schema, read_schema
from tools.sql.engine import Admitted, EngineLimits
from tools.sql.engines.text import said
from tools.sql.gate import NOT_READING, Gate, only_reading
from tools.sql.outline import LONGEST
from tools.sql.reach import HINTS
from tools.sql.suggest import engine_message, hint

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

VECTOR = 2048
"""Rows that DuckDB hands over at a time."""
_FILE = re.compile(r'Cannot access \w+ "([^"]*)"')


class DuckDbEngine:
    """One DuckDB file. The class is its own factory (EngineFactory)."""

    dialect: ClassVar[str] = "duckdb"
    is_file: ClassVar[bool] = True

    def __init__(self, location: str, limits: EngineLimits) -> None:
        self._connection = open_readonly(
            Path(location),
            threads=limits.threads,
            memory_mb=limits.memory_mb,
            spill_mb=limits.spill_mb,
            home=None if limits.home is None else Path(limits.home),
        )
        self._gate = Gate(self._connection, confined=limits.home is not None)
        # Where it looks by itself, and whoever asked it to has named no file.
        self._own_folders = () if limits.home is None else own_folders(Path(limits.home))
        self._lock = threading.Lock()
        self._schema: Schema | None = None

    def schema(self) -> Schema:
        """Read once: the database does not change."""
        with self._lock:
            if self._schema is None:
                with closing(self._connection.cursor()) as cursor:
                    self._schema = read_schema(cursor)
            return self._schema

    def admit(self, sql: str) -> Admitted:
        """The statement, if it may run. Raises ToolError, or duckdb.Error on bad syntax."""
        return self._gate.admit(sql)

    def cursor(self) -> DuckDbCursor:
        """A connection of its own to the one instance."""
        with self._lock:
            return DuckDbCursor(self._connection.cursor())

    def explain(self, exc: Exception, tables: tuple[str, ...]) -> ToolError | None:
        """A duckdb.Error as an agent can use it."""
        import duckdb

        if not isinstance(exc, duckdb.Error):
            return None
        text = said(exc)
        if isinstance(exc, duckdb.InterruptException):
            return ToolError("the query was stopped before its end", kind="cancelled")
        if isinstance(exc, duckdb.PermissionException):
            found = _FILE.search(text)
            if found and found[1].startswith(self._own_folders):
                return ToolError(HINTS["own"], kind="refused")
            named = f"'{found[1]}'" if found else "this"
            seen = f"sql: file {found[1]}" if found else "sql: file access"
            return ToolError(
                f"{named} is out of reach: {HINTS['file']}", kind="refused", violations=(seen,)
            )
        if "attached in read-only mode" in text or NOT_READING in text:
            return ToolError(HINTS["write"], kind="refused")
        if isinstance(exc, duckdb.OutOfMemoryException):
            return ToolError(
                "the query needs more memory than there is; filter or aggregate earlier",
                kind="limit",
            )
        helpful = hint(text, self.schema(), tables)
        message = engine_message(text)
        return ToolError(f"{message}\n{helpful}" if helpful else message, kind="sql")

    def close(self) -> None:
        """Close the instance; no cursor may be at work."""
        self._gate.close()
        self._connection.close()


class DuckDbCursor:
    """One statement. Results are streamed: rows wait in the engine until they are fetched."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    @property
    def columns(self) -> tuple[str, ...]:
        """Names; two may be the same."""
        return tuple(column[0] for column in self._connection.description or ())

    @property
    def types(self) -> tuple[str, ...]:
        """DuckDB's names of the types."""
        return tuple(str(column[1]).strip('"') for column in self._connection.description or ())

    def execute(self, sql: str) -> None:
        """Run an admitted statement. Raises duckdb.Error."""
        if len(sql) > LONGEST:  # judged by itself; where memory ends in mid-parse, this frees it
            self._connection.execute(sql)
            return
        # Parsed once: what is looked at here is what runs.
        self._connection.execute(only_reading(self._connection.extract_statements(sql)))

    def fetch(self, count: int) -> Sequence[tuple[Any, ...]]:
        """The next rows, at most `count`."""
        return self._connection.fetchmany(count)

    def fetch_frame(self, count: int) -> pd.DataFrame:
        """The next rows, in whole vectors of 2048; dtypes are those of DuckDB's own `.df()`."""
        return self._connection.fetch_df_chunk(max(1, count // VECTOR))

    def interrupt(self) -> None:
        """Ask the statement to stop; a single long function call does not listen."""
        self._connection.interrupt()

    def close(self) -> None:
        """End the statement; what it left behind (TEMP, PREPARE) ends with its connection."""
        self._connection.close()
