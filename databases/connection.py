"""Open a DuckDB file so that nothing said over the connection can change it or reach another file."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from core.errors import DatabaseError

if TYPE_CHECKING:
    import duckdb

# The same for every opener: DuckDB shares one instance per file and process, and refuses a second
# connection with another configuration. allowed_directories stays empty: COPY TO works inside them.
_LOCKED_DOWN: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "python_enable_replacements": False,
    "python_scan_all_frames": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
}
_HOME = {"home": "", "temp": "tmp", "secret": "secrets", "extension": "extensions"}
"""The engine's folders, and where they are below a home."""
SPILL_MB = 2048
"""What one instance may write beside the database when a query outgrows memory, MB."""
_OPENING = threading.Lock()
"""Two threads that open the same file share an instance, and only one of them may lock it."""
_UNOPENABLE = "?\\"
"""DuckDB reads these in a path as something else than a character of a name."""


class DatabaseHeldError(DatabaseError):
    """Another process has the file open for writing. Building it anew would not help."""


def open_readonly(
    path: Path,
    *,
    threads: int | None = None,
    memory_mb: int | None = None,
    spill_mb: int = SPILL_MB,
    home: Path | None = None,
) -> duckdb.DuckDBPyConnection:
    """A read-only connection with its configuration locked (field cases F1, F2).

    What outgrows memory is written into `home`, or beside the database where there is none.

    In one process all connections to a file share one instance: the limits of the first opener
    hold until the last connection is closed. Raises DatabaseError in clear words at once where the
    file is missing, held by a writer (F12) or not a database. How it is opened does not stop TEMP
    objects, PREPARE or CALL: the tools' own gate does (MEASURED, "Locked down").
    """
    refuse_unopenable(path)
    try:
        is_there = path.is_file()
    except PermissionError as exc:
        raise DatabaseError(f"{path} may not be read by this user") from exc
    if not is_there:
        raise DatabaseError(f"there is no database at {path}")
    with _OPENING:
        return _open(path, threads, memory_mb, spill_mb, home)


def _open(
    path: Path, threads: int | None, memory_mb: int | None, spill_mb: int, home: Path | None
) -> duckdb.DuckDBPyConnection:
    import duckdb

    config = dict(_LOCKED_DOWN)
    if home is not None:
        config |= {f"{name}_directory": str(home / place) for name, place in _HOME.items()}
    try:
        connection = duckdb.connect(str(path.absolute()), read_only=True, config=config)
    except duckdb.Error as exc:
        _explain(path, exc)
    try:
        if not _is_locked(connection):
            _lock(connection, threads, memory_mb, spill_mb)
    except duckdb.Error as exc:
        connection.close()
        _explain(path, exc)
    return connection


def own_folders(home: Path) -> tuple[str, ...]:
    """What the paths of the engine's own folders below a home begin with."""
    return tuple(f"{home / place}/" for place in _HOME.values() if place)


def refuse_unopenable(path: Path) -> None:
    """Raise DatabaseError for a path that DuckDB would take for another one."""
    if bad := sorted(set(str(path.absolute())) & set(_UNOPENABLE)):
        raise DatabaseError(
            f"DuckDB cannot open a path that holds {' or '.join(bad)}: {path}; "
            "set DDR_HOME to a folder without such a character"
        )


def _is_locked(connection: duckdb.DuckDBPyConnection) -> bool:
    row = connection.execute("SELECT current_setting('lock_configuration')").fetchone()
    return bool(row and row[0])


def _lock(
    connection: duckdb.DuckDBPyConnection,
    threads: int | None,
    memory_mb: int | None,
    spill_mb: int,
) -> None:
    # In `python -c` and a REPL the engine would draw bars on stdout, which may be a protocol's.
    connection.execute("SET enable_progress_bar = false")
    # To fetch the other columns of a few rows in a second look spares time on a whole table and costs
    # twice the time on one entity's rows, which is what is mostly asked. GLOBAL: for cursors as well.
    connection.execute("SET GLOBAL late_materialization_max_rows = 0")
    connection.execute(f"SET max_temp_directory_size = '{int(spill_mb)}MiB'")
    if threads is not None:
        connection.execute(f"SET threads = {int(threads)}")
    if memory_mb is not None:
        connection.execute(f"SET memory_limit = '{int(memory_mb)}MiB'")
    connection.execute("SET lock_configuration = true")


def _explain(path: Path, exc: Exception) -> NoReturn:
    text = str(exc)
    if "set lock on file" in text:
        raise DatabaseHeldError(
            f"{path} is held by another writer; wait until that process ends, or stop it"
        ) from exc
    if "Permission denied" in text:
        said = f"{path} may not be read by this user"
    elif "version number" in text:
        said = f"{path} was written by a version of DuckDB that this one cannot read"
    elif "different configuration" in text:
        said = f"{path} is open in this process with other settings; open it through open_readonly"
    else:
        said = f"{path} is not a readable DuckDB database (corrupt or cut short)"
    raise DatabaseError(said) from exc
