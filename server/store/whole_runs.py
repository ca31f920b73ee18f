"""Read a run's rows in one piece, and add those of runs that came from elsewhere: all, or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from core.errors import StoreError
from server.store.repository import Repository

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Rows:
    """The rows of one table that belong to a run: their columns, the record's JSON as the last one."""

    table: str
    columns: tuple[str, ...]
    """Without the body."""
    key: tuple[str, ...]
    """What tells a row from all others."""
    where: str
    """Of the run, as SQL with the one parameter :run, below `FROM table`."""
    order: str

    @property
    def select(self) -> str:
        """Those of a run, in an order that is always the same."""
        told = ", ".join(f"{self.table}.{name}" for name in (*self.columns, "body"))
        return f"SELECT {told} FROM {self.table} {self.where} ORDER BY {self.order}"

    @property
    def insert(self) -> str:
        """A row, by position."""
        names = (*self.columns, "body")
        marks = ", ".join("?" for _ in names)
        return f"INSERT INTO {self.table} ({', '.join(names)}) VALUES ({marks})"

    @property
    def create(self) -> str:
        """A table of the same columns that takes each key once, and nothing else for granted."""
        names = ", ".join((*self.columns, "body"))
        return f"CREATE TABLE {self.table} ({names}, PRIMARY KEY ({', '.join(self.key)}))"

    @property
    def find(self) -> str:
        """The body of the row with a key."""
        return f"SELECT body FROM {self.table} WHERE " + " AND ".join(f"{k} = ?" for k in self.key)

    def key_of(self, row: Row) -> Row:
        """Of one of `select`'s rows."""
        return tuple(row[self.columns.index(name)] for name in self.key)


_ATTEMPTS: Final = "trajectories.entity_id, trajectories.trial, trajectories.attempt"


def _of_trajectory(table: str, columns: tuple[str, ...], number: str) -> Rows:
    return Rows(
        table,
        ("trajectory_id", *columns),
        ("trajectory_id", number),
        f"JOIN trajectories ON trajectories.id = {table}.trajectory_id "
        "WHERE trajectories.run_id = :run",
        f"{_ATTEMPTS}, {table}.{number}",
    )


RUN: Final = Rows("runs", ("id", "created_at"), ("id",), "WHERE id = :run", "id")
TRAJECTORIES: Final = Rows(
    "trajectories",
    ("id", "run_id", "entity_id", "trial", "attempt", "stop_reason"),
    ("id",),
    "WHERE run_id = :run",
    _ATTEMPTS,
)
CALLS: Final = _of_trajectory("calls", ("position", "turn", "started_at"), "position")
TURNS: Final = _of_trajectory("turns", ("turn",), "turn")
NUDGES: Final = _of_trajectory("nudges", ("position",), "position")
INSIGHTS: Final = _of_trajectory("insights", ("position", "id"), "position")
EVALUATIONS: Final = Rows(
    "evaluations", ("id", "run_id", "position"), ("id",), "WHERE run_id = :run", "position"
)
VERDICTS: Final = Rows(
    "verdicts",
    ("evaluation_id", "item_id", "trajectory_id", "level"),
    ("evaluation_id", "item_id", "trajectory_id", "level"),
    "JOIN evaluations ON evaluations.id = verdicts.evaluation_id WHERE evaluations.run_id = :run",
    "evaluations.position, verdicts.trajectory_id, verdicts.item_id, verdicts.level",
)
JUDGEMENTS: Final = Rows(
    "judgements",
    ("kind", "run_id", "subject", "said_by"),
    ("kind", "run_id", "subject", "said_by"),
    "WHERE run_id = :run",
    "kind, subject, said_by",
)
RANKINGS: Final = Rows(
    "rankings",
    ("id", "created_at"),
    ("id",),
    "WHERE EXISTS (SELECT 1 FROM json_each(rankings.body, '$.run_ids') WHERE value = :run)",
    "created_at, id",
)
RANKING: Final = Rows("rankings", ("id", "created_at"), ("id",), "WHERE id = :run", "id")
"""The one whose id stands for the run's."""
COMPARISONS: Final = Rows(
    "comparisons",
    ("ranking_id", "pair"),
    ("ranking_id", "pair"),
    "WHERE ranking_id = :run",
    "pair",
)
"""Of a ranking, likewise."""
OF_A_RUN: Final = (
    RUN,
    TRAJECTORIES,
    CALLS,
    TURNS,
    NUDGES,
    INSIGHTS,
    EVALUATIONS,
    VERDICTS,
    JUDGEMENTS,
)
"""Each refers to those before it alone."""
ALL: Final = (*OF_A_RUN, RANKINGS, COMPARISONS)


class Snapshot:
    """The store as it was at one moment; what is written meanwhile does not show."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        self._driver = driver

    def rows(self, kind: Rows, run_id: str) -> Iterator[Row]:
        """A run's, one after the other: they are never all held at once."""
        yield from self._driver.execute(kind.select, {"run": run_id})

    def body(self, kind: Rows, key: Row) -> str | None:
        """The record with a key; None where there is none."""
        found = self._driver.execute(kind.find, key).fetchone()
        return None if found is None else str(found[0])

    @property
    def schema(self) -> int:
        """The number of the store's last migration."""
        return int(self._driver.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def snapshot(store: Repository) -> Iterator[Snapshot]:
    """Read several tables as of one moment."""
    with store.glancing() as driver:
        driver.execute("BEGIN")
        try:
            yield Snapshot(driver)
        finally:
            driver.execute("ROLLBACK")


def add_rows(store: Repository, found: Iterable[tuple[Rows, Iterable[Row]]]) -> None:
    """Add rows to their tables in one transaction. Raises StoreError where one of them is there."""
    with store.driving() as driver:
        for kind, rows in found:
            try:
                driver.executemany(kind.insert, rows)
            except sqlite3.IntegrityError as exc:
                raise StoreError(f"a record of {kind.table} is stored already; try again") from exc
