"""The database engines that stand behind the SQL hand, by name."""

from __future__ import annotations

ENGINES = {
    "duckdb": "tools.sql.engines.duckdb_engine:DuckDbEngine",
    "postgresql": "tools.sql.engines.postgresql:PostgresEngine",
    "sqlalchemy": "tools.sql.engines.sqlalchemy_engine:open_url",
}
"""Name to `module:attribute` of an EngineFactory; plug-ins add theirs under `ddr.engines`."""
