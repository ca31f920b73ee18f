"""Read the figures that a report prints, cell by cell, with nothing of the reader that is under test."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from html.parser import HTMLParser

WATCHED = frozenset(
    f"us-gaap:{name}"
    for name in [
        "Revenues",
        "RevenueFromContractWithCustomerExcludingAssessedTax",
        "CostOfRevenue",
        "NetIncomeLoss",
        "CostOfGoodsAndServicesSold",
        "GrossProfit",
        "ResearchAndDevelopmentExpense",
        "OperatingIncomeLoss",
        "SellingGeneralAndAdministrativeExpense",
        "IncomeTaxExpenseBenefit",
        "ProfitLoss",
        "OperatingExpenses",
        "EarningsPerShareBasic",
        "EarningsPerShareDiluted",
        "CashAndCashEquivalentsAtCarryingValue",
        "AssetsCurrent",
        "Assets",
        "LiabilitiesCurrent",
        "Liabilities",
        "StockholdersEquity",
        "InventoryNet",
        "PropertyPlantAndEquipmentNet",
        "Goodwill",
        "AccountsPayableCurrent",
        "RetainedEarningsAccumulatedDeficit",
        "LiabilitiesAndStockholdersEquity",
        "LongTermDebtNoncurrent",
        "ComprehensiveIncomeNetOfTax",
        "NetCashProvidedByUsedInOperatingActivities",
        "NetCashProvidedByUsedInInvestingActivities",
        "NetCashProvidedByUsedInFinancingActivities",
        "ShareBasedCompensation",
    ]
)
"""Lines of the income statement, the balance sheet and the cash flow statement."""
_FACTORS = {"thousands": 10**3, "millions": 10**6, "billions": 10**9}
_HEADING = re.compile(r"\b(?:in|of) (thousands|millions|billions)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Printed:
    """A figure as a reader of the paper sees it."""

    concept: str
    context: str
    amount: Decimal
    """Without its sign: brackets mean a loss here, a cost there."""
    factor: int
    """What the statement's heading says: in millions, ..."""


class Page(HTMLParser):
    """Collects the watched figures that stand alone in a table's cell, under their table's heading."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Printed] = []
        self._factor = 1
        self._recent = ""
        self._cell: list[str] | None = None
        self._tags: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        if tag == "td":
            self._cell, self._tags = [], []
        if tag == "ix:nonfraction" and self._cell is not None:
            self._tags.append((given.get("name", ""), given.get("contextref", "")))

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)
        self._recent = f"{self._recent} {data}"[-160:]
        if heading := _HEADING.search(self._recent):
            self._factor = _FACTORS[heading[1].lower()]
            self._recent = ""

    def handle_endtag(self, tag: str) -> None:
        if tag != "td" or self._cell is None:
            return
        shown = re.sub(r"[\s$()\u00a0,]", "", "".join(self._cell))
        self._cell = None
        if len(self._tags) == 1 and self._tags[0][0] in WATCHED and re.fullmatch(r"[0-9.]+", shown):
            (concept, context), amount = self._tags[0], Decimal(shown)
            factor = 1 if "PerShare" in concept else self._factor
            self.found.append(Printed(concept, context, amount, factor))


def printed(html: str) -> list[Printed]:
    """The figures of a report, in order."""
    page = Page()
    page.feed(html)
    return page.found


def whole_company(html: str) -> dict[str, tuple[str | None, str]]:
    """Contexts without a segment: id to first and last day; the first is None for an instant."""
    found: dict[str, tuple[str | None, str]] = {}
    for block in re.findall(r"<xbrli:context id=\"[^\"]+\">.*?</xbrli:context>", html, re.DOTALL):
        name = re.search(r'id="([^"]+)"', block)
        days = re.findall(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", block)
        if name and "segment" not in block:
            found[name[1]] = (days[0] if len(days) == 2 else None, days[-1])
    return found
