"""Read the SEC's JSON: a company's facts of all its reports, and what it says of company and reports."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from core.errors import ScenarioError
from databases.filings.records import Company, Fact, Report, Source

_YEAR = range(340, 381)
"""Days of a fiscal year, those of 52 and 53 weeks included."""


@dataclass(frozen=True)
class Submissions:
    """What the SEC's list of a company's reports says."""

    company: Company
    reports: tuple[Report, ...]
    documents: Mapping[str, str]
    """Accession number to the file name of the report's main document."""


class _ShapeError(Exception):
    """Something has another shape than it should; the message begins with its key."""


def read_json(data: bytes, path: Path) -> Source | Submissions:
    """Company facts, or a list of submissions.

    Raises ScenarioError with the file and the line or key where it is neither, or is damaged.
    """
    try:
        # A Decimal is what the file says; a float would be near it.
        values = json.loads(data, parse_float=Decimal, parse_constant=_no_constant)
    except json.JSONDecodeError as exc:
        raise ScenarioError(f"{path}: line {exc.lineno}: is no JSON ({exc.msg})") from exc
    except (UnicodeDecodeError, RecursionError, ValueError) as exc:
        raise ScenarioError(f"{path}: is no JSON ({exc})") from exc
    try:
        whole = _object(values, "the whole")
        if "facts" in whole:
            return _company_facts(whole, path)
        if "filings" in whole:
            return _submissions(whole)
    except _ShapeError as exc:
        raise ScenarioError(f"{path}: key {exc}") from exc
    raise ScenarioError(
        f"{path}: has neither 'facts' (company facts) nor 'filings' (a list of submissions)"
    )


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of a report")


def _company_facts(whole: Mapping[str, Any], path: Path) -> Source:
    cik = _cik(whole.get("cik"), "'cik'")
    company = Company(cik, _text(whole.get("entityName"), "'entityName'"))
    source = Source(str(path), company, is_whole=True)
    told: dict[str, list[tuple[dict[str, Any], Fact]]] = defaultdict(list)
    for taxonomy, concepts in _object(whole["facts"], "'facts'").items():
        for name, concept in _object(concepts, f"'facts.{taxonomy}'").items():
            at = f"facts.{taxonomy}.{name}"
            about = _object(concept, f"'{at}'")
            label, description = about.get("label"), about.get("description")
            named = f"{taxonomy}:{name}"
            if label:
                source.labels[named] = (str(label), str(description) if description else None)
            for unit, rows in _object(about.get("units"), f"'{at}.units'").items():
                for place, row in enumerate(_list(rows, f"'{at}.units.{unit}'")):
                    where = f"'{at}.units.{unit}.{place}'"
                    entry = _object(row, where)
                    fact = _fact(named, unit, entry, where)
                    told[_text(entry.get("accn"), f"{where}: accn")].append((entry, fact))
    for accession, pairs in sorted(told.items()):
        report = _report(cik, accession, pairs)
        source.reports[report] = [fact for _, fact in pairs]
    if not source.reports:
        raise _ShapeError("'facts': holds no fact")
    return source


def _fact(concept: str, unit: str, entry: Mapping[str, Any], where: str) -> Fact:
    value = entry.get("val")
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _ShapeError(f"{where}: val is {value!r}, and no number")
    start = entry.get("start")
    return Fact(
        concept=concept,
        number=Decimal(value),
        unit=unit,
        start=None if start is None else _day(start, f"{where}: start"),
        end=_day(entry.get("end"), f"{where}: end"),
    )


def _report(cik: str, accession: str, pairs: list[tuple[dict[str, Any], Fact]]) -> Report:
    """The report that these facts stand in; its period ends with the last of its facts' periods.

    An instant may be later: the number of shares on the cover is that of a day after the period.
    """
    first = pairs[0][0]
    year, filed = first.get("fy"), first.get("filed")
    lasting = [fact.end for _, fact in pairs if fact.start]
    form = str(first.get("form") or "unknown")
    whole_years = [
        fact.end for _, fact in pairs if fact.start and (fact.end - fact.start).days in _YEAR
    ]
    ends = (whole_years if form.startswith("10-K") else lasting) or lasting
    return Report(
        cik=cik,
        form=form,
        period_end=max(ends or [fact.end for _, fact in pairs]),
        fiscal_year=year if isinstance(year, int) else None,
        fiscal_period=first.get("fp") if isinstance(first.get("fp"), str) else None,
        filed_on=_day(filed, f"accession {accession}: filed") if filed else None,
        accession=accession,
    )


def _submissions(whole: Mapping[str, Any]) -> Submissions:
    cik = _cik(whole.get("cik"), "'cik'")
    recent = _object(_object(whole["filings"], "'filings'").get("recent"), "'filings.recent'")
    names = ("accessionNumber", "form", "reportDate", "filingDate", "primaryDocument")
    columns = [_list(recent.get(name), f"'filings.recent.{name}'") for name in names]
    if len({len(column) for column in columns}) > 1:
        raise _ShapeError("'filings.recent': its lists differ in length")
    reports, documents = [], {}
    for accession, form, about, filed, document in zip(*columns, strict=True):
        if not str(form).startswith(("10-K", "10-Q")) or not about:
            continue
        where = f"'filings.recent': {accession}"
        reports.append(
            Report(
                cik=cik,
                form=str(form),
                period_end=_day(about, where),
                filed_on=_day(filed, where),
                accession=str(accession),
            )
        )
        documents[str(accession)] = str(document)
    end = str(whole.get("fiscalYearEnd") or "")
    company = Company(
        cik=cik,
        name=_text(whole.get("name"), "'name'"),
        fiscal_year_end=f"{end[:2]}-{end[2:]}" if len(end) == 4 else None,
        sic=whole.get("sic") or None,
        industry=whole.get("sicDescription") or None,
        state=whole.get("stateOfIncorporation") or None,
        category=whole.get("category") or None,
        exchange=_first(whole.get("exchanges")),
        ticker=_first(whole.get("tickers")),
    )
    return Submissions(company, tuple(reports), documents)


def _first(value: object) -> str | None:
    return str(value[0]) if isinstance(value, list) and value and value[0] else None


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _ShapeError(f"{where}: is {_kind(value)}, and should be an object")
    return value


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _ShapeError(f"{where}: is {_kind(value)}, and should be a list")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _ShapeError(f"{where}: is {_kind(value)}, and should be a text")
    return value


def _cik(value: object, where: str) -> str:
    said = str(value).lstrip("0")
    if not said.isdecimal() or len(said) > 10:
        raise _ShapeError(f"{where}: {value!r} is no CIK")
    return said


def _day(value: object, where: str) -> dt.date:
    try:
        return dt.date.fromisoformat(str(value))
    except ValueError as exc:
        raise _ShapeError(f"{where}: {value!r} is no date") from exc


def _kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", type(None): "missing"}
    return kinds.get(type(value), f"a {type(value).__name__}")
