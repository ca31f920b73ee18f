"""A SQLite file of facts is converted by looking at its columns, or served as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.errors import ScenarioError, UsageError
from databases import external
from databases.connection import open_readonly
from databases.filings.layout import find_companies, find_layout
from tests.databases.filings.reports import build, sqlite_file, write

FLAT = """
CREATE TABLE companies (cik TEXT, company_name TEXT, sector TEXT);
INSERT INTO companies VALUES ('0000777001', 'Wombat Works', 'Tools'), ('888002', 'Quokka Ltd', NULL);
CREATE TABLE facts (id INTEGER, cik TEXT, fact_name TEXT, fact_value TEXT, unit TEXT, start_date TEXT,
    end_date TEXT, fiscal_year INTEGER, fiscal_period TEXT, form_type TEXT, filed_date TEXT);
INSERT INTO facts VALUES
    (1, '0000777001', 'Revenues', '100000000', 'USD', '2024-01-01', '2024-12-31', 2024, 'FY', '10-K', '2025-02-14'),
    (2, '0000777001', 'Assets', '2.5e8', 'USD', NULL, '2024-12-31', 2024, 'FY', '10-K', '2025-02-14'),
    (3, '888002', 'us-gaap:Motto', 'Dig on', NULL, '2024-01-01', '2024-12-31', 2024, 'FY', '10-K', '2025-03-01'),
    (4, '888002', 'us-gaap_Nothing', NULL, 'USD', '2024-01-01', '2024-12-31', 2024, 'FY', '10-K', '2025-03-01');
"""
LINKED = """
CREATE TABLE companies (id INTEGER PRIMARY KEY, cik INTEGER, name TEXT);
INSERT INTO companies VALUES (1, 777001, 'Wombat Works');
CREATE TABLE filings (id INTEGER PRIMARY KEY, company_id INTEGER, accession_number TEXT, form TEXT,
    filing_date TEXT, fiscal_year INTEGER);
