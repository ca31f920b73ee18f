"""The entity is found by its values, whatever its columns are called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.profiler.columns import measure_columns
from agent.profiler.entity import Located, locate
from agent.profiler.reply import Conversation
from agent.profiler.schema import read_schema
from core.scenario import Task
from tests.agent.profiler.exploring import converse, task
from tests.agent.profiler.worlds import build


def located(path: Path, given: Task) -> Located:
    def talk() -> Conversation[Located]:
        tables = yield from read_schema(60)
        figures = yield from measure_columns(tables)
        return (yield from locate(given, tables, figures))

    return converse(path, talk())


def facts(found: Located) -> list[tuple[str, str, int]]:
    return [(p.field.table, p.field.name, p.matches) for p in found.facts]


def anchor(found: Located) -> tuple[str, str] | None:
    return (found.anchor.field.table, found.anchor.field.name) if found.anchor else None


def world(path: Path, *statements: str) -> Path:
    return build(path / "world.duckdb", *statements)


PATIENTS = (
    "CREATE TABLE people AS SELECT 100 + i AS a, 'name ' || i AS b, 20 + i % 50 AS c FROM range(60) r(i)",
    "CREATE TABLE visits AS SELECT i AS k, 100 + i * 7 % 60 AS p, i % 9 AS n FROM range(900) r(i)",
    "CREATE TABLE tests AS SELECT i AS k, 100 + i * 11 % 60 AS q, (hash(i) % 400)::INTEGER AS v FROM range(4000) r(i)",
)


def test_a_text_id_is_found_in_its_table_and_in_the_facts(shop: Path) -> None:
    found = located(shop, task("S3"))
    assert anchor(found) == ("shops", "shop_id")
    assert facts(found) == [("sales", "shop_id", 700)]


def test_a_whole_number_is_found_though_other_columns_hold_the_same_number(tmp_path: Path) -> None:
    found = located(world(tmp_path, *PATIENTS), task("117"))
    assert anchor(found) == ("people", "a")
    assert sorted(facts(found)) == [("tests", "q", 67), ("visits", "p", 15)]


def test_a_running_number_of_rows_is_no_entity_though_it_holds_the_id(tmp_path: Path) -> None:
    found = located(world(tmp_path, *PATIENTS), task("117"))
    assert found.anchor is not None
    assert "k" not in [p.field.name for p in found.places]


def test_a_label_tells_which_table_is_about_the_entities(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE a AS SELECT i AS id, 'other ' || i AS name FROM range(30) r(i)",
        "CREATE TABLE b AS SELECT i AS id, 'thing ' || i AS name FROM range(30) r(i)",
        "CREATE TABLE c AS SELECT i % 30 AS x, i AS y FROM range(300) r(i)",
    )
    found = located(path, task("7", label="thing 7"))
    assert anchor(found) == ("b", "id")
    assert facts(found) == [("c", "x", 10)]


def test_facts_that_hold_the_label_are_found_too(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE c AS SELECT 'thing ' || (i % 30) AS x, i / 7 AS y FROM range(300) r(i)",
    )
    found = located(path, task("7", label="thing 7"))
    assert anchor(found) is None
    assert facts(found) == [("c", "x", 10)]


def test_without_a_table_of_the_entities_the_column_of_most_values_is_the_key(
    tmp_path: Path,
) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE c AS SELECT 'k' || (i % 40) AS shop, 'k' || (i % 3) AS grade, i / 7 AS y FROM range(400) r(i)",
    )
    found = located(path, task("k2"))
    assert facts(found) == [("c", "shop", 10)]


def test_several_tables_of_facts_agree_on_the_key(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE steps AS SELECT 'u' || (i % 25) AS a, i AS n FROM range(500) r(i)",
        "CREATE TABLE sleep AS SELECT 'u' || (i % 25) AS b, i AS n FROM range(250) r(i)",
        "CREATE TABLE notes AS SELECT 'u' || (i % 9999) AS c, i AS n FROM range(250) r(i)",
    )
    found = located(path, task("u7"))
    assert {("steps", "a", 20), ("sleep", "b", 10)} <= set(facts(found))


def test_small_whole_numbers_inside_the_range_of_a_key_are_no_key(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE shops AS SELECT 1 + i AS id, 'shop ' || i AS name FROM range(80) r(i)",
        "CREATE TABLE sales AS SELECT 1 + i % 6 AS quantity, 1 + i * 7 % 80 AS shop, i AS n FROM range(2000) r(i)",
    )
    found = located(path, task("3", label="shop 2"))
    assert facts(found) == [("sales", "shop", 25)]


def test_an_entity_that_is_nowhere_is_not_found(shop: Path) -> None:
    found = located(shop, task("S99"))
    assert found == Located(None, ())
    assert found.places == ()


def test_an_entity_with_one_row_about_it_and_none_else_has_an_anchor(tmp_path: Path) -> None:
    path = world(tmp_path, PATIENTS[0])
    found = located(path, task("117"))
    assert anchor(found) == ("people", "a")
    assert found.facts == ()


@pytest.mark.parametrize(
    "entity", ["'; DROP TABLE shops; --", '"; --', "\\", "%", "0 OR 1=1", "S3' OR 'a'='a", "ÄÖ€"]
)
def test_an_id_that_looks_like_sql_is_only_a_value(shop: Path, entity: str) -> None:
    assert located(shop, task(entity)).places == ()


@pytest.mark.parametrize("entity", ["o'hara", 'a"b', "-- x", "ÄÖ€", "two words", "NULL"])
def test_an_odd_id_that_exists_is_found(tmp_path: Path, entity: str) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE names AS SELECT 'n' || i AS id FROM range(20) r(i)",
        "INSERT INTO names VALUES ({})".format("'" + entity.replace("'", "''") + "'"),
        "CREATE TABLE facts AS SELECT id, hash(i) % 90 AS v FROM names, range(15) r(i)",
    )
    found = located(path, task(entity))
    assert anchor(found) == ("names", "id")
    assert facts(found) == [("facts", "id", 15)]


@pytest.mark.parametrize(
    ("entity", "found"),
    [("007", False), ("7", True), ("+7", False), ("7.0", False), ("9" * 30, False), ("٧", False)],
)
def test_a_whole_number_is_matched_as_it_is_written(
    tmp_path: Path, entity: str, found: bool
) -> None:
    path = world(tmp_path, "CREATE TABLE t AS SELECT i % 20 AS k, i AS v FROM range(100) r(i)")
    assert bool(located(path, task(entity)).places) is found


def test_an_id_that_is_a_uuid_is_found_in_columns_of_that_type(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE users AS SELECT ('00000000-0000-4000-8000-' || lpad(i::VARCHAR, 12, '0'))::UUID AS id FROM range(30) r(i)",
        "CREATE TABLE visits AS SELECT ('00000000-0000-4000-8000-' || lpad((i % 30)::VARCHAR, 12, '0'))::UUID AS who, hash(i) % 90 AS v FROM range(600) r(i)",
    )
    found = located(path, task("00000000-0000-4000-8000-000000000007"))
    assert anchor(found) == ("users", "id")
    assert facts(found) == [("visits", "who", 20)]
    assert located(path, task("no uuid at all")).places == ()


def literals(found: Located) -> Sequence[str]:
    return [place.literal for place in found.places]


def test_the_value_is_compared_in_the_columns_own_type(tmp_path: Path, shop: Path) -> None:
    assert set(literals(located(world(tmp_path, *PATIENTS), task("117")))) == {"117"}
    assert set(literals(located(shop, task("S3")))) == {"'S3'"}
