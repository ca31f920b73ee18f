"""Which (table, column)s a statement reads, for the record of where an agent looked."""

from __future__ import annotations

import time

import pytest

from databases.schema import Column, Schema, Table
from tests.tools.support import ALL_FIELDS, COLUMNS
from tools.sql.access import LONGEST, UNPARSED, AccessLog


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
        "SELECT * LIKE 'd%' FROM visits",
        "SELECT COLUMNS(*) FROM visits",
        "SELECT v.* FROM visits v JOIN lab.results r ON true",
        "SELECT * FROM visits SEMI JOIN lab.results r ON true",
        "SELECT * FROM visits WHERE EXISTS (SELECT * FROM lab.results)",
        "WITH a AS (SELECT * FROM visits) SELECT count(*) FROM a",
        "UNPIVOT visits ON dose INTO NAME n VALUE v",
        "SELECT * FROM visits UNPIVOT (v FOR n IN (dose))",
        "SELECT * FROM visits PIVOT (sum(dose) FOR patient IN (1, 2))",
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
        "SELECT " + " + ".join(["id"] * 2000) + " FROM visits",
    ],
)
def test_what_cannot_be_followed_is_marked(sql: str) -> None:
    assert LOG.fields(sql) == (UNPARSED,)


def test_a_long_statement_is_followed_in_little_time() -> None:
    # Stars that were expanded node by node took two minutes here.
    wide = AccessLog(Schema(tables=(table("wide", *(f"c{i}" for i in range(60))),)))
    sql = " UNION ALL ".join(["SELECT * FROM wide"] * 600)
    started = time.process_time()
    assert len(wide.fields(sql)) == 60
    assert time.process_time() - started < 20


def test_nothing_is_said_on_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    LOG.fields("SHOW visits")
    LOG.fields("EXPLAIN PIVOT visits ON patient")
    assert capfd.readouterr() == ("", "")


def test_a_whole_row_is_every_column() -> None:
    assert LOG.fields("SELECT visits FROM visits") == ALL_FIELDS
    assert LOG.fields("SELECT v FROM visits v") == ALL_FIELDS


TWINS = AccessLog(
    Schema(tables=(table("t", "a", "b"), table("lab.t", "b", "c"), table("lab.sole", "x")))
)


@pytest.mark.parametrize(
    ("sql", "fields"),
    [
        ("SELECT b FROM t", ("t.b",)),
        ("SELECT b FROM lab.t", ("lab.t.b",)),
        ("SELECT * FROM t", ("t.a", "t.b")),
        ("SELECT * FROM lab.t", ("lab.t.b", "lab.t.c")),
        ("SELECT x FROM sole", ("lab.sole.x",)),
        ("SELECT x FROM db.lab.sole", ("lab.sole.x",)),
        ("SELECT x FROM other.sole", ()),
    ],
)
def test_tables_of_one_name_are_told_apart_by_their_schema(
    sql: str, fields: tuple[str, ...]
) -> None:
    assert TWINS.fields(sql) == fields


FACTS = AccessLog(
    Schema(tables=(table("facts", "entity", "Concept", "value"), table("other", "concept", "x"))),
    fact_columns={"Facts": "concept"},
)


@pytest.mark.parametrize(
    ("sql", "facts"),
    [
        ("SELECT value FROM facts WHERE concept = 'Revenue'", {"Revenue"}),
        ("SELECT value FROM facts WHERE 'Revenue' = Concept AND entity = 'Assets'", {"Revenue"}),
        (
            "SELECT value FROM facts f WHERE f.concept IN ('Revenue', 'Assets')",
            {"Revenue", "Assets"},
        ),
        ("SELECT value FROM facts WHERE concept = 'Revenue'::VARCHAR", {"Revenue"}),
        ("SELECT value FROM facts WHERE (concept) = ('Revenue')", {"Revenue"}),
        ("SELECT sum(value) FILTER (WHERE concept = 'Revenue') FROM facts", {"Revenue"}),
        ("SELECT CASE WHEN concept = 'Revenue' THEN value END FROM facts", {"Revenue"}),
        ("SELECT x.value FROM other o JOIN facts x ON x.concept = 'Revenue'", {"Revenue"}),
        (
            "WITH a AS (SELECT concept AS c, value FROM facts) SELECT * FROM a WHERE c = 'Revenue'",
            {"Revenue"},
        ),
        (
            "SELECT * FROM (SELECT c FROM (SELECT concept c FROM facts) a) b WHERE b.c IN ('A', 'B')",
            {"A", "B"},
        ),
        (
            "WITH a AS (SELECT concept c FROM facts UNION ALL SELECT concept FROM facts)"
            " SELECT * FROM a WHERE c = 'Revenue'",
            {"Revenue"},
        ),
        (
            "SELECT value FROM facts WHERE entity IN (SELECT 1 FROM facts WHERE concept = 'A')",
            {"A"},
        ),
        ("SELECT value FROM facts f WHERE EXISTS (SELECT 1 WHERE f.concept = 'A')", {"A"}),
        ("PIVOT facts ON concept IN ('A', 'B') USING sum(value)", {"A", "B"}),
        (
            "WITH a AS (SELECT * FROM facts), b AS (SELECT * FROM a)"
            " SELECT value FROM b WHERE concept = 'Revenue'",
            {"Revenue"},
        ),
        ("SELECT value FROM facts WHERE concept <> 'Revenue'", set()),
        ("SELECT value FROM facts WHERE concept NOT IN ('Revenue')", set()),
        ("SELECT value FROM facts WHERE NOT concept = 'Revenue'", set()),
        ("SELECT value FROM facts WHERE concept LIKE 'Rev%'", set()),
        ("SELECT value FROM facts WHERE entity = 'Revenue'", set()),
        ("SELECT x FROM other WHERE concept = 'Revenue'", set()),
        ("SELECT value FROM facts", set()),
    ],
)
def test_a_fact_that_is_asked_for_by_name_counts_as_a_field(sql: str, facts: set[str]) -> None:
    read = FACTS.fields(sql)
    assert {name for name in read if "=" in name} == {f"facts.Concept={fact}" for fact in facts}
    assert UNPARSED not in read
    if facts:
        assert "facts.Concept" in read


