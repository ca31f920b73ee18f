"""Run an item's evidence: one SELECT that gives one row with one value."""

from __future__ import annotations

import datetime as dt
import decimal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from core.errors import ChecklistError

if TYPE_CHECKING:
    import duckdb

Value = float | str | None
MOST_CHARS: Final = 10_000
"""Of a text that is an item's value."""
_AGAIN_S: Final = 0.05
"""An interrupt that falls between two statements is lost, so it is said again."""


def value_of(connection: duckdb.DuckDBPyConnection, sql: str) -> Value:
    """What the evidence gives; None for NULL.

    Raises ChecklistError where it is not one SELECT, fails, or gives another shape.
    """
    import duckdb

    try:
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise ChecklistError("the evidence is not one SELECT")
        rows = connection.execute(statements[0]).fetchmany(2)
    except duckdb.Error as exc:
        raise ChecklistError(f"the evidence fails: {_first_line(exc)}") from exc
    if len(rows) != 1:
        count = "no row" if not rows else "more than one row"
        raise ChecklistError(f"the evidence gives {count}, not one")
    if len(rows[0]) != 1:
        raise ChecklistError(f"the evidence gives {len(rows[0])} columns, not one")
    return _plain(rows[0][0])


@contextmanager
def in_time(connection: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    """Interrupt what runs over this connection after so long, and all that is begun later in the block."""
    done = threading.Event()

    def watch() -> None:
        wait = seconds
        while not done.wait(wait):
            connection.interrupt()
            wait = _AGAIN_S

    watching = threading.Thread(target=watch, name="evidence-deadline", daemon=True)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()  # none may reach the statement after it


def _plain(value: object) -> Value:
    if isinstance(value, str) and len(value) > MOST_CHARS:
        raise ChecklistError(
            f"the evidence gives a text of {len(value):,} characters; {MOST_CHARS:,} are the most"
        )
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float, decimal.Decimal)):
        return float(value)
    if isinstance(value, (dt.date, dt.datetime)):
        return value.isoformat()
    raise ChecklistError(f"the evidence gives a {type(value).__name__}, not a number or a text")


def _first_line(exc: Exception) -> str:
    return str(exc).strip().splitlines()[0]
