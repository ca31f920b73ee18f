"""A grammar of DuckDB statements that read. Each one must be admitted and must run."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from tests.tools.sql.grammar import AFTER, BEFORE, fill, maybe, one, some

TABLES = """
    CREATE TABLE nested AS SELECT
        i AS id, [i, i + 1, NULL] AS numbers, {'a': i, 'b': [i::VARCHAR]} AS parts, MAP {'k': i} AS pairs,
        (i / 4)::DECIMAL(22, 2) AS amount, CASE WHEN i % 2 = 0 THEN 'even' END::ENUM ('even', 'odd') AS kind,
        encode(i::VARCHAR) AS raw, INTERVAL (i) DAY AS span, 'nan'::DOUBLE AS nothing, i::HUGEINT AS huge,
        CAST('{"a": ' || i || '}' AS JSON) AS doc
    FROM range(12) t(i);
    CREATE TABLE "drop ""x"" table" AS SELECT 1 AS "select", 2 AS "delete from", 3 AS "a.b";
    CREATE VIEW large AS SELECT * FROM visits WHERE dose > 70;
    CREATE SCHEMA "update";
    CREATE TABLE "update"."insert" AS SELECT range AS "set" FROM range(3);
    CREATE MACRO twice(x) AS x * 2;
    CREATE MACRO first_visits(n) AS TABLE SELECT * FROM visits ORDER BY id LIMIT n;
