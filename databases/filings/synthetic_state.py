"""The hidden state of every company that does not exist: a business model, its traits, and one shock."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from core.errors import UsageError
from databases.draws import Draws, Traits, Whole
from databases.variants import within

if TYPE_CHECKING:
    from databases.variants import Options

YEARS: Final = 8
"""Fiscal years whose books are kept; a company reports the last few or all of them."""
COMPANIES: Final = 40
"""Where the build was not told how many."""
MOST_COMPANIES: Final = 100_000
BASE_ROWS: Final = 520
"""Rows of a company without its product lines, about."""
FEWEST_ROWS: Final = 700
SEGMENTS: Final = 5
REGIONS: Final = 6
"""At most, of one company."""
_ROWS_PER_LINE, _ROWS_PER_CROSSED_LINE = 61, 416
_FEWEST_LINES, _USUAL_LINES, _MOST_UNCROSSED = 3, 5, 20

SHOCKS: Final = (
    "acquisition", "impairment", "recall", "margin collapse", "debt raise", "recovery",
)  # fmt: skip

Range = tuple[int, int, int]
"""What all companies of a model have at intensity 0, and between what theirs lies at 1."""


@dataclass(frozen=True)
class Model:
    """A business model. Shares are thousandths of revenue, where nothing else is said."""

    name: str
    sic: str
    industry: str
    growth: Range
    margin: Range
    """Gross margin; of a bank, what the interest that it pays leaves."""
    research: Range
    selling: Range
    capex: Range
    inventory: Range
    """Thousandths of the cost of revenue."""
    deferred: Range
    """Paid in advance by customers."""
    season: tuple[int, int, int, int]
    """Weights of the quarters."""
    is_bank: bool = False


MODELS: Final = (
    Model("subscription", "7372", "Services-Prepackaged Software", (120, 40, 280), (760, 650, 850),
          (180, 120, 240), (370, 300, 450), (30, 15, 60), (0, 0, 0), (300, 200, 450), (24, 25, 25, 26)),
    Model("manufacturer", "3714", "Motor Vehicle Parts and Accessories", (40, -30, 110), (300, 220, 420),
          (40, 20, 70), (130, 80, 160), (60, 30, 110), (180, 110, 300), (0, 0, 0), (24, 26, 24, 26)),
    Model("retailer", "5331", "Retail-Variety Stores", (45, -20, 120), (290, 230, 380),
          (0, 0, 0), (205, 170, 235), (35, 20, 60), (130, 80, 200), (0, 0, 0), (22, 23, 23, 32)),
    Model("drug maker", "2834", "Pharmaceutical Preparations", (60, -40, 160), (710, 620, 830),
          (190, 120, 280), (250, 190, 310), (40, 20, 70), (250, 150, 400), (0, 0, 0), (25, 25, 25, 25)),
    Model("bank", "6022", "State Commercial Banks", (50, -10, 110), (720, 620, 820),
          (0, 0, 0), (450, 380, 540), (20, 10, 35), (0, 0, 0), (0, 0, 0), (25, 25, 25, 25), is_bank=True),
)  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """What the build was told, checked."""

    seed: str
    companies: int
    lines: int
    """Product lines of a company, on average."""
    crossed: bool
    """Whether revenue is told by product line and region together: many rows."""
    intensity: float
    hostile: bool

    @classmethod
    def of(cls, seed: str, options: Options) -> Plan:
        """Raises UsageError where an option is out of bounds."""
        told = str(options["entities"] or COMPANIES)
        if not (told.isascii() and told.isdecimal() and 1 <= int(told) <= MOST_COMPANIES):
            raise UsageError(
                f"--entities of a generated twin is a number from 1 to {MOST_COMPANIES:,}, not {told!r}"
            )
        companies, rows = int(told), int(options["rows"])
        intensity = within(options, "intensity", 0, 1)
        each = rows // companies if rows else BASE_ROWS + _USUAL_LINES * _ROWS_PER_LINE
        if each < FEWEST_ROWS:
            raise UsageError(
                f"--rows is at least {FEWEST_ROWS:,} for each of the {companies} companies: "
                f"{FEWEST_ROWS * companies:,}, not {rows:,}"
            )
        # Where all companies are alike, all of them report every year.
        usual = round(each * 6 / (8 - 2 * intensity))
        crossed = usual > BASE_ROWS + _MOST_UNCROSSED * _ROWS_PER_LINE
        per_line = _ROWS_PER_CROSSED_LINE if crossed else _ROWS_PER_LINE
        lines = round((usual - BASE_ROWS) / per_line)
        return cls(
            seed=seed,
            companies=companies,
            lines=max(lines, _FEWEST_LINES),
            crossed=crossed,
            intensity=intensity,
            hostile=bool(options["hostile"]),
        )


class Companies:
    """The state, an array entry per company. Shares are in thousandths (`_pm`)."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.count = plan, plan.companies
        self._draws = Draws(f"{plan.seed}|companies")
        self._traits = Traits(self._draws, self.count, plan.intensity)
        self.first_year = 2011 + int(self._draws.whole("first year", 0, 6))
        self.model = self._traits.any("model", len(MODELS))
        self.is_bank = np.array([model.is_bank for model in MODELS])[self.model]
        # Companies of one size differ in how they report: the small ones in thousands.
        self.decimals = np.where(self._traits.any("large", 2) == 1, -6, -3)
        self.size = self._sizes()
        self.growth_pm = self._of_model("growth")
        self.margin_pm = self._of_model("margin")
        self.research_pm = self._of_model("research")
        self.selling_pm = self._of_model("selling")
        self.capex_pm = self._of_model("capex")
        self.inventory_pm = self._of_model("inventory")
        self.deferred_pm = self._of_model("deferred")
        self.debt_pm = self._traits.own("debt", 350, 50, 900)
        self.goodwill_pm = self._traits.own("goodwill", 250, 150, 500)
        self.receivable_pm = self._traits.own("receivable", 130, 60, 240)
        self.tax_pm = self._traits.own("tax", 210, 140, 290)
        self.interest_pm = self._traits.own("interest", 45, 25, 75)
        """Of the debt at the beginning of the year."""
        self.payout_pm = self._traits.own("payout", 250, 0, 700)
        """Of the net income of good years, as dividends."""
        self.buyback_pm = self._traits.own("buyback", 150, 0, 500)
        self.shares_pm = self._traits.own("shares", 30, 15, 60)
        self.shock = self._traits.any("shock", len(SHOCKS))
        self.shock_year = YEARS - 3 + self._traits.any("shock year", 2)
        """Number of the year, from 0: one that every company reports, and so is the year before."""
        self.shock_pm = self._traits.own("shock strength", 0, 600, 1000)
        """How strong the shock is; 0 = there is none."""
        self.first_told = YEARS - self._traits.own("history", YEARS, 4, YEARS)
        """Number of the first year that is reported."""
        self.segments = self._traits.own("segments", 3, 2, SEGMENTS)
        self.regions = self._traits.own("regions", 4, 2, REGIONS)
        self.lines = np.maximum(plan.lines * self._traits.own("lines", 1000, 400, 1600) // 1000, 1)
        """How many product lines are told apart."""
        self.rising_segment = self._traits.any("rising", 2)
        self.rise_pm = self._traits.own("rise", 0, 60, 200)
        """By how much of its weight the rising segment gains a year."""
        self.home_pm = self._traits.own("home", 500, 250, 850)
        """Share of revenue at home, the first region."""
        self.year_end_month = np.array((12, 12, 12, 6, 9, 1))[self._traits.any("year end", 6)]

    def has(self, kind: str) -> Whole:
        """The strength of the companies whose shock is of this kind, 0 for all others."""
        found: Whole = np.where(self.shock == SHOCKS.index(kind), self.shock_pm, 0)
        return found

    @cached_property
    def ids(self) -> list[str]:
        """Their numbers at a regulator; in ascending order, so that facts can be sorted by them."""
        gaps = 1 + self._draws.whole("cik", range(self.count), 17)
        return [str(number) for number in (1_900_000 + np.cumsum(gaps)).tolist()]

    def _sizes(self) -> Whole:
        """Revenue of the first year in the company's unit: thousands or millions of dollars."""
        small = self._traits.own("small size", 300_000, 60_000, 900_000)
        large = self._traits.own("large size", 12_000, 3_000, 40_000)
        found: Whole = np.where(self.decimals == -6, large, small)
        return found

    def _of_model(self, trait: str) -> Whole:
        ranges = np.array([getattr(model, trait) for model in MODELS], dtype=np.int64)[self.model]
        neutral, least, most = ranges[:, 0], ranges[:, 1], ranges[:, 2]
        return self._traits.own(trait, neutral, least, most)
