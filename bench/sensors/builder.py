"""Fill the sensors' database by formulas, and register the scenario as a plug-in would."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

    from databases.build import BuildContext

SENSORS = 64
READINGS = 5000


def fill(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> None:
    """Sensors 'S01' to 'S64' and their readings, one an hour in turn. Nothing is secret."""
    context.progress("sixty-four sensors", 0.1)
    connection.execute(f"""
        CREATE TABLE sensors AS
        SELECT printf('S%02d', range) AS sensor_id, 'floor ' || range % 5 AS place
        FROM range(1, {SENSORS + 1});
        CREATE TABLE readings AS
        SELECT printf('S%02d', 1 + range % {SENSORS}) AS sensor_id,
               TIMESTAMP '2031-01-01' + to_hours(range // {SENSORS}) AS read_at,
               ['temperature', 'humidity', 'pressure'][1 + range % 3] AS kind,
               round(20 + 8 * sin(range * 0.37) + range % 7, 2) AS value
        FROM range({READINGS}) ORDER BY sensor_id, read_at;
        COMMENT ON TABLE sensors IS 'One row per sensor';
        COMMENT ON TABLE readings IS 'What a sensor read, hour by hour';
        COMMENT ON COLUMN readings.value IS 'In the unit of its kind';
    """)


def register(folder: Path) -> Path:
    """Write what an installed plug-in leaves on the path, and return the folder for PYTHONPATH."""
    about = folder / "ddr_bench_sensors-1.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    named = "Metadata-Version: 2.1\nName: ddr-bench-sensors\nVersion: 1\n"
    (about / "METADATA").write_text(named, "utf-8")
    (about / "entry_points.txt").write_text("[ddr.scenarios]\nsensors = bench.sensors\n", "utf-8")
    return folder
