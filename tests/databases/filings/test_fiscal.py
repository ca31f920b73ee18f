"""A period gets the fiscal year and part that the company itself would say."""

from __future__ import annotations

import datetime as dt

import pytest

from databases.filings.fiscal import FiscalCalendar, calendar
from databases.filings.records import Company, Report


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def annual(end: str, year: int | None, form: str = "10-K") -> Report:
    return Report("1", form, day(end), fiscal_year=year, fiscal_period="FY")


@pytest.mark.parametrize(
    ("month", "last", "start", "end", "year", "part"),
    [
        (12, 31, "2024-01-01", "2024-12-31", 2024, "FY"),
        (12, 31, "2024-10-01", "2024-12-31", 2024, "Q4"),
        (12, 31, "2024-01-01", "2024-03-31", 2024, "Q1"),
        (12, 31, "2024-01-01", "2024-06-30", 2024, "H1"),
        (12, 31, "2024-01-01", "2024-09-30", 2024, "9M"),
        (12, 31, "2024-04-01", "2024-04-30", 2024, None),
        (12, 31, None, "2024-12-31", 2024, "FY"),
        (12, 31, None, "2024-06-30", 2024, "Q2"),
        (12, 31, None, "2025-02-07", 2025, None),
        # Fiscal years of 52 and 53 weeks: the last Sunday next to the end of December.
        (12, 29, "2023-01-02", "2023-12-31", 2023, "FY"),
        (12, 29, "2021-01-04", "2022-01-02", 2021, "FY"),
        (12, 29, None, "2022-01-02", 2021, "FY"),
        (9, 28, "2022-09-25", "2023-09-30", 2023, "FY"),
        (9, 28, "2023-10-01", "2023-12-30", 2024, "Q1"),
        (5, 31, "2024-06-01", "2025-05-31", 2025, "FY"),
        (1, 31, "2024-05-01", "2024-07-31", 2025, "Q2"),
        (2, 29, "2022-03-01", "2023-02-28", 2023, "FY"),
    ],
)
def test_year_and_part(
    month: int, last: int, start: str | None, end: str, year: int, part: str | None
) -> None:
    known = FiscalCalendar(month, last, 0)
    assert known.year_of(day(end)) == year
    assert known.part_of(day(start) if start else None, day(end)) == part


def test_every_day_has_a_year_and_years_only_rise() -> None:
    known = FiscalCalendar(2, 29, 0)
    days = [day("2020-01-01") + dt.timedelta(days=n) for n in range(0, 2000, 3)]
    years = [known.year_of(each) for each in days]
    assert years == sorted(years)
    assert set(years) == set(range(2020, 2027))


def test_who_calls_the_year_to_january_by_the_year_before_is_followed() -> None:
    company = Company("1", "A", "01-31")
    known = calendar(company, [annual("2025-01-31", 2024), annual("2024-01-31", 2023)])
    assert known is not None
    assert known.year_of(day("2025-01-31")) == 2024
    assert known.year_of(day("2025-02-28")) == 2025


def test_one_report_with_another_count_is_outvoted() -> None:
    told = [annual("2023-12-31", 2023), annual("2024-12-31", 2024), annual("2022-12-31", 2023)]
    known = calendar(Company("1", "A", "12-31"), told)
    assert known == FiscalCalendar(12, 31, 0)


def test_without_a_stated_end_the_last_annual_report_tells_it() -> None:
    told = [
        annual("2023-06-30", 2023),
        annual("2024-06-30", 2024),
        annual("2024-09-30", 2025, "10-Q"),
    ]
    assert calendar(Company("1", "A"), told) == FiscalCalendar(6, 30, 0)


def test_without_any_sign_nothing_is_said() -> None:
    assert calendar(Company("1", "A"), [annual("2024-09-30", 2024, "10-Q")]) is None
