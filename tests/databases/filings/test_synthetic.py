"""The filings twin: statements that add up, shocks that show, and what was asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.errors import UsageError
from databases.build import build
from databases.connection import open_readonly
from databases.documents import Documents
from databases.filings import synthetic_facts
from databases.installed import InstalledScenario

Make = Callable[..., InstalledScenario]
NAME = "filings-synthetic"

YEARS = """
(SELECT cik, fiscal_year AS year, {columns} FROM facts
WHERE fiscal_period = 'FY' AND dimension_count = 0 GROUP BY cik, fiscal_year)
"""


def years(**concepts: str) -> str:
    """SQL of one row per company and fiscal year with these concepts as columns."""
    columns = ", ".join(
        f"max(value) FILTER (WHERE concept = 'us-gaap:{concept}') AS {name}"
        for name, concept in concepts.items()
    )
    return YEARS.format(columns=columns)


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Build with these options, in a home of its own."""

    def made(**options: Any) -> InstalledScenario:
        home = tmp_path_factory.mktemp("filings")
        return build("filings", home, options={"synthetic": True, "entities": "30", **options})

    return made


@pytest.fixture(scope="module")
def twin(make: Make) -> InstalledScenario:
    """Thirty companies with every signal."""
    return make()


def ask(scenario: InstalledScenario, query: str) -> list[tuple[Any, ...]]:
    with open_readonly(scenario.database_path) as connection:
        return connection.execute(query).fetchall()


def test_the_statements_add_up(twin: InstalledScenario) -> None:
    balance = years(
        assets="Assets", owed="Liabilities", equity="StockholdersEquity",
        sides="LiabilitiesAndStockholdersEquity", revenue="Revenues", cost="CostOfRevenue",
        gross="GrossProfit", net="NetIncomeLoss", before="IncomeLossFromContinuingOperationsBeforeIncomeTaxes",
        tax="IncomeTaxExpenseBenefit", up="CashAndCashEquivalentsPeriodIncreaseDecrease",
        a="NetCashProvidedByUsedInOperatingActivities", b="NetCashProvidedByUsedInInvestingActivities",
        c="NetCashProvidedByUsedInFinancingActivities", cash="CashAndCashEquivalentsAtCarryingValue",
    )  # fmt: skip
    ((rows, wrong, margins, poor),) = ask(
        twin,
        f"SELECT count(*), count(*) FILTER (WHERE assets <> owed + equity OR assets <> sides "
        f"OR gross <> revenue - cost OR net <> before - tax OR up <> a + b + c), count(gross), "
        f"count(*) FILTER (WHERE cash <= 0 OR revenue <= 0) FROM {balance}",
    )
    assert (wrong, poor) == (0, 0)
    assert rows >= 30 * 4 and margins > 50


def test_cash_moves_by_its_change_and_equity_by_what_is_earned_and_paid(
    twin: InstalledScenario,
) -> None:
    moves = years(
        cash="CashAndCashEquivalentsAtCarryingValue", up="CashAndCashEquivalentsPeriodIncreaseDecrease",
        equity="StockholdersEquity", net="NetIncomeLoss", pay="ShareBasedCompensation",
        dividends="PaymentsOfDividends", bought="PaymentsForRepurchaseOfCommonStock",
    )  # fmt: skip
    assert ask(
        twin,
        f"SELECT count(*) FILTER (WHERE t.cash - l.cash <> t.up OR t.equity - l.equity <> t.net + t.pay "
        f"- coalesce(t.dividends, 0) - coalesce(t.bought, 0)) FROM {moves} AS t JOIN {moves} AS l "
        "ON l.cik = t.cik AND l.year = t.year - 1",
    ) == [(0,)]


@pytest.mark.parametrize("rows", [0, 120_000])
def test_parts_sum_to_the_whole_by_every_axis_and_quarters_to_the_year(
    make: Make, rows: int
) -> None:
    scenario = make(rows=rows)
    summed = ask(
        scenario,
        "SELECT count(*), count(*) FILTER (WHERE parts <> value) FROM (SELECT cik, concept, fiscal_year, "
        "fiscal_period, axis, sum(value) AS parts FROM facts JOIN dimensions USING (fact_id, cik) "
        "WHERE dimension_count = 1 GROUP BY ALL) JOIN (SELECT * FROM facts WHERE dimension_count = 0) "
        "USING (cik, concept, fiscal_year, fiscal_period)",
    )
    assert summed[0][0] > 1000 and summed[0][1] == 0
    quarters = ask(
        scenario,
        "SELECT count(*), count(*) FILTER (WHERE s <> value) FROM (SELECT cik, concept, fiscal_year, "
        "sum(value) AS s FROM facts WHERE dimension_count = 0 AND fiscal_period <> 'FY' GROUP BY ALL) JOIN "
        "(SELECT * FROM facts WHERE dimension_count = 0 AND fiscal_period = 'FY') USING (cik, concept, fiscal_year)",
    )
    assert quarters[0][0] > 500 and quarters[0][1] == 0


