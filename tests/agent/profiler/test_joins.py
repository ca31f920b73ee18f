"""Joins are inferred from values and types alone, and only where they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.profiler.columns import measure_columns
from agent.profiler.discovery import World, discover
from agent.profiler.joins import single_joins
from agent.profiler.relation import Join, Relation
from agent.profiler.reply import Conversation
from agent.profiler.schema import read_schema
from tests.agent.profiler.exploring import converse, task
from tests.agent.profiler.worlds import SHOP_TABLES, build, renamed


def singles(path: Path) -> list[Join]:
    def talk() -> Conversation[list[Join]]:
        tables = yield from read_schema(60)
        figures = yield from measure_columns(tables)
        return (yield from single_joins(tables, figures, near=()))

    return converse(path, talk())


def keys(join: Join) -> list[tuple[str, str]]:
    return [(here.key, there.key) for here, there in join.pairs]


def pairs(path: Path) -> set[tuple[str, str]]:
    return {pair for join in singles(path) for pair in keys(join)}


def world(path: Path, *statements: str) -> Path:
    return build(path / "world.duckdb", *statements)


def known(path: Path, entity: str, label: str | None = None) -> World:
    return converse(path, discover(task(entity, label=label)))


def relation(found: World, table: str) -> Relation:
    return next(r for r in found.relations if r.table.name == table)


def composites(found: World, table: str) -> list[Join]:
    return [join for join, _, _ in relation(found, table).joined if join.composite]


def test_texts_that_are_found_in_a_unique_column_are_its_keys(shop: Path) -> None:
    assert ("sales.product_id", "products.product_id") in pairs(shop)
    assert ("sales.shop_id", "shops.shop_id") in pairs(shop)


def test_a_join_knows_how_many_rows_find_their_row(
    shop: Path, shop_tables: dict[str, list[tuple[object, ...]]]
) -> None:
    join = next(j for j in singles(shop) if j.target.name == "products")
    entered = {row[0] for row in shop_tables["products"]}
    sold = [row[3] for row in shop_tables["sales"]]
    assert join.coverage == pytest.approx(sum(p in entered for p in sold) / len(sold))
    assert join.exact


def test_whole_numbers_join_where_their_ranges_agree(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE d AS SELECT 500 + i AS k, 'x' || i AS name FROM range(90) r(i)",
        "CREATE TABLE f AS SELECT 500 + i * 7 % 90 AS a, i % 24 AS h, hash(i) % 60 AS m FROM range(900) r(i)",
    )
    assert pairs(path) == {("f.a", "d.k")}


def test_whole_numbers_that_are_keys_by_chance_are_not_joined(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE d AS SELECT i AS k, 'x' || i AS name FROM range(5000) r(i)",
        "CREATE TABLE f AS SELECT (hash(i) % 2000)::INTEGER AS steps, (i % 24)::INTEGER AS h FROM range(9000) r(i)",
    )
    assert pairs(path) == set()


def test_texts_without_a_common_value_are_not_joined(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE d AS SELECT 'a' || i AS k, i / 7 AS v FROM range(90) r(i)",
        "CREATE TABLE f AS SELECT 'a0' || i % 90 AS a, i / 3 AS v FROM range(900) r(i)",
    )
    assert pairs(path) == set()


def test_where_there_is_too_much_to_try_joins_of_the_entitys_tables_come_first(
    tmp_path: Path,
) -> None:
    # Twelve tables of the same keys: 132 ways to join one to another, of which not all are tried.
    path = world(
        tmp_path,
        *(
            f"CREATE TABLE d{n:02d} AS SELECT 'x' || i AS k, i * {n + 3} % 41 AS v FROM range(90) r(i)"
            for n in range(12)
        ),
        "CREATE TABLE facts AS SELECT 'e' || i % 9 AS who, 'x' || i % 60 AS a, hash(i) % 77 AS w FROM range(900) r(i)",
    )
    joined = relation(known(path, "e3"), "facts").joined
    assert len({join.target.name for join, _, _ in joined}) == 12


def test_a_calendar_is_joined_by_its_days(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE calendar AS SELECT DATE '2020-01-01' + i::INTEGER AS d, i % 9 = 0 AS holiday FROM range(200) r(i)",
        "CREATE TABLE f AS SELECT DATE '2020-01-05' + (i % 150)::INTEGER AS sold, 'k' || i % 9 AS k FROM range(900) r(i)",
    )
    assert ("f.sold", "calendar.d") in pairs(path)


def test_a_target_with_a_few_double_keys_joins_without_them(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE d AS SELECT 'a' || i AS k, i / 7 AS v FROM range(2000) r(i)",
        "INSERT INTO d VALUES ('a5', 99)",
        "CREATE TABLE f AS SELECT 'a' || i % 2000 AS a, 'k' || i % 9 AS e, (hash(i) % 91)::INTEGER AS w FROM range(8000) r(i)",
    )
    (join,) = [j for j in singles(path) if j.target.name == "d"]
    assert not join.exact
    assert "QUALIFY count(*)" in join.clause("d1")
    found = relation(known(path, "k3"), "f")
    assert found.own == 889
    # The join must neither drop nor double a row.
    assert "LEFT JOIN" in found.reach([c for _, _, cs in found.joined for c in cs])


def test_a_table_keyed_by_place_day_and_hour_is_joined(shop: Path) -> None:
    (join,) = composites(known(shop, "S3"), "sales")
    assert join.target.name == "climate"
    assert sorted(keys(join)) == [
        ("sales.place_id", "climate.place_id"),
        ("sales.sold_hour", "climate.measured_hour"),
        ("sales.sold_on", "climate.measured_on"),
    ]
    assert join.coverage == 1.0
    assert join.exact


def test_joins_are_the_same_where_names_are_nonsense(shop: Path, tmp_path: Path) -> None:
    columns = {
        column.split()[0]: f"z{n}"
        for n, column in enumerate(", ".join(SHOP_TABLES.values()).split(", "))
    }
    tables = {"sales": "aaa", "products": "zzz", "climate": "mmm", "shops": "kkk"}
    copy = renamed(shop, tmp_path / "copy.duckdb", tables, columns)

    def shape(world: World, table: str) -> list[tuple[int, float, bool, int]]:
        return [
            (len(join.pairs), join.coverage, join.exact, len(columns))
            for join, _, columns in relation(world, table).joined
        ]

    assert shape(known(copy, "S3"), "aaa") == shape(known(shop, "S3"), "sales")


def test_an_hour_is_matched_with_the_hour_and_not_with_the_minute(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE sky AS SELECT 'p' || p AS place, DATE '2020-01-01' + d::INTEGER AS day, h AS hour, "
        "hash(p, d, h) % 100 / 10 AS rain FROM range(3) a(p), range(60) b(d), range(24) c(h)",
        "CREATE TABLE f AS SELECT 'k' || i % 9 AS e, 'p' || i % 3 AS place, DATE '2020-01-01' + (i * 7 % 60)::INTEGER AS d, "
        "i * 17 % 60 AS minute, i * 11 % 24 AS h, hash(i) % 91 AS w FROM range(5000) r(i)",
    )
    (join,) = composites(known(path, "k3"), "f")
    assert ("f.h", "sky.hour") in keys(join)


def test_a_key_with_a_few_doubles_joins_by_the_rows_that_are_sure(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE sky AS SELECT 'p' || p AS place, DATE '2020-01-01' + d::INTEGER AS day, "
        "hash(p, d) % 100 / 10 AS rain FROM range(9) a(p), range(90) b(d)",
        "INSERT INTO sky VALUES ('p3', DATE '2020-01-04', 7.5)",
        "CREATE TABLE f AS SELECT 'k' || i % 9 AS e, 'p' || i % 9 AS place, DATE '2020-01-01' + (i * 7 % 90)::INTEGER AS d, "
        "hash(i) % 91 AS w FROM range(5000) r(i)",
    )
    (join,) = composites(known(path, "k3"), "f")
    assert not join.exact
    assert join.coverage < 1.0


def test_two_tables_of_facts_are_joined_by_entity_and_day(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE steps AS SELECT 10000 + i % 40 AS who, DATE '2020-01-01' + (i // 40)::INTEGER AS day, hash(i) % 9000 AS n FROM range(4000) r(i)",
        "CREATE TABLE sleep AS SELECT 10000 + i % 40 AS p, DATE '2020-01-01' + (i // 40)::INTEGER AS d, hash(i) % 600 / 60 AS h FROM range(4000) r(i)",
    )
    found = known(path, "10007")
    (join,) = composites(found, "steps")
    assert keys(join) == [("steps.who", "sleep.p"), ("steps.day", "sleep.d")]


HOSPITAL = (
    "CREATE TABLE patients AS SELECT 'P-' || i AS code, 7000 + i AS row_no, 20 + i % 60 AS age FROM range(50) r(i)",
    "CREATE TABLE stays AS SELECT 90000 + i AS stay, 7000 + i * 7 % 50 AS patient, "
    "TIMESTAMP '2020-01-01' + to_hours(i * 9) AS came FROM range(600) r(i)",
    "CREATE TABLE labs AS SELECT 90000 + i * 13 % 600 AS stay, 'item ' || i % 30 AS item, hash(i) % 500 / 7 AS value FROM range(9000) r(i)",
)


def test_rows_are_found_by_way_of_a_key_that_is_not_the_id(tmp_path: Path) -> None:
    found = known(world(tmp_path, *HOSPITAL), "P-7")
    assert found.anchor is not None
    assert found.anchor.table.name == "patients"
    assert {r.table.name: r.own for r in found.relations} == {"stays": 12, "labs": 180}


def test_rows_are_found_by_way_of_two_tables(tmp_path: Path) -> None:
    labs = relation(known(world(tmp_path, *HOSPITAL), "P-7"), "labs")
    assert not labs.alone
    assert labs.source.count("LEFT JOIN") == 2


def test_tables_of_the_entity_come_by_their_number_of_rows(tmp_path: Path) -> None:
    found = known(world(tmp_path, *HOSPITAL), "P-7")
    assert [r.table.name for r in found.relations] == ["labs", "stays"]


def test_a_second_way_into_the_same_table_is_named(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE ports AS SELECT 'p' || i AS k, 3 * i AS height_ft FROM range(40) r(i)",
        "CREATE TABLE trips AS SELECT 'c' || i % 7 AS line, 'p' || i % 40 AS origin_id, 'p' || i * 3 % 40 AS destination_id, "
        "hash(i) % 300 AS late FROM range(3000) r(i)",
    )
    joined = relation(known(path, "c3"), "trips").joined
    phrases = [column.phrase for _, _, columns in joined for column in columns]
    assert sorted(phrases) == [
        "height (ft) of ports by destination",
        "height (ft) of ports by origin",
    ]


def test_a_table_that_says_the_same_of_every_row_of_the_entity_is_not_joined(shop: Path) -> None:
    joined = relation(known(shop, "S3"), "sales").joined
    assert "shops" not in [join.target.name for join, _, _ in joined]


def test_nothing_is_known_of_an_entity_that_is_nowhere(shop: Path) -> None:
    found = known(shop, "S99")
    assert len(found.tables) == 4
    assert found.relations == ()
    assert found.anchor is None
