"""Make rows of facts and dimensions out of the books, a block of companies at a time, in order."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from databases.draws import Draws, Whole
from databases.filings.synthetic_books import Book, parted
from databases.filings.synthetic_concepts import ALWAYS_TOLD, CONCEPTS
from databases.filings.synthetic_state import MODELS, REGIONS, SEGMENTS, YEARS, Companies

_BLOCK: Final = 400_000
"""Facts that are made at once, about."""
FIRST_REGION: Final = 1 + len(MODELS) * SEGMENTS
FIRST_LINE: Final = FIRST_REGION + REGIONS
"""Codes of members: 0 = none, then the segments of each model, the regions, the product lines."""
Columns = dict[str, NDArray[Any]]

_NAMES: Final = tuple(CONCEPTS)
_RANK: Final = {
    name: place for place, name in enumerate(sorted(_NAMES, key=lambda n: CONCEPTS[n].name))
}


@dataclass(frozen=True)
class _Piece:
    """Facts of one concept: company, year, quarter (0 = all four) and members, each by its number."""

    concept: str
    company: Whole
    year: Whole
    quarter: Whole
    value: Whole
    member: Whole
    other: Whole


class Writer:
    """Turns the books into columns of the tables facts and dimensions."""

    def __init__(self, companies: Companies, book: Book) -> None:
        self._companies, self._book = companies, book
        self._draws = Draws(f"{companies.plan.seed}|parts")
        self._lines = int(companies.lines.max())

    def blocks(self) -> Iterator[Columns]:
        """The facts, sorted by company, concept and period; member codes 0 where not narrowed."""
        plan, number = self._companies.plan, 1
        cells = YEARS * 5 * self._lines * (1 + plan.crossed * REGIONS)
        step = max(1, _BLOCK // (900 + cells))
        for start in range(0, self._companies.count, step):
            stop = min(start + step, self._companies.count)
            columns = self._sorted(list(self._pieces(np.arange(start, stop))))
            columns["fact"] = number + np.arange(len(columns["company"]))
            number += len(columns["company"])
            yield columns

    def _pieces(self, who: Whole) -> Iterator[_Piece]:
        for name in _NAMES:
            yield self._plain(name, who)
        yield from self._by_quarter(who)
        yield from self._by_segment(who)
        yield from self._by_line_and_region(who)

    def _plain(self, name: str, who: Whole) -> _Piece:
        """Of each year, about the whole company."""
        if name == "policy":  # a text, which is filled in later
            return _piece(name, who, np.zeros((len(who), YEARS), dtype=np.int64))
        if name == "eps":
            # Hundredths of a dollar: both are in the same unit.
            net, shares = self._book["net"][who], self._book["shares"][who]
            return _piece(name, who, np.rint(net * 100 / shares).astype(np.int64))
        return _piece(name, who, self._book[name][who], told=name in ALWAYS_TOLD)

    def _by_quarter(self, who: Whole) -> Iterator[_Piece]:
        quarters = {
            name: parted(self._book[name][who], self._seasons(who))
            for name in _NAMES
            if CONCEPTS[name].quarterly
        }
        has_cost = ~self._companies.is_bank[who]
        gross = quarters["revenue"] - quarters["cost"]
        quarters["gross"] = np.where(has_cost[:, None, None], gross, 0)
        for name, values in quarters.items():
            yield _piece(name, who, values, quarter=1, told=name in ALWAYS_TOLD)

    def _by_segment(self, who: Whole) -> Iterator[_Piece]:
        companies = self._companies
        cells = (who[:, None] * SEGMENTS + np.arange(SEGMENTS))[:, None, :]
        weights = np.repeat(self._draws.between("segment", cells, 2500, 10_000), YEARS, axis=1)
        rises = np.arange(SEGMENTS) == companies.rising_segment[who][:, None]
        gained = companies.rise_pm[who][:, None, None] * np.arange(YEARS)[:, None]
        weights = weights * np.where(rises[:, None, :], 1000 + gained, 1000)
        member = 1 + companies.model[who][:, None] * SEGMENTS + np.arange(SEGMENTS)
        has = np.arange(SEGMENTS) < companies.segments[who][:, None]
        weights = weights * has[:, None, :]
        for name in ("revenue", "operating"):
            values = parted(self._book[name][who], weights)
            yield _piece(name, who, values, member=member[:, None, :], told=False)

    def _by_line_and_region(self, who: Whole) -> Iterator[_Piece]:
        """Lines by year and quarter; where regions are crossed with them, both sum to the total."""
        lines, places = self._lines, self._places(who)
        cells = ((who[:, None] * YEARS + np.arange(YEARS))[..., None] * 4 + np.arange(4))[..., None]
        usual = self._draws.between("line", who[:, None] * lines + np.arange(lines), 10, 100)
        usual = usual * (np.arange(lines) < self._companies.lines[who][:, None])
        noise = self._draws.between("line noise", cells * lines + np.arange(lines), 90, 110)
        quarterly = parted(self._book["revenue"][who], self._seasons(who))
        by_line = parted(quarterly, usual[:, None, None, :] * noise)
        member = FIRST_LINE + np.arange(lines)
        yield _piece("revenue", who, by_line, quarter=1, member=member, told=False)
        yield _piece("revenue", who, by_line.sum(axis=2), member=member, told=False)
        by_region = parted(self._book["revenue"][who], places)
        region = FIRST_REGION + np.arange(REGIONS)
        if self._companies.plan.crossed:
            crossed = parted(by_line, np.broadcast_to(
                places[:, :, None, None, :], (*by_line.shape, REGIONS)))  # fmt: skip
            yield _piece(
                "revenue", who, crossed, quarter=1, member=member[:, None], other=region, told=False
            )
            whole = crossed.sum(axis=2)
            yield _piece("revenue", who, whole, member=member[:, None], other=region, told=False)
            by_region = whole.sum(axis=2)
        yield _piece("revenue", who, by_region, member=region, told=False)
        yield _piece(
            "plant", who, parted(self._book["plant"][who], places), member=region, told=False
        )

    def _seasons(self, who: Whole) -> Whole:
        seasons = np.array([model.season for model in MODELS])[self._companies.model[who]]
        cells = (who[:, None] * YEARS + np.arange(YEARS))[..., None] * 4 + np.arange(4)
        return seasons[:, None, :] * 100 + self._draws.between("season", cells, -60, 60)

    def _places(self, who: Whole) -> Whole:
        """Weights of the regions: the first is home."""
        cells = (who[:, None] * REGIONS + np.arange(REGIONS))[:, None, :]
        weights = np.repeat(self._draws.between("region", cells, 100, 1000), YEARS, axis=1)
        weights *= (np.arange(REGIONS) < self._companies.regions[who][:, None])[:, None, :]
        home = self._companies.home_pm[who][:, None]
        weights[:, :, 0] = weights[:, :, 1:].sum(axis=2) * home // (1000 - home)
        return weights

    def _sorted(self, pieces: list[_Piece]) -> Columns:
        concept = np.concatenate([np.full(len(p.value), _RANK[p.concept]) for p in pieces])
        place = np.concatenate([np.full(len(p.value), _NAMES.index(p.concept)) for p in pieces])
        columns = {
            name: np.concatenate([getattr(piece, name) for piece in pieces])
            for name in ("company", "year", "quarter", "member", "other", "value")
        }
        columns["concept"] = place
        is_told = columns["year"] >= self._companies.first_told[columns["company"]]
        columns = {name: values[is_told] for name, values in columns.items()}
        concept = concept[is_told]
        key, members = columns["company"] * len(_RANK) + concept, self._members
        for name, size in (
            ("year", YEARS),
            ("quarter", 5),
            ("member", members),
            ("other", members),
        ):
            key = key * size + columns[name]
        order = np.argsort(key, kind="stable")
        return {name: values[order] for name, values in columns.items()}

    @property
    def _members(self) -> int:
        return FIRST_LINE + self._lines

    @cached_property
    def periods(self) -> list[list[tuple[dt.date, dt.date]]]:
        """First and last day by month of the year's end (from 1) * YEARS + year, then by quarter."""
        first = self._companies.first_year
        return [
            [_period(first + year, month, quarter) for quarter in range(5)]
            for month in range(13)
            for year in range(YEARS)
        ]


