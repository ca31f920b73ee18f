"""docs/databases.md keeps its word: its scenario on PostgreSQL is built, checked, and served over MCP."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from databases.build import build
from databases.catalog import open_scenario
from databases.installed import InstalledScenario
from databases.manifest import DatabaseSection, Manifest
from server import settings
from server.build import open_tools, sandbox_for
from server.checkup import examine
from server.mcp_app import make_app
from tests.support.flights import ROOT
from tests.support.needs import needs
from tests.support.plugins import install_scenario
from tests.support.postgres import PASSWORD, Cluster
from tools.sql.engines import ENGINES

PAGE = (ROOT / "docs" / "databases.md").read_text(encoding="utf-8")
TABLES = (
    "CREATE TABLE patients (id integer PRIMARY KEY, name text NOT NULL)",
    "INSERT INTO patients VALUES (1, 'Ash'), (2, 'Birch')",
    "CREATE TABLE observations (patient integer REFERENCES patients, concept text, value numeric(6, 2))",
    "INSERT INTO observations SELECT 1 + i % 2, (ARRAY['weight', 'height'])[1 + i % 2], i"
    " FROM generate_series(1, 40) AS t(i)",
    "COMMENT ON TABLE observations IS 'One row per observation.'",
)


def block(kind: str) -> str:
    """The page's only code block of a kind."""
    (found,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


def test_the_page_shows_every_key_and_every_engine() -> None:
    shown = tomllib.loads(block("toml"))
    assert set(Manifest.model_fields) - set(shown) == {
        "build",
        "descriptions",
    }  # with [build] alone
    assert [key for key in DatabaseSection.model_fields if f"| `{key}` |" not in PAGE] == []
    assert [name for name in ENGINES if f"`{name}`" not in PAGE] == []


def call(installed: InstalledScenario, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """What an MCP client is answered, one call after another in one session."""

    async def talk() -> list[dict[str, Any]]:
        tools = open_tools(
            installed, "both", sandbox_for("both"), session=f"s.{installed.scenario.id}"
        )
        try:
            async with Client(make_app(tools, installed.task("1"))) as client:
                said = [await client.call_tool(name, given) for name, given in calls]
        finally:
            await tools.close()
        return [{**json.loads(s.content[0].text), "is_error": s.is_error} for s in said]  # type: ignore[union-attr]

    return asyncio.run(talk())


@pytest.fixture
def role(tmp_path: Path) -> str:
    """A name for the test's own database and role: the tool host keeps hold of one that it has met."""
    return f"clinic_{abs(hash(tmp_path)) % 10**9}"


@pytest.fixture
def clinic(
    postgres: Cluster, role: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> InstalledScenario:
    """The page's scenario, its role made by the page's own statements."""
    statements = block("sql").replace("clinic", role).replace("reader", role)
    statements = statements.replace("'...'", f"'{PASSWORD}'")
    postgres.run(f"CREATE DATABASE {role}")
    postgres.run(*TABLES, *filter(str.strip, statements.split(";")), database=role)
    url = postgres.url(role, role, password=None)
    toml = block("toml").replace("postgresql+psycopg://reader@localhost:5432/clinic", url)
    assert url in toml
    install_scenario(tmp_path / "site", monkeypatch, "clinic", {"scenario.toml": toml})
    monkeypatch.setenv("CLINIC_PASSWORD", PASSWORD)
    monkeypatch.setenv("DDR_HOME", str(tmp_path / "home"))
    return build("clinic", tmp_path / "home")


@pytest.mark.real
@needs("postgresql", "user namespaces")
def test_an_agent_explores_a_scenario_on_postgresql_over_mcp(
    clinic: InstalledScenario, postgres: Cluster
) -> None:
    info, table, rows, write, sleep, code, again = call(
        clinic,
        ("get_database_info", {}),
        ("describe_table", {"table_name": "observations"}),
        ("execute_query", {"query": "SELECT * FROM observations WHERE concept = 'weight'"}),
        ("execute_query", {"query": "WITH x AS (DELETE FROM observations RETURNING *) TABLE x"}),
        ("execute_query", {"query": "SELECT pg_sleep(9)"}),
        (
            "execute_code",
            {"code": "query('SELECT concept, avg(value) m FROM observations GROUP BY 1')"},
        ),
        ("execute_query", {"query": "SELECT count(*) FROM observations"}),
    )
    assert info["dialect"] == "postgres"
    assert [t["name"] for t in info["tables"]] == ["observations", "patients"]
    assert table["comment"] == "One row per observation."
    assert [c["type"] for c in table["columns"]] == ["integer", "text", "numeric(6,2)"]
    assert (rows["row_count"], rows["truncated"]) == (20, False)
    assert rows["rows"][0] == [1, "weight", "2.00"]
    assert write["is_error"] and write["kind"] == "refused"
    assert sleep["is_error"] and sleep["kind"] == "refused"
    assert not code["is_error"] and "weight" in code["value"]
    assert again["rows"] == [[40]]
    shown = json.dumps([info, table, rows, write, sleep, code])
    assert PASSWORD not in shown
    assert str(postgres.port) not in shown


@pytest.mark.real
@needs("postgresql")
def test_a_fact_that_was_read_counts_as_a_field(clinic: InstalledScenario) -> None:
    async def read() -> tuple[str, ...]:
        tools = open_tools(clinic, "sql", None, session="facts")
        try:
            sql = "SELECT value FROM observations WHERE concept = 'weight'"
            return (await tools.call("execute_query", {"query": sql})).accessed_fields
        finally:
            await tools.close()

    assert "observations.concept=weight" in asyncio.run(read())


@pytest.mark.real
@needs("postgresql", "linux")
def test_the_password_stands_in_no_command_line(clinic: InstalledScenario) -> None:
    async def look() -> list[str]:
        tools = open_tools(clinic, "sql", None, session="lines")
        try:
            await tools.call("execute_query", {"query": "SELECT 1"})
            lines = []
            for place in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    lines.append(place.read_bytes().decode(errors="replace"))
                except OSError:
                    continue  # it has ended
            return lines
        finally:
            await tools.close()

    lines = asyncio.run(look())
    assert any("clinic_" in line for line in lines), "the server's own processes show the database"
    secrets = (PASSWORD, "a%20pass%3Aword")
    assert [line for line in lines for secret in secrets if secret in line] == []


@pytest.mark.real
@needs("postgresql")
def test_the_doctor_finds_a_sound_role_and_names_the_statement_for_one_that_is_not(
    clinic: InstalledScenario, role: str, postgres: Cluster, tmp_path: Path
) -> None:
    def found() -> dict[str, Any]:
        return {finding.name: finding for finding in examine(settings.load(tmp_path / "home"))}

    sound = found()
    assert sound["role of clinic"].ok
    assert sound["role of clinic"].detail.endswith(f"/{role}: it can only read")
    assert sound["scenario clinic"].ok
    postgres.run(f"GRANT DELETE ON observations TO {role}", database=role)
    unsound = found()
    assert not unsound["role of clinic"].ok
    assert "DELETE on observations" in unsound["role of clinic"].detail
    assert unsound["role of clinic"].remedy == (
        f'REVOKE DELETE ON observations FROM PUBLIC, "{role}";'
    )
    assert "scenario clinic" not in unsound
    assert PASSWORD not in str(unsound)


@pytest.mark.real
@needs("postgresql")
def test_the_doctor_says_which_variable_is_missing(
    clinic: InstalledScenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLINIC_PASSWORD")
    found = {finding.name: finding for finding in examine(settings.load(tmp_path / "home"))}
    assert "CLINIC_PASSWORD is not set" in found["role of clinic"].detail


@pytest.mark.real
def test_a_scenario_on_a_sqlite_file_is_served_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml = block("toml").split("[database]", maxsplit=1)[0]
    toml = toml.replace('"postgresql"', '"sqlite"') + '[database]\npath = "clinic.sqlite"\n'
    package = install_scenario(tmp_path / "site", monkeypatch, "clinic", {"scenario.toml": toml})
    with sqlite3.connect(package / "clinic.sqlite") as connection:
        connection.execute("CREATE TABLE patients (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO patients VALUES (1, 'Ash'), (2, 'Birch')")
    connection.close()
    built = build("clinic", tmp_path / "home")
    assert open_scenario("clinic", tmp_path / "home").is_built()
    info, rows, write = call(
        built,
        ("get_database_info", {}),
        ("execute_query", {"query": "SELECT name FROM patients ORDER BY id"}),
        ("execute_query", {"query": "DELETE FROM patients"}),
    )
    assert info["dialect"] == "sqlite"
    assert rows["rows"] == [["Ash"], ["Birch"]]
    assert write["kind"] == "refused"
    assert str(tmp_path) not in json.dumps([info, rows, write])


def test_a_broken_scenario_does_not_keep_the_doctor_from_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_scenario(tmp_path / "site", monkeypatch, "broken", {"scenario.toml": "nonsense = 1"})
    found = {finding.name: finding for finding in examine(settings.load(tmp_path / "home"))}
    assert "unknown key 'nonsense'" in found["scenario broken"].detail
    assert "scenario flights" in found
