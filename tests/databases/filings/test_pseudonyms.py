"""Nothing in the anonymised view says which companies and which years these are."""

from __future__ import annotations

import datetime as dt
import json
import re
import stat
from pathlib import Path

import duckdb
import pytest

from databases.connection import open_readonly
from databases.documents import Documents
from databases.filings.pseudonyms import Pseudonyms, shifted, spellings
from databases.filings.records import Company
from databases.installed import InstalledScenario
from tests.databases.filings.reports import (
    CIK,
    NAME,
    build,
    company_facts,
    context,
    number,
    read,
    report,
    said,
    submissions,
    write,
)  # fmt: skip

MEMBERS = context(
    "m", "2024-01-01", "2024-12-31",
    members=(("us-gaap:StatementBusinessSegmentsAxis", "wom:WombatWorksNorthMember"), ("wom:Axis", "srt:AsiaMember")),
)  # fmt: skip
STORY = (
    "Item 1. Business. In 2024 Wombat Works, Inc. (NYSE: WOMB), WOMBAT\u00a0WORKS or Wombat-Works for short, sold "
    "2,024 spades; see www.wombatworks.example/2024, $2024, 2024.5 and the years 2019 and 2020. CIK 0000777001. "
)
BODY = (
    number("100", scale="6"),
    number("3", "wom:WombatWorksBurrows", unitRef="pure", contextRef="e", scale="0"),
    number("40", contextRef="m", scale="6"),
    number("4", "us-gaap:NumberOfStores", unitRef="wombat", contextRef="e", scale="0"),
    said("12 Wombat Road", "dei:EntityAddressAddressLine1"),
    said("+61 2 0000", "dei:CityAreaCode"),
    said("P5Y", "us-gaap:DebtInstrumentTerm"),
    said("2031-05", "us-gaap:DebtInstrumentMaturityDate"),
    said("Wombat Works", "us-gaap:Description"),
    said("us-gaap:OtherAssets wom:WombatWorksAssets", "us-gaap:Enumeration"),
    "<div>Item 1. Business</div><p>" + STORY * 4 + "</p><div>Item 2. Properties</div><p>x</p>",
)
WOMBAT = '<xbrli:unit id="wombat"><xbrli:measure>wom:wombat</xbrli:measure></xbrli:unit>'
ORIGINAL = re.compile(r"wom(?:bat|b)\b|wombat|777001|0000777001|quokka|888002", re.IGNORECASE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(
        tmp_path_factory.mktemp("filings"),
        womb__htm=report(*BODY, contexts=MEMBERS + WOMBAT),
        womb__json=company_facts(),
        listed__json=submissions(),
        quokka__htm=report(number("5"), name="Quokka & Sons", cik="888002", ticker="Q"),
    )


@pytest.fixture(scope="module")
def hidden(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    return build(folder, tmp_path_factory.mktemp("home"), anonymise=True)


def cells(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Every value, name and comment that an agent can read."""
    found: list[str] = []
    tables = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
    for table in tables:
        for row in connection.execute(f"FROM {table}").fetchall():
            found.extend(str(value) for value in row if value is not None)
    for sql in ("SELECT comment FROM duckdb_tables()", "SELECT comment FROM duckdb_columns()"):
        found.extend(str(value) for (value,) in connection.execute(sql).fetchall())
    return found


def test_it_is_a_scenario_of_its_own(hidden: InstalledScenario) -> None:
    assert hidden.scenario.id == "filings-anonymise"
    assert len(hidden.entities()) == 2


def test_no_original_name_number_or_ticker_is_left(hidden: InstalledScenario) -> None:
    with open_readonly(hidden.database_path) as connection:
        said_ = cells(connection)
    assert [text for text in said_ if ORIGINAL.search(text)] == []
    told = hidden.database_path.read_bytes()
    for original in (b"Wombat", b"WOMB", b"wom:", b"777001", b"Quokka", b"888002"):
        assert original not in told
    assert ORIGINAL.search(str([*hidden.entities(), hidden.task(hidden.entities()[0].id)])) is None


def test_no_original_day_is_left_and_all_moved_alike(hidden: InstalledScenario) -> None:
    with open_readonly(hidden.database_path) as connection:
        years = connection.execute("SELECT DISTINCT year(period_end) FROM facts").fetchall()
        ends = connection.execute(
            "SELECT DISTINCT strftime(period_end, '%m-%d'), fiscal_year - year(period_end) FROM facts"
        ).fetchall()
        (text,) = connection.execute(
            "SELECT value_text FROM facts WHERE concept = 'us-gaap:DebtInstrumentMaturityDate'"
        ).fetchone() or ("",)
        (focus,) = connection.execute(
            "SELECT DISTINCT value_text FROM facts WHERE concept = 'dei:DocumentFiscalYearFocus'"
        ).fetchone() or ("",)
    secrets = json.loads((hidden.folder.parents[1] / "secrets/filings-anonymise.json").read_text())
    shift = secrets["shift_years"]
    assert {year - shift for (year,) in years} == {2022, 2023, 2024}
    assert ends == [("12-31", 0)]
    assert text == f"{2031 + shift}-05"
    assert focus == str(2024 + shift)


def test_figures_standard_concepts_and_harmless_texts_stay(hidden: InstalledScenario) -> None:
    with open_readonly(hidden.database_path) as connection:
        values = connection.execute(
            "SELECT DISTINCT value FROM facts WHERE concept = 'us-gaap:Revenues' ORDER BY 1"
        ).fetchall()
        texts = {
            text
            for (text,) in connection.execute(
                "SELECT value_text FROM facts WHERE value_text IS NOT NULL"
            ).fetchall()
        }
    assert [value for (value,) in values] == [5e6, 40e6, 90e6, 95.5e6, 100e6]
    assert {"P5Y", "10-K", "FY", "--12-31"} <= texts
    assert not any("+61" in text or "Road" in text for text in texts)


def test_coined_names_are_numbered_and_the_same_one_alike(hidden: InstalledScenario) -> None:
    with open_readonly(hidden.database_path) as connection:
        coined = connection.execute(
            "SELECT concept, label FROM concepts WHERE taxonomy LIKE 'co9%'"
        ).fetchall()
        members = connection.execute("SELECT axis, member FROM dimensions ORDER BY 1").fetchall()
        units = connection.execute("SELECT DISTINCT unit FROM facts").fetchall()
    ((concept, label),) = coined
    assert re.fullmatch(r"co9\d{6}:Concept\d+", concept)
    assert label.startswith("Concept")
    assert members[0][1] == "srt:AsiaMember"
    assert re.fullmatch(r"co9\d{6}:Axis\d+", members[0][0])
    assert re.fullmatch(r"co9\d{6}:Member\d+", members[1][1])
    assert ("other",) in units


def test_texts_for_checklists_are_hidden_too(hidden: InstalledScenario) -> None:
    home = hidden.folder.parents[1]
    texts = list(Documents(home, "filings-anonymise").all())
    told = " ".join(f"{d.id} {d.title} {d.text}" for d in texts)
    assert ORIGINAL.search(told) is None
    shift = json.loads((home / "secrets/filings-anonymise.json").read_text())["shift_years"]
    assert f"In {2024 + shift} " in told
    assert f"the years {2019 + shift} and {2020 + shift}" in told
    assert "2,024 spades" in told
    assert "$2024" in told
    assert "2024.5" in told


def test_both_sides_are_kept_where_only_their_owner_reads(hidden: InstalledScenario) -> None:
    path = hidden.folder.parents[1] / "secrets" / "filings-anonymise.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    secrets = json.loads(path.read_text())
    assert secrets["companies"][CIK]["name"] == NAME
    assert {side["cik"] for side in secrets["companies"].values()} == {
        entity.id for entity in hidden.entities()
    }
    assert set(secrets["accessions"]) == {
        "0000777001-23-000001", "0000777001-24-000001", "0000777001-25-000001",
    }  # fmt: skip


def test_a_seed_gives_the_same_view_and_another_one_another(
    folder: Path, hidden: InstalledScenario, tmp_path: Path
) -> None:
    again = build(folder, tmp_path, anonymise=True)
    assert again.scenario.fingerprint == hidden.scenario.fingerprint
    other = build(folder, tmp_path, anonymise=True, seed="other", name="other")
    assert other.scenario.fingerprint != hidden.scenario.fingerprint
    assert {e.id for e in other.entities()}.isdisjoint(e.id for e in hidden.entities())


def test_many_companies_get_numbers_and_names_of_their_own() -> None:
    drawn = Pseudonyms("x")
    aliases = [
        drawn.replaced(read(number("1"), cik=str(1000 + n), name=f"Company {n}")).company
        for n in range(150)
    ]
    assert len({alias.cik for alias in aliases}) == len({alias.name for alias in aliases}) == 150
    assert all(9_000_000 <= int(alias.cik) < 10_000_000 for alias in aliases)


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Wombat Works, Inc.", ["Wombat Works, Inc.", "Wombat Works"]),
        ("QUOKKA COLA CO", ["QUOKKA COLA CO", "QUOKKA COLA"]),
        ("The Gap Company", ["The Gap Company", "Gap"]),
        ("THE GROUP", ["THE GROUP"]),
    ],
)
def test_how_a_company_is_called(name: str, called: list[str]) -> None:
    assert spellings(Company("1", name)) == called


def test_every_day_is_a_day_in_the_other_year_too() -> None:
    for years in (-16, -12, -8, 8, 12, 16):
        assert shifted(dt.date(2024, 2, 29), years) == dt.date(2024 + years, 2, 29)
    assert shifted(dt.date(2024, 2, 29), 1) == dt.date(2025, 2, 28)