INSERT INTO filings VALUES (10, 1, '0000777001-25-000001', '10-K', '2025-02-14', 2024);
CREATE TABLE financial_facts (filing_id INTEGER, concept TEXT, value REAL, unit TEXT);
INSERT INTO financial_facts VALUES (10, 'Revenues', 100000000.0, 'USD');
"""


def test_a_flat_file_is_converted(tmp_path: Path) -> None:
    built = build(sqlite_file(tmp_path / "official.db", FLAT), tmp_path / "home")
    assert [(e.id, e.label) for e in built.entities()] == [
        ("777001", "Wombat Works"),
        ("888002", "Quokka Ltd"),
    ]
    with open_readonly(built.database_path) as connection:
        facts = connection.execute(
            "SELECT cik, concept, year(period_start), value, value_text, unit, fiscal_year, fiscal_period "
            "FROM facts ORDER BY fact_id"
        ).fetchall()
        reports = connection.execute(
            "SELECT filing_id, form, filed_on::VARCHAR FROM filings"
        ).fetchall()
    assert facts == [
        ("777001", "us-gaap:Assets", None, 250_000_000, None, "USD", 2024, "FY"),
        ("777001", "us-gaap:Revenues", 2024, 100_000_000, None, "USD", 2024, "FY"),
        ("888002", "us-gaap:Motto", 2024, None, "Dig on", None, 2024, "FY"),
        ("888002", "us-gaap:Nothing", 2024, None, None, "USD", 2024, "FY"),
    ]
    assert reports == [
        ("777001-10-K-2024-12-31", "10-K", "2025-02-14"),
        ("888002-10-K-2024-12-31", "10-K", "2025-03-01"),
    ]


def test_a_file_of_linked_tables_is_converted(tmp_path: Path) -> None:
    built = build(sqlite_file(tmp_path / "official.sqlite3", LINKED), tmp_path / "home")
    (entity,) = built.entities()
    assert (entity.id, entity.label) == ("777001", "Wombat Works")
    with open_readonly(built.database_path) as connection:
        (fact,) = connection.execute(
            "SELECT concept, value, fiscal_year, accession_number FROM facts JOIN filings USING (filing_id)".replace(
                "fiscal_year", "facts.fiscal_year"
            )
        ).fetchall()
    assert fact == ("us-gaap:Revenues", 100_000_000, 2024, "0000777001-25-000001")


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("CREATE TABLE patients (id, name)", r"cannot tell which columns.*patients \(id, name\).*--as-is"),
        ("CREATE TABLE facts (concept, value)", "cannot tell which columns"),
        (
            "CREATE TABLE facts (cik, concept, value); INSERT INTO facts VALUES (1, 'A', 2)",
            "says of no fact when it was",
        ),
        (FLAT + "UPDATE facts SET end_date = 'soon'", r"company 777001, fact 1: .*--as-is"),
        (FLAT + "UPDATE facts SET cik = 'Wombat'", "'Wombat' is no CIK"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_converted_says_so(tmp_path: Path, script: str, says: str) -> None:
    path = sqlite_file(tmp_path / "official.db", script)
    with pytest.raises(ScenarioError, match=says):
        build(path, tmp_path / "home")


def test_the_file_is_served_unchanged(tmp_path: Path) -> None:
    path = sqlite_file(tmp_path / "official.db", FLAT)
    before = path.read_bytes()
    built = build(path, tmp_path / "home", as_is=True)
    assert built.scenario.id == "filings-as-is"
    assert built.scenario.dialect == "sqlite"
    assert built.database_path.read_bytes() == before == path.read_bytes()
    assert [(e.id, e.label) for e in built.entities()] == [
        ("888002", "Quokka Ltd"),
        ("0000777001", "Wombat Works"),
    ]
    assert built.entities()[0].scenario_id == "filings-as-is"
    assert built.target.fact_columns["facts"] == "fact_name"
    with external.opened(built.target) as source:
        assert {table.name for table in source.schema().tables} == {"companies", "facts"}
    built.check()
    assert built.verify_content() == built.scenario.fingerprint


def test_as_is_wants_one_sqlite_file(tmp_path: Path) -> None:
    folder = write(tmp_path / "in", a__htm="<html/>")
    with pytest.raises(UsageError, match=r"serves one SQLite file, and .* holds none"):
        build(folder, tmp_path / "home", as_is=True)
    sqlite_file(folder / "official.db", FLAT)
    assert len(build(folder, tmp_path / "home", as_is=True).entities()) == 2


@pytest.mark.parametrize(
    ("options", "pair"),
    [
        ({"as_is": True, "anonymise": True}, "--as-is and --anonymise"),
        ({"as_is": True, "entities": "777001"}, "--as-is and --entities"),
        ({"synthetic": True}, "--synthetic and --from"),
    ],
)
def test_options_that_exclude_one_another_are_refused(
    tmp_path: Path, options: dict[str, Any], pair: str
) -> None:
    path = sqlite_file(tmp_path / "o.db", FLAT)
    with pytest.raises(UsageError, match=f"{pair} exclude one another"):
        build(path, tmp_path / "home", **options)


@pytest.mark.parametrize("options", [{"rows": 1000}, {"hostile": True}])
def test_what_only_a_generator_can_do_is_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    path = sqlite_file(tmp_path / "o.db", FLAT)
    with pytest.raises(UsageError, match="goes with --synthetic"):
        build(path, tmp_path / "home", **options)


def test_as_is_wants_a_table_of_companies(tmp_path: Path) -> None:
    path = sqlite_file(tmp_path / "o.db", "CREATE TABLE t (a, b)")
    with pytest.raises(ScenarioError, match=r"none of its tables has a column cik: t \(a, b\)"):
        build(path, tmp_path / "home", as_is=True)


def test_names_that_are_hostile_are_quoted(tmp_path: Path) -> None:
    script = FLAT.replace("company_name", '"company_name"').replace(
        "CREATE TABLE companies", 'CREATE TABLE "x"" ; DROP" (a); CREATE TABLE companies'
    )
    built = build(sqlite_file(tmp_path / "o.db", script), tmp_path / "home")
    assert len(built.entities()) == 2


def test_what_holds_the_facts_is_told_by_fact_and_value_together() -> None:
    tables = {
        "notes": {"concept": "concept", "text": "text"},
        "facts": {"cik": "CIK", "tag": "Tag", "value": "Value", "ddate": "ddate"},
        "companies": {"cik": "cik", "name": "name"},
    }
    layout = find_layout(tables)
    assert layout is not None
    assert (layout.facts, layout.columns["concept"]) == ("facts", 't0."Tag"')
    assert find_companies(tables) == ("companies", "cik", "name")
    assert find_layout({"notes": tables["notes"]}) is None
