"""Fill the flights database: the source's rows under pseudonyms, sorted by entity and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from databases.flights.pseudonyms import Pseudonyms, draw
from databases.flights.source import load_source

if TYPE_CHECKING:
    import duckdb

    from databases.build import BuildContext

PRIVATE_BUILDERS = (
    "BARKER JACK L", "FRIEDEMANN JON", "HURLEY JAMES LARRY", "JOHN G HESS", "KILDALL GARY",
    "LAMBERT RICHARD", "LEBLANC GLENN T", "MARZ BARRY", "PAIR MIKE E", "STEWART MACO",
)  # fmt: skip
"""Private persons among the source's manufacturers."""


def build(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Mapping[str, Any]:
    """Fill an empty database; returns the pseudonyms (databases.build.Builder)."""
    context.progress("reading the source", 0.05)
    load_source(connection, context.workspace)
    context.progress("giving pseudonyms", 0.3)
    pseudonyms = _draw(connection, context.seed)
    _load_maps(connection, pseudonyms)
    context.progress("writing the tables, sorted by carrier and time", 0.4)
    script = resources.files(__package__).joinpath("tables.sql").read_text(encoding="utf-8")
    connection.execute(script)
    return pseudonyms.to_json()


def _draw(connection: duckdb.DuckDBPyConnection, seed: str) -> Pseudonyms:
    def column(sql: str) -> list[str]:
        return [value for (value,) in connection.execute(sql).fetchall()]

    pairs = connection.execute("SELECT DISTINCT carrier, flight FROM source_flights").fetchall()
    numbers: dict[str, list[int]] = {}
    for carrier, number in pairs:
        numbers.setdefault(carrier, []).append(number)
    return draw(
        seed,
        carriers=column("SELECT carrier FROM source_airlines"),
        airports=column(
            "SELECT faa FROM source_airports UNION SELECT origin FROM source_flights "
            "UNION SELECT dest FROM source_flights"
        ),
        aircraft=column(
            "SELECT tailnum FROM source_planes UNION "
            "SELECT tailnum FROM source_flights WHERE tailnum IS NOT NULL"
        ),
        flight_numbers=numbers,
    )


def _load_maps(connection: duckdb.DuckDBPyConnection, pseudonyms: Pseudonyms) -> None:
    """Temporary tables and variables for tables.sql; temporary, so that the file never holds them."""
    carriers = [(code, *pair) for code, pair in pseudonyms.carriers.items()]
    numbers = [
        (carrier, old, new)
        for carrier, pairs in pseudonyms.flight_numbers.items()
        for old, new in pairs.items()
    ]
    _temp(connection, "map_carriers", ("code", "id", "name"), carriers)
    _temp(connection, "map_airports", ("code", "id"), list(pseudonyms.airports.items()))
    _temp(connection, "map_aircraft", ("code", "id"), list(pseudonyms.aircraft.items()))
    _temp(connection, "map_flight_numbers", ("carrier", "number", "new_number"), numbers)
    _temp(connection, "private_builders", ("name",), [(name,) for name in PRIVATE_BUILDERS])
    connection.execute(f"SET VARIABLE shift_days = {pseudonyms.shift.days}")
    connection.execute(f"SET VARIABLE shift_years = {pseudonyms.shift.years}")


def _temp(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
) -> None:
    # One statement with a list per column: row by row takes seconds.
    shown = ", ".join(f"unnest(?) AS {column}" for column in columns)
    values = [list(column) for column in zip(*rows, strict=True)]
    connection.execute(f"CREATE TEMP TABLE {name} AS SELECT {shown}", values)
