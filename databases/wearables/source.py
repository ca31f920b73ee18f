"""Load the owners' daily features: raw ones of the whole day, checked cell by cell, under readable names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ScenarioError, UnknownNameError
from core.sql import literal, quote
from databases.wearables.features import Feature, known, named, raw_code, tables
from databases.wearables.files import FEATURES, Text, located, opened
from databases.wearables.people import Person
from databases.wearables.tables import create

if TYPE_CHECKING:
    import duckdb

_LINE = re.compile(r"Line: (\d+)")
_FIELDS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_LARGEST_INTEGER = 2**31 - 1


@dataclass(frozen=True)
class Part:
    """One study's file of one table."""

    study: Path
    text: Text
    codes: tuple[str, ...]
    """The raw features of the whole day, as the header names them."""


def chosen_tables(written: str) -> list[str]:
    """The tables that an option asks for ('steps, sleep'). Raises UnknownNameError for another."""
    names = [name.strip() for name in written.split(",") if name.strip()]
    for name in names:
        if name not in tables():
            raise UnknownNameError("table of features", name, tables())
    return [table for table in tables() if table in names] or list(tables())


def find_parts(studies: Sequence[Path], table: str, workspace: Path) -> list[Part]:
    """Each study's file of one table, its header read."""
    return [_part(study, table, workspace) for study in studies]


def _part(study: Path, table: str, workspace: Path) -> Part:
    file = tables()[table].file or table
    path = located(study, FEATURES, file)
    if path is None:
        others = ",".join(t for t in tables() if t != table)
        raise ScenarioError(
            f"{study / FEATURES} has neither {file}.csv nor {file}.csv.gz; to do without it: "
            f"--tables {others}"
        )
    text = opened(path, workspace)
    if "date" not in text.header:
        text.fail("is missing; the header names no such column", line=1, column="date")
    codes = tuple(code for name in text.header if (code := raw_code(name, table)))
    for feature in known(table):
        if feature.key and feature.code not in codes:
            text.fail("is missing; the header names no such column", line=1, column=feature.source)
    if not codes:
        text.fail(f"has no raw feature of the whole day ({tables()[table].prefix}:...:allday)")
    return Part(study, text, codes)


def features_of(table: str, parts: Sequence[Part]) -> tuple[Feature, ...]:
    """The columns that the studies' files have together: known ones first, in their own order."""
    order = {feature.code: place for place, feature in enumerate(known(table))}
    codes = list(dict.fromkeys(code for part in parts for code in part.codes))
    codes.sort(key=lambda code: order.get(code, len(order)))
    return named(table, codes)


def load(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    parts: Sequence[Part],
    features: Sequence[Feature],
) -> None:
    """Fill the temporary table loaded_<table> (study, pid, day and the features' columns)."""
    columns = ", ".join(f"{quote(f.column)} DOUBLE" for f in features)
    connection.execute(
        f"CREATE TEMP TABLE loaded_{table} (study VARCHAR, pid VARCHAR, day DATE, {columns})"
    )
    for part in parts:
        own = [feature for feature in features if feature.code in part.codes]
        _read(connection, part, own)
        _check(connection, part, own)
        shown = ", ".join(f"CAST({_cell(f)} AS DOUBLE) AS {quote(f.column)}" for f in own)
        filled = ", ".join(_cell(f) for f in own)
        connection.execute(
            f"INSERT INTO loaded_{table} BY NAME SELECT ? AS study, pid, CAST(date AS DATE) AS day, "
            f"{shown} FROM written WHERE coalesce({filled}) IS NOT NULL",
            [part.study.name],
        )
        connection.execute("DROP TABLE written")


def _cell(feature: Feature) -> str:
    return quote(feature.source)


def _read(connection: duckdb.DuckDBPyConnection, part: Part, features: Sequence[Feature]) -> None:
    """The temporary table `written`: the texts of the cells, and the line of each row."""
    import duckdb

    kinds = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in part.text.header)
    cells = ", ".join(_cell(f) for f in features)
    try:
        connection.execute(
            f"CREATE TEMP TABLE written AS SELECT row_number() OVER () + 1 AS line, pid, date, {cells} "
            f"FROM read_csv({literal(str(part.text.path))}, header = true, auto_detect = false, "
            f"columns = {{{kinds}}}, delim = ',', quote = '\"', escape = '\"', strict_mode = true)"
        )
    except duckdb.InvalidInputException as exc:
        said, line = str(exc), _LINE.search(str(exc))
        fields = _FIELDS.search(said)
        # The message quotes the line itself, which is nobody's to read in a log.
        why = f"has {fields[2]} fields, the header {fields[1]}" if fields else "is not sound CSV"
        part.text.fail(why, line=int(line[1]) if line else None)


def _check(connection: duckdb.DuckDBPyConnection, part: Part, features: Sequence[Feature]) -> None:
    """Raise ScenarioError with line and column at the first cell that is no date or no number."""
    tests = {"pid": "pid IS NULL", "date": "TRY_CAST(date AS DATE) IS NULL"}
    for feature in features:
        cell = _cell(feature)
        # DuckDB reads 'nan' and 'inf' as numbers; they are none that a mean survives.
        number = f"coalesce(isfinite(TRY_CAST({cell} AS DOUBLE)), false)"
        tests[feature.source] = f"({cell} IS NOT NULL AND NOT {number})"
    firsts = ", ".join(f"min(line) FILTER (WHERE {test})" for test in tests.values())
    found = connection.execute(f"SELECT {firsts} FROM written").fetchone() or ()
    faults = [(line, name) for line, name in zip(found, tests, strict=True) if line is not None]
    if faults:
        line, name = min(faults)
        wanted = {"pid": "a participant's id", "date": "a date (2018-04-13)"}.get(name, "a number")
        part.text.fail(f"is not {wanted}", line=line, column=name)
    twice = connection.execute(
        "SELECT min(line), max(line) FROM written GROUP BY pid, CAST(date AS DATE) "
        "HAVING count(*) > 1 ORDER BY 2 LIMIT 1"
    ).fetchone()
    if twice:
        said = f"is the same participant and day as line {twice[0]}; a day has one row"
        part.text.fail(said, line=twice[1])


def fill(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    features: Sequence[Feature],
    people: Mapping[tuple[str, str], Person],
) -> None:
    """Make the table from what was loaded, for the people given, by participant and day."""
    whole = [f for f in features if f.is_whole]
    fractional = []
    if whole:
        cells = ", ".join(
            f"bool_or({quote(f.column)} <> floor({quote(f.column)}) OR abs({quote(f.column)}) > "
            f"{_LARGEST_INTEGER})"
            for f in whole
        )
        told = connection.execute(f"SELECT {cells} FROM loaded_{table}").fetchone() or ()
        fractional = [f.column for f, broken in zip(whole, told, strict=True) if broken]
    create(connection, table, features, fractional)
    studies, pids, ids = zip(*((*key, person.id) for key, person in people.items()), strict=True)
    columns = ", ".join(f"l.{quote(f.column)}" for f in features)
    connection.execute(
        f"INSERT INTO {quote(table)} SELECT p.id, l.day, {columns} FROM loaded_{table} l JOIN "
        "(SELECT unnest(?) AS study, unnest(?) AS pid, unnest(?) AS id) p USING (study, pid) "
        "ORDER BY p.id, l.day",
        [list(studies), list(pids), list(ids)],
    )
