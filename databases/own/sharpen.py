"""Tell what a column of texts really holds: whole numbers, figures, dates in one form, true and false."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from core.sql import literal, quote

if TYPE_CHECKING:
    import duckdb

FORMATS: Final = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%d-%b-%Y")
"""Dates beside the ISO form, in the order in which they are tried."""
_NUMBER: Final = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?"


_FIRST: Final = 1_000
"""Rows in which a form must fit before all are looked at."""


class Form(NamedTuple):
    """What every cell of a column can be read as."""

    type: str
    format: str | None = None


def forms(connection: duckdb.DuckDBPyConnection, table: str, columns: list[str]) -> dict[str, Form]:
    """The narrowest form of each VARCHAR column. Every row is looked at: a guess from the first
    thousand would break the build at the first odd one; they only spare most of the tests."""
    found: dict[str, Form] = {}
    for column in columns:
        tests = _tests(quote(column))
        for place in (f"(SELECT {quote(column)} FROM {quote(table)} LIMIT {_FIRST})", quote(table)):
            tests = _fitting(connection, place, column, tests)
        found[column] = tests[0][0] if tests else Form("VARCHAR")
    return found


def _fitting(
    connection: duckdb.DuckDBPyConnection, place: str, column: str, tests: list[tuple[Form, str]]
) -> list[tuple[Form, str]]:
    """The forms that every cell there has; a column without a cell has none."""
    if not tests:
        return []
    counts = ", ".join(f"count(*) FILTER ({test})" for _, test in tests)
    row = connection.execute(f"SELECT count({quote(column)}), {counts} FROM {place}").fetchone()
    filled, *fits = row or (0,)
    if not filled:
        return tests if place.startswith("(") else []
    return [test for test, count in zip(tests, fits, strict=True) if count == filled]


def read_as(name: str, form: Form) -> str:
    """SQL that reads a text column in this form; NULL where a cell cannot be."""
    if form.format is not None:
        return f"CAST(try_strptime({name}, {literal(form.format)}) AS {form.type})"
    return f"TRY_CAST({name} AS {form.type})"


def _tests(name: str) -> list[tuple[Form, str]]:
    """Each form with the condition under which a cell has it; the first that all cells have is taken."""
    # What begins with a zero is a code, not a number: 007 and 7 may be two things.
    coded = f"regexp_matches({name}, '^[-+]?0[0-9]')"
    iso = f"regexp_full_match({name}, '\\d{{4}}-\\d{{2}}-\\d{{2}}')"
    moment = f"regexp_matches({name}, '^\\d{{4}}-\\d{{2}}-\\d{{2}}[ T]\\d{{2}}:\\d{{2}}')"
    whole = f"regexp_full_match({name}, '-?\\d{{1,18}}') AND NOT {coded}"
    tests = [
        (Form("BOOLEAN"), f"lower({name}) IN ('true', 'false')"),
        (Form("BIGINT"), whole),
        (Form("DOUBLE"), f"regexp_full_match({name}, '{_NUMBER}') AND NOT {coded}"),
        (Form("DATE"), f"{iso} AND TRY_CAST({name} AS DATE) IS NOT NULL"),
        (Form("TIMESTAMP"), f"({moment} OR {iso}) AND TRY_CAST({name} AS TIMESTAMP) IS NOT NULL"),
    ]
    others = [(Form("DATE", f), f"try_strptime({name}, '{f}') IS NOT NULL") for f in FORMATS]
    return tests + others
