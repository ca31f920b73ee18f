"""Nine real companies: every printed figure is the fact's, every item is the report's, and nobody is named."""

from __future__ import annotations

import gzip
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from core.errors import ScenarioError
from databases.connection import open_readonly
from databases.documents import Documents
from databases.filings.inline import read_report
from databases.filings.selection import selected
from databases.installed import InstalledScenario
from tests.databases.filings.printed import printed, whole_company
from tests.databases.filings.reports import build
from tests.support.needs import needs

pytestmark = [needs("test data"), pytest.mark.real]

DATA = Path(os.environ.get("DDR_TEST_DATA", "."))
SEC = DATA / "sec"
IN_LIST = {"1551152", "12927", "1108524", "200406", "320187", "1318605", "1640147"}
ORIGINALS = {
    "320193": ("apple", "AAPL"), "1551152": ("abbvie", "ABBV"), "12927": ("boeing", "BA"),
    "1108524": ("salesforce", "CRM"), "200406": ("johnson", "JNJ"), "21344": ("coca", "KO"),
    "320187": ("nike", "NKE"), "1318605": ("tesla", "TSLA"), "1640147": ("snowflake", "SNOW"),
}  # fmt: skip
SALES = "Revenues", "RevenueFromContractWithCustomerExcludingAssessedTax"
# By hand, from the printed statements: sales, net income, assets (millions), diluted earnings a share.
BY_HAND = {
    "320193": (2024, 391_035, 93_736, 364_980, 6.08),
    "1551152": (2024, 56_334, 4_278, 135_161, 2.39),
    "12927": (2024, 66_517, -11_817, 156_363, -18.36),
    "1108524": (2025, 37_895, 6_197, 102_928, 6.36),
    "200406": (2024, 88_821, 14_066, 180_104, 5.79),
    "21344": (2024, 47_061, 10_631, 100_549, 2.46),
    "320187": (2025, 46_309, 3_219, 36_579, 2.16),
    "1318605": (2024, 97_690, 7_091, 122_070, 2.04),
    "1640147": (2025, 3_626.396, -1_285.640, 9_033.938, -3.86),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[InstalledScenario, float]:
    start = time.monotonic()
    installed = build(SEC, tmp_path_factory.mktemp("home"))
    return installed, time.monotonic() - start


@pytest.fixture(scope="module")
def tables(built: tuple[InstalledScenario, float]) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_readonly(built[0].database_path) as connection:
        yield connection


def test_nine_companies_are_built_in_time(built: tuple[InstalledScenario, float]) -> None:
    installed, seconds = built
    assert seconds < 120
    assert {entity.id for entity in installed.entities()} == set(ORIGINALS)


def test_the_official_list_takes_seven_of_them() -> None:
    listed = selected("official", str(DATA / "ddr-bench" / "10k" / "entity_ids.json"))
    assert listed is not None
    assert len(listed) == 100
    assert set(listed) & set(ORIGINALS) == IN_LIST


@pytest.mark.parametrize("cik", BY_HAND)
def test_figures_that_were_read_by_hand(tables: duckdb.DuckDBPyConnection, cik: str) -> None:
    year, sales, income, assets, per_share = BY_HAND[cik]

    def values(*concepts: str) -> set[float]:
        found = tables.execute(
            "SELECT value FROM facts WHERE cik = ? AND concept IN (SELECT 'us-gaap:' || unnest(?)) "
            "AND fiscal_year = ? AND fiscal_period = 'FY' AND dimension_count = 0",
            [cik, list(concepts), year],
        ).fetchall()
        return {round(value, 3) for (value,) in found}

    assert round(sales * 1e6) in values(*SALES)
    assert values("NetIncomeLoss") == {round(income * 1e6)}
    assert values("Assets") == {round(assets * 1e6)}
    assert per_share in values("EarningsPerShareDiluted")


@pytest.mark.parametrize("path", sorted(SEC.glob("*.html.gz")), ids=lambda p: p.name.split("-")[0])
def test_every_figure_of_the_statements_is_what_is_printed(
    tables: duckdb.DuckDBPyConnection, path: Path
) -> None:
    html = gzip.decompress(path.read_bytes()).decode()
    cik = re.findall(r"<xbrli:identifier[^>]*>0*([0-9]+)<", html)[0]
    days = whole_company(html)
    checked = set()
    for figure in printed(html):
        if figure.context not in days:
            continue
        start, end = days[figure.context]
        found = tables.execute(
            "SELECT value FROM facts WHERE cik = ? AND concept = ? AND dimension_count = 0 "
            "AND period_end = ? AND period_start IS NOT DISTINCT FROM ?::DATE",
            [cik, figure.concept, end, start],
        ).fetchall()
        ((value,),) = found
        assert abs(value) == pytest.approx(float(figure.amount * figure.factor), rel=1e-12), figure
        checked.add((figure.concept, start, end))
    assert len(checked) >= 20


@pytest.mark.parametrize("cik", sorted(set(ORIGINALS) - {"1640147"}))
def test_items_and_notes_of_every_report(built: tuple[InstalledScenario, float], cik: str) -> None:
    kept = Documents(built[0].folder.parents[1], "filings").of(cik)
    items = {document.kind: document.text for document in kept if document.kind != "notes"}
    assert set(items) == {"item-1", "item-1a", "item-7", "item-7a"}
    assert len(items["item-1"]) > 15_000
    assert len(items["item-1a"]) > 40_000
    assert len(items["item-7"]) > 15_000
    assert len(items["item-7a"]) > 400
    for kind, text in items.items():
        number = kind.removeprefix("item-")
        assert re.match(rf"item\s*{number}\W", text, re.IGNORECASE)
        following = r"\nitem\s*(?:1b|1c|2|3|8)\W"
        assert re.search(following, text, re.IGNORECASE) is None
    notes = [document.text for document in kept if document.kind == "notes"]
    assert 12 <= len(notes) <= 40
    assert sum(map(len, notes)) > 40_000
    assert len(set(notes)) == len(notes)


def test_figures_are_plausible_everywhere(tables: duckdb.DuckDBPyConnection) -> None:
    (odd,) = tables.execute(
        "SELECT count(*) FROM facts JOIN concepts USING (concept) WHERE unit_kind = 'ratio' "
        "AND taxonomy = 'us-gaap' AND abs(value) > 1e6 OR unit_kind = 'money per share' AND abs(value) > 1e6"
    ).fetchone() or (None,)
    assert odd == 0
    (without,) = tables.execute(
        "SELECT count(*) FROM facts WHERE fiscal_year IS NULL OR fiscal_year NOT BETWEEN 2005 AND 2130"
    ).fetchone() or (None,)
    assert without == 0


def test_nobody_is_named_in_the_anonymised_view(tmp_path: Path) -> None:
    hidden = build(SEC, tmp_path, anonymise=True)
    names = "|".join(name for name, _ in ORIGINALS.values())
    tickers = "|".join(ticker for _, ticker in ORIGINALS.values())
    ciks = "|".join(f"0*{cik}" for cik in ORIGINALS)
    told = re.compile(rf"(?i:{names})|\b(?:{ciks})\b|\b(?i:{tickers})(?::|\b(?=\W|$))")
    with open_readonly(hidden.database_path) as connection:
        found: set[str] = set()
        for (table,) in connection.execute("SHOW TABLES").fetchall():
            columns = [c for c, *_ in connection.execute(f"DESCRIBE {table}").fetchall()]
            for column in columns:
                cells = connection.execute(f"SELECT DISTINCT {column}::VARCHAR FROM {table}")
                # A figure may have the digits of a number by chance.
                if column not in ("value", "fact_id", "decimals"):
                    found |= {cell for (cell,) in cells.fetchall() if cell and told.search(cell)}
    assert found == set()
    data = hidden.database_path.read_bytes().lower()
    for name, ticker in ORIGINALS.values():
        assert name.encode() not in data
        # Three bytes occur by chance; the cells above tell.
        assert len(ticker) < 3 or f"{ticker.lower()}:".encode() not in data
    for cik in ORIGINALS:
        assert f"-{cik}-".encode() not in data
        assert f"{cik:0>10}".encode() not in data


@pytest.mark.parametrize("share", [0.1, 0.5, 0.98])
def test_a_real_report_that_is_cut_short_is_refused(share: float) -> None:
    path = min(SEC.glob("*.html.gz"))
    data = gzip.decompress(path.read_bytes())
    with pytest.raises(ScenarioError, match=r"line \d+: is not a whole"):
        read_report(data[: int(len(data) * share)], path)
