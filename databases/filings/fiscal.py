"""Say in which fiscal year a period ends, and which part of it the period is."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from databases.filings.records import Company, Report

SLACK = 10
"""Days by which a fiscal year of 52 or 53 weeks may end before or after its usual day."""
_QUARTER = 91.3
_NEAR = 5


@dataclass(frozen=True)
class FiscalCalendar:
    """When a company's fiscal years end, and how it counts them."""

    month: int
    day: int
    offset: int
    """Fiscal year less the calendar year in which it ends: -1 where the year to January 2025 is 2024."""

    def year_of(self, end: dt.date) -> int:
        """The fiscal year in which a day lies."""
        return self._ending(end).year + self.offset

    def part_of(self, start: dt.date | None, end: dt.date) -> str | None:
        """FY, Q1 to Q4, H1 or 9M; of an instant FY or Q1 to Q3; None where it is none of these."""
        closing = self._ending(end)
        ends_year = abs((end - closing).days) <= SLACK
        passed = (end - self._closing(closing.year - 1)).days
        quarter = round(passed / _QUARTER)
        at_quarter = 1 <= quarter <= 3 and abs(passed - quarter * _QUARTER) <= _NEAR + 1
        if start is None:
            return (
                "FY" if abs((end - closing).days) <= _NEAR else f"Q{quarter}" * at_quarter or None
            )
        days = (end - start).days + 1
        if 340 < days <= 380:
            return "FY" if ends_year else None
        if 80 <= days <= 104:
            return "Q4" if ends_year else f"Q{quarter}" * at_quarter or None
        if 170 <= days <= 195:
            return "H1" if at_quarter and quarter == 2 else None
        if 260 <= days <= 290:
            return "9M" if at_quarter and quarter == 3 else None
        return None

    def _closing(self, year: int) -> dt.date:
        if (self.month, self.day) == (2, 29):
            return dt.date(year, 3, 1) - dt.timedelta(days=1)
        return dt.date(year, self.month, self.day)

    def _ending(self, day: dt.date) -> dt.date:
        """The usual last day of the fiscal year in which a day lies."""
        slack = dt.timedelta(days=SLACK)
        years = range(day.year - 1, day.year + 2)
        return next(c for year in years if day <= (c := self._closing(year)) + slack)


def calendar(company: Company, reports: Iterable[Report]) -> FiscalCalendar | None:
    """The calendar that a company's annual reports show; None where they show none.

    The last report tells the day, the majority of the reports the count of years.
    """
    annual = sorted(
        (r for r in reports if r.form.startswith("10-K") and r.fiscal_period in (None, "FY")),
        key=lambda report: report.period_end,
    )
    if company.fiscal_year_end is None and not annual:
        return None
    if company.fiscal_year_end is not None:
        month, day = _month_day(company.fiscal_year_end) or (12, 31)
    else:
        month, day = annual[-1].period_end.month, annual[-1].period_end.day
    plain = FiscalCalendar(month, day, 0)
    offsets = Counter(
        report.fiscal_year - plain.year_of(report.period_end)
        for report in annual
        if report.fiscal_year is not None
    )
    # Of equally frequent counts the smallest, so that the order of files does not matter.
    best = min(offsets, key=lambda offset: (-offsets[offset], abs(offset), offset), default=0)
    return FiscalCalendar(month, day, best)


def _month_day(text: str) -> tuple[int, int] | None:
    try:
        found = dt.date.fromisoformat(f"2000-{text}")
    except ValueError:
        return None
    return found.month, found.day
