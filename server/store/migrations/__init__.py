"""Bring a store to the newest schema: numbered steps, each whole or not at all."""

from __future__ import annotations

import importlib
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Protocol, cast

from core.errors import StoreError

_NAME = re.compile(r"^(?:step_)?(\d{4})_(\w+)\.(sql|py)$")


@dataclass(frozen=True)
class Step:
    """One numbered change: a file of SQL, or a module with `migrate(connection)`."""

    number: int
    name: str
    kind: str


class _Module(Protocol):
    def migrate(self, connection: sqlite3.Connection) -> None: ...


def steps() -> list[Step]:
    """Every step there is, in order. A Python step's file is named `step_NNNN_name.py`."""
    matches = [match for entry in files(__name__).iterdir() if (match := _NAME.match(entry.name))]
    return sorted(
        (Step(int(match[1]), match[2], match[3]) for match in matches),
        key=lambda step: step.number,
    )


def version(connection: sqlite3.Connection) -> int:
    """The number of the last step that this store has had; 0 for a new file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, path: Path, known: list[Step] | None = None) -> None:
    """Apply what is missing. `connection` is in autocommit mode.

    Raises StoreError where the store is newer than this code; nothing is changed then.
    """
    known = steps() if known is None else known
    newest = known[-1].number
    if version(connection) == newest:
        return
    # IMMEDIATE: of two processes that open an old store at once, one migrates and one waits.
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = version(connection)
        if found > newest:
            raise StoreError(
                f"the store {path} has schema {found}, this code knows {newest}: it was written by "
                "a newer ddr; update this one, or set DDR_HOME to another folder"
            )
        for step in known:
            if step.number > found:
                _apply(connection, step)
                connection.execute(f"PRAGMA user_version = {step.number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        raise


def _apply(connection: sqlite3.Connection, step: Step) -> None:
    if step.kind == "py":
        module = importlib.import_module(f"{__name__}.step_{step.number:04}_{step.name}")
        cast(_Module, module).migrate(connection)
        return
    text = files(__name__).joinpath(f"{step.number:04}_{step.name}.sql").read_text("utf-8")
    for statement in statements(text):
        connection.execute(statement)


def statements(text: str) -> Iterator[str]:
    """Single statements. (`executescript` would commit our transaction first.)"""
    pending = ""
    for line in text.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        yield pending
