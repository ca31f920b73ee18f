"""Transactions on the store's file: to read, to write, and past the ORM where much is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from core.errors import StoreError
from server.store.engine import driver_of, failures
from server.store.held import Held


class Sessions:
    """An open store. Raises StoreError where something could not be kept or found."""

    def __init__(
        self,
        engine: Engine,
        path: Path,
        *,
        joined: Session | None = None,
        waits_for_disk: bool = False,
        waits_for_lock: bool = True,
        held: Held | None = None,
    ) -> None:
        self._engine, self.path, self._joined = engine, path, joined
        self._held = held or Held(engine)
        self.waits_for_disk = waits_for_disk
        """Whether each transaction is on the disk itself before it counts as kept."""
        self._waits_for_lock = waits_for_lock
        self._writing = engine.execution_options(writes=True, waits=waits_for_lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def unwaiting(self) -> Self:
        """The same store, for whoever must not wait: LockedError at once where somebody else writes."""
        return type(self)(
            self._engine,
            self.path,
            joined=self._joined,
            waits_for_disk=self.waits_for_disk,
            waits_for_lock=False,
            held=self._held,
        )

    def close(self) -> None:
        """Let go of the file."""
        self._held.close()
        self._engine.dispose()

    @contextmanager
    def together(self) -> Iterator[Self]:
        """A repository whose writes are one transaction: all of them are kept, or none."""
        with self.writing() as session:
            yield type(self)(self._engine, self.path, joined=session, held=self._held)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction, or part of one that writes: then its own writes are seen, and no other's come."""
        with failures(self.path):
            if self._joined is not None:
                yield self._joined
                return
            with Session(self._engine) as session:
                yield session

    @contextmanager
    def writing(self, twice: str | None = None) -> Iterator[Session]:
        """One transaction, or part of one; `twice` says what it means when a key is there already."""
        with failures(self.path), _naming(twice):
            if self._joined is not None:
                yield self._joined
                self._joined.flush()
                return
            with Session(self._writing) as session, session.begin():
                yield session

    @contextmanager
    def glancing(self) -> Iterator[sqlite3.Connection]:
        """The driver's own connection, for one statement that reads what is kept."""
        with failures(self.path), self._held.lent(waits=True) as driver:
            yield driver

    @contextmanager
    def driving(self) -> Iterator[sqlite3.Connection]:
        """The same on the driver's own connection, for what is written with every call."""
        with failures(self.path):
            if self._joined is not None:
                yield driver_of(self._joined.connection().connection)
                return
            with self._held.lent(waits=self._waits_for_lock) as driver:
                driver.execute("BEGIN IMMEDIATE")
                yield driver
                driver.execute("COMMIT")


@contextmanager
def _naming(twice: str | None) -> Iterator[None]:
    """Say in words what it means that a key is there already."""
    try:
        yield
    except IntegrityError as exc:
        name = getattr(exc.orig, "sqlite_errorname", "")
        if twice and name in ("SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE"):
            raise StoreError(twice) from exc
        raise
