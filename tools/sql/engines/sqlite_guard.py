"""What SQLite may compile: its authorizer, asked for every table, column and function of a statement."""

from __future__ import annotations

import sqlite3

from core.errors import ToolError
from tools.sql.reach import HINTS, OUT_OF_REACH

PRAGMAS = frozenset(
    {
        "collation_list",
        "compile_options",
        "data_version",
        "encoding",
        "foreign_key_list",
        "function_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "module_list",
        "page_count",
        "page_size",
        "pragma_list",
        "schema_version",
        "table_info",
        "table_list",
        "table_xinfo",
        "user_version",
    }
)
"""PRAGMAs that tell of the schema."""
OF_A_TABLE = frozenset(
    {
        "foreign_key_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "table_info",
        "table_list",
        "table_xinfo",
    }
)
"""Those that take a name; any other one would change something when it is given a value."""
FUNCTIONS_OUT_OF_REACH = OUT_OF_REACH | {"edit", "fts3_tokenizer", "load_extension"}
"""fts3_tokenizer shows, and takes, addresses in memory."""
TABLES_OUT_OF_REACH = frozenset(
    {"dbstat", "sqlite_dbpage", "sqlite_stmt", "bytecode", "tables_used"}
)
"""Virtual tables of the engine that look past the schema."""
_MASTERS = frozenset({"sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"})
_HARMLESS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
_PRAGMA_HINT = "use SELECT sql FROM sqlite_master, or PRAGMA table_info(a_table)"
_FILES = {sqlite3.SQLITE_ATTACH: "ATTACH", sqlite3.SQLITE_DETACH: "DETACH"}


class Guard:
    """The authorizer of one connection; used by one statement at a time."""

    def __init__(self, own: frozenset[str] = frozenset()) -> None:
        """`own`: the database's own tables, in lower case, whatever they are called."""
        self._own = own
        self.tables: list[str] = []
        """Read by the statement at hand, in its order, more than once where it is."""
        self._denied: tuple[int, str] | None = None

    def begin(self) -> None:
        """Forget the statement before."""
        self.tables = []
        self._denied = None

    def __call__(
        self, action: int, first: str | None, second: str | None, base: str | None, by: str | None
    ) -> int:
        """SQLite asks; anything not known to be a read is denied."""
        named = (first or "").lower()
        if action in _HARMLESS:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and self._may_read(named):
            if by is None:  # and not on behalf of a view
                self.tables.append(first or "")
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            named = (second or "").lower()
            if named not in FUNCTIONS_OUT_OF_REACH:
                return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_PRAGMA and named in (PRAGMAS if second is None else OF_A_TABLE):
            return sqlite3.SQLITE_OK
        # So SQLite asks when a virtual table is used for the first time; what a statement itself would
        # write there is refused by SQLite, which has writable_schema off.
        if action == sqlite3.SQLITE_UPDATE and named in _MASTERS:
            return sqlite3.SQLITE_OK
        self._denied = self._denied or (action, named)
        return sqlite3.SQLITE_DENY

    def _may_read(self, table: str) -> bool:
        if table in self._own:
            return True
        if table.startswith("pragma_"):
            return table.removeprefix("pragma_") in PRAGMAS
        return table not in TABLES_OUT_OF_REACH

    def refusal(self) -> ToolError | None:
        """Why the statement at hand was not compiled; None where it was not the authorizer."""
        if self._denied is None:
            return None
        action, named = self._denied
        if action in _FILES:
            return ToolError(
                f"{_FILES[action]} is refused: {HINTS['file']}",
                kind="refused",
                violations=(f"sql: {_FILES[action]}",),
            )
        if action in {sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_READ}:
            return ToolError(
                f"{named} is out of reach: it is not a way to this database's own tables. For the"
                f" schema {_PRAGMA_HINT}",
                kind="refused",
                violations=(f"sql: {named}",),
            )
        if action == sqlite3.SQLITE_PRAGMA:
            shows = named == "database_list"
            return ToolError(
                f"PRAGMA {named} is refused: {_PRAGMA_HINT}",
                kind="refused",
                violations=(f"sql: PRAGMA {named}",) if shows else (),
            )
        return ToolError(HINTS["write"], kind="refused")
