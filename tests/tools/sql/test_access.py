"""Which (table, column)s a statement reads, for the record of where an agent looked."""

from __future__ import annotations

import pytest

from databases.schema import Column, Schema, Table
from tests.tools.support import ALL_FIELDS, COLUMNS
from tools.sql.access import LONGEST, UNPARSED, AccessLog, pivot_names


def table(name: str, *columns: str) -> Table:
    return Table(
        name=name,
        row_count=1,
        columns=tuple(Column(name=c, type="INTEGER", nullable=True) for c in columns),
    )


LOG = AccessLog(
    Schema(
        tables=(
            table("visits", *COLUMNS),
            table("Patients", "patient", "Born", "sex"),
            table("lab.results", "visit_id", "value"),
        )
    )
)


@pytest.mark.parametrize(
    ("sql", "fields"),
    [
        ("SELECT 1", ()),
        ("SELECT count(*) FROM visits", ()),
        ("SELECT id FROM visits", ("visits.id",)),
        ("SELECT ID FROM VISITS", ("visits.id",)),
        ("SELECT id AS dose FROM visits", ("visits.id",)),
        ("SELECT v.id FROM visits AS v WHERE v.dose > 1", ("visits.dose", "visits.id")),
        ("FROM visits SELECT id WHERE dose > 1", ("visits.dose", "visits.id")),
        ("SELECT avg(dose) FROM main.visits GROUP BY patient", ("visits.dose", "visits.patient")),
        (
            "SELECT id FROM visits QUALIFY row_number() OVER (ORDER BY created_at) = 1",
            ("visits.created_at", "visits.id"),
        ),
        (
            "SELECT v.id, p.born FROM visits v JOIN patients p USING (patient)",
            ("Patients.Born", "Patients.patient", "visits.id", "visits.patient"),
        ),
        ("SELECT sex, dose FROM visits, patients", ("Patients.sex", "visits.dose")),
        (
            "SELECT id FROM visits WHERE patient IN (SELECT patient FROM patients WHERE sex = 1)",
            ("Patients.patient", "Patients.sex", "visits.id", "visits.patient"),
        ),
        (
            "SELECT (SELECT max(value) FROM lab.results r WHERE r.visit_id = v.id) FROM visits v",
            ("lab.results.value", "lab.results.visit_id", "visits.id"),
        ),
        (
            "WITH m AS (SELECT patient, avg(dose) d FROM visits GROUP BY 1) SELECT d FROM m",
            ("visits.dose", "visits.patient"),
        ),
        (
            "SELECT id FROM visits UNION ALL SELECT born FROM patients",
            ("Patients.Born", "visits.id"),
        ),
        (
            "WITH RECURSIVE c(x) AS (SELECT id FROM visits UNION ALL SELECT x + 1 FROM c) FROM c",
            ("visits.id",),
        ),
        ("WITH visits AS (SELECT 1 AS note) SELECT note FROM visits", ()),
        ("SELECT list_transform([1], lambda x: x + dose) FROM visits", ("visits.dose",)),
        ("SUMMARIZE SELECT dose FROM visits", ("visits.dose",)),
        ("SELECT note FROM not_there", ()),
        ("DESCRIBE visits", ()),
        ("SHOW TABLES", ()),
        ("SHOW visits", ()),
        ("VALUES (1)", ()),
    ],
)
def test_the_fields_of_a_statement(sql: str, fields: tuple[str, ...]) -> None:
    assert LOG.fields(sql) == fields


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM visits",
        "FROM visits",
        "TABLE visits",
        "SELECT x.* FROM (SELECT * FROM visits) x",
        "SELECT COLUMNS('d.*') FROM visits",
        "SUMMARIZE visits",
        "PIVOT visits ON patient USING sum(dose)",
        "SELECT * FROM (PIVOT visits ON patient)",
    ],
)
def test_a_star_stands_for_every_column(sql: str) -> None:
    assert LOG.fields(sql) == ALL_FIELDS


def test_a_star_leaves_out_what_it_excludes() -> None:
    assert set(ALL_FIELDS) - set(LOG.fields("SELECT * EXCLUDE (note) FROM visits")) == {
        "visits.note"
    }


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT (((",
        "this is no SQL",
        "SELECT " + "(" * 500 + "1" + ")" * 500,
        "-- " + "x" * LONGEST,
    ],
)
def test_what_cannot_be_followed_is_marked(sql: str) -> None:
    assert LOG.fields(sql) == (UNPARSED,)


def test_nothing_is_said_on_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    LOG.fields("SHOW visits")
    pivot_names("CREATE TEMP TABLE x AS PIVOT visits ON patient")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "sql",
    [
        "PIVOT visits ON patient USING sum(dose)",
        "SELECT * FROM (PIVOT visits ON patient USING sum(dose))",
        "WITH p AS (PIVOT visits ON patient USING sum(dose)) SELECT * FROM p",
    ],
)
def test_a_reading_pivot_shows_its_functions_and_tables(sql: str) -> None:
    found = pivot_names(sql)
    assert found is not None
    functions, tables, in_from = found
    assert "SUM" in functions
    assert in_from == ()
    assert "visits" in tables


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TEMP TABLE x AS PIVOT visits ON patient USING sum(dose)",
        "INSERT INTO visits PIVOT visits ON patient USING sum(dose)",
        "WITH x AS (SELECT 1) INSERT INTO visits PIVOT visits ON patient",
        "WITH x AS (DELETE FROM visits RETURNING *) SELECT * FROM (PIVOT visits ON patient)",
        "SELECT 1",
        "PIVOT visits ON patient; PIVOT visits ON patient",
        "PIVOT ((",
    ],
)
def test_anything_else_around_a_pivot_is_not_one(sql: str) -> None:
    assert pivot_names(sql) is None


def test_functions_inside_a_pivot_are_seen() -> None:
    found = pivot_names("PIVOT (SELECT getenv('x') a, id FROM read_text('y')) ON a")
    assert found is not None
    assert {"getenv", "read_text"} <= set(found[0])


def test_a_function_in_from_and_a_setting_inside_a_pivot_are_told_apart() -> None:
    found = pivot_names("PIVOT (SELECT histogram(id) a FROM histogram(t, x)) ON a")
    assert found is not None
    assert found[2] == ("histogram",)
    assert pivot_names("PIVOT (SHOW threads) ON threads") is None
