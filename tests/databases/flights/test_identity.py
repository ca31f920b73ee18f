"""Nothing that an agent can read says which carriers, airports, aircraft or year these are."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import duckdb
import pytest

from core.scenario import Scenario
from databases.installed import InstalledScenario
from databases.schema import Schema, read_schema

FIRST, LAST = dt.date(2013, 1, 1), dt.date(2013, 12, 31)
TABLES = {
    "carriers": ["carrier_id", "carrier_name"],
    "airports": ["airport_id", "altitude_ft", "utc_offset_h", "dst_rule"],
    "aircraft": [
        "aircraft_id", "built_year", "category", "manufacturer", "model", "engine_count",
        "seat_count", "cruise_speed_mph", "engine_type",
    ],
    "weather": [
        "airport_id", "observed_on", "observed_hour", "temperature_f", "dew_point_f",
        "humidity_pct", "wind_direction_deg", "wind_speed_mph", "wind_gust_mph",
        "precipitation_in", "pressure_mbar", "visibility_mi", "observed_at_utc",
    ],
    "flights": [
        "flight_date", "scheduled_departure_hhmm", "actual_departure_hhmm", "departure_delay_min",
        "scheduled_arrival_hhmm", "actual_arrival_hhmm", "arrival_delay_min", "carrier_id",
        "flight_number", "aircraft_id", "origin_id", "destination_id", "air_time_min",
        "distance_mi", "scheduled_hour", "scheduled_minute", "scheduled_at_utc",
    ],
}  # fmt: skip


@pytest.fixture(scope="session")
def originals(both: duckdb.DuckDBPyConnection) -> dict[str, set[str]]:
    """Every original code and name, by kind."""

    def values(sql: str) -> set[str]:
        return {value for (value,) in both.execute(sql).fetchall() if value}

    return {
        "carrier": values("SELECT carrier FROM source_airlines"),
        "airline": values("SELECT name FROM source_airlines"),
        "airport": values("SELECT faa FROM source_airports UNION SELECT dest FROM source_flights"),
        "airport name": values("SELECT name FROM source_airports"),
        "zone": values("SELECT tzone FROM source_airports"),
        "aircraft": values(
            "SELECT tailnum FROM source_planes UNION SELECT tailnum FROM source_flights"
        ),
    }


@pytest.fixture
def schema(flights_connection: duckdb.DuckDBPyConnection) -> Schema:
    return read_schema(flights_connection)


@pytest.fixture
def comments(schema: Schema) -> list[str]:
    tables = [table.comment or "" for table in schema.tables]
    return tables + [c.comment or "" for table in schema.tables for c in table.columns]


def test_the_schema_is_the_agreed_one(schema: Schema) -> None:
    assert {t.name: [c.name for c in t.columns] for t in schema.tables} == TABLES


def test_every_table_and_column_has_a_comment(schema: Schema) -> None:
    for table in schema.tables:
        assert table.comment
        for column in table.columns:
            assert column.comment, f"{table.name}.{column.name}"


def test_a_column_that_can_be_null_says_what_null_means(schema: Schema) -> None:
    for table in schema.tables:
        for column in table.columns:
            assert column.nullable == ("NULL" in (column.comment or "")), (
                f"{table.name}.{column.name}"
            )


def test_a_unit_in_a_name_is_spelt_out_in_the_comment(schema: Schema) -> None:
    words = {
        "min": "minutes", "mi": "miles", "ft": "feet", "f": "Fahrenheit", "mph": "miles per hour",
        "pct": "per cent", "deg": "degrees", "mbar": "millibars", "hhmm": "hour * 100 + minute",
        "utc": "UTC", "h": "hours",
    }  # fmt: skip
    for table in schema.tables:
        for column in table.columns:
            unit = words.get(column.name.rsplit("_", 1)[-1])
            assert unit is None or unit in (column.comment or ""), column.name


def test_no_text_cell_is_an_original_code_or_name(
    flights_connection: duckdb.DuckDBPyConnection, schema: Schema, originals: dict[str, set[str]]
) -> None:
    codes = set().union(*originals.values())
    names = originals["airline"] | originals["airport name"]
    everything = ""
    for table in schema.tables:
        for column in (c.name for c in table.columns if c.type == "VARCHAR"):
            cells = {
                cell
                for (cell,) in flights_connection.execute(
                    f"SELECT DISTINCT {column} FROM {table.name} WHERE {column} IS NOT NULL"
                ).fetchall()
            }
            assert not cells & codes, f"{table.name}.{column}"
            everything += "\n".join(cells)
    assert [name for name in names if name in everything] == []


def test_no_comment_names_anything_of_the_source(
    comments: list[str], originals: dict[str, set[str]]
) -> None:
    text = " ".join(comments)
    words = set(re.findall(r"\w+", text)) - {"UTC"}
    assert not words & (originals["carrier"] | originals["airport"] | originals["aircraft"])
    for name in originals["airline"] | originals["airport name"] | originals["zone"]:
        assert name not in text
    for tell_tale in ("nyc", "new york", "newark", "2013", "faa", "tailnum", "airline", "america"):
        assert tell_tale not in text.lower()


def test_no_date_of_the_source_is_left(
    flights_connection: duckdb.DuckDBPyConnection, schema: Schema
) -> None:
    seen = 0
    for table in schema.tables:
        for column in (c.name for c in table.columns if c.type in {"DATE", "TIMESTAMP"}):
            ((first, last),) = flights_connection.execute(
                f"SELECT min({column})::DATE, max({column})::DATE FROM {table.name}"
            ).fetchall()
            assert first > LAST
            assert (last - first).days in (363, 364, 365)
            seen += 1
    assert seen == 4


def test_no_aircraft_is_younger_than_its_flights(
    flights_connection: duckdb.DuckDBPyConnection,
) -> None:
    ((late,),) = flights_connection.execute(
        "SELECT max(built_year) - year(max(flight_date)) FROM flights JOIN aircraft USING (aircraft_id)"
    ).fetchall()
    assert late <= 0


def test_private_persons_are_not_named_as_makers(
    flights_connection: duckdb.DuckDBPyConnection,
) -> None:
    makers = {
        m for (m,) in flights_connection.execute("SELECT manufacturer FROM aircraft").fetchall()
    }
    assert "PRIVATE BUILDER" in makers
    assert not [m for m in makers if {"JOHN", "JACK", "MIKE", "GARY", "RICHARD"} & set(m.split())]


def test_the_bytes_of_the_file_hold_no_original_name_or_tail_number(
    flights: InstalledScenario, originals: dict[str, set[str]]
) -> None:
    texts = re.findall(rb"[ -~]{6,}", flights.database_path.read_bytes())
    content = b"\n".join(texts)
    long_enough = {
        value
        for kind in ("airline", "airport name", "aircraft", "zone")
        for value in originals[kind]
        if len(value) >= 6
    }
    assert len(long_enough) > 4000
    begun = {content[i : i + 6] for i in range(len(content))}
    maybe = [value for value in long_enough if value.encode()[:6] in begun]
    assert [value for value in maybe if value.encode() in content] == []
    assert b"nycflights" not in content


def test_what_an_agent_is_told_names_nothing_of_the_source(
    flights: InstalledScenario, originals: dict[str, set[str]]
) -> None:
    tasks = [flights.task(entity.id) for entity in flights.entities()]
    assert len(tasks) == 16
    text = " ".join(f"{t.text} {t.entity_label} {t.entity_noun}" for t in tasks)
    text += f" {flights.scenario.title}"
    assert not set(re.findall(r"\w+", text)) & (originals["carrier"] | originals["airport"])
    assert "2013" not in text
    assert "nyc" not in text.lower()


def test_ids_are_in_order_neither_of_size_nor_of_the_alphabet(
    flights_connection: duckdb.DuckDBPyConnection, mapping: dict[str, Any]
) -> None:
    sizes = [
        n for _, n in flights_connection.execute(
            "SELECT carrier_id, count(*) FROM flights GROUP BY 1 ORDER BY 1"
        ).fetchall()
    ]  # fmt: skip
    ranks = {size: rank for rank, size in enumerate(sorted(sizes))}
    codes = [mapping["carriers"][code][0] for code in sorted(mapping["carriers"])]
    names = [pair[1] for pair in sorted(mapping["carriers"].values())]
    for order in ([ranks[s] for s in sizes], [int(c) for c in codes], names):
        assert order not in (sorted(order), sorted(order, reverse=True))


def test_the_pseudonyms_are_one_to_one(mapping: dict[str, Any]) -> None:
    assert len({tuple(pair) for pair in mapping["carriers"].values()}) == 16
    assert len({name for _, name in mapping["carriers"].values()}) == 16
    for kind, size in (("airports", 1462), ("aircraft", 4043)):
        assert len(mapping[kind]) == len(set(mapping[kind].values())) == size
    pairs = 0
    for numbers in mapping["flight_numbers"].values():
        assert len(set(numbers.values())) == len(numbers)
        pairs += len(numbers)
    assert pairs == 5725


def test_the_mapping_is_nowhere_but_in_the_secrets(
    flights: InstalledScenario, mapping: dict[str, Any], originals: dict[str, set[str]]
) -> None:
    beside = "".join(
        path.read_text() for path in flights.folder.iterdir() if path.suffix == ".json"
    )
    assert not [name for name in originals["airline"] if name in beside]
    assert str(mapping["shift_weeks"]) not in re.findall(r"\d+", beside)
    shown: Scenario = flights.scenario
    assert "seed" not in shown.model_dump_json()
