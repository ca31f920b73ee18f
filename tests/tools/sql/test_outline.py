"""Texts of one outline are the same statement about other values, and nothing doubtful has one."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.contracts.sql_engine import ask, refusal
from tests.tools.sql.grammar import examples
from tests.tools.sql.grammar.reading import READING, TABLES
from tests.tools.support import make_visits
from tools.sql.engine import EngineLimits
from tools.sql.engines.duckdb_engine import DuckDbEngine
from tools.sql.gate import only_reading
from tools.sql.outline import LONGEST, Recent, outline

ALIKE = (
    ("FROM t WHERE a = 'b'", "FROM t WHERE a = 'b''c'"),
    ("SELECT note FROM visits WHERE id = 'a'", "SELECT note FROM visits WHERE id = 'b c.d-e'"),
    ("SELECT 1 WHERE a>=5 AND b<'x'", "SELECT 1 WHERE a>=70.25 AND b<''"),
    ("FROM t WHERE a LIKE 'x%' AND 'y' = b", "FROM t WHERE a LIKE '%z' AND 'y' = b"),
    ("SELECT \"it's\" FROM t WHERE a = 'b'", "SELECT \"it's\" FROM t WHERE a = '\"'"),
    ("SELECT 'a = ''b''' WHERE c = 'd'", "SELECT 'a = ''b''' WHERE c = 'e'"),
)
OTHERS = (
    ("SELECT COLUMNS('d.*') FROM t", "SELECT COLUMNS('n.*') FROM t"),
    ("FROM 'a.csv'", "FROM 'b.csv'"),
    ("FROM t WHERE a = 'b'", "FROM t WHERE a = b"),
    ("FROM t WHERE a = 1", "FROM t WHERE a = '1'"),
    ("FROM t WHERE a = 1", "FROM t WHERE a = 1e5"),
    ("FROM t WHERE a = E'b'", "FROM t WHERE a = E'c'"),
    ("FROM t WHERE a = 'b'", "FROM t WHERE a = 'b' OR b = 'c'"),
    ("FROM t LIMIT 1", "FROM t LIMIT 2"),
    ("FROM t WHERE a = 'b'", "FROM u WHERE a = 'b'"),
    ("""SELECT "a = 'x'" FROM t""", """SELECT "a = 'y'" FROM t"""),
)
UNCLEAR = (
    "FROM t WHERE a = 'b' -- c",
    "FROM t WHERE a = 'b' /* c */",
    "FROM t WHERE a = 'b' # c",
    r"FROM t WHERE a = E'\'' OR b = 'c'",
    "FROM t WHERE a = $$'$$ OR b = 'c'",
    "FROM t WHERE a = `'` OR b = 'c'",
    "FROM t WHERE a = [it's] OR b = 'c'",
    "FROM t WHERE\u00a0a = 'b'",
    "FROM t WHERE a = 'b",
    'FROM t WHERE a = "b',
    "FROM t WHERE a = \0text",
    "FROM t WHERE a = '" + "x" * LONGEST + "'",
)
PIECES = st.sampled_from(
    [
        *"'\"=<>()*,;.+-/%:{}?!~|&@^ \n\t",
        *("''", "1", "2.5", "1e5", "0x1f", "a", "E", "LIKE ", "not", "U&"),
        *("= 'x'", "<> 7", '"b c"', "'d e'", " = ", ":=", "=>"),
    ]
)
VALUES = st.text('abc XYZ019_.,:;()=<>%?!"+*@~|&^{}', max_size=12).map(lambda text: f"'{text}'")
NUMBERS = st.sampled_from(["0", "7", "12.5", "99999999999999999999999999999999999999999999"])


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With tables that the grammar of reading statements knows."""
    folder = tmp_path_factory.mktemp("outline")
    return make_visits(folder / "visits.duckdb", *TABLES.split(";\n"))


@pytest.fixture(scope="module")
def engine(file: Path) -> Iterator[DuckDbEngine]:
    with closing(DuckDbEngine(str(file), EngineLimits())) as engine:
        yield engine


@pytest.fixture(scope="module")
def forgetful(file: Path) -> Iterator[DuckDbEngine]:
    """One that judges each text anew."""
    with closing(DuckDbEngine(str(file), EngineLimits())) as engine:
        engine._gate._known = Recent(0)
        yield engine


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_other_values_behind_a_comparison_make_no_other_outline(one: str, other: str) -> None:
    assert outline(one) == outline(other) is not None


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_whatever_else_differs_makes_another(one: str, other: str) -> None:
    assert None is not outline(one) != outline(other)


@pytest.mark.parametrize("sql", UNCLEAR)
def test_what_might_be_divided_in_two_ways_has_none(sql: str) -> None:
    assert outline(sql) is None


def filled(form: str, data: st.DataObject) -> str:
    """A text of this outline."""
    while "\0" in form:
        form = form.replace("\0text", data.draw(VALUES), 1)
        form = form.replace("\0number", data.draw(NUMBERS), 1)
    return form


