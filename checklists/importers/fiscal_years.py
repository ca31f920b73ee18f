"""Compare the fiscal years that items state with those of the filings in a database."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Literal

from core.checklist import ChecklistItem
from core.record import Record

KEYS: Final = ("fiscal_year", "filing_year", "year")
"""Where a file says it outright: in the pair, in its entity's entry, or in the metadata."""
_FIRST, _LAST = 1900, 2100
_AIM: Final = 3
"""So many years after a filing and more, a year is an aim: a maturity, a climate target."""
_YEAR: Final = re.compile(r"(?<![\d.,$€£-])(?:19|20)\d\d(?![\d%]|[.,]\d)")


class Stated(Record):
    """The fiscal years that one item states."""

    years: tuple[int, ...]
    """Sorted."""
    how: Literal["key", "text"]
    """key: the file says so. text: they are named in the question or the answer."""


class YearCheck(Record):
    """One item's years beside those of its entity's filings."""

    item_id: str
    entity_id: str
    stated: tuple[int, ...]
    filed: tuple[int, ...]
    how: Literal["key", "text"]
    reason: str


class YearReport(Record):
    """What the comparison came to; the first four counts sum to the items."""

    agree: int
    mismatched: int
    silent: int
    """Items that state no year."""
    unknown: int
    """Items that state one, of entities whose filings' years are not known."""
    mismatches: tuple[YearCheck, ...]


def stated(text: str, places: Sequence[Mapping[str, Any]]) -> Stated | None:
    """The years of an item: what a key says, the nearest place first, else what its text names.

    Raises ValueError for a key that holds no year.
    """
    for place in places:
        for key in KEYS:
            if place.get(key) not in (None, ""):
                return Stated(years=(_year(key, place[key]),), how="key")
    found = sorted({int(year) for year in _YEAR.findall(text)})
    return Stated(years=tuple(found), how="text") if found else None


def compare(
    items: Sequence[ChecklistItem],
    years: Mapping[str, Stated],
    filed: Mapping[str, Collection[int]],
) -> YearReport:
    """Each item that states a year against the fiscal years of its entity's filings.

    A year that the file gives as a key must be one of them. Of years in a text the latest counts,
    for a text also looks back: it may be any year that a filing reports, its own and the two
    before, or the one after, in which it is written. What lies outside is a mismatch. A year
    further ahead than three is taken for an aim, and left aside where there is another.
    """
    mismatches: list[YearCheck] = []
    agree = silent = unknown = 0
    for item in items:
        said, known = years.get(item.id), sorted(filed.get(item.entity_id, ()))
        if said is None:
            silent += 1
        elif not known:
            unknown += 1
        elif reason := _why_not(said, known):
            check = YearCheck(
                item_id=item.id,
                entity_id=item.entity_id,
                stated=said.years,
                filed=tuple(known),
                how=said.how,
                reason=reason,
            )
            mismatches.append(check)
        else:
            agree += 1
    return YearReport(
        agree=agree,
        mismatched=len(mismatches),
        silent=silent,
        unknown=unknown,
        mismatches=tuple(mismatches),
    )


def years_in(text: str) -> tuple[int, ...]:
    """The years that an attribute such as '2023, 2024' or 'FY2024' lists, sorted."""
    found = {int(year) for year in re.findall(r"(?<!\d)\d{4}(?!\d)", text)}
    return tuple(sorted(year for year in found if _FIRST <= year <= _LAST))


def _why_not(said: Stated, filed: Sequence[int]) -> str | None:
    near = [year for year in said.years if year <= filed[-1] + _AIM]
    latest = max(near or said.years)
    shown = ", ".join(map(str, filed))
    if said.how == "key":
        return None if latest in filed else f"it is about {latest}, the filing about {shown}"
    if latest > filed[-1] + 1:
        return f"it speaks of {latest}, the filing is of {shown}"
    if latest < filed[0] - 2:
        return f"it speaks of nothing later than {latest}, the filing is of {shown}"
    return None


def _year(key: str, value: Any) -> int:
    found = years_in(str(value)) if isinstance(value, (int, str)) else ()
    if isinstance(value, bool) or len(found) != 1:
        raise ValueError(f"{key!r} holds no year: {str(value)[:40]!r}")
    return found[0]
