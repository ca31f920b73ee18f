"""Colouring says which words are which, and changes none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.highlight import highlight
from tests.analysis.page import parse


def _marked(source: str, language: str) -> list[tuple[str, str]]:
    return [(e.tag, e.text) for e in parse(str(highlight(source, language))).all()]


def test_sql_shows_its_keywords_strings_numbers_and_comments() -> None:
    source = "select avg(x) FROM t -- from\nWHERE id = 'it''s 3' and y > 1.5 /* a 'b' */"
    assert _marked(source, "sql") == [
        ("b", "select"),
        ("b", "FROM"),
        ("em", "-- from"),
        ("b", "WHERE"),
        ("i", "'it''s 3'"),
        ("b", "and"),
        ("u", "1.5"),
        ("em", "/* a 'b' */"),
    ]


def test_python_shows_its_keywords_strings_numbers_and_comments() -> None:
    source = 'for x in f"a{1}": print(x, 10)  # in\ny = """if\n"""'
    assert _marked(source, "python") == [
        ("b", "for"),
        ("b", "in"),
        ("i", 'f"a{1}"'),
        ("u", "10"),
        ("em", "# in"),
        ("i", '"""if\n"""'),
    ]


def test_words_inside_names_are_not_keywords() -> None:
    assert _marked("SELECT from_date, order_id2 FROM t1", "sql") == [
        ("b", "SELECT"),
        ("b", "FROM"),
    ]


def test_keywords_in_a_row_share_one_element() -> None:
    assert _marked("x IS NOT\n NULL THEN y", "sql") == [("b", "IS NOT\n NULL THEN")]


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
    assert not {e.tag for e in parse(html).all()} - {"b", "i", "u", "em"}
