"""Open the store: SQLite in WAL mode, migrated, with failures told in words that help."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import LockedError, StoreError
from core.hints import typed
from server.store import migrations

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.pool import PoolProxiedConnection

    from server.store.repository import Repository

BUSY_TIMEOUT_S = 5.0


def _resume() -> str:
    return f"what was stored before is whole; then go on with `{typed('run --resume RUN')}`"


def open_store(
    path: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S, fsync: bool = False
) -> Repository:
    """The repository behind a file, which is made (mode 0600) where it is missing.

    `fsync`: what is written survives not only our end but a loss of power, at a cost for each
    write. Raises StoreError: locked, corrupt, newer than this code, not writable, no space.
    """
    from server.store.repository import Repository

    with failures(path):
        _prepare(path, busy_timeout_s)
        return Repository(_engine(path, busy_timeout_s, fsync=fsync), path, waits_for_disk=fsync)


def _prepare(path: Path, busy_timeout_s: float) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        # Mode first: SQLite makes its -wal and -shm files with the mode of the main one.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, timeout=busy_timeout_s)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        migrations.migrate(connection, path)
    finally:
        connection.close()


def _engine(path: Path, busy_timeout_s: float, *, fsync: bool) -> Engine:
    from sqlalchemy import URL, Connection, create_engine, event

    engine = create_engine(
        URL.create("sqlite", database=str(path)), connect_args={"timeout": busy_timeout_s}
    )

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: object) -> None:
        # The driver's own BEGIN would come too late (and never before a read): we say it ourselves.
        connection.isolation_level = None
        connection.execute(f"PRAGMA synchronous = {'FULL' if fsync else 'NORMAL'}")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        # A writer takes its lock at once: two that first read and then write would deadlock.
        options = connection.get_execution_options()
        if options.get("waits", True):
            connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes") else "BEGIN")
            return
        begin(driver_of(connection.connection), waits=False)

    return engine


def driver_of(held: PoolProxiedConnection) -> sqlite3.Connection:
    """The driver's own connection under one of SQLAlchemy's."""
    driver = held.driver_connection
    if not isinstance(driver, sqlite3.Connection):
        raise StoreError("the connection to the store is lost")
    return driver


def begin(driver: sqlite3.Connection, *, waits: bool) -> None:
    """Begin to write; where it does not wait, somebody else's write is an error at once."""
    if waits:
        driver.execute("BEGIN IMMEDIATE")
        return
    (patience_ms,) = driver.execute("PRAGMA busy_timeout").fetchone()
    driver.execute("PRAGMA busy_timeout = 0")
    try:
        driver.execute("BEGIN IMMEDIATE")
    finally:
        driver.execute(f"PRAGMA busy_timeout = {patience_ms}")


@contextmanager
def failures(path: Path) -> Iterator[None]:
    """Turn what SQLite says into what the reader can do."""
    from sqlalchemy.exc import DBAPIError

    try:
        yield
    except DBAPIError as exc:
        raise _explain(path, exc.orig or exc) from exc
    except (sqlite3.Error, OSError) as exc:
        raise _explain(path, exc) from exc


def _explain(path: Path, exc: BaseException) -> StoreError:
    name = getattr(exc, "sqlite_errorname", "")
    said = getattr(exc, "strerror", None) or str(exc)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        text = "is locked by another process; wait for it or end it, then try again"
        return LockedError(f"the store {path} {text}")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_SCHEMA")):
        text = (
            f"is damaged ({said}); save what can be saved with `sqlite3 {path} .recover`, "
            "or move it away to begin a new one"
        )
    elif name.startswith(("SQLITE_FULL", "SQLITE_IOERR")) or getattr(exc, "errno", 0) in (27, 28):
        text = f"cannot grow ({said}): the disk or a quota is full; free some space: {_resume()}"
    elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")) or isinstance(
        exc, OSError
    ):
        text = f"cannot be opened for writing ({said}); check its owner and mode, or set DDR_HOME"
    elif isinstance(exc, sqlite3.IntegrityError):
        text = f"refused a record ({said})"
    else:
        text = f"failed: {said}"
    return StoreError(f"the store {path} {text}")
