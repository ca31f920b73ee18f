"""Open somebody's SQLite file to read it: nothing that it holds is trusted, nothing is written to it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

MAGIC: Final = b"SQLite format 3\x00"
"""What every such file begins with, whatever its name ends in."""


def open_sqlite(path: Path, *, alone: bool = False) -> sqlite3.Connection:
    """A connection that can only read, and runs no function for a view or trigger of the file's.

    `alone` means that nobody else writes to it: then no file is made beside it, and what a program
    has left there (its write-ahead log) is not looked at. Raises sqlite3.Error.
    """
    how = "mode=ro&immutable=1" if alone else "mode=ro"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    return connection
