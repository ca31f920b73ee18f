"""A small database of shops and sales, and items about them, for the checklists' own tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from checklists.canonical import items_hash
from core.checklist import Checklist, ChecklistItem, Expected, Magnitude, Signals
from core.scenario import License

SHOPS = ("north", "south", "west")


def fill(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Make the tables: 600 sales of three shops, unlike in number, price and season."""
    connection.execute(
        """
        CREATE TABLE shops (shop VARCHAR, town VARCHAR);
        INSERT INTO shops VALUES ('north', 'Aa'), ('south', 'Bb'), ('west', 'Cc');
        CREATE TABLE goods (good INTEGER NOT NULL, maker VARCHAR, weight DECIMAL(8, 2));
        INSERT INTO goods SELECT i, CASE WHEN i < 10 THEN 'Ax' ELSE 'By' END, i * 1.25
        FROM range(40) AS r(i);
        CREATE TABLE sales (
            day DATE NOT NULL, shop VARCHAR NOT NULL, good INTEGER, price DOUBLE, late BOOLEAN
        );
        INSERT INTO sales
        SELECT DATE '2020-01-01' + (i % 360)::INTEGER,
            CASE WHEN i % 6 < 3 THEN 'north' WHEN i % 6 < 5 THEN 'south' ELSE 'west' END,
            CASE WHEN i % 6 < 3 THEN i % 10 ELSE i % 40 END,
            CASE WHEN i % 17 = 0 THEN NULL
                 WHEN i % 6 < 3 THEN 30 + i % 7 + (i % 360) // 90 * 10 ELSE 10 + i % 5 END,
            i % 6 = 5
        FROM range(600) AS r(i);
        """
    )
    return connection


def small() -> duckdb.DuckDBPyConnection:
    """The database in memory."""
    return fill(duckdb.connect(":memory:"))


def small_file(path: Path) -> Path:
    """The database in a file, closed."""
    with duckdb.connect(str(path)) as connection:
        fill(connection)
    return path


MEAN_PRICE = "SELECT avg(price) AS value FROM sales WHERE shop = 'north'"


def price_of_north() -> float:
    """The value of MEAN_PRICE, by counting."""
    prices = [30 + i % 7 + (i % 360) // 90 * 10 for i in range(600) if i % 6 < 3 and i % 17 != 0]
    return sum(prices) / len(prices)


def item(**changes: Any) -> ChecklistItem:
    """A sound item about the mean price of the north shop, changed at will."""
    value = price_of_north()
    fields: dict[str, Any] = {
        "id": "shops-north-mean-price",
        "entity_id": "north",
        "question": "What does a sale of shop north cost on average?",
        "answer": f"The mean price of shop north is {value:.1f}.",
        "category": "prices",
        "difficulty": "easy",
        "source": "template:mean-price",
        "evidence_sql": MEAN_PRICE,
        "expected": Expected(value=round(value, 6), tolerance=0.5),
        "perturbation": "outcome: sales(price)",
        "signals": Signals(
            metric=("@sales.price", "price"),
            kind="level",
            statistic="mean",
            magnitude=Magnitude(value=round(value, 4)),
            required=("magnitude",),
        ),
    }
    return ChecklistItem(**{**fields, **changes})


def checklist(*items: ChecklistItem, **changes: Any) -> Checklist:
    """A checklist of these items with its true hash, changed at will."""
    fields: dict[str, Any] = {
        "id": "shops",
        "version": "1",
        "scenario_id": "shops",
        "hash": items_hash(items),
        "license": License(name="CC0-1.0"),
        "items": items,
    }
    return Checklist(**{**fields, **changes})
