"""Statements for the driver itself: what is asked with every call costs a third without SQLAlchemy's layers."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from sqlalchemy import ClauseElement
from sqlalchemy.dialects.sqlite import dialect


class Prepared:
    """A statement that was written with SQLAlchemy, as text with named parameters."""

    def __init__(self, statement: ClauseElement) -> None:
        self._text = str(statement.compile(dialect=dialect(paramstyle="named")))

    def run(self, driver: sqlite3.Connection, values: Mapping[str, Any]) -> None:
        """Without an answer."""
        driver.execute(self._text, values)

    def rows(self, driver: sqlite3.Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """All rows."""
        return driver.execute(self._text, values).fetchall()

    def first(
        self, driver: sqlite3.Connection, values: Mapping[str, Any]
    ) -> tuple[Any, ...] | None:
        """The first row, if there is one."""
        found: tuple[Any, ...] | None = driver.execute(self._text, values).fetchone()
        return found

    def value(self, driver: sqlite3.Connection, values: Mapping[str, Any]) -> Any:
        """The first value of the first row; None where there is none."""
        found = self.first(driver, values)
        return None if found is None else found[0]
