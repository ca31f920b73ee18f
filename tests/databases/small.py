"""A scenario of three patients, small enough to be built in a test, and builders that misbehave."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from databases.build import BuildContext, build_manifest
from databases.installed import InstalledScenario
from databases.manifest import BuildSection, EntityQuery, Manifest, read_manifest

if TYPE_CHECKING:
    import duckdb

TOML = """
id = "visits"
title = "Visits of three patients"
version = "1"
entity_noun = "patient"
task_template = "Explore {entity_noun} {entity_id}."
license = { name = "CC0-1.0" }

[entities]
query = "SELECT id, name FROM patients ORDER BY id"

[build]
builder = "tests.databases.small:fill"
disk_mb = 1
"""


def write_toml(folder: Path, text: str = TOML) -> Path:
    """Write a scenario.toml and return its path."""
    path = folder / "scenario.toml"
    path.write_text(text, encoding="utf-8")
    return path


def manifest(folder: Path, *, builder: str = "fill", **changes: Any) -> Manifest:
    """The small scenario's manifest with another builder of this module, or other keys."""
    read = read_manifest(write_toml(folder))
    disk_mb = changes.pop("disk_mb", 1)
    section = BuildSection(builder=f"tests.databases.small:{builder}", disk_mb=disk_mb)
    if query := changes.pop("query", None):
        changes["entities"] = EntityQuery(query=query)
    return read.model_copy(update={"build": section, **changes})


def built(folder: Path, **changes: Any) -> InstalledScenario:
    """The small scenario, built under `folder`/home."""
    return build_manifest(manifest(folder, **changes), folder / "home")


def fill(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Mapping[str, Any]:
    """Three patients and thirty visits; its secret is the seed."""
    connection.execute("CREATE TABLE patients (id INTEGER, name VARCHAR)")
    connection.execute("INSERT INTO patients VALUES (1, 'Ash'), (2, 'Birch'), (3, 'Cherry')")
    connection.execute(
        "CREATE TABLE visits AS SELECT range AS id, 1 + range % 3 AS patient FROM range(30)"
    )
    context.progress("three patients are in", 0.5)
    return {"seed": context.seed}


def fill_without_secrets(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> None:
    """The same, with nothing to hide."""
    fill(connection, context)


def fail(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> None:
    """Break off in the middle by a fault of the builder's own."""
    fill(connection, context)
    raise ZeroDivisionError("no such luck")


def interrupt(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> None:
    """Break off in the middle as Ctrl-C does."""
    fill(connection, context)
    raise KeyboardInterrupt


def large(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> None:
    """Write some megabytes that do not compress."""
    fill(connection, context)
    connection.execute("CREATE TABLE noise AS SELECT sha256(range::VARCHAR) h FROM range(100000)")


def stuck(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Mapping[str, Any]:
    """Say that the middle is reached, and go on when standard input ends."""
    secrets = fill(connection, context)
    print("in the middle", flush=True)
    sys.stdin.read()
    return secrets