"""
"""What stands beside the visits."""

STRINGS = one(
    "'drop table visits'",
    "'; DELETE FROM visits; --'",
    "'it''s /* no comment */'",
    "$$insert into visits values (1)$$",
    "$x$copy 'a' to 'b'$x$",
    "E'set\\n\\'x\\''",
    "'ATTACH ''x.db'''",
    "'read_csv(''/etc/passwd'')'",
    "''",
    "'naïve 𝄞'",
)
NAMES = one(
    "x",
    '"drop"',
    '"update visits"',
    '"a ""b"" c"',
    "created",
    '"select"',
    "last_update",
    "copy_of",
    '"пациент"',
    "attach_count",
    '"; --"',
)
NUMBERS = st.recursive(
    one("v.id", "dose", "patient", "1", "2.5", "NULL::INT", "length(note)", "-7", "1e3"),
    lambda inner: st.one_of(
        fill("({} + {})", inner, inner),
        fill("coalesce({}, {})", inner, inner),
        fill("CASE WHEN {} > 3 THEN {} ELSE 0 END", inner, inner),
        fill("round({}, 2)", inner),
        fill("({})::DOUBLE", inner),
        fill("TRY_CAST({} AS VARCHAR)::DOUBLE", inner),
        fill("(SELECT max(w.dose) FROM visits w WHERE w.id = v.id + {})", one("1", "2")),
        fill("list_sum([x * 2 FOR x IN [{}, 1] IF x > 0])", inner),
        fill("list_sum(list_transform([{}], lambda y: y + 1))", inner),
        fill("{{'a': {}}}.a", inner),
        fill("twice({})", inner),
        fill("greatest({}, {})", inner, inner),
        fill("nullif({}, 0)", inner),
        fill("abs({}) ** 2", inner),
        fill("if({} IS NULL, 0, 1)", inner),
        fill("[{}, 2][1]", inner),
    ),
    max_leaves=3,
)
TEXTS = st.one_of(
    STRINGS,
    one(
        "note",
        "upper(note)",
        "note || '!'",
        "note[1:4]",
        "note.lower()",
        "strftime(created_at, '%Y')",
    ),
    fill("replace(note, {}, '')", STRINGS),
    fill("concat_ws({}, note, v.id)", STRINGS),
    fill("coalesce(note, {})", STRINGS),
    fill("printf('%s-%d', {}, v.id)", STRINGS),
)
TESTS = st.recursive(
    st.one_of(
        fill("{} > 1", NUMBERS),
        fill("{} IS NOT DISTINCT FROM {}", NUMBERS, NUMBERS),
        fill("{} BETWEEN 0 AND 50", NUMBERS),
        fill("note = {}", STRINGS),
        fill("note IN ({})", some(STRINGS)),
        fill("{} LIKE '%dropped out%'", TEXTS),
        one(
            "note ~ 'o'",
            "note ILIKE 'A%'",
            "v.id IN (SELECT id FROM visits WHERE patient = 3)",
            "EXISTS (FROM visits w WHERE w.id = v.id + 1)",
            "v.id = ANY (SELECT id FROM large)",
            "created_at > TIMESTAMP '2024-01-02'",
            "last_updated IS NOT NULL",
            "(v.id, patient) IN ((1, 2), (3, 4))",
            "note SIMILAR TO '.*update.*'",
            "v.id IN range(9)",
            "true",
        ),
    ),
    lambda inner: st.one_of(
        fill("({} AND {})", inner, inner), fill("({} OR {})", inner, inner), fill("NOT {}", inner)
    ),
    max_leaves=3,
)
SOURCES = one(
    "visits v",
    "visits AS v",
    "main.visits v",
    '"VISITS" AS "v"',
    "(SELECT * FROM visits) v",
    "(FROM visits) AS v",
    "(TABLE visits) v",
    "large v",
    "first_visits(9) v",
    "v: visits",
    "visits v TABLESAMPLE reservoir(20 ROWS)",
    "visits v JOIN (SELECT id AS other FROM visits) w ON w.other = v.id",
    "visits v LEFT JOIN (SELECT id AS other FROM visits) w ON w.other = v.id AND w.other < 9",
    "visits v ASOF JOIN (SELECT id AS other FROM visits) w ON v.id >= w.other",
    "visits v POSITIONAL JOIN (SELECT range AS other FROM range(150)) w",
    "visits v SEMI JOIN nested n ON n.id = v.id",
    "visits v ANTI JOIN nested n ON n.id = v.id",
    "visits v, LATERAL (SELECT v.dose + 1 AS more) l",
    "visits v CROSS JOIN unnest([1, 2]) u(x)",
    "range(1, 9) r(i) JOIN visits v ON v.id = r.i",
    "visits v NATURAL JOIN (SELECT DISTINCT patient FROM visits) p",
    "visits v FULL JOIN (VALUES (1, 'delete')) q(k, what) ON q.k = v.id",
    "(SELECT * EXCLUDE (note) REPLACE (dose * 2 AS dose), 'x' AS note FROM visits) v",
    "(SELECT COLUMNS(*) FROM visits) v",
    "(WITH v2 AS MATERIALIZED (FROM visits) FROM v2) v",
    "(SELECT * FROM visits UNION ALL BY NAME SELECT 151 AS id, * EXCLUDE (id) FROM visits LIMIT 160) v",
)
WHERE = maybe(fill(" WHERE {}", TESTS))
ORDER = maybe(one(" ORDER BY 1", " ORDER BY ALL", " ORDER BY 1 DESC NULLS LAST"))
LIMIT = maybe(one(" LIMIT 5", " LIMIT 5 OFFSET 2", " LIMIT 10%", " FETCH FIRST 3 ROWS ONLY"))
SHOWN = some(
    st.one_of(
        fill("{} AS {}", NUMBERS, NAMES),
        fill("{} AS {}", TEXTS, NAMES),
        fill("{}: {}", NAMES, NUMBERS),
        fill("({}) AS {}", TESTS, NAMES),
        one("created_at", "last_updated", "v.*", "* EXCLUDE (note)", "COLUMNS('d.*')", "v", "#1"),
    )
).filter(lambda text: not text.startswith("#"))
PLAIN = fill(
    "SELECT {}{} FROM {}{}{}{}{}",
    maybe(one("DISTINCT ", "ALL ")),
    SHOWN,
    SOURCES,
    WHERE,
    ORDER,
    LIMIT,
    st.just(""),
)
FROM_FIRST = fill("FROM {} SELECT {}{}{}", SOURCES, SHOWN, WHERE, LIMIT)
AGGREGATES = some(
    fill(
        "{} AS {}",
        one(
            "count(*)",
            "count(DISTINCT v.id)",
            "sum(dose)",
            "avg(dose) FILTER (WHERE v.id > 3)",
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY dose)",
            "quantile_cont(dose, [0.1, 0.9])",
            "list(note ORDER BY v.id)",
            "string_agg(note, '; drop ')",
            "mode(note)",
            "histogram(patient)",
            "arg_max(note, dose)",
            "approx_count_distinct(note)",
            "stddev_samp(dose)",
            "bool_or(dose > 3)",
            "first(created_at)",
            "max(dose, 3)",
        ),
        NAMES,
    )
)
GROUPED = fill(
    "SELECT patient, {} FROM {}{} GROUP BY {}{}",
    AGGREGATES,
    SOURCES,
    WHERE,
    one(
        "patient", "1", "ALL", "ROLLUP (patient)", "CUBE (patient)", "GROUPING SETS ((patient), ())"
    ),
    maybe(one(" HAVING count(*) > 1", " HAVING sum(dose) IS NOT NULL", " ORDER BY 1 LIMIT 3")),
)
WINDOWED = fill(
    "SELECT v.id, {} OVER ({}ORDER BY v.id{}) AS {} FROM {}{}{}",
    one(
        "row_number()",
        "rank()",
        "lag(dose)",
        "lead(dose, 2, 0)",
        "sum(dose)",
        "ntile(4)",
        "max(note)",
    ),
    maybe(st.just("PARTITION BY patient ")),
    maybe(one(" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", " RANGE UNBOUNDED PRECEDING")),
    NAMES,
    SOURCES,
    WHERE,
    maybe(one(" QUALIFY row_number() OVER (ORDER BY v.id) < 4", " WINDOW w AS (ORDER BY v.id)")),
)
NESTED = one(
    "SELECT id, unnest(numbers) FROM nested",
    "SELECT parts.a, parts['b'][1], parts.* FROM nested",
    "SELECT unnest(parts) FROM nested",
    "SELECT unnest([[1], [2]], recursive := true)",
    "SELECT pairs['k'], map_keys(pairs), cardinality(pairs) FROM nested",
    "SELECT list_filter(numbers, lambda n: n > 3), len(numbers), numbers[1:2] FROM nested",
    "SELECT amount, kind, raw, span, nothing, huge, doc FROM nested",
    "SELECT doc ->> '$.a', doc -> 'a', json_extract(doc, '$.a') FROM nested",
    "SELECT struct_pack(a := id, b := kind), row(1, 2), {'drop': id} FROM nested",
    "SELECT array_agg(id ORDER BY id), list_zip([1], ['a']) FROM nested",
    "SELECT (1, 'a')::STRUCT(i INT, s VARCHAR), [1, 2]::INT[2], union_value(k := 1)",
    "SELECT * FROM nested, unnest(numbers) AS u(n)",
    "SELECT id FROM nested GROUP BY ALL HAVING any_value(kind) = 'even'",
    "SELECT TIMESTAMP_NS '2024-01-01 00:00:00.000000001', TIME '12:00', INTERVAL '1 year'",
    "SELECT 1::UHUGEINT, 2::UTINYINT, 'x'::BLOB, '101'::BIT, uuid(), true",
    "SELECT json_each.key FROM nested, json_each(doc)",
)
ODD = one(
    'SELECT "select", "delete from", "a.b" FROM "drop ""x"" table"',
    'FROM "update"."insert"',
    'SELECT sum("set") FROM "update"."insert"',
    "SELECT 1 AS attach, 2 AS copy, 3 AS install, 4 AS pragma, 5 AS vacuum, 6 AS call",
    "SELECT getenv FROM (SELECT 1 AS getenv)",
    "SELECT read_csv.read_text FROM (SELECT 2 AS read_text) AS read_csv",
    "WITH sniff_csv AS (SELECT 1 AS query) SELECT query FROM sniff_csv",
    "SELECT * FROM duckdb_columns() WHERE NOT internal",
    "SELECT table_name, estimated_size FROM duckdb_tables()",
    "SELECT function_name FROM duckdb_functions() LIMIT 3",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_catalog.pg_class LIMIT 3",
    "SELECT * FROM pragma_table_info('visits')",
    "SELECT current_schema(), version(), current_date, now() IS NULL",
    "SELECT * FROM generate_series(DATE '2024-01-01', DATE '2024-01-09', INTERVAL 1 DAY)",
    "SELECT * FROM repeat('drop', 3)",
    "VALUES (1, 'insert'), (2, 'update')",
    "TABLE visits",
    "FROM visits",
    "FROM visits LIMIT 1",
    "SELECT 1 WHERE false",
    "SELECT typeof(v), sum(1) FROM visits v GROUP BY 1",
    "SELECT * FROM visits v USING SAMPLE 10%",
    "SELECT * FROM visits USING SAMPLE reservoir(5 ROWS) REPEATABLE (1)",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9) FROM c",
    "WITH RECURSIVE c(x) USING KEY (x) AS (SELECT 1 UNION SELECT x + 1 FROM c WHERE x < 4) FROM c",
)
PIVOTS = st.one_of(
    fill(
        "PIVOT {} ON {} USING {}{}",
        one(
            "visits",
            "(SELECT patient, dose, note FROM visits)",
            "(FROM visits WHERE note <> 'drop')",
            "(SELECT a.* FROM visits a JOIN large b USING (id))",
            "(SELECT upper(note) AS note, coalesce(dose, 0) AS dose, id % 3 AS patient FROM visits)",
        ),
        one(
            "patient",
            "note",
            "note, patient",
            "patient IN (1, 2)",
            "note IN ('a note')",
            "note || 'x'",
        ),
        one("sum(dose)", "count(*)", "avg(dose) AS a, max(dose) AS b", "first(note)"),
        maybe(one(" GROUP BY patient", " GROUP BY note")),
    ),
    one(
        "PIVOT visits ON note",
        "PIVOT visits ON patient USING sum(dose) GROUP BY note ORDER BY note LIMIT 2",
        "UNPIVOT visits ON dose, id INTO NAME n VALUE v",
        "UNPIVOT (SELECT id, dose FROM visits) ON COLUMNS(* EXCLUDE (id)) INTO NAME n VALUE v",
        "SELECT * FROM visits PIVOT (sum(dose) FOR patient IN (1, 2, 3))",
        "SELECT * FROM (SELECT patient, dose FROM visits) UNPIVOT (v FOR n IN (dose))",
        "FROM (PIVOT visits ON note USING count(*) GROUP BY patient) p JOIN visits v USING (patient)",
    ),
)
TABLE_LIKE = st.one_of(PLAIN, FROM_FIRST, GROUPED, WINDOWED, NESTED, ODD)
ONE_COLUMN = fill("SELECT {} AS n FROM {}{}", NUMBERS, SOURCES, WHERE)
COMBINED = st.one_of(
    fill(
        "{} {} {}{}",
        ONE_COLUMN,
        one("UNION ALL", "UNION", "EXCEPT", "INTERSECT", "UNION ALL BY NAME", "EXCEPT ALL"),
        ONE_COLUMN,
        ORDER,
    ),
    fill("({}) UNION ALL ({})", ONE_COLUMN, ONE_COLUMN),
    fill("WITH {} AS ({}) FROM visits LIMIT 3", NAMES, TABLE_LIKE),
    fill("WITH delete_me AS NOT MATERIALIZED ({}) SELECT count(*) FROM delete_me", ONE_COLUMN),
    fill('WITH "insert" AS ({}), "update" AS (FROM "insert") FROM "update"', ONE_COLUMN),
    fill("SELECT (SELECT count(*) FROM ({}) AS s)", TABLE_LIKE),
    fill("SELECT * FROM ({}) AS s LIMIT 2", TABLE_LIKE),
    fill("SELECT EXISTS ({})", TABLE_LIKE),
    fill("({})", TABLE_LIKE),
    fill("WITH p AS ({}) SELECT * FROM p", PIVOTS),
    fill("SELECT * FROM ({})", PIVOTS),
)
QUERIES = st.one_of(TABLE_LIKE, COMBINED, PIVOTS)
TOLD = st.one_of(
    fill("SUMMARIZE {}", ONE_COLUMN),
    fill("SUMMARIZE SELECT {} AS {} FROM {}", TEXTS, NAMES, SOURCES),
    fill("DESCRIBE {}", TABLE_LIKE),
    fill("FROM (DESCRIBE {})", TABLE_LIKE),
    fill(
        "EXPLAIN {}{}",
        one(
            "",
            "",
            "ANALYZE ",
            "analyse ",
            "(FORMAT json) ",
            "(ANALYZE, FORMAT json) ",
            "/* so */ ",
            "ANALYZE (FORMAT json) ",
        ),
        QUERIES,
    ),
    one(
        "SUMMARIZE visits",
        "SUMMARIZE nested",
        "DESCRIBE visits",
        "DESCRIBE",
        "SHOW TABLES",
        "SHOW ALL TABLES",
        "SHOW visits",
        "SHOW DATABASES",
        "SELECT * FROM (SUMMARIZE visits)",
        "SELECT column_name FROM (DESCRIBE visits)",
        "FROM (SHOW TABLES)",
    ),
)


def _spaced(space: str) -> Callable[[str], str]:
    """Other white space between the words, where none would stand in a name or in a date's text."""
    return lambda query: query if set(query) & {"$", '"', "'"} else query.replace(" ", space)


READING = st.builds(
    lambda before, query, after, change: before + change(query) + after,
    BEFORE,
    st.one_of(QUERIES, QUERIES, TOLD),
    AFTER,
    st.sampled_from([str, str, _spaced("\u00a0"), _spaced("\n\t")]),
)
"""Any of them, with comments around, and any white space between the words."""
