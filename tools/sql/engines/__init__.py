"""The database engines that stand behind the SQL hand, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core import plugins

if TYPE_CHECKING:
    from tools.sql.engine import Engine, EngineFactory, Target

ENGINES = {
    "duckdb": "tools.sql.engines.duckdb_engine:DuckDbEngine",
    "postgresql": "tools.sql.engines.postgresql:PostgresEngine",
    "sqlite": "tools.sql.engines.sqlite:SqliteEngine",
    "sqlalchemy": "tools.sql.engines.sqlalchemy_engine:open_url",
}
"""Name to `module:attribute` of an EngineFactory; plug-ins add theirs under `ddr.engines`."""


def open_engine(target: Target) -> Engine:
    """The engine of a database, with the usual limits. Raises DatabaseError, UnknownNameError."""
    from tools.sql.engine import EngineLimits

    factory: EngineFactory = plugins.load("ddr.engines", target.dialect, ENGINES)
    return factory(target.location, EngineLimits())
