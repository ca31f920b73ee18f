"""Markdown and plain text fall into headings, paragraphs, list items and rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.reading.blocks import Block, blocks
from tests.evaluator.records import STEADY


def read(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in blocks(text)]


def rows(text: str) -> list[list[str]]:
    return [
        [text[low:high].strip() for low, high in block.cells]
        for block in blocks(text)
        if block.kind == "row"
    ]


def header(text: str) -> list[str]:
    row: Block = next(block for block in blocks(text) if block.kind == "row")
    return [text[low:high].strip() for low, high in row.header]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo", [("prose", "one\ntwo")]),
        ("One\nTwo", [("prose", "One"), ("prose", "Two")]),
        ("One\n\ntwo", [("prose", "One"), ("prose", "two")]),
        ("The mean is\n20.0 min", [("prose", "The mean is\n20.0 min")]),
        ("Mean: 3\n20.0 min", [("prose", "Mean: 3"), ("prose", "20.0 min")]),
        ("- a\n- b", [("prose", "a"), ("prose", "b")]),
        ("1. a\n2. b", [("prose", "a"), ("prose", "b")]),
        ("(1) a\n(2) b", [("prose", "a"), ("prose", "b")]),
        ("- a\n  goes on", [("prose", "a\n  goes on")]),
        ("> quoted", [("prose", "quoted")]),
        ("## Head\ntext", [("heading", "Head"), ("prose", "text")]),
        ("**Head**\ntext", [("heading", "**Head**"), ("prose", "text")]),
        ("**Head**: text", [("prose", "**Head**: text")]),
        ("#hashtag", [("prose", "#hashtag")]),
        ("```\ncode\n```", [("prose", "code")]),
        ("", []),
        ("\n \n", []),
        ("-2.1 is low", [("prose", "-2.1 is low")]),
    ],
)
def test_a_text_falls_into_its_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    assert read(text) == expected


def test_the_rows_of_a_table_know_its_header() -> None:
    table = "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |"
    assert rows(table) == [["1", "2"], ["3", "4"]]
    assert header(table) == ["a", "b"]


def test_a_table_may_do_without_its_outer_bars() -> None:
    table = "a | b | c\n---|---|---\n1 | 2 | 3"
    assert rows(table) == [["1", "2", "3"]]


def test_an_empty_cell_keeps_its_column() -> None:
    assert rows("| a | b | c |\n|---|---|---|\n| 1 | | 3 |") == [["1", "", "3"]]


def test_a_line_after_a_table_is_no_row() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\nNot | a row"
    assert [kind for kind, _ in read(text)] == ["row", "prose"]


def test_two_tables_have_their_own_headers() -> None:
    text = "| a | b |\n|--|--|\n| 1 | 2 |\n\n| c | d |\n|--|--|\n| 3 | 4 |"
    headers = [
        [text[low:high].strip() for low, high in block.header]
        for block in blocks(text)
        if block.kind == "row"
    ]
    assert headers == [["a", "b"], ["c", "d"]]


@STEADY
@given(st.text(alphabet="aB1 |-#*.\n>", max_size=120))
def test_blocks_come_in_order_and_never_overlap(text: str) -> None:
    places = [place for block in blocks(text) for place in (block.start, block.end)]
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)
