"""A fingerprint follows the content to the last cell, comment and type, and nothing else."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import ScenarioError
from databases.connection import open_readonly
from databases.fingerprint import fingerprint
from databases.installed import InstalledScenario

Row = tuple[int | None, str | None, float | None]
cells = st.tuples(
    st.none() | st.integers(-(2**31), 2**31 - 1),
    st.none() | st.text(alphabet="ab:-1é'\\ ", max_size=4),
    st.none() | st.floats(allow_nan=False),
)
tables = st.lists(cells, min_size=1, max_size=8)


# One for all examples: opening takes longer than hashing a few rows.
SCRATCH = duckdb.connect()


def of(rows: list[Row]) -> str:
    SCRATCH.execute("CREATE OR REPLACE TABLE t (a INTEGER, b VARCHAR, c DOUBLE)")
    columns = [list(column) for column in zip(*rows, strict=True)]
    SCRATCH.execute("INSERT INTO t SELECT unnest(?), unnest(?), unnest(?)", columns)
    return fingerprint(SCRATCH)


def of_script(script: str) -> str:
    with duckdb.connect() as connection:
        connection.execute(script)
        return fingerprint(connection)


@settings(max_examples=25, deadline=None)
@given(tables, st.data())
def test_the_order_of_rows_does_not_matter(rows: list[Row], data: st.DataObject) -> None:
    assert of(rows) == of(data.draw(st.permutations(rows)))


@settings(max_examples=40, deadline=None)
@given(tables, cells, st.data())
def test_one_changed_cell_changes_it(rows: list[Row], other: Row, data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, 2))
    changed: list[Any] = [list(r) for r in rows]
    changed[row][column] = other[column]
    # repr: 0.0 and -0.0 are equal in Python, and not the same content.
    if sorted(map(repr, map(tuple, changed))) == sorted(map(repr, rows)):
        return
    assert of([tuple(r) for r in changed]) != of(rows)


@settings(max_examples=15, deadline=None)
@given(tables)
def test_a_row_more_or_less_changes_it_even_a_double(rows: list[Row]) -> None:
    assert len({of(rows), of([*rows, rows[0]]), of(rows[1:]) if rows[1:] else ""}) == 3


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("SELECT 'ab' x, 'c' y", "SELECT 'a' x, 'bc' y"),
        ("SELECT '1' x, '2:3' y", "SELECT '1:1' x, '3' y"),
        ("SELECT NULL::VARCHAR x", "SELECT '' x"),
        ("SELECT NULL::VARCHAR x", "SELECT '-' x"),
        ("SELECT NULL::VARCHAR x", "SELECT 'NULL' x"),
        ("SELECT 1::INTEGER x", "SELECT 1::BIGINT x"),
        ("SELECT 1 x", "SELECT '1' x"),
        ("SELECT 1.5::FLOAT x", "SELECT 1.5::DOUBLE x"),
        ("SELECT 0.1::DOUBLE x", "SELECT 0.1::DOUBLE + 1e-17 x UNION ALL SELECT 1"),
        ("SELECT 0.1::DOUBLE x", "SELECT nextafter(0.1::DOUBLE, 1::DOUBLE) x"),
        ("SELECT 1.0::DECIMAL(4,1) x", "SELECT 1.00::DECIMAL(4,2) x"),
        ("SELECT '\\x00'::BLOB x", "SELECT '\\x01'::BLOB x"),
        ("SELECT DATE '2020-01-01' x", "SELECT TIMESTAMP '2020-01-01' x"),
        ("SELECT INTERVAL 1 MONTH x", "SELECT INTERVAL 30 DAY x"),
        ("SELECT ['a, b'] x", "SELECT ['a', 'b'] x"),
        ("SELECT [NULL]::VARCHAR[] x", "SELECT ['NULL'] x"),
        ("SELECT []::VARCHAR[] x", "SELECT ['']  x"),
        ("SELECT {'a': '1', 'b': 'x'} x", "SELECT {'a': '1, ''b'': x', 'b': ''} x"),
        ("SELECT 1 x", "SELECT 1 y"),
        ("SELECT 1 x, 2 y", "SELECT 2 y, 1 x"),
    ],
)
def test_contents_that_look_alike_are_told_apart(left: str, right: str) -> None:
    assert of_script(f"CREATE TABLE t AS {left}") != of_script(f"CREATE TABLE t AS {right}")


BASE = "CREATE TABLE t (a INTEGER, b VARCHAR); INSERT INTO t VALUES (1, 'x');"
VIEW = "CREATE VIEW v AS FROM t;"


@pytest.mark.parametrize(
    "change",
    [
        "COMMENT ON TABLE t IS 'x'",
        "COMMENT ON COLUMN t.b IS 'x'",
        "ALTER TABLE t RENAME TO u",
        "ALTER TABLE t RENAME b TO c",
        "ALTER TABLE t ALTER a SET NOT NULL",
        "ALTER TABLE t ALTER a SET DATA TYPE BIGINT",
        "CREATE TABLE empty (a INTEGER)",
        "CREATE OR REPLACE TABLE t (a INTEGER PRIMARY KEY, b VARCHAR);"
        "INSERT INTO t VALUES (1, 'x')",
        VIEW,
    ],
)
def test_what_an_agent_sees_of_the_schema_is_in_it(change: str) -> None:
    assert of_script(BASE + change) != of_script(BASE)


@pytest.mark.parametrize(
    "change", ["COMMENT ON VIEW v IS 'x'", "CREATE OR REPLACE VIEW v AS FROM t WHERE a > 0"]
)
def test_views_are_in_it_with_their_definition(change: str) -> None:
    assert of_script(BASE + VIEW + change) != of_script(BASE + VIEW)


def test_a_comment_moved_to_another_column_changes_it() -> None:
    first = of_script(BASE + "COMMENT ON COLUMN t.a IS 'x'")
    assert first != of_script(BASE + "COMMENT ON COLUMN t.b IS 'x'")


def test_the_order_of_tables_does_not_matter() -> None:
    assert of_script("CREATE TABLE a (x INT); CREATE TABLE b (y INT)") == of_script(
        "CREATE TABLE b (y INT); CREATE TABLE a (x INT)"
    )


@pytest.mark.parametrize(
    "setting", ["threads = 1", "threads = 4", "TimeZone = 'Asia/Tokyo'", "preserve_insertion_order = false"]
)  # fmt: skip
def test_settings_of_the_session_do_not_matter(setting: str) -> None:
    script = """
        CREATE TABLE t AS SELECT range i, make_timestamptz(range * 1000000) m, range / 7 d,
            'n' || range % 10 s FROM range(5000)
    """
    assert of_script(f"SET {setting}; {script}") == of_script(f"SET TimeZone = 'UTC'; {script}")


def test_a_copy_and_a_rewritten_file_have_the_same(
    visits: InstalledScenario, tmp_path: Path
) -> None:
    shutil.copy(visits.database_path, tmp_path / "copy.duckdb")
    with duckdb.connect(str(tmp_path / "rewritten.duckdb")) as connection:
        connection.execute(f"ATTACH '{visits.database_path}' AS old (READ_ONLY)")
        connection.execute("CREATE TABLE visits AS FROM old.visits ORDER BY id DESC")
        connection.execute("CREATE TABLE patients AS FROM old.patients")
        assert fingerprint(connection) == visits.scenario.fingerprint
    with open_readonly(tmp_path / "copy.duckdb") as connection:
        assert fingerprint(connection) == visits.scenario.fingerprint


@pytest.mark.parametrize(
    "kind", ["UNION(a INTEGER, b VARCHAR)", "TIMESTAMPTZ[]", "STRUCT(a TIMESTAMPTZ)"]
)
def test_a_type_without_a_text_of_its_own_is_refused_not_guessed(kind: str) -> None:
    with pytest.raises(ScenarioError, match=r"column x: type .* has no text"):
        of_script(f"CREATE TABLE t (x {kind})")


def test_it_is_what_the_documented_algorithm_gives_by_hand() -> None:
    """Whoever changes the algorithm makes every built scenario look changed."""
    head = (
        '{"columns": [["a", "INTEGER", false, null], ["b", "VARCHAR", true, "\\u00fcn\\u00ef"],'
        ' ["c", "DOUBLE", true, null], ["d", "TIMESTAMP WITH TIME ZONE", true, null],'
        ' ["e", "BLOB", true, null]], "comment": null, "keys": [], "name": "t", "rows": 2,'
        ' "view": null}'
    )
    rows = ["1:12:é3:0.116:15778296000000002:FF", "1:2-4:-0.0-0:"]
    digests = sorted(hashlib.sha256(row.encode()).digest() for row in rows)
    by_hand = hashlib.sha256(f"ddr-content-1\n{head}\n".encode() + b"".join(digests))
    assert by_hand.hexdigest() == of_script("""
        CREATE TABLE t (a INTEGER NOT NULL, b VARCHAR, c DOUBLE, d TIMESTAMPTZ, e BLOB);
        COMMENT ON COLUMN t.b IS 'ünï';
        INSERT INTO t VALUES (1, 'é', 0.1, '2020-01-01 00:00:00+02', '\\xff'),
            (2, NULL, '-0.0', NULL, '')
    """)
