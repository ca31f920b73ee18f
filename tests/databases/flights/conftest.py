"""The built database beside its source and the mapping between them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from databases.flights.source import load_source
from databases.installed import InstalledScenario


@pytest.fixture(scope="session")
def mapping(flights: InstalledScenario, flights_home: Path) -> dict[str, Any]:
    """The secret mapping of the shared build."""
    found: dict[str, Any] = json.loads((flights_home / "secrets" / "flights.json").read_bytes())
    return found


@pytest.fixture(scope="session")
def both(
    flights: InstalledScenario,
    mapping: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """source_* tables, the built tables as built.*, and m_*(code, id) of the mapping."""
    with duckdb.connect() as connection:
        load_source(connection, tmp_path_factory.mktemp("source"))
        connection.execute(f"ATTACH '{flights.database_path}' AS built (READ_ONLY)")
        pairs = {
            "m_carriers": {code: pair[0] for code, pair in mapping["carriers"].items()},
            "m_airports": mapping["airports"],
            "m_aircraft": mapping["aircraft"],
        }
        for name, values in pairs.items():
            connection.execute(
                f"CREATE TABLE {name} AS SELECT unnest(?) AS code, unnest(?) AS id",
                [list(values), list(values.values())],
            )
        numbers = [
            (code, int(old), new)
            for code, found in mapping["flight_numbers"].items()
            for old, new in found.items()
        ]
        connection.execute(
            "CREATE TABLE m_numbers AS SELECT unnest(?) AS carrier, unnest(?) AS old, unnest(?) AS new",
            [list(column) for column in zip(*numbers, strict=True)],
        )
        yield connection
