"""Grammars of SQLite statements: those that read must run, the others must be refused."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.tools.sql.grammar import AFTER, fill, maybe, one, some

BEFORE = one("", "", " ", "\n\t", "-- drop table visits\n", "/* DELETE FROM visits; */ ")
ENDS = AFTER.filter(lambda text: text.count(";") < 2 or "/*" in text)
"""sqlite3 takes one semicolon at the end, not two."""
STRINGS = one("'drop table visits'", "'; DELETE FROM visits; --'", "'it''s /* no */'", "''", "'é𝄞'")
NAMES = one("x", '"drop"', "[update visits]", "`a b`", '"a ""b"" c"', "created", '"; --"')
NUMBERS = st.recursive(
    one("v.id", "dose", "patient", "1", "2.5", "NULL", "length(note)", "-7", "0x1F"),
    lambda inner: st.one_of(
        fill("({} + {})", inner, inner),
        fill("coalesce({}, {})", inner, inner),
        fill("CASE WHEN {} > 3 THEN {} ELSE 0 END", inner, inner),
        fill("CAST({} AS INTEGER)", inner),
        fill("iif({} IS NULL, 0, 1)", inner),
        fill("max({}, 2)", inner),
        fill("(SELECT max(w.dose) FROM visits w WHERE w.id = v.id + {})", one("1", "2")),
        fill("json_extract(json_array({}), '$[0]')", inner),
    ),
    max_leaves=4,
)
TESTS = st.one_of(
    fill("{} > 1", NUMBERS),
    fill("{} IS NOT {}", NUMBERS, NUMBERS),
    fill("note IN ({})", some(STRINGS)),
    fill("note || {} LIKE '%dropped out%' ESCAPE '!'", STRINGS),
    one(
        "note GLOB '*o*'",
        "v.id IN (SELECT id FROM visits WHERE patient = 3)",
        "EXISTS (SELECT 1 FROM visits w WHERE w.id = v.id + 1)",
        "date(created_at) > '2024-01-02'",
        "(v.id, patient) IN (VALUES (1, 2), (3, 4))",
        "dose BETWEEN 1 AND 50 AND NOT note ISNULL",
    ),
)
SOURCES = one(
    "visits v",
    "main.visits AS v",
    "(SELECT * FROM visits) v",
    "(WITH a AS NOT MATERIALIZED (SELECT * FROM visits) SELECT * FROM a) v",
    "visits v JOIN large l USING (id)",
    "visits v LEFT JOIN json_each('[1,2]') j ON j.value = v.id",
    "visits v NOT INDEXED",
    "visits v CROSS JOIN (VALUES (1), (2))",
    "words, visits v",
)
SHOWN = some(
    st.one_of(
        fill("{} AS {}", NUMBERS, NAMES),
        fill("{} AS {}", STRINGS, NAMES),
        fill("replace(note, {}, '') AS {}", STRINGS, NAMES),
        one("created_at", "last_updated", "v.*", "v.rowid", "typeof(dose)", "hex(note)"),
    )
)
PLAIN = fill(
    "SELECT {}{} FROM {}{}{}",
    maybe(one("DISTINCT ", "ALL ")),
    SHOWN,
    SOURCES,
    maybe(fill(" WHERE {}", TESTS)),
    maybe(one(" ORDER BY 1", " LIMIT 5", " ORDER BY 1 DESC NULLS LAST LIMIT 5 OFFSET 2")),
)
GROUPED = fill(
    "SELECT patient, {} AS {} FROM {} GROUP BY 1{}",
    one(
        "count(*)",
        "sum(dose) FILTER (WHERE dose > 3)",
        "group_concat(note, '; drop ')",
        "total(dose)",
    ),
    NAMES,
    SOURCES,
    maybe(one(" HAVING count(*) > 1", " ORDER BY 2")),
)
WINDOWED = fill(
    "SELECT v.id, {} OVER ({}ORDER BY v.id{}) FROM visits v",
    one("row_number()", "lag(dose)", "sum(dose)", "ntile(4)", "max(note)"),
    maybe(st.just("PARTITION BY patient ")),
    maybe(one(" ROWS 2 PRECEDING", " GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES")),
)
ODD = one(
    "VALUES (1, 'insert'), (2, 'update')",
    'SELECT "select" FROM "odd "" one"',
    "SELECT * FROM sqlite_master",
    "SELECT name FROM pragma_table_list",
    "PRAGMA table_info(visits)",
    "PRAGMA table_xinfo('visits')",
    "PRAGMA foreign_key_list(v)",
    "PRAGMA index_list = p",
    "PRAGMA encoding",
    "SELECT body, highlight(words, 0, '<', '>') FROM words WHERE words MATCH 'delete' ORDER BY rank",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9) SELECT x FROM c",
    "SELECT fullkey, atom FROM json_tree('{\"a\": [1]}')",
    "SELECT * FROM mixed",
    "SELECT 9e999, -9e999",
    "SELECT random() IS NOT NULL, zeroblob(3), unixepoch('now') > 0, sqlite_version()",
)
QUERIES = st.one_of(PLAIN, GROUPED, WINDOWED, ODD)
NOT_PRAGMA = QUERIES.filter(lambda text: not text.startswith("PRAGMA"))


def _on_lines(query: str) -> str:
    return query if '"' in query else query.replace(" ", "\n\t")


def _with_comments(query: str) -> str:
    return query if '"' in query else query.replace(" ", "/**/")


READING_LITE = st.builds(
    lambda before, query, after, change: before + change(query) + after,
    BEFORE,
    st.one_of(
        QUERIES,
        QUERIES,
        fill("EXPLAIN QUERY PLAN {}", NOT_PRAGMA),
        fill("EXPLAIN {}", NOT_PRAGMA),
        fill("WITH delete_me AS ({}) SELECT count(*) FROM delete_me", NOT_PRAGMA),
        fill("SELECT * FROM ({}) LIMIT 3", NOT_PRAGMA),
        fill("SELECT EXISTS ({})", NOT_PRAGMA),
        fill("SELECT id FROM visits {} SELECT id FROM large", one("UNION", "EXCEPT", "INTERSECT")),
    ),
    ENDS,
    st.sampled_from([str, str, _on_lines, _with_comments]),
)
CHANGES = one(
    "INSERT INTO visits SELECT * FROM visits",
    "INSERT OR REPLACE INTO visits (id) VALUES (1)",
    "REPLACE INTO visits (id) VALUES (1)",
    "INSERT INTO visits (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET dose = 1",
    "UPDATE visits SET dose = 0",
    "UPDATE OR IGNORE visits SET id = 1",
    "DELETE FROM visits",
    "DELETE FROM visits WHERE id IN (SELECT id FROM large)",
    "INSERT INTO words VALUES ('x')",
    "UPDATE sqlite_master SET sql = 'x'",
    "DELETE FROM sqlite_schema",
)
OTHERS = one(
    "DROP TABLE visits",
    "DROP VIEW IF EXISTS large",
    "ALTER TABLE visits ADD COLUMN x",
    "ALTER TABLE visits RENAME TO seen",
    "CREATE TABLE t AS SELECT 1",
    "CREATE TEMP TABLE visits (id)",
    "CREATE TEMP VIEW visits AS SELECT 1 AS id",
    "CREATE TABLE temp.visits (id)",
    "CREATE VIRTUAL TABLE w USING fts5(x)",
    "CREATE INDEX i ON visits (id)",
    "CREATE TEMP TRIGGER t AFTER INSERT ON visits BEGIN SELECT 1; END",
    "REINDEX",
    "REINDEX p",
    "ANALYZE",
    "VACUUM",
    "VACUUM INTO '/tmp/ddr-never'",
    "BEGIN",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "END",
    "ROLLBACK",
    "SAVEPOINT s",
    "RELEASE s",
    "ATTACH '/tmp/ddr-never' AS z",
    "ATTACH DATABASE ':memory:' AS z",
    "DETACH main",
    "PRAGMA query_only = OFF",
    "PRAGMA query_only(0)",
    "PRAGMA writable_schema = 1",
    "PRAGMA user_version = 5",
    "PRAGMA encoding = 'UTF-16'",
    "PRAGMA journal_mode = WAL",
    "PRAGMA journal_mode",
    "PRAGMA main.wal_checkpoint(TRUNCATE)",
    "PRAGMA incremental_vacuum",
    "PRAGMA optimize",
    "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA trusted_schema = ON",
    "PRAGMA hard_heap_limit = 0",
    "PRAGMA database_list",
    "PRAGMA shrink_memory",
    "PRAGMA no_such_pragma",
)
CALLS = one(
    "load_extension('x')",
    "LOAD_EXTENSION('x', 'y')",
    "\"load_extension\"('x')",
    "readfile('/etc/passwd')",
    "writefile('/tmp/ddr-never', 'x')",
    "fts3_tokenizer('simple')",
    "pg_read_file('/etc/passwd')",
)
REACHES = st.one_of(
    st.builds(
        lambda frame, call: frame.replace("@", call),
        one(
            "SELECT @",
            "SELECT id FROM visits WHERE @ IS NULL",
            "SELECT id FROM visits ORDER BY @",
            "SELECT count(*) FROM visits GROUP BY @",
            "WITH a AS (SELECT @ AS x) SELECT x FROM a",
            "SELECT (SELECT @)",
            "SELECT CASE WHEN 1 THEN @ END",
            "VALUES (@)",
            "SELECT sum(id) OVER (ORDER BY @) FROM visits",
            "EXPLAIN SELECT @",
            "EXPLAIN QUERY PLAN SELECT @",
            "SELECT value FROM json_each(@)",
        ),
        CALLS,
    ),
    one(
        "SELECT file FROM pragma_database_list",
        "SELECT * FROM pragma_database_list()",
        "SELECT count(*) FROM visits, pragma_database_list",
        "SELECT (SELECT max(file) FROM Pragma_Database_List)",
        "EXPLAIN SELECT * FROM pragma_database_list",
        "SELECT * FROM '/etc/passwd'",
        'SELECT * FROM "x.csv"',
        "SELECT * FROM pg_read_file('/etc/passwd')",
        "SELECT * FROM sqlite_scan",
    ),
)
WRITING_LITE = st.builds(
    lambda before, query, after, change: before + change(query) + after,
    BEFORE,
    st.one_of(
        CHANGES,
        OTHERS,
        REACHES,
        fill("{} RETURNING *", CHANGES.filter(lambda text: "sqlite_" not in text)),
        fill("WITH q AS (SELECT 1) {}", CHANGES),
        fill("EXPLAIN {}", CHANGES),
        fill("EXPLAIN QUERY PLAN {}", CHANGES),
        fill("SELECT 1; {}", st.one_of(CHANGES, OTHERS)),
        fill("{}; SELECT 1", st.one_of(CHANGES, OTHERS, REACHES)),
    ),
    ENDS,
    st.sampled_from(
        [
            str,
            str,
            str.lower,
            str.swapcase,
            lambda q: q.replace(" ", "\n"),
            lambda q: q.replace(" ", "/* */"),
        ]
    ),
)
