"""Tables and columns are read page by page from the real tools, and told apart by type."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.profiler.schema import MAX_COLUMNS, Field, Kind, kind_of, read_schema
from tests.agent.profiler.exploring import converse
from tests.agent.profiler.worlds import build, quoted


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("INTEGER", Kind.WHOLE),
        ("HUGEINT", Kind.WHOLE),
        ("utinyint", Kind.WHOLE),
        ("DOUBLE", Kind.REAL),
        ("DECIMAL(18,3)", Kind.REAL),
        ("VARCHAR", Kind.TEXT),
        ("ENUM('a', 'b')", Kind.TEXT),
        ("UUID", Kind.TEXT),
        ("DATE", Kind.DATE),
        ("TIMESTAMP", Kind.MOMENT),
        ("TIMESTAMP WITH TIME ZONE", Kind.MOMENT),
        ("TIMESTAMP_NS", Kind.MOMENT),
        ("BOOLEAN", Kind.FLAG),
        ("INTEGER[]", Kind.OTHER),
        ("STRUCT(a INTEGER)", Kind.OTHER),
        ("MAP(VARCHAR, INTEGER)", Kind.OTHER),
        ("BLOB", Kind.OTHER),
        ("TIME", Kind.OTHER),
        ("INTERVAL", Kind.OTHER),
        ("", Kind.OTHER),
    ],
)
def test_a_type_tells_what_may_be_asked(name: str, kind: Kind) -> None:
    assert kind_of(name) is kind


def test_only_numbers_are_numeric() -> None:
    assert [kind for kind in Kind if kind.numeric] == [Kind.WHOLE, Kind.REAL]


def test_a_moment_knows_whether_it_has_a_zone() -> None:
    assert Field("t", "x", "TIMESTAMP WITH TIME ZONE").zoned
    assert Field("t", "x", "TIMESTAMPTZ").zoned
    assert not Field("t", "x", "TIMESTAMP").zoned
    assert not Field("t", "x", "VARCHAR").zoned


def test_tables_are_read_with_columns_types_and_rows(shop: Path) -> None:
    tables = {table.name: table for table in converse(shop, read_schema(60))}
    assert sorted(tables) == ["climate", "products", "sales", "shops"]
    assert tables["shops"].rows == 7
    assert [(f.name, f.kind) for f in tables["products"].fields] == [
        ("product_id", Kind.TEXT),
        ("family", Kind.TEXT),
        ("price_usd", Kind.REAL),
        ("weight_g", Kind.WHOLE),
    ]
    assert tables["sales"].fields[0].key == "sales.sold_on"


def test_a_table_of_more_columns_than_fit_into_one_reply_is_read_whole(tmp_path: Path) -> None:
    columns = ", ".join(f"{n} AS a_column_with_quite_a_long_name_number_{n}" for n in range(300))
    path = build(tmp_path / "wide.duckdb", f"CREATE TABLE wide AS SELECT {columns}")
    (table,) = converse(path, read_schema(60))
    assert len(table.fields) == 300
    assert len({f.name for f in table.fields}) == 300


def test_of_an_endless_table_the_first_columns_are_read(tmp_path: Path) -> None:
    columns = ", ".join(f"{n} AS c{n}" for n in range(MAX_COLUMNS + 200))
    path = build(tmp_path / "wide.duckdb", f"CREATE TABLE wide AS SELECT {columns}")
    (table,) = converse(path, read_schema(60))
    assert len(table.fields) == MAX_COLUMNS


def test_more_tables_than_fit_into_one_reply_are_all_found(tmp_path: Path) -> None:
    names = [f"a table with a long name and the number {n:03d}" for n in range(70)]
    made = (f"CREATE TABLE {quoted(name)} AS SELECT 1 AS x" for name in names)
    tables = converse(build(tmp_path / "many.duckdb", *made), read_schema(100))
    assert {table.name for table in tables} == set(names)


def test_at_most_so_many_tables_are_looked_at(tmp_path: Path) -> None:
    made = (f"CREATE TABLE t{n} AS SELECT 1 AS x" for n in range(9))
    assert len(converse(build(tmp_path / "many.duckdb", *made), read_schema(4))) == 4