def _period(year: int, last_month: int, quarter: int) -> tuple[dt.date, dt.date]:
    """Of a fiscal year that ends with that month of that calendar year; 0 = all of it."""
    end = year * 12 + max(last_month, 1) - 1 - (3 * (4 - quarter) if quarter else 0)
    start = end - (2 if quarter else 11)
    last = calendar.monthrange(end // 12, end % 12 + 1)[1]
    return dt.date(start // 12, start % 12 + 1, 1), dt.date(end // 12, end % 12 + 1, last)


def _piece(
    concept: str,
    who: Whole,
    values: Whole,
    *,
    quarter: int | None = None,
    member: Any = 0,
    other: Any = 0,
    told: bool = True,
) -> _Piece:
    """Values by company, year, quarter if `quarter` is the first, and members, as one row each."""
    shape = values.shape
    spread = [1] * len(shape)

    def along(axis: int, numbers: Whole) -> Whole:
        sizes = list(spread)
        sizes[axis] = len(numbers)
        laid: Whole = np.broadcast_to(numbers.reshape(sizes), shape).ravel()
        return laid

    piece = _Piece(
        concept=concept,
        company=along(0, who),
        year=along(1, np.arange(YEARS)),
        quarter=along(2, quarter + np.arange(4)) if quarter else np.zeros(values.size, np.int64),
        value=values.ravel(),
        member=np.broadcast_to(np.asarray(member, dtype=np.int64), shape).ravel(),
        other=np.broadcast_to(np.asarray(other, dtype=np.int64), shape).ravel(),
    )
    if told:
        return piece
    # Nothing of the kind is not reported as 0: the line is not there.
    kept = piece.value != 0
    names = ("company", "year", "quarter", "value", "member", "other")
    return _Piece(concept, *(getattr(piece, name)[kept] for name in names))
