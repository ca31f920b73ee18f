"""What several files say becomes five tables: duplicates once, restated values beside the first."""

from __future__ import annotations

import datetime as dt
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from core.errors import UsageError
from databases.connection import open_readonly
from databases.documents import Documents
from databases.installed import InstalledScenario
from databases.schema import read_schema
from tests.databases.filings.reports import (
    CIK,
    NAME,
    build,
    company_facts,
    context,
    number,
    report,
    said,
    submissions,
    write,
)  # fmt: skip

LONG = "Wombats dig. " * 40
BODY = (
    number("100", scale="6", decimals="-6"),
    number("0.1", scale="9", decimals="-8"),
    number("40", "us-gaap:Revenues", contextRef="n", scale="6"),
    number("7", "wom:Burrows", unitRef="pure", contextRef="e", scale="0", decimals="INF"),
    number("", "us-gaap:Liabilities", contextRef="e", xsi__nil="true"),
    said("true", "dei:EntityWellKnownSeasonedIssuer"),
    f"<div>Item 1. Business</div><p>{LONG}</p><div>Item 1A. Risk Factors</div><p>{LONG}</p>"
    f"<div>Item 2. Properties</div><p>{LONG}</p>",
    said("<p>Debt</p><p>We owe little.</p>", "us-gaap:DebtDisclosureTextBlock"),
)
NORTH = context(
    "n", "2024-01-01", "2024-12-31",
    members=(("us-gaap:StatementBusinessSegmentsAxis", "wom:NorthMember"),),
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    facts = company_facts()
    rows = facts["facts"]["us-gaap"]["Revenues"]["units"]["USD"]
    last = {"start": "2023-01-01", "end": "2023-12-31", "val": 95_000_000, "fy": 2024, "fp": "FY"}
    rows.append({**last, "accn": "0000777001-25-000001", "form": "10-K", "filed": "2025-02-14"})
    this = {**last, "start": "2024-01-01", "end": "2024-12-31", "val": 100_000_000}
    rows.append({**this, "accn": "0000777001-25-000001", "form": "10-K", "filed": "2025-02-14"})
    other = report(number("5"), name="Quokka Quarries Ltd", cik="888002")
    return write(
        tmp_path_factory.mktemp("filings"),
        womb__htm=report(*BODY, contexts=NORTH),
        womb__json__gz=facts,
        listed__json=submissions(),
        quokka__html__gz=other,
    )


@pytest.fixture(scope="module")
def built(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    return build(folder, tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def tables(built: InstalledScenario) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_readonly(built.database_path) as connection:
        yield connection


def rows(tables: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return tables.execute(sql).fetchall()


def test_an_entity_is_a_company(built: InstalledScenario) -> None:
    assert [(e.id, e.label) for e in built.entities()] == [
        (CIK, NAME),
        ("888002", "Quokka Quarries Ltd"),
    ]
    assert built.entity(CIK).attributes["last_fiscal_year"] == "2024"
    assert CIK in built.task(CIK).text


def test_a_company_has_what_any_of_its_files_says(tables: duckdb.DuckDBPyConnection) -> None:
    (row,) = rows(tables, f"SELECT * FROM companies WHERE cik = '{CIK}'")
    assert row == (
        *(CIK, NAME, "12-31", "3630", "Household Appliances", "DE", "Accelerated filer", "NYSE"),
        "WOMB",
    )


def test_a_report_in_two_files_is_one(tables: duckdb.DuckDBPyConnection) -> None:
    found = rows(tables, f"SELECT * EXCLUDE (cik) FROM filings WHERE cik = '{CIK}' ORDER BY ALL")
    assert found[-1] == (
        *("777001-10-K-2024-12-31", "10-K", 2024, "FY", dt.date(2024, 12, 31)),
        *(dt.date(2025, 2, 14), "0000777001-25-000001"),
    )
    assert len(found) == 3


def test_a_value_that_is_said_twice_is_one_fact_and_the_precise_one(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    found = rows(
        tables,
        "SELECT value, decimals, unit, dimension_count FROM facts WHERE concept = 'us-gaap:Revenues' "
        f"AND cik = '{CIK}' AND period_end = '2024-12-31' ORDER BY value DESC",
    )
    assert found == [(100_000_000, -6, "USD", 0), (40_000_000, -6, "USD", 1)]


def test_a_restated_value_stands_beside_the_first(tables: duckdb.DuckDBPyConnection) -> None:
    found = rows(
        tables,
        "SELECT year(period_end), value, filing_id FROM facts WHERE concept = 'us-gaap:Revenues' "
        f"AND cik = '{CIK}' AND dimension_count = 0 ORDER BY ALL",
    )
    assert found == [
        (2022, 90_000_000, "777001-10-K-2022-12-31"),
        (2023, 95_000_000, "777001-10-K-2024-12-31"),
        (2023, 95_500_000, "777001-10-K-2023-12-31"),
        (2024, 100_000_000, "777001-10-K-2024-12-31"),
    ]


def test_every_fact_has_its_fiscal_year_and_part(tables: duckdb.DuckDBPyConnection) -> None:
    found = rows(tables, "SELECT DISTINCT year(period_end) - fiscal_year, fiscal_period FROM facts")
    assert found == [(0, "FY")]


def test_exact_nil_and_text_values(tables: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT value, value_text, unit, decimals FROM facts WHERE concept = '{}'"
    assert rows(tables, sql.format("wom:Burrows")) == [(7, None, "pure", None)]
    assert rows(tables, sql.format("us-gaap:Liabilities")) == [(None, None, "USD", None)]
    assert rows(tables, sql.format("dei:EntityWellKnownSeasonedIssuer")) == [
        (None, "true", None, None)
    ]


def test_dimensions_are_rows_of_their_own(tables: duckdb.DuckDBPyConnection) -> None:
    found = rows(
        tables,
        "SELECT f.value, d.cik, axis, member FROM dimensions d JOIN facts f USING (fact_id)",
    )
    assert found == [(40_000_000, CIK, "us-gaap:StatementBusinessSegmentsAxis", "wom:NorthMember")]


def test_concepts_are_in_words(tables: duckdb.DuckDBPyConnection) -> None:
    found = {concept: rest for concept, *rest in rows(tables, "SELECT * FROM concepts")}
    assert found["us-gaap:Revenues"] == [
        "us-gaap", "Revenues", "All of them.", "duration", "money",
    ]  # fmt: skip
    assert found["wom:Burrows"] == ["wom", "Burrows", None, "instant", "ratio"]
    assert found["dei:EntityWellKnownSeasonedIssuer"][1] == "Entity well known seasoned issuer"
    assert found["dei:EntityWellKnownSeasonedIssuer"][4] == "text"


def test_keys_hold(tables: duckdb.DuckDBPyConnection) -> None:
    lost = "SELECT count(*) FROM facts f LEFT JOIN {0} o ON o.{1} = f.{1} WHERE o.{1} IS NULL"
    for table, key in (("companies", "cik"), ("concepts", "concept"), ("filings", "filing_id")):
        assert rows(tables, lost.format(table, key)) == [(0,)]
        assert rows(tables, f"SELECT count(*) - count(DISTINCT {key}) FROM {table}") == [(0,)]


def test_every_table_and_column_is_described(tables: duckdb.DuckDBPyConnection) -> None:
    silent = [
        f"{table.name}.{column.name}"
        for table in read_schema(tables).tables
        for column in table.columns
        if not column.comment or not table.comment
    ]
    assert silent == []


def test_items_and_notes_are_documents_that_no_table_holds(
    built: InstalledScenario, tables: duckdb.DuckDBPyConnection
) -> None:
    kept = Documents(built.folder.parents[1], "filings").of(CIK)
    assert [document.kind for document in kept] == ["item-1", "item-1a", "notes"]
    assert kept[2].text == "Debt\nWe owe little."
    assert kept[0].written_on == dt.date(2025, 2, 14)
    assert kept[0].values == {"fiscal_year": 2024.0}
    assert rows(tables, "SELECT count(*) FROM facts WHERE value_text LIKE '%owe%'") == [(0,)]
    assert b"We owe little" not in built.database_path.read_bytes()


def test_names_of_facts_count_as_fields(built: InstalledScenario) -> None:
    assert built.target.fact_columns == {"facts": "concept"}


def test_the_same_files_give_the_same_content_whatever_their_names(
    folder: Path, built: InstalledScenario, tmp_path: Path
) -> None:
    names = ["1.htm", "2.json.gz", "3.json", "4.html.gz"]
    paths = sorted(folder.iterdir(), key=lambda p: (p.suffix, p.name))
    random.Random(3).shuffle(paths)
    other = tmp_path / "other"
    other.mkdir()
    for n, path in enumerate(paths):
        ending = next(name[1:] for name in names if path.name.endswith(name[1:]))
        shutil.copy(path, other / f"{n}{ending}")
    again = build(other, tmp_path / "home")
    assert again.scenario.fingerprint == built.scenario.fingerprint


def test_entities_choose_among_the_files(folder: Path, tmp_path: Path) -> None:
    chosen = build(folder, tmp_path, entities="888002,999999")
    assert [entity.id for entity in chosen.entities()] == ["888002"]
    with open_readonly(chosen.database_path) as connection:
        assert rows(connection, "SELECT DISTINCT cik FROM facts") == [("888002",)]


def test_official_needs_the_list_that_we_do_not_ship(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"entity_ids\.json into the folder, or --set official"):
        build(folder, tmp_path, entities="official")
    listed = write(tmp_path / "list", ids__json='["0000888002"]') / "ids.json"
    chosen = build(folder, tmp_path, entities="official", official=str(listed))
    assert [entity.id for entity in chosen.entities()] == ["888002"]


def test_the_official_list_may_lie_among_the_files(tmp_path: Path) -> None:
    other = report(number("5"), name="Quokka Ltd", cik="888002")
    folder = write(
        tmp_path / "in", entity_ids__json='["888002"]', a__htm=report(number("1")), b__htm=other
    )
    assert len(build(folder, tmp_path / "home").entities()) == 2
    chosen = build(folder, tmp_path / "home", entities="official")
    assert [entity.id for entity in chosen.entities()] == ["888002"]


@pytest.mark.parametrize("entities", ["Wombat", "12,x", "12345678901"])
def test_what_is_no_list_of_companies_is_refused(
    folder: Path, tmp_path: Path, entities: str
) -> None:
    with pytest.raises(UsageError, match="--entities takes CIKs"):
        build(folder, tmp_path, entities=entities)


def test_a_file_with_a_hostile_name_is_a_file(tmp_path: Path) -> None:
    name = "it's; DROP TABLE facts;-- {x} %s \u202e.htm"
    folder = write(tmp_path / "in")
    (folder / name).write_bytes(report(number("1")))
    assert len(build(folder, tmp_path / "home").entities()) == 1


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    name = 'Robert\'); DROP TABLE facts;-- {entity_id} "x"'
    folder = write(tmp_path / "in", a__htm=report(number("1"), name=name))
    (entity,) = build(folder, tmp_path / "home").entities()
    assert entity.label == name
