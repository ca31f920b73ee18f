"""Errors that name what exists nearest to what was asked for."""

from __future__ import annotations

import time

import pytest

from databases.schema import Column, Schema, Table
from tools.sql.suggest import MOST, engine_message, find_table, hint, tables_of, unknown_table


def table(name: str, *columns: str) -> Table:
    return Table(
        name=name,
        row_count=1,
        columns=tuple(Column(name=c, type="INTEGER", nullable=True) for c in columns),
    )


SCHEMA = Schema(
    tables=(
        table("flights", "departure_delay_min", "arrival_delay_min", "carrier_id"),
        table("weather", "wind_speed_mph", "visibility_mi"),
        table("other.notes", "body"),
    )
)
BINDER = 'Binder Error: Referenced column "{}" not found in FROM clause!\nCandidate bindings: "x"'
CATALOG = 'Catalog Error: Table with name {} does not exist!\nDid you mean "pg_class"?\n\nLINE 1: x'


def test_an_unknown_table_lists_tables_nearest_first() -> None:
    assert hint(CATALOG.format("fligths"), SCHEMA) == (
        "tables: flights, weather, other.notes (nearest first)"
    )


def test_a_table_that_resembles_none_lists_them_all() -> None:
    assert hint(CATALOG.format("zzz"), SCHEMA) == "tables: flights, weather, other.notes"


def test_an_unknown_column_lists_those_of_the_tables_in_use() -> None:
    said = hint(BINDER.format("departure_delay"), SCHEMA, ["flights"])
    assert said is not None
    assert said.startswith("columns of flights: departure_delay_min, arrival_delay_min")
    assert "weather" not in said


def test_a_column_that_exists_elsewhere_is_pointed_to() -> None:
    said = hint(BINDER.format("WIND_SPEED_MPH"), SCHEMA, ["flights"])
    assert said is not None
    assert said.endswith("elsewhere: weather.wind_speed_mph")


def test_without_a_known_table_every_table_is_listed() -> None:
    said = hint(BINDER.format("body"), SCHEMA, ["a_cte"])
    assert said is not None
    assert "columns of other.notes: body" in said


def test_other_forms_of_the_complaint_are_understood() -> None:
    for text in (
        'Binder Error: Table "f" does not have a column named "carrier"',
        'Binder Error: Column "carrier" referenced that exists in the SELECT clause',
    ):
        said = hint(text, SCHEMA, ["flights"])
        assert said is not None
        assert "carrier_id" in said


def test_other_errors_have_no_hint() -> None:
    assert hint("Conversion Error: Could not convert string 'x' to INT32", SCHEMA) is None


def test_the_engines_own_guesses_are_dropped() -> None:
    assert engine_message(CATALOG.format("x")) == (
        "Catalog Error: Table with name x does not exist!\n\nLINE 1: x"
    )
    assert engine_message(BINDER.format("x")).endswith("not found in FROM clause!")


def test_a_wide_table_lists_the_nearest_and_counts_the_rest() -> None:
    wide = Schema(tables=(table("wide", *(f"measure_{i}" for i in range(MOST + 60))),))
    said = hint(BINDER.format("measure_7x"), wide, ["wide"])
    assert said is not None
    assert "measure_7" in said
    assert f"and {MOST + 60 - 3} more" in said
    assert len(said) < 200


def test_a_table_is_found_in_any_dress() -> None:
    for name in ("flights", "FLIGHTS", '"flights"', "main.flights", ' "main"."Flights" '):
        found = find_table(name, SCHEMA)
        assert found is not None
        assert found.name == "flights"
    assert find_table("other.notes", SCHEMA) is not None
    assert find_table("notes", SCHEMA) is None


def test_an_unknown_name_is_told_with_those_that_exist() -> None:
    assert unknown_table("wether", SCHEMA) == (
        "there is no table 'wether'; tables: weather, flights, other.notes (nearest first)"
    )


def test_a_table_with_a_name_that_needs_quotes_is_found() -> None:
    odd = Schema(tables=(table('odd " one', "x"), table("a.b", "y"), table("lab.x y", "z")))
    for name in ('odd " one', '"odd "" one"', 'main."odd "" one"', ' db . main . "odd "" one" '):
        found = find_table(name, odd)
        assert found is not None, name
        assert found.name == 'odd " one'
    assert find_table('lab."x y"', odd) == odd.tables[2]
    assert find_table("db.lab.x y", odd) is None


def test_a_default_schema_may_stand_in_front_or_not() -> None:
    assert find_table("public.flights", SCHEMA) == SCHEMA.tables[0]
    assert find_table("db.public.FLIGHTS", SCHEMA) == SCHEMA.tables[0]
    assert find_table("other.flights", SCHEMA) is None


def test_sqlites_complaints_are_understood_too() -> None:
    assert hint("no such table: main.fligths", SCHEMA) == (
        "tables: flights, weather, other.notes (nearest first)"
    )
    said = hint("no such column: f.carrier", SCHEMA, ["flights"])
    assert said is not None
    assert "carrier_id" in said


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 400_000 + "x",
        "Table with name " * 30_000,
        'Referenced table "' * 30_000,
        'column named "a""' * 30_000 + "x",
        'column "' + '""' * 200_000,
        "Did you mean " * 30_000,
        "\nCandidate bindings:" * 30_000,
    ],
)
def test_a_hostile_text_is_looked_through_in_linear_time(text: str) -> None:
    began = time.monotonic()
    engine_message(text)
    hint(text[:100_000], SCHEMA)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "name", [" " * 990 + '"x', " " * 400_000 + '"x', '"' * 999, "main." * 200, "." * 400_000]
)
def test_a_hostile_name_is_no_table_at_once(name: str) -> None:
    began = time.monotonic()
    assert find_table(name, SCHEMA) is None
    assert time.monotonic() - began < 5


def test_of_a_statement_with_thousands_of_tables_the_first_few_are_looked_up() -> None:
    assert tables_of(["flights", "no", "weather"], SCHEMA) == list(SCHEMA.tables[:2])
    assert tables_of(["no"] * MOST + ["flights"], SCHEMA) == []


def test_a_name_with_quotes_in_it_is_read_to_its_end() -> None:
    odd = Schema(tables=(table("t", 'a""b', "zz"), table("u", "y")))
    said = hint('Table "t" does not have a column named "a""b"', odd, ["t"])
    assert said == 'columns of t: a""b, zz (nearest first)'
    assert hint('Column "never ends', odd) is None
    assert hint('Column "" ', odd) is None
    assert find_table(' " x" ', Schema(tables=(table(" x", "y"),))) is not None
