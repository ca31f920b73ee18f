"""Statements of one shape are resolved once, and what they read is what each would say by itself."""

from __future__ import annotations

import pytest

from databases.schema import Column, Schema, Table
from tools.sql.access import AccessLog
from tools.sql.outline import LONGEST
from tools.sql.shapes import Shapes

SCHEMA = Schema(
    tables=(
        Table(
            name="visits",
            row_count=1,
            columns=tuple(
                Column(name=name, type="VARCHAR", nullable=True)
                for name in ("id", "note", "day", "dose", "a = 'x'", "a = 'y'")
            ),
        ),
    )
)

ALIKE = (
    ("SELECT note FROM visits WHERE id = 'a'", "SELECT note FROM visits WHERE id = 'b'"),
    ("SELECT id FROM visits WHERE dose >= 5", "SELECT id FROM visits WHERE dose >= 70.5"),
    ("FROM visits WHERE dose < 5 -- less", "FROM visits  WHERE dose < 70.5 -- more"),
    ("FROM visits WHERE note LIKE 'a%'", "FROM visits WHERE note LIKE '%b''; DROP'"),
)
OTHERS = (
    ("SELECT COLUMNS('d.*') FROM visits", "SELECT COLUMNS('n.*') FROM visits"),
    ("""SELECT "a = 'x'" FROM visits""", """SELECT "a = 'y'" FROM visits"""),
    ("SELECT 'note' FROM visits ORDER BY 1", "SELECT note FROM visits ORDER BY 1"),
    ("SELECT id FROM visits WHERE note = 'id'", "SELECT id FROM visits WHERE note = id"),
    ("SELECT id FROM visits WHERE day = '1'", "SELECT id FROM visits WHERE dose = '1'"),
    (
        "SELECT id FROM visits WHERE id = '1' --'",
        "SELECT id FROM visits WHERE id = '1' OR day = ''",
    ),
)


@pytest.fixture
def shapes() -> Shapes:
    return Shapes("duckdb", 2, exact=False)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_a_column_is_compared_with_makes_no_other_shape(
    shapes: Shapes, one: str, other: str
) -> None:
    assert shapes.of(one) == shapes.of(other)
    log = AccessLog(SCHEMA)
    assert log.fields(one) == log.fields(other) != ()


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_statements_that_may_read_other_fields_have_other_shapes(
    shapes: Shapes, one: str, other: str
) -> None:
    assert shapes.of(one) != shapes.of(other)


def test_where_facts_are_asked_for_by_name_only_the_same_text_is_the_same() -> None:
    exact = Shapes("duckdb", 2, exact=True)
    (one, other) = ALIKE[0]
    assert exact.of(one) != exact.of(other)


def test_a_long_statement_and_one_that_cannot_be_read_stand_for_themselves(shapes: Shapes) -> None:
    for sql in ("SELECT '" + "x" * LONGEST + "'", "SELECT 'open"):
        assert shapes.of(sql) == sql


def test_a_shape_is_asked_for_once_and_the_oldest_is_forgotten(shapes: Shapes) -> None:
    asked: list[str] = []

    def read(name: str) -> tuple[str, ...]:
        asked.append(name)
        return (name,)

    for name in ("a", "b", "a", "c", "b"):
        if (known := shapes.fields(name)) is None:
            known = shapes.keep(name, lambda name=name: read(name))  # type: ignore[misc]
        assert known == (name,)
    assert asked == ["a", "b", "c", "b"]


def test_a_database_that_may_change_is_remembered_nothing_of() -> None:
    forgetful = Shapes("duckdb", 0, exact=False)
    assert forgetful.keep("a", lambda: ("x",)) == ("x",)
    assert forgetful.fields("a") is None
