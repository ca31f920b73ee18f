"""What a database must be able to do to stand behind the SQL hand; a plug-in fulfils it.

An engine lives inside a worker process (tools/sql/worker.py): opened once, asked by several threads,
one cursor per statement. It blocks and knows nothing of agents, queues or deadlines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from core.errors import ToolError
from core.record import Record
from databases.schema import Schema
from databases.target import Target

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Admitted", "Cursor", "Engine", "EngineFactory", "EngineLimits", "Target"]


class EngineLimits(Record):
    """What one worker's engine may take."""

    threads: int = 1
    """One makes the same query give the same digits; several workers use the cores."""
    memory_mb: int = 4096
    spill_mb: int = 2048
    """On disk, where a query outgrows memory."""
    home: str | None = None
    """A folder for what an engine must write, in a process whose mount namespace shows nothing of the
    host: there the engine may tell of itself. None in any other process: what would show a path of
    the host is refused."""


@dataclass(frozen=True)
class Admitted:
    """A statement that may run, with what the gate saw of it."""

    reads: str | None
    """The statement whose tables are read; None for one that only plans or describes."""
    tables: tuple[str, ...] = ()
    """Names in its FROM clauses, common table expressions among them."""


@runtime_checkable
class Cursor(Protocol):
    """One statement on its way. Used by one thread; `interrupt` may come from another."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names as the engine gives them; two may be the same. Empty before `execute`."""
        ...

    @property
    def types(self) -> tuple[str, ...]:
        """The engine's names of the columns' types."""
        ...

    def execute(self, sql: str) -> None:
        """Run an admitted statement, unchanged. Raises the engine's own exception."""
        ...

    def fetch(self, count: int) -> Sequence[tuple[Any, ...]]:
        """The next rows, at most `count`; none at the end. Holds no whole result in memory."""
        ...

    def fetch_frame(self, count: int) -> pd.DataFrame:
        """About the next `count` rows as columns; empty at the end. Column names may repeat."""
        ...

    def interrupt(self) -> None:
        """Ask the statement to stop. It may not listen: whoever needs it ended kills the process."""
        ...

    def close(self) -> None:
        """Let go of it; whatever a statement left behind ends with its cursor."""
        ...


@runtime_checkable
class Engine(Protocol):
    """One database, opened so that nothing said to it can change it or reach past it."""

    @property
    def dialect(self) -> str:
        """As sqlglot calls it."""
        ...

    def schema(self) -> Schema:
        """Tables, columns, comments, keys and row counts; no table is hidden."""
        ...

    def admit(self, sql: str) -> Admitted:
        """The statement, if it may run: one, and a read. Raises ToolError, or the engine's own error."""
        ...

    def cursor(self) -> Cursor:
        """A cursor of its own for one statement."""
        ...

    def explain(self, exc: Exception, tables: tuple[str, ...]) -> ToolError | None:
        """The engine's failure in words that help an agent; None for what is not the engine's."""
        ...

    def close(self) -> None:
        """Close the database."""
        ...


class EngineFactory(Protocol):
    """Opens a database; what a name in the group `ddr.engines` stands for."""

    @property
    def dialect(self) -> str:
        """As sqlglot calls it."""
        ...

    @property
    def is_file(self) -> bool:
        """True: the database is one file, and the worker is confined to it, without a network.
        False: `location` is a URL, and the worker keeps the network."""
        ...

    def __call__(self, location: str, limits: EngineLimits) -> Engine:
        """Open it. Raises DatabaseError in words for the person who runs the server."""
        ...
