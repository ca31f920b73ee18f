"""Take facts from the benchmark's own SQLite file: converted to the five tables, or the file served unchanged."""

from __future__ import annotations

import datetime as dt
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import ScenarioError, UsageError
from core.scenario import Entity
from core.sql import quote
from databases.builder import Built
from databases.filings.layout import (
    ROLES,
    Layout,
    find_companies,
    find_layout,
    tables_of,
)
from databases.filings.reading import files_in, is_sqlite
from databases.filings.records import STANDARD, Company, Fact, Report, Source
from databases.sqlite_file import open_sqlite

if TYPE_CHECKING:
    import duckdb

    from databases.builder import BuildContext

_PREFIXED = tuple(f"{prefix}_" for prefix in STANDARD)


def serve(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    """Hand the file on as it is, with the companies that its table of companies lists.

    Raises UsageError where `--from` names no SQLite file, ScenarioError where it lists no company.
    """
    del connection  # the file is served by SQLite
    path = _the_file(Path(str(context.options["from"])))
    context.refuse_full_disk(2 * path.stat().st_size // 1_000_000)
    context.progress(f"copying {path.name}", 0.1)
    copy = context.workspace / "official.sqlite3"
    shutil.copyfile(path, copy)
    with _opened(copy) as found:
        tables = tables_of(found)
        companies = find_companies(tables)
        if companies is None:
            raise ScenarioError(f"{path}: none of its tables has a column cik: {_listed(tables)}")
        table, cik, name = companies
        shown = quote(name) if name else quote(cik)
        rows = found.execute(
            f"SELECT DISTINCT {quote(cik)}, {shown} FROM {quote(table)} "
            f"WHERE {quote(cik)} IS NOT NULL"
        ).fetchall()
    listed = {str(number): str(label) for number, label in rows}
    entities = [
        Entity(scenario_id="filings", id=number, label=label)
        for number, label in sorted(listed.items(), key=lambda pair: (len(pair[0]), pair[0]))
    ]
    return Built(file=copy, entities=entities)


def sources(path: Path) -> Iterator[Source]:
    """The file's facts, company by company.

    Raises ScenarioError with the file's tables where it cannot be told which hold the facts.
    """
    with _opened(path) as connection:
        tables = tables_of(connection)
        layout = find_layout(tables)
        if layout is None:
            raise ScenarioError(
                f"{path}: cannot tell which columns hold company, fact and value among "
                f"{_listed(tables)}; serve the file as it is: --as-is"
            )
        if "end" not in layout.columns and "year" not in layout.columns:
            raise ScenarioError(
                f"{path}: table {layout.facts} says of no fact when it was; use --as-is"
            )
        yield from _companies(connection, layout, path)


def _companies(connection: sqlite3.Connection, layout: Layout, path: Path) -> Iterator[Source]:
    cik = layout.columns["cik"]
    numbers = connection.execute(
        f"SELECT DISTINCT {cik} FROM {layout.joins} WHERE {cik} IS NOT NULL ORDER BY 1"
    ).fetchall()
    roles = [role for role in ROLES if role in layout.columns]
    shown = ", ".join(layout.columns[role] for role in roles)
    for (number,) in numbers:
        rows = connection.execute(f"SELECT {shown} FROM {layout.joins} WHERE {cik} = ?", [number])
        told = [dict(zip(roles, row, strict=True)) for row in rows]
        yield _source(str(number), told, path)


def _source(number: str, rows: list[dict[str, Any]], path: Path) -> Source:
    cik = number.strip().lstrip("0")
    if not cik.isdecimal():
        raise ScenarioError(f"{path}: {number!r} is no CIK; use --as-is")
    label = next((str(row["name"]) for row in rows if row.get("name")), cik)
    source = Source(str(path), Company(cik, label), is_whole=True)
    grouped: dict[tuple[Any, ...], list[tuple[dict[str, Any], Fact]]] = defaultdict(list)
    for place, row in enumerate(rows, 1):
        try:
            fact = _fact(row)
        except ValueError as exc:
            raise ScenarioError(f"{path}: company {cik}, fact {place}: {exc}; use --as-is") from exc
        grouped[tuple(row.get(k) for k in ("accession", "form", "year", "part"))].append(
            (row, fact)
        )
    for pairs in grouped.values():
        report = _report(cik, pairs)
        source.reports.setdefault(report, []).extend(fact for _, fact in pairs)
    return source


def _fact(row: Mapping[str, Any]) -> Fact:
    name, taxonomy = str(row["concept"]), row.get("taxonomy")
    if ":" not in name:
        known = next((p for p in _PREFIXED if name.startswith(p)), "")
        name = f"{taxonomy or known.rstrip('_') or 'us-gaap'}:{name.removeprefix(known)}"
    number, text = _value(row["value"])
    end, year = row.get("end"), row.get("year")
    if not end and not year:
        raise ValueError(f"{name} has neither an end nor a year")
    decimals = str(row.get("decimals") or "")
    return Fact(
        concept=name,
        number=number,
        text=text,
        unit=None if text is not None else str(row.get("unit") or "") or None,
        start=_day(row["start"]) if row.get("start") else None,
        end=_day(end) if end else dt.date(int(str(year)), 12, 31),
        decimals=int(decimals) if decimals.lstrip("-").isdecimal() else None,
    )


def _value(value: object) -> tuple[Decimal | None, str | None]:
    if value is None:
        return None, None
    try:
        number = Decimal(str(value).replace(",", ""))
    except InvalidOperation:
        return None, str(value)
    return (number, None) if number.is_finite() else (None, str(value))


def _report(cik: str, pairs: list[tuple[dict[str, Any], Fact]]) -> Report:
    first = pairs[0][0]
    year = str(first.get("year") or "")
    lasting = [fact.end for _, fact in pairs if fact.start]
    return Report(
        cik=cik,
        form=str(first.get("form") or "10-K"),
        period_end=max(lasting or [fact.end for _, fact in pairs]),
        fiscal_year=int(year) if year.isdecimal() else None,
        fiscal_period=str(first["part"]) if first.get("part") else None,
        filed_on=_day(first["filed"]) if first.get("filed") else None,
        accession=str(first["accession"]) if first.get("accession") else None,
    )


def _day(value: object) -> dt.date:
    said = str(value)[:10]
    return dt.date.fromisoformat(said if "-" in said else said[:8])


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Read-only, and taken as nobody else's: no file is written beside it."""
    try:
        with closing(open_sqlite(path, alone=True)) as connection:
            yield connection
    except sqlite3.Error as exc:
        raise ScenarioError(f"{path}: is no sound SQLite file ({exc})") from exc


def _the_file(place: Path) -> Path:
    found = [path for path in files_in(place) if is_sqlite(path)]
    if len(found) != 1:
        raise UsageError(
            f"--as-is serves one SQLite file, and {place} holds {len(found) or 'none'}; "
            "name the file itself: --from FILE"
        )
    return found[0]


def _listed(tables: Mapping[str, Mapping[str, str]]) -> str:
    return "; ".join(f"{name} ({', '.join(columns.values())})" for name, columns in tables.items())