def test_there_are_about_as_many_rows_as_asked_for(make: Make) -> None:
    for rows in (40_000, 300_000):
        scenario = make(rows=rows)
        found = sum(table.row_count or 0 for table in scenario.schema().tables)
        assert 0.75 * rows < found < 1.25 * rows


def test_a_seed_gives_one_content_whatever_the_block(
    twin: InstalledScenario, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert make(seed="other").scenario.fingerprint != twin.scenario.fingerprint
    monkeypatch.setattr(synthetic_facts, "_BLOCK", 1)
    assert make().scenario.fingerprint == twin.scenario.fingerprint


def test_facts_come_in_order_and_lead_to_their_reports_and_concepts(
    twin: InstalledScenario,
) -> None:
    strays = ask(
        twin,
        "SELECT count(*) FROM facts ANTI JOIN filings USING (filing_id, cik) UNION ALL "
        "SELECT count(*) FROM facts ANTI JOIN concepts USING (concept) UNION ALL "
        "SELECT count(*) FROM dimensions ANTI JOIN facts USING (fact_id, cik) UNION ALL "
        "SELECT count(*) FROM (SELECT (cik, concept) < lag((cik, concept)) OVER (ORDER BY fact_id) AS late "
        "FROM facts) WHERE late UNION ALL "
        "SELECT count(*) FROM facts WHERE (period_type = 'instant') <> (period_start IS NULL)",
    )
    assert strays == [(0,)] * 5


def test_every_company_has_its_shock_in_the_year_that_the_state_says(
    twin: InstalledScenario,
) -> None:
    home = twin.folder.parents[1]
    states = json.loads((home / "secrets" / f"{NAME}.json").read_text())
    seen = set()
    shown = years(
        revenue="Revenues", bought="PaymentsToAcquireBusinessesNetOfCashAcquired",
        off="GoodwillImpairmentLoss", debt="ProceedsFromIssuanceOfLongTermDebt",
    )  # fmt: skip
    found = {
        (cik, year): rest
        for cik, year, *rest in ask(
            twin, f"SELECT cik, year, revenue, bought, off, debt FROM {shown}"
        )
    }
    for cik, state in states.items():
        revenue, bought, off, debt = found[cik, state["shock_year"]]
        seen.add(state["shock"])
        assert (bought is not None) == (state["shock"] == "acquisition")
        assert (off is not None) == (state["shock"] == "impairment")
        if state["shock"] == "debt raise":
            assert debt > 0.4 * revenue
    assert len(seen) >= 5
    risks = {d.entity_id: d.text for d in Documents(home, NAME).all() if d.kind == "item-1a"}
    assert all("goodwill" in risks[c] for c, s in states.items() if s["shock"] == "impairment")


def test_without_intensity_nothing_happens_to_anybody(make: Make) -> None:
    plain = make(intensity=0)
    assert ask(
        plain,
        "SELECT count(*) FROM facts WHERE concept IN ('us-gaap:GoodwillImpairmentLoss', "
        "'us-gaap:PaymentsToAcquireBusinessesNetOfCashAcquired', "
        "'us-gaap:ProductLiabilityContingencyLossInPeriod')",
    ) == [(0,)]
    shares = ask(
        plain,
        "SELECT sic, max(m) - min(m) FROM (SELECT cik, avg(g.value / r.value) AS m FROM facts r JOIN facts g "
        "USING (cik, fiscal_year, fiscal_period) WHERE r.concept = 'us-gaap:Revenues' AND g.concept = "
        "'us-gaap:GrossProfit' AND r.dimension_count = 0 AND fiscal_period = 'FY' GROUP BY cik) "
        "JOIN companies USING (cik) GROUP BY sic",
    )
    assert shares and all(spread < 0.01 for _, spread in shares)


def test_what_is_planted_stands_in_the_texts_and_on_record(make: Make) -> None:
    trapped = make(hostile=True, entities="6")
    home = trapped.folder.parents[1]
    planted = [d for d in Documents(home, trapped.scenario.id).all() if d.kind == "planted"]
    assert len(planted) == 6 * 4
    texts = {
        (cik, year): text
        for cik, year, text in ask(
            trapped, "SELECT cik, fiscal_year, value_text FROM facts WHERE value_text IS NOT NULL"
        )
    }
    for document in planted:
        text = texts[document.entity_id, document.values["fiscal_year"]]
        assert text == document.text and str(document.values["marker"]) in text
    assert {d.values["form"] for d in planted} == {"instruction", "claim"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"entities": "official"}, "is a number from 1 to 100,000, not 'official'"),
        ({"entities": "0"}, "is a number from 1 to 100,000, not '0'"),
        ({"rows": 5000}, "--rows is at least 700 for each of the 30 companies: 21,000, not 5,000"),
        ({"intensity": -1}, "intensity= is from 0 to 1, not -1"),
    ],
)
def test_options_out_of_bounds_are_refused_with_the_way_out(
    make: Make, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        make(**options)
