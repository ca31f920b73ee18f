"""Fixtures with the real flights database, built once per state of its sources and shared by all workers."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from databases.build import build
from databases.catalog import InstalledScenario
from databases.connection import open_readonly

if TYPE_CHECKING:
    import duckdb

__all__ = ["flights", "flights_connection", "flights_home", "own_flights_home"]

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "tests"


def source_hash() -> str:
    """Of everything that the built database depends on in this tree."""
    whole = hashlib.sha256()
    for path in sorted((ROOT / "databases").rglob("*")):
        if path.suffix in {".py", ".sql", ".toml"}:
            whole.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return whole.hexdigest()[:16]


def built_home() -> Path:
    """A DDR_HOME that holds the built scenario. Read it, never write to it."""
    home = CACHE / f"home-{source_hash()}"
    CACHE.mkdir(parents=True, exist_ok=True)
    # One worker builds, the others wait for it; a later session finds it there.
    with (CACHE / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build("flights", home)
    return home


@pytest.fixture(scope="session")
def flights_home() -> Path:
    """The shared DDR_HOME with flights in it; read-only by agreement."""
    return built_home()


@pytest.fixture
def own_flights_home(tmp_path: Path, flights_home: Path) -> Path:
    """A DDR_HOME of the test's own, in which flights is built."""
    return linked_home(flights_home, tmp_path / "own-home")


def linked_home(flights_home: Path, home: Path) -> Path:
    """A home that has the built scenario from there, and a store and secrets of its own."""
    home.mkdir(mode=0o700)
    (home / "scenarios").symlink_to(flights_home / "scenarios")
    return home


@pytest.fixture(scope="session")
def flights(flights_home: Path) -> InstalledScenario:
    """The built flights scenario."""
    return build("flights", flights_home)


@pytest.fixture
def flights_connection(flights: InstalledScenario) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection to it."""
    with open_readonly(flights.database_path) as connection:
        yield connection
