"""A schema is read as it stands: names, types, comments, keys, counts; nothing is hidden."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from core.sql import quote
from databases.installed import InstalledScenario
from databases.schema import Schema, read_schema


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def schema_of(connection: duckdb.DuckDBPyConnection, script: str) -> Schema:
    connection.execute(script)
    return read_schema(connection)


def test_an_empty_database_has_no_tables(connection: duckdb.DuckDBPyConnection) -> None:
    assert read_schema(connection).tables == ()


def test_types_comments_and_counts_are_read(connection: duckdb.DuckDBPyConnection) -> None:
    schema = schema_of(
        connection,
        """
        CREATE TABLE doses (id INTEGER NOT NULL, amount DECIMAL(8, 2), given TIMESTAMP);
        INSERT INTO doses VALUES (1, 2.5, NULL), (2, NULL, NULL);
        COMMENT ON TABLE doses IS 'what was given';
        COMMENT ON COLUMN doses.amount IS 'in mg';
        """,
    )
    (table,) = schema.tables
    assert (table.name, table.comment, table.row_count) == ("doses", "what was given", 2)
    assert [(c.name, c.type, c.nullable, c.comment) for c in table.columns] == [
        ("id", "INTEGER", False, None),
        ("amount", "DECIMAL(8,2)", True, "in mg"),
        ("given", "TIMESTAMP", True, None),
    ]


def test_a_table_whose_name_ends_in_comments_is_shown(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    schema = schema_of(
        connection, "CREATE TABLE visit_comments (t VARCHAR); CREATE TABLE v (a INT)"
    )
    assert [t.name for t in schema.tables] == ["v", "visit_comments"]


def test_views_are_shown_as_views(connection: duckdb.DuckDBPyConnection) -> None:
    schema = schema_of(
        connection,
        "CREATE TABLE a AS SELECT range x FROM range(5); CREATE VIEW b AS FROM a WHERE x > 2;"
        "COMMENT ON VIEW b IS 'the large ones'",
    )
    view = schema.tables[1]
    assert (view.name, view.is_view, view.row_count, view.comment) == (
        "b",
        True,
        2,
        "the large ones",
    )
    assert [c.name for c in view.columns] == ["x"]
    assert not schema.tables[0].is_view


def test_temporary_tables_are_not_part_of_the_database(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    assert schema_of(connection, "CREATE TEMP TABLE t (a INT)").tables == ()


def test_tables_of_another_schema_carry_its_name(connection: duckdb.DuckDBPyConnection) -> None:
    schema = schema_of(
        connection,
        "CREATE SCHEMA lab; CREATE TABLE lab.tests AS SELECT 1 AS a; CREATE TABLE t (a INT)",
    )
    assert [t.name for t in schema.tables] == ["lab.tests", "t"]
    found = schema.table("LAB.tests")
    assert found is not None
    assert found.row_count == 1
    assert connection.execute(f"SELECT a FROM {found.quoted}").fetchall() == [(1,)]


def test_declared_keys_are_read(connection: duckdb.DuckDBPyConnection) -> None:
    schema = schema_of(
        connection,
        """
        CREATE TABLE p (id INTEGER PRIMARY KEY, code VARCHAR UNIQUE);
        CREATE TABLE v (id INTEGER, p INTEGER REFERENCES p (id), PRIMARY KEY (id, p));
        """,
    )
    keys = {t.name: [(k.kind, k.columns, k.references) for k in t.keys] for t in schema.tables}
    assert keys["p"] == [("primary key", ("id",), None), ("unique", ("code",), None)]
    assert sorted(keys["v"]) == [
        ("foreign key", ("p",), "p"),
        ("primary key", ("id", "p"), None),
    ]


def test_odd_names_are_read_and_can_be_asked_for(connection: duckdb.DuckDBPyConnection) -> None:
    schema = schema_of(connection, 'CREATE TABLE "a ""b"" c" AS SELECT 1 AS "select"')
    (table,) = schema.tables
    assert (table.name, table.row_count) == ('a "b" c', 1)
    assert table.columns[0].name == "select"
    assert connection.execute(f"SELECT {quote('select')} FROM {table.quoted}").fetchall() == [(1,)]


def test_a_name_that_is_not_there_is_none(visits: InstalledScenario) -> None:
    with duckdb.connect(str(visits.database_path), read_only=True) as connection:
        assert read_schema(connection).table("nothing") is None
