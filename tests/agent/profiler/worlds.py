"""Small databases with planted facts: a shop chain, and copies of any database under other names."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb

SHOPS = ("S1", "S2", "S3", "S4", "S5", "S6", "S7")
PLACES = ("north", "south", "west")
FIRST_DAY = date(2021, 1, 4)
DAYS = 150
HOURS = range(8, 18)

SHOP_TABLES = {
    "shops": "shop_id VARCHAR, shop_name VARCHAR, floor_m INTEGER, style VARCHAR",
    "products": "product_id VARCHAR, family VARCHAR, price_usd DOUBLE, weight_g INTEGER",
    "climate": "place_id VARCHAR, measured_on DATE, measured_hour INTEGER, rain_mm DOUBLE, heat_c DOUBLE",
    "sales": (
        "sold_on DATE, sold_hour INTEGER, shop_id VARCHAR, product_id VARCHAR, place_id VARCHAR, "
        "channel VARCHAR, quantity INTEGER, wait_min INTEGER, amount_usd DOUBLE, gift BOOLEAN"
    ),
}
Row = tuple[Any, ...]


def shop_rows(seed: int = 3) -> dict[str, list[Row]]:
    """The rows of the shop chain.

    Planted for S3: it sells by phone, mostly P07; its wait grows by the month, doubles where it
    rains and is missing in every eighth row; its worst day is 2021-05-12.
    """
    chance = random.Random(seed)
    days = [FIRST_DAY + timedelta(days=n) for n in range(DAYS)]
    rain = {
        (place, day, hour): max(0.0, round(chance.gauss(-2.0, 2.0), 1))
        for place in PLACES
        for day in days
        for hour in HOURS
    }
    products = [
        (f"P{n:02d}", ("toys", "books", "tools")[n % 3], 4.5 + 3.25 * n, 100 + 37 * (n % 9))
        for n in range(1, 21)
    ]
    prices = {product[0]: product[2] for product in products}
    sales: list[Row] = []
    for shop in SHOPS:
        number = {"S1": 900, "S3": 700, "S7": 60}.get(shop, 400)
        sales.extend(_sale(chance, shop, days, rain, prices) for _ in range(number))
    sales.sort(key=lambda row: (row[2], row[0], row[1]))
    return {
        "shops": [
            (shop, f"House {shop[1]}", 100 + 40 * n, "old" if n < 4 else "new")
            for n, shop in enumerate(SHOPS)
        ],
        # P19 and P20 are sold, but nobody entered them.
        "products": products[:18],
        "climate": [
            (place, day, hour, wet, round(12 + 9 * math.sin(hour / 3) + chance.gauss(0, 2), 1))
            for (place, day, hour), wet in rain.items()
        ],
        "sales": sales,
    }


def _sale(
    chance: random.Random,
    shop: str,
    days: Sequence[date],
    rain: Mapping[tuple[str, date, int], float],
    prices: Mapping[str, float],
) -> Row:
    special = shop == "S3"
    day, hour, place = chance.choice(days), chance.choice(HOURS), chance.choice(PLACES)
    if special and chance.random() < 0.04:
        day = date(2021, 5, 12)
    product = "P07" if special and chance.random() < 0.4 else f"P{chance.randint(1, 20):02d}"
    channel = chance.choices(("desk", "web", "phone"), (1, 1, 8) if special else (6, 3, 1))[0]
    wait: int | None = round(chance.gauss(5, 8))
    if special:
        wait = round(chance.gauss(4 + 5 * day.month, 8))
        wait += 40 if day == date(2021, 5, 12) else 0
        wait *= 2 if rain[place, day, hour] > 0 else 1
    if chance.random() < (0.125 if special else 0.02):
        wait = None
    quantity = chance.choice((1, 1, 1, 2, 2, 3, 5))
    amount = round(quantity * prices[product] * chance.uniform(0.8, 1.1), 2)
    return (day, hour, shop, product, place, channel, quantity, wait, amount, chance.random() < 0.2)


def write(path: Path, tables: Mapping[str, str], rows: Mapping[str, Sequence[Row]]) -> Path:
    """A DuckDB file of these tables; columns are given as SQL definitions."""
    with duckdb.connect(str(path)) as connection:
        for table, columns in tables.items():
            connection.execute(f"CREATE TABLE {quoted(table)} ({columns})")
            filled = rows.get(table, ())
            for start in range(0, len(filled), 500):
                values = ", ".join(
                    f"({', '.join(map(literal, row))})" for row in filled[start : start + 500]
                )
                connection.execute(f"INSERT INTO {quoted(table)} VALUES {values}")
    return path


def literal(value: Any) -> str:
    """A Python value as SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int | float):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"


def build(path: Path, *statements: str) -> Path:
    """A DuckDB file made by these statements."""
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def quoted(name: str) -> str:
    """A name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def renamed(
    source: Path, target: Path, tables: Mapping[str, str], columns: Mapping[str, str]
) -> Path:
    """A copy under other names, without comments; names that are not given stay."""
    build(target)
    with duckdb.connect(str(target)) as connection:
        connection.execute(f"ATTACH '{source}' AS old (READ_ONLY)")
        names = connection.execute(
            "SELECT table_name, column_name FROM duckdb_columns() "
            "WHERE database_name = 'old' AND NOT internal ORDER BY table_name, column_index"
        ).fetchall()
        for table in dict.fromkeys(name for name, _ in names):
            chosen = ", ".join(
                f"{quoted(column)} AS {quoted(columns.get(column, column))}"
                for name, column in names
                if name == table
            )
            connection.execute(
                f"CREATE TABLE {quoted(tables.get(table, table))} AS "
                f"SELECT {chosen} FROM old.{quoted(table)}"
            )
        connection.execute("DETACH old")
    return target
