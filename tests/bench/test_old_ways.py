"""The old ways are what they are said to be: a fresh interpreter, a fresh connection, no help."""

from __future__ import annotations

import sqlite3

import pytest

from bench import old_ways
from bench.lab import Lab
from tests.bench.labs import lab

__all__ = ["lab"]


def test_each_call_is_an_interpreter_of_its_own_that_has_pandas() -> None:
    first, second = (
        old_ways.run_python("import os\nprint(os.getpid(), pd.Series([1, 2]).sum())").split()
        for _ in range(2)
    )
    assert first[1] == second[1] == "3"
    assert first[0] != second[0]


def test_code_that_fails_gives_no_time() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        old_ways.run_python("1 / 0")


def test_a_query_gives_all_its_rows(lab: Lab) -> None:
    found = old_ways.query(lab.old_database, "SELECT item_id, label FROM items ORDER BY item_id")
    assert found[0] == (1, "item 01")
    assert len(found) == 40


def test_a_query_that_fails_gives_no_time(lab: Lab) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        old_ways.query(lab.old_database, "SELECT nope FROM events")
