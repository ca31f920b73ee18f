"""PostgreSQL's gate: what reads runs, and nothing reaches the server, other sessions or SQL in strings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ToolError
from tools.sql.pg.gate import Function, Gate, explained_by, is_explain

FUNCTIONS = [
    Function("lower", in_catalog=True, is_volatile=False),
    Function("generate_series", in_catalog=True, is_volatile=False),
    Function("random", in_catalog=True, is_volatile=True),
    Function("nextval", in_catalog=True, is_volatile=True),
    Function("a_later_one", in_catalog=True, is_volatile=True),
    Function("pg_typeof", in_catalog=True, is_volatile=False),
    Function("lower", in_catalog=False, is_volatile=True),
    Function("owners_volatile", in_catalog=False, is_volatile=True),
    Function("owners_stable", in_catalog=False, is_volatile=False),
    Function("as_owner", in_catalog=False, is_volatile=False, as_owner=True),
]
COLUMNS = {"id", "note", "dose", "created_at", "nextval", "pg_score", "user_mappings"}


@pytest.fixture(scope="module")
def gate() -> Gate:
    return Gate(FUNCTIONS, COLUMNS)


def refusal(gate: Gate, sql: str, kind: str = "refused") -> ToolError:
    with pytest.raises(ToolError) as caught:
        gate.admit(sql)
    assert caught.value.kind == kind, str(caught.value)
    return caught.value


READING = [
    "SELECT 1",
    "SELECT 1;",
    "SELECT 1 ; ; -- done",
    "SELECT created_at, last_updated FROM visits",
    "SELECT replace(note, 'a', 'b') FROM visits WHERE note LIKE '%dropped out%'",
    "SELECT id FROM visits WHERE note = 'delete; update' -- all rows",
    "VALUES (1)",
    "TABLE visits",
    "(SELECT 1) UNION ALL (SELECT 2)",
    "WITH m AS MATERIALIZED (SELECT 1 AS a) SELECT * FROM m",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9) SELECT * FROM c",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY dose) FROM visits",
    "SELECT lower(note), LOWER(note), pg_catalog.lower(note), random() FROM visits",
    "SELECT owners_stable(1), pg_typeof(1)",
    "SELECT nextval, v.nextval, pg_score FROM visits v",
    "SELECT 'pg_sleep(1)', $$ pg_sleep(1) $$, E'\\'; pg_sleep(1)' -- pg_sleep(1)\n/* pg_sleep(1) */",
    "SELECT relname FROM pg_class JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace",
    "SELECT table_name FROM information_schema.tables",
    "SELECT * FROM visits TABLESAMPLE SYSTEM (10)",
    "EXPLAIN SELECT 1",
    "EXPLAIN ANALYZE VERBOSE SELECT 1",
    "EXPLAIN (ANALYZE, FORMAT JSON) SELECT 1",
    "EXPLAIN (SELECT 1)",
    "EXPLAIN (((SELECT 1)))",
]


@pytest.mark.parametrize("sql", READING)
def test_a_statement_that_reads_is_admitted(gate: Gate, sql: str) -> None:
    gate.admit(sql)


def test_what_is_admitted_says_what_it_reads(gate: Gate) -> None:
    assert gate.admit("SELECT 1 FROM visits v, other").tables == ("visits", "other")
    assert gate.admit("TABLE visits").reads == "TABLE visits"
    planned = gate.admit("EXPLAIN (COSTS off) SELECT 1 FROM visits")
    assert (planned.reads, planned.tables) == (None, ("visits",))
    ran = gate.admit("EXPLAIN (ANALYZE) SELECT 1 FROM visits")
    assert ran.reads == "SELECT 1 FROM visits"


def test_a_statement_that_sqlglot_cannot_follow_is_admitted_all_the_same(gate: Gate) -> None:
    admitted = gate.admit("SELECT 1 FROM visits WHERE note IS NFKC NORMALIZED OPERATOR(+) 1 2 3")
    assert admitted.tables == ()
    assert gate.admit("SELECT " + "1 + " * 20_000 + "1").tables == ()


HIDDEN = [
    ("SELECT pg_sleep(1)", "pg_sleep"),
    ("SELECT PG_SLEEP /* a */ (1)", "pg_sleep"),
    ('SELECT "pg_sleep"(1)', "pg_sleep"),
    ("SELECT pg_catalog.pg_sleep(1)", "pg_sleep"),
    ('SELECT * FROM "pg_catalog" . "pg_sleep_for"(\'1s\')', "pg_sleep_for"),
    ("SELECT * FROM ROWS FROM (pg_sleep(1)) AS t", "pg_sleep"),
    ("SELECT 1 WHERE EXISTS (SELECT pg_terminate_backend(1))", "pg_terminate_backend"),
    ("SELECT count(*) FILTER (WHERE pg_cancel_backend(1)) FROM visits", "pg_cancel_backend"),
    ("WITH x AS (SELECT set_config('a.b', 'c', false)) SELECT * FROM x", "set_config"),
    ("SELECT 1 ORDER BY current_setting('data_directory')", "current_setting"),
    ("SELECT * FROM pg_read_file('/etc/passwd')", "pg_read_file"),
    ("SELECT pg_ls_dir('.')", "pg_ls_dir"),
    ("SELECT lo_create(0)", "lo_create"),
    ("SELECT lo_import('/etc/passwd')", "lo_import"),
    ("SELECT loread(1, 1)", "loread"),
    ("SELECT inet_server_addr()", "inet_server_addr"),
    ("SELECT dblink('host=a', 'SELECT 1')", "dblink"),
    ("SELECT query_to_xml('SELECT pg_sleep(1)', true, true, '')", "query_to_xml"),
    ("SELECT * FROM ts_stat('SELECT 1')", "ts_stat"),
    ("SELECT * FROM crosstab('SELECT 1')", "crosstab"),
    ("SELECT table_to_xml('visits', true, true, '')", "table_to_xml"),
    ("SELECT pg_advisory_lock(1)", "pg_advisory_lock"),
    ("SELECT pg_notify('a', 'b')", "pg_notify"),
    ("SELECT pg_export_snapshot()", "pg_export_snapshot"),
    ("SELECT nextval('s')", "nextval"),
    ("SELECT a_later_one()", "a_later_one"),
    ("SELECT owners_volatile()", "owners_volatile"),
    ("SELECT (v).owners_volatile FROM visits v", "owners_volatile"),
    ("SELECT as_owner()", "as_owner"),
    ("SELECT * FROM pg_stat_activity", "pg_stat_activity"),
    ('TABLE pg_catalog."pg_stat_activity"', "pg_stat_activity"),
    ("SELECT * FROM pg_settings", "pg_settings"),
    ("SELECT * FROM pg_authid, pg_shadow", "pg_authid"),
    ("SELECT * FROM pg_locks", "pg_locks"),
    ("SELECT * FROM pg_a_later_view", "pg_a_later_view"),
    ("SELECT * FROM pg_stat_get_activity(NULL)", "pg_stat_get_activity"),
    ("SELECT * FROM pg_ls_waldir()", "pg_ls_waldir"),
    ("SELECT * FROM information_schema.user_mapping_options", "user_mapping_options"),
    ("SELECT * FROM information_schema.user_mappings", "user_mappings"),
    ("EXPLAIN SELECT pg_sleep(1)", "pg_sleep"),
    ("EXPLAIN (ANALYZE) SELECT pg_sleep(1)", "pg_sleep"),
    ("EXPLAIN (FORMAT pg_sleep) SELECT 1", "pg_sleep"),
    ("SELECT pg_score(1)", "pg_score"),
    ("SELECT '\\' , pg_sleep(1), '\\'", "pg_sleep"),
    ("SELECT 1 --\r, pg_sleep(1)", "pg_sleep"),
    ("SELECT 1 /*+ ' */, pg_sleep(1) /* ' */", "pg_sleep"),
    ("SELECT 1 AS a$a$, pg_sleep(1), $a$ $a$", "pg_sleep"),
    ("SELECT E'a'\n'\\'', pg_sleep(1) --'", "pg_sleep"),
]


@pytest.mark.parametrize(("sql", "name"), HIDDEN)
def test_what_is_out_of_reach_is_refused_in_any_position_and_recorded(
    gate: Gate, sql: str, name: str
) -> None:
    error = refusal(gate, sql)
    assert str(error).startswith(f"{name} is out of reach")
    assert f"sql: {name}" in error.violations


def test_a_name_in_unicode_escapes_is_no_way_around(gate: Gate) -> None:
    refusal(gate, 'SELECT U&"pg\\005fsleep"(1)', kind="sql")


@pytest.mark.parametrize(
    "sql",
    [
        "COMMIT; DELETE FROM visits; SELECT 1",
        "SELECT 1; DROP TABLE visits",
        "SELECT 1; SELECT 2",
        "SELECT 1 /* ; */; -- ;\n SELECT 2",
    ],
)
def test_more_than_one_statement_is_refused_before_anything_runs(gate: Gate, sql: str) -> None:
    assert "one statement per call" in str(refusal(gate, sql))


WRITING = [
    "DELETE FROM visits",
    "WITH x AS (SELECT 1) DELETE FROM visits -- limit",
    "WITH x AS (DELETE FROM visits RETURNING *) SELECT * FROM x",
    "INSERT INTO visits SELECT 1",
    "UPDATE visits SET id = 1",
    "MERGE INTO visits USING other ON true WHEN MATCHED THEN DELETE",
    "TRUNCATE visits",
    "CREATE TABLE a AS SELECT 1",
    "CREATE TEMP VIEW visits AS SELECT 1",
    "SELECT 1 INTO a",
    "SELECT * FROM visits FOR UPDATE",
    "SELECT * FROM visits FOR SHARE",
    "EXPLAIN DELETE FROM visits",
    "EXPLAIN ANALYZE DELETE FROM visits",
    "EXPLAIN (ANALYZE) WITH x AS (SELECT 1) DELETE FROM visits",
    "EXPLAIN EXECUTE a",
    "EXPLAIN",
    "COPY visits TO '/tmp/x'",
    "COPY visits TO PROGRAM 'cat'",
    "DO $$ BEGIN PERFORM 1; END $$",
    "CALL a()",
    "SET search_path = a",
    "RESET ALL",
    "SHOW data_directory",
    "BEGIN",
    "COMMIT",
    "PREPARE a AS SELECT 1",
    "EXECUTE a",
    "DECLARE c CURSOR FOR SELECT 1",
    "FETCH ALL FROM ddr",
    "LISTEN a",
    "NOTIFY a",
    "LOCK visits",
    "VACUUM",
    "LOAD 'a'",
    "DISCARD ALL",
    "GRANT ALL ON visits TO reader",
    "IMPORT FOREIGN SCHEMA a FROM SERVER b INTO c",
]


@pytest.mark.parametrize("sql", WRITING)
def test_what_is_no_read_is_refused_in_words(gate: Gate, sql: str) -> None:
    assert "refused" in str(refusal(gate, sql))


@pytest.mark.parametrize("sql", ["COPY visits TO '/tmp/x'", "SHOW data_directory", "LISTEN a"])
def test_an_attempt_to_look_elsewhere_is_recorded(gate: Gate, sql: str) -> None:
    assert refusal(gate, sql).violations == (f"sql: {sql.split(maxsplit=1)[0]}",)


@pytest.mark.parametrize(
    "sql", ["", "  ", "-- nothing", ";", ";; SELECT 1", "selec 1", "SELECT 'a", "1", "'a'"]
)
def test_what_is_no_statement_is_an_error_in_the_query(gate: Gate, sql: str) -> None:
    assert refusal(gate, sql, kind="sql").violations == ()


def test_an_explain_is_taken_apart() -> None:
    assert is_explain(" /* a */ explain SELECT 1")
    assert not is_explain("SELECT 1")
    assert explained_by("EXPLAIN (VERBOSE true) SELECT 1 -- a").inner == "SELECT 1 -- a"
    assert not explained_by("EXPLAIN VERBOSE SELECT 1").runs
    assert explained_by("EXPLAIN ANALYSE SELECT 1").runs
    assert explained_by('EXPLAIN ("analyze") SELECT 1').runs
    assert explained_by("EXPLAIN (SELECT 1) UNION SELECT 2").inner == "(SELECT 1) UNION SELECT 2"


# Any position, any spelling

BLANKS = st.sampled_from(["", " ", "\n", "/* ' */", " -- '\n", "\t/* /* */ */"])
WRAPS = (
    "(SELECT {})", "coalesce({}, NULL)", "CASE WHEN {} IS NULL THEN 1 END", "ARRAY[{}]", "({})::text",
    "EXISTS (SELECT {})", "lower(({})::text)", "NOT ({} IS NULL)", "ROW({}, 1)", "'a' || ({})",
)  # fmt: skip
PLACES = (
    "SELECT {}", "SELECT 1 FROM visits WHERE {} IS NOT NULL", "WITH a AS (SELECT {}) TABLE a", "VALUES ({})",
    "EXPLAIN SELECT {}", "EXPLAIN (COSTS off) SELECT {}", "SELECT 1 ORDER BY {}", "SELECT 1 LIMIT {}",
    "SELECT count(*) FILTER (WHERE {} IS NULL) FROM visits", "SELECT sum(1) OVER (ORDER BY {}) FROM visits",
    "SELECT 1 FROM visits a JOIN visits b ON {} IS NULL", "SELECT 1 FROM visits, LATERAL (SELECT {}) l",
    "SELECT 1 UNION ALL SELECT {}", "SELECT DISTINCT ON ({}) 1 FROM visits", "(((SELECT {})))",
    "SELECT 1 FROM visits GROUP BY id HAVING {} IS NULL",
)  # fmt: skip


@st.composite
def spelt(draw: st.DrawFn, name: str) -> str:
    """A call of a function, as PostgreSQL would take it."""
    word = draw(st.sampled_from([name, name.upper(), name.title(), f'"{name}"']))
    schema = draw(st.sampled_from(["", "pg_catalog.", "PG_CATALOG .", '"pg_catalog"."']))
    if schema.endswith('"'):
        schema, word = schema[:-1], f'"{name}"'
    return f"{schema}{draw(BLANKS)}{word}{draw(BLANKS)}(1)"


@st.composite
def statement(draw: st.DrawFn, name: str) -> str:
    """A statement that calls it somewhere."""
    inner = draw(spelt(name))
    for wrap in draw(st.lists(st.sampled_from(WRAPS), max_size=4)):
        inner = wrap.format(inner)
    return draw(st.sampled_from(PLACES)).format(inner)


NAMES = ("pg_sleep", "set_config", "lo_create", "nextval", "current_setting", "query_to_xml", "dblink",
         "pg_terminate_backend", "owners_volatile", "pg_of_a_later_version")  # fmt: skip


@given(data=st.data(), name=st.sampled_from(NAMES))
def test_a_call_that_is_out_of_reach_is_refused_wherever_it_stands(
    data: st.DataObject, name: str
) -> None:
    sql = data.draw(statement(name))
    with pytest.raises(ToolError, match="out of reach") as caught:
        Gate(FUNCTIONS, COLUMNS).admit(sql)
    assert caught.value.violations == (f"sql: {name}",)


@given(data=st.data(), name=st.sampled_from(["lower", "random", "pg_typeof", "owners_stable"]))
def test_an_honest_call_is_admitted_in_the_same_places(data: st.DataObject, name: str) -> None:
    Gate(FUNCTIONS, COLUMNS).admit(data.draw(statement(name)))
