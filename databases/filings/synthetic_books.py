"""Keep the books of generated companies year by year, in whole numbers, so that every identity holds."""

from __future__ import annotations

from typing import Final

import numpy as np

from databases.draws import Draws, Whole
from databases.filings.synthetic_state import YEARS, Companies

Book = dict[str, Whole]
"""A concept's short name to its values, one per company (or companies x years)."""

_LEAST_CASH_PM: Final = 40
"""Of revenue: below it a company borrows."""
_LOANS: Final = 9
"""A bank lends so many times its revenue, and has 85 % of that from depositors."""


def statements(companies: Companies) -> Book:
    """Every concept of every company and year, in the company's unit: companies x years."""
    revenue = _revenue(companies)
    margin = _margin(companies)
    before = _opening(companies, revenue[:, 0] * 1000 // (1000 + companies.growth_pm))
    years: list[Book] = []
    for year in range(YEARS):
        before = _closed(companies, year, revenue[:, year], margin[:, year], before)
        years.append(before)
    return {name: np.stack([book[name] for book in years], axis=1) for name in years[0]}


def _revenue(companies: Companies) -> Whole:
    draws = Draws(f"{companies.plan.seed}|revenue")
    level, found = companies.size, []
    recovers, acquires = companies.has("recovery"), companies.has("acquisition")
    for year in range(YEARS):
        if year:
            noise = draws.between(f"year {year}", range(companies.count), -12, 12)
            growth = companies.growth_pm + noise
            after = year - companies.shock_year
            # A recovery needs something to recover from.
            growth = growth - np.where(after < 0, recovers * 120 // 1000, -recovers * 110 // 1000)
            growth = growth + np.where(after == 0, acquires * 350 // 1000, 0)
            growth = growth - np.where(after == 1, companies.has("recall") * 140 // 1000, 0)
            level = level * (1000 + growth) // 1000
        found.append(level)
    return np.stack(found, axis=1)


def _margin(companies: Companies) -> Whole:
    """Gross margin by year, thousandths."""
    draws = Draws(f"{companies.plan.seed}|margin")
    since = np.arange(YEARS)[None, :] >= companies.shock_year[:, None]
    places = np.arange(companies.count)[:, None] * YEARS + np.arange(YEARS)
    margin = companies.margin_pm[:, None] + draws.between("noise", places, -6, 6)
    lost = companies.has("margin collapse")[:, None] * 450 // 1000
    found: Whole = np.where(since, margin * (1000 - lost) // 1000, margin)
    return found


def _opening(companies: Companies, revenue: Whole) -> Book:
    """The balance sheet before the first year, as far as the first year needs it."""
    zero = np.zeros_like(revenue)
    book = {
        "debt": revenue * companies.debt_pm // 1000,
        "goodwill": revenue * companies.goodwill_pm // 1000,
        "plant": revenue * companies.capex_pm * 5 // 1000,
        "cash": revenue * 150 // 1000,
        "shares": companies.size * companies.shares_pm // 1000,
    }
    lent = np.where(companies.is_bank, revenue * _LOANS, zero)
    assets = book["cash"] + book["goodwill"] + book["plant"] + lent
    assets = assets + revenue * (companies.receivable_pm + 200) // 1000
    owed = book["debt"] + lent * 85 // 100 + revenue * 250 // 1000
    book["equity"] = np.maximum(assets - owed, revenue * 100 // 1000)
    return book


def _closed(companies: Companies, year: int, revenue: Whole, margin: Whole, before: Book) -> Book:
    """One year's statements, from the ones before."""
    book = _income(companies, year, revenue, margin, before)
    _cash_flows(companies, year, book, before)
    _balance(companies, book, before)
    return book


def _income(companies: Companies, year: int, revenue: Whole, margin: Whole, before: Book) -> Book:
    is_bank, zero = companies.is_bank, np.zeros_like(revenue)
    shocked = companies.shock_year == year
    left = revenue * margin // 1000
    recovers = np.where(year >= companies.shock_year, companies.has("recovery"), 0)
    book: Book = {
        "revenue": revenue,
        "cost": np.where(is_bank, zero, revenue - left),
        "gross": np.where(is_bank, zero, left),
        "research": revenue * companies.research_pm // 1000,
        "selling": revenue * (companies.selling_pm - recovers * 60 // 1000) // 1000,
        "impairment": np.where(
            shocked, before["goodwill"] * companies.has("impairment") * 8 // 10_000, zero
        ),
    }
    fault = np.where(shocked, revenue * companies.has("recall") * 9 // 100_000, zero)
    book["recall"] = np.where(is_bank, zero, fault)
    # What is a recall to a maker of things are bad loans to a bank.
    book["provision"] = np.where(is_bank, revenue * 40 // 1000 + 2 * fault, zero)
    paid_to_depositors = np.where(is_bank, revenue - left, zero)
    book["operating"] = (
        left - book["research"] - book["selling"] - book["impairment"] - book["recall"]
        - book["provision"]
    )  # fmt: skip
    on_debt = before["debt"] * companies.interest_pm // 1000
    book["before_tax"] = book["operating"] - on_debt
    book["interest"] = on_debt + paid_to_depositors
    # Impairments lower no taxes; losses bring none back.
    taxed = np.maximum(book["before_tax"] + book["impairment"], 0)
    book["tax"] = taxed * companies.tax_pm // 1000
    book["net"] = book["before_tax"] - book["tax"]
    book["depreciation"] = before["plant"] * 120 // 1000
    book["stock_pay"] = book["selling"] * 60 // 1000
    return book


def _cash_flows(companies: Companies, year: int, book: Book, before: Book) -> None:
    revenue, zero = book["revenue"], np.zeros_like(book["revenue"])
    shocked = companies.shock_year == year
    book["capex"] = revenue * companies.capex_pm // 1000
    book["acquired"] = np.where(
        shocked, revenue * companies.has("acquisition") * 45 // 100_000, zero
    )
    earned = np.maximum(book["net"], 0)
    book["dividends"] = earned * companies.payout_pm // 1000
    book["bought_back"] = earned * companies.buyback_pm // 1000
    raised = np.where(shocked, revenue * companies.has("debt raise") * 7 // 10_000, zero)
    book["borrowed"] = raised + book["acquired"] * 7 // 10
    book["repaid"] = before["debt"] * 50 // 1000


def _balance(companies: Companies, book: Book, before: Book) -> None:
    """Cash is what makes both sides equal; where that leaves too little, the company borrows."""
    revenue, cost = book["revenue"], book["cost"]
    is_bank, zero = companies.is_bank, np.zeros_like(book["revenue"])
    book["receivable"] = revenue * companies.receivable_pm // 1000
    book["loans"] = np.where(is_bank, revenue * _LOANS, zero)
    book["inventory"] = cost * companies.inventory_pm // 1000
    book["goodwill"] = before["goodwill"] + book["acquired"] * 8 // 10 - book["impairment"]
    bought = book["acquired"] - book["acquired"] * 8 // 10
    book["plant"] = before["plant"] + book["capex"] + bought - book["depreciation"]
    book["other_assets"] = revenue * 70 // 1000
    book["payable"] = np.where(is_bank, zero, cost * 140 // 1000) + revenue * 10 // 1000
    book["deferred"] = revenue * companies.deferred_pm // 1000
    book["deposits"] = book["loans"] * 85 // 100
    book["other_liabilities"] = revenue * 90 // 1000
    book["equity"] = (
        before["equity"] + book["net"] + book["stock_pay"] - book["dividends"] - book["bought_back"]
    )
    book["debt"] = before["debt"] + book["borrowed"] - book["repaid"]
    held = sum(
        (
            book[name]
            for name in ("receivable", "loans", "inventory", "plant", "goodwill", "other_assets")
        ),
        start=zero,
    )
    owed = sum(
        (book[name] for name in ("payable", "deferred", "deposits", "debt", "other_liabilities")),
        start=zero,
    )
    short = np.maximum(revenue * _LEAST_CASH_PM // 1000 - (owed + book["equity"] - held), 0)
    book["borrowed"], book["debt"] = book["borrowed"] + short, book["debt"] + short
    book["liabilities"] = owed + short
    book["both"] = book["liabilities"] + book["equity"]
    book["assets"] = book["both"]
    book["cash"] = book["assets"] - held
    book["cash_change"] = book["cash"] - before["cash"]
    book["from_investing"] = -book["capex"] - book["acquired"]
    book["from_financing"] = (
        book["borrowed"] - book["repaid"] - book["dividends"] - book["bought_back"]
    )
    book["from_operating"] = book["cash_change"] - book["from_investing"] - book["from_financing"]
    book["shares"] = (
        before["shares"] * 1010 // 1000 - before["shares"] * companies.buyback_pm // 20_000
    )


def parted(total: Whole, weights: Whole) -> Whole:
    """Each total shared out by weight along a new last axis; the parts sum to it exactly."""
    ends = np.cumsum(weights, axis=-1)
    edges = ends * total[..., None] // ends[..., -1:]
    found: Whole = np.diff(edges, axis=-1, prepend=0)
    return found
