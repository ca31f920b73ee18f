"""The shop chain and its explorations, made once for all tests of a worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agent.profiler.exploring import Exploration, explore
from tests.agent.profiler.worlds import SHOP_TABLES, Row, shop_rows, write

Explored = Callable[[str], Exploration]


@pytest.fixture(scope="session")
def shop_tables() -> dict[str, list[Row]]:
    """The rows of the shop chain, by table."""
    return shop_rows()


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory, shop_tables: dict[str, list[Row]]) -> Path:
    """The shop chain as a database file."""
    return write(tmp_path_factory.mktemp("shop") / "shop.duckdb", SHOP_TABLES, shop_tables)


@pytest.fixture(scope="session")
def explored(shop: Path) -> Explored:
    """Explores one shop, once."""
    known: dict[str, Exploration] = {}

    def once(entity: str) -> Exploration:
        if entity not in known:
            known[entity] = explore(shop, entity, label=f"House {entity[1]}")
        return known[entity]

    return once
