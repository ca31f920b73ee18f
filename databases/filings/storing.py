"""Put what was read into the five tables: facts in bulk, duplicates once, restated values beside the first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from databases.filings.builder import create_tables
from databases.filings.fiscal import calendar
from databases.filings.records import EXACT, Company, Fact, Report, words_of

if TYPE_CHECKING:
    import duckdb

PAIR, MEMBER = "\x1e", "\x1f"
"""What stands between dimensions, and between axis and member, until they are rows."""
_RAW = (
    "cik VARCHAR, filing VARCHAR, concept VARCHAR, starts DATE, ends DATE, number DOUBLE, "
    "said VARCHAR, unit VARCHAR, decimals INTEGER, dims VARCHAR, precise INTEGER, place BIGINT"
)


class Store:
    """Takes facts as they are read; `finish` makes the tables of them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._place = 0
        # Temporary, so that what is left out or renamed never stands in the file.
        connection.execute(f"CREATE TEMP TABLE raw_facts ({_RAW})")

    def add(self, reports: Mapping[Report, Iterable[Fact]]) -> None:
        """Keep the facts of some reports."""
        rows = [self._row(report, fact) for report, facts in reports.items() for fact in facts]
        self._insert("raw_facts", rows)

    def finish(
        self,
        companies: Mapping[str, Company],
        reports: Mapping[str, Report],
        labels: Mapping[str, tuple[str, str | None]],
    ) -> None:
        """Make the tables. `companies` by CIK, `reports` by key; labels of some concepts."""
        run = self._connection.execute
        create_tables(self._connection)
        run("CREATE TEMP TABLE raw_reports AS SELECT ''::VARCHAR AS key, * FROM filings")
        self._insert(
            "companies",
            [_company_row(company) for _, company in sorted(companies.items(), key=_by_number)],
        )
        listed = sorted(reports.values(), key=lambda r: (len(r.cik), r.cik, r.period_end, r.form))
        self._insert("raw_reports", [(report.key, *_report_row(report)) for report in listed])
        run("INSERT INTO filings SELECT * EXCLUDE (key) FROM raw_reports")
        self._periods(companies, listed)
        self._labels(labels)
        script = resources.files(__package__).joinpath("fill.sql").read_text(encoding="utf-8")
        run(f"SET VARIABLE exact = {EXACT}")
        run(script)

    def _row(self, report: Report, fact: Fact) -> tuple[Any, ...]:
        self._place += 1
        dims = PAIR.join(f"{axis}{MEMBER}{member}" for axis, member in fact.dimensions)
        number = None if fact.number is None else float(fact.number)
        return (
            *(report.cik, report.key, fact.concept, fact.start, fact.end, number, fact.text),
            *(fact.unit, fact.decimals, dims, _precision(fact), self._place),
        )

    def _insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        if not rows:
            return
        # One statement with a list per column: row by row takes seconds.
        columns = [list(column) for column in zip(*rows, strict=True)]
        shown = ", ".join("unnest(?)" for _ in columns)
        self._connection.execute(f"INSERT INTO {table} SELECT {shown}", columns)

    def _periods(self, companies: Mapping[str, Company], reports: Sequence[Report]) -> None:
        run = self._connection.execute
        run(
            "CREATE TEMP TABLE periods (cik VARCHAR, starts DATE, ends DATE, year INTEGER, part VARCHAR)"
        )
        calendars = {
            cik: calendar(company, [r for r in reports if r.cik == cik])
            for cik, company in companies.items()
        }
        rows = []
        for cik, start, end in run("SELECT DISTINCT cik, starts, ends FROM raw_facts").fetchall():
            if known := calendars[cik]:
                rows.append((cik, start, end, known.year_of(end), known.part_of(start, end)))
        self._insert("periods", rows)

    def _labels(self, labels: Mapping[str, tuple[str, str | None]]) -> None:
        run = self._connection.execute
        run("CREATE TEMP TABLE labels (concept VARCHAR, label VARCHAR, description VARCHAR)")
        used = run("SELECT DISTINCT concept FROM raw_facts ORDER BY concept").fetchall()
        self._insert(
            "labels",
            [(name, *labels.get(name, (words_of(name), None))) for (name,) in used],
        )


def merged(known: Report | None, told: Report) -> Report:
    """One report that two sources tell of: what the first leaves open is the second's."""
    if known is None:
        return told
    open_ = {
        name: getattr(told, name)
        for name in ("fiscal_year", "fiscal_period", "filed_on", "accession")
        if getattr(known, name) is None
    }
    return replace(known, **open_)


def _precision(fact: Fact) -> int:
    """To which place a number is told: by its decimals, or else by the zeros at its end."""
    if fact.decimals is not None:
        return fact.decimals
    if not fact.number:
        return 0
    exponent = fact.number.normalize().as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _company_row(company: Company) -> tuple[Any, ...]:
    return (
        *(company.cik, company.name, company.fiscal_year_end, company.sic, company.industry),
        *(company.state, company.category, company.exchange, company.ticker),
    )


def _report_row(report: Report) -> tuple[Any, ...]:
    return (
        *(report.key, report.cik, report.form, report.fiscal_year, report.fiscal_period),
        *(report.period_end, report.filed_on, report.accession),
    )


def _by_number(pair: tuple[str, Company]) -> tuple[int, str]:
    return len(pair[0]), pair[0]
