"""Colouring says which words are which, and changes none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.highlight import highlight
from tests.analysis.page import parse


def _marked(source: str, language: str) -> list[tuple[str | None, str]]:
    return [(e.get("class"), e.text) for e in parse(str(highlight(source, language))).all("span")]


def test_sql_shows_its_keywords_strings_numbers_calls_and_comments() -> None:
    source = "select avg(x) FROM t -- from\nWHERE id = 'it''s 3' and y > 1.5 /* a 'b' */"
    assert _marked(source, "sql") == [
        ("k", "select"),
        ("f", "avg"),
        ("k", "FROM"),
        ("c", "-- from"),
        ("k", "WHERE"),
        ("s", "'it''s 3'"),
        ("k", "and"),
        ("n", "1.5"),
        ("c", "/* a 'b' */"),
    ]


def test_python_shows_its_keywords_strings_numbers_calls_and_comments() -> None:
    source = 'for x in f"a{1}": print(x, 10)  # in\ny = """if\n"""'
    assert _marked(source, "python") == [
        ("k", "for"),
        ("k", "in"),
        ("s", 'f"a{1}"'),
        ("f", "print"),
        ("n", "10"),
        ("c", "# in"),
        ("s", '"""if\n"""'),
    ]


def test_words_inside_names_are_not_keywords() -> None:
    assert _marked("SELECT from_date, order_id2 FROM t1", "sql") == [
        ("k", "SELECT"),
        ("k", "FROM"),
    ]


@pytest.mark.parametrize("source", ["'never closed select", "/* never closed select"])
def test_a_literal_that_is_never_closed_runs_to_the_end(source: str) -> None:
    assert [text for _, text in _marked(source, "sql")] == [source]


def test_an_unknown_language_is_escaped_alone() -> None:
    assert highlight("select <b>", "rust") == "select &lt;b&gt;"


@given(
    st.text(st.sampled_from("selct from'\"#-/*\n<>&;1.5e(\\\x00é"), max_size=60),
    st.sampled_from(["sql", "python"]),
)
def test_with_the_tags_taken_out_the_source_is_whole(source: str, language: str) -> None:
    html = str(highlight(source, language))
    assert parse(html.replace("\x00", "0")).text == source.replace("\x00", "0")
    assert not {e.tag for e in parse(html).all()} - {"span"}