def tokens(sql: str) -> list[tuple[duckdb.token_type, str]]:
    """The engine's own, but for the values of constants."""
    found = duckdb.tokenize(sql)
    ends = [start for start, _ in found[1:]] + [len(sql)]
    constants = (duckdb.token_type.string_const, duckdb.token_type.numeric_const)
    return [
        (kind, "" if kind in constants else sql[start:end].strip())
        for (start, kind), end in zip(found, ends, strict=True)
    ]


@examples(500)
@given(pieces=st.lists(PIECES, max_size=25), data=st.data())
def test_texts_of_one_outline_are_the_same_tokens_to_the_engine(
    pieces: list[str], data: st.DataObject
) -> None:
    one = "".join(pieces)
    form = outline(one)
    assume(form is not None and "\0" in form)
    assert form is not None
    other = filled(form, data)
    if outline(other) is not None:
        assert outline(other) == form
        assert tokens(other) == tokens(one)


@examples(200)
@given(sql=READING, data=st.data())
def test_a_verdict_on_an_outline_is_the_verdict_on_each_text_of_it(
    engine: DuckDbEngine, forgetful: DuckDbEngine, sql: str, data: st.DataObject
) -> None:
    form = outline(sql)
    assume(form is not None and "\0" in form)
    assert form is not None
    other = filled(form, data)
    assume(outline(other) is not None)
    engine.admit(sql)
    assert engine.admit(other) == forgetful.admit(other)


def test_no_word_of_the_language_means_more_in_a_value(engine: DuckDbEngine) -> None:
    words = [
        word
        for (word,) in ask(engine, "SELECT keyword_name FROM duckdb_keywords()", most=1000).rows
    ]
    assert len(words) > 400
    trees = set()
    with duckdb.connect() as connection:
        for word in words:
            sql = f"SELECT id FROM visits WHERE note = '{word}'"
            (tree,) = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0]
            assert tree.count(f'"{word}"') >= 1
            told = re.sub(r'"query_location(_length)?":\d+', "", tree)
            trees.add(told.replace(f'"text":"{word}"', ""))
    assert len(trees) == 1


def test_what_is_known_still_gives_each_statement_its_own_rows(engine: DuckDbEngine) -> None:
    for number in (3, 1, 2, 3):
        sql = f"SELECT id FROM visits WHERE id = {number} OR note = 'none such {number}'"
        assert ask(engine, sql).rows == [(number,)]
        assert engine.admit(sql).reads == sql


def test_a_refusal_is_told_each_time(engine: DuckDbEngine) -> None:
    for value in ("a", "b", "a"):
        told = refusal(
            engine, f"SELECT id FROM visits WHERE note = '{value}' AND getenv('HOME') > ''"
        )
        assert told.violations == ("sql: getenv",)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1; SELECT 2",
        "DELETE FROM visits",
        "PREPARE p AS SELECT 1",
        "SET threads = 2",
        "CALL pragma_version()",
        "PRAGMA database_list",
        "CREATE TEMP TABLE x AS SELECT 1",
        "COPY visits TO 'never-written.csv'",
        "ATTACH ':memory:' AS other",
        "BEGIN",
    ],
)
def test_a_cursor_runs_no_other_kind_of_statement_whatever_the_gate_said(
    engine: DuckDbEngine, sql: str
) -> None:
    with pytest.raises(duckdb.Error) as caught, closing(engine.cursor()) as cursor:
        cursor.execute(sql)
    told = engine.explain(caught.value, ())
    assert told is not None
    assert told.kind == "refused"
    assert not Path("never-written.csv").exists()


def test_a_long_text_runs_as_it_stands(engine: DuckDbEngine) -> None:
    many = ", ".join(map(str, range(2, LONGEST)))
    assert ask(engine, f"SELECT id FROM visits WHERE id < 4 AND id IN ({many})").rows == [
        (2,),
        (3,),
    ]


def test_an_empty_text_is_no_statement() -> None:
    with pytest.raises(duckdb.Error, match="one statement"):
        only_reading([])


def test_the_latest_are_remembered_and_the_others_forgotten() -> None:
    recent: Recent[str, int] = Recent(2)
    recent.keep("a", 1)
    recent.keep("b", 2)
    assert recent.get("a") == 1
    recent.keep("c", 3)
    assert [recent.get(key) for key in "abc"] == [1, None, 3]
    nothing: Recent[str, int] = Recent(0)
    nothing.keep("a", 1)
    assert nothing.get("a") is None


def test_several_threads_may_ask_at_once() -> None:
    recent: Recent[int, int] = Recent(5)

    def work(first: int) -> None:
        for number in range(first, first + 2000):
            recent.keep(number % 17, number % 17)
            assert recent.get(number % 17) in (None, number % 17)

    failed: list[object] = []
    threading.excepthook, before = failed.append, threading.excepthook
    try:
        threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        threading.excepthook = before
    assert failed == []
