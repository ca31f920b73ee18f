"""Run statements on PostgreSQL's engine, with its gate or around it."""

from __future__ import annotations

from typing import Any

from tools.sql.engines.postgresql import PostgresEngine


def rows(engine: PostgresEngine, sql: str, count: int = 1000) -> list[tuple[Any, ...]]:
    """What an admitted statement gives."""
    engine.admit(sql)
    return rows_unjudged(engine, sql, count)


def rows_unjudged(engine: PostgresEngine, sql: str, count: int = 1000) -> list[tuple[Any, ...]]:
    """What the server says where the gate was got around: the walls behind it."""
    cursor = engine.cursor()
    try:
        cursor.execute(sql)
        return list(cursor.fetch(count))
    finally:
        cursor.close()