def test_a_recursive_query_over_facts_comes_to_an_end() -> None:
    sql = (
        "WITH RECURSIVE r(c) AS (SELECT concept FROM facts UNION ALL SELECT c FROM r WHERE c = 'A')"
        " SELECT * FROM r WHERE c = 'B'"
    )
    assert "facts.Concept" in FACTS.fields(sql)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres"])
def test_every_dialect_is_followed(dialect: str) -> None:
    log = AccessLog(
        Schema(tables=(table("visits", *COLUMNS), table("Patients", "patient", "Born"))),
        dialect=dialect,
    )
    assert log.fields("SELECT v.ID FROM Visits v WHERE dose > 1 LIMIT 5") == (
        "visits.dose",
        "visits.id",
    )
    assert log.fields('SELECT * FROM "visits"') == ALL_FIELDS
    assert log.fields('SELECT "Born" FROM "Patients"') == ("Patients.Born",)
    assert log.fields('SELECT * FROM "Patients" p') == ("Patients.Born", "Patients.patient")


def test_a_dialect_of_its_own_way_is_read_in_it() -> None:
    schema = Schema(tables=(table("visits", *COLUMNS),))
    sql = "SELECT (dose::text) || note FROM public.visits WHERE note ~* 'x' AND id = ANY(ARRAY[1])"
    assert AccessLog(schema, dialect="postgres").fields(sql) == (
        "visits.dose",
        "visits.id",
        "visits.note",
    )
    sql = "SELECT iif(dose > 1, `note`, [id]) FROM visits WHERE note GLOB '*x*'"
    assert AccessLog(schema, dialect="sqlite").fields(sql) == (
        "visits.dose",
        "visits.id",
        "visits.note",
    )


def test_a_dialect_that_sqlglot_does_not_know_marks_every_statement() -> None:
    log = AccessLog(Schema(tables=(table("visits", *COLUMNS),)), dialect="of_my_own")
    assert log.fields("SELECT id FROM visits") == (UNPARSED,)


def joined(count: int, how: str) -> str:
    return "SELECT * FROM visits v0 " + " ".join(how.format(i) for i in range(1, count + 1))


@pytest.mark.parametrize("how", ["NATURAL JOIN visits v{}", "JOIN visits v{} USING (id)"])
def test_a_statement_of_hundreds_of_joins_is_marked_at_once(how: str) -> None:
    began = time.monotonic()
    assert LOG.fields(joined(499, how)) == (UNPARSED,)
    assert time.monotonic() - began < 5


def test_joins_that_match_many_columns_by_name_are_marked_at_once() -> None:
    columns = [f"c{i}" for i in range(150)]
    log = AccessLog(Schema(tables=(table("visits", *columns),)))
    began = time.monotonic()
    assert log.fields(joined(20, "NATURAL JOIN visits v{}")) == (UNPARSED,)
    using = f"JOIN visits v{{}} USING ({', '.join(columns)})"
    assert log.fields(joined(15, using)) == (UNPARSED,)
    assert time.monotonic() - began < 5
    assert len(log.fields(joined(15, "JOIN visits v{} USING (c1)"))) == 150


def test_forty_joins_are_followed() -> None:
    assert LOG.fields(joined(40, "JOIN visits v{} USING (id)")) == ALL_FIELDS
    assert LOG.fields(joined(20, "NATURAL JOIN visits v{}")) == ALL_FIELDS
