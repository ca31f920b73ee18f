"""A report's lines look like what they are, and its text and quotes stay whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.prose import typeset
from analysis.quotes import Span
from tests.analysis.page import parse

TEXT = "# Delays\n\n- Mean 12.5.\n2) Most at noon.\nPlain -- text."


def test_headings_entries_and_gaps_are_told_apart() -> None:
    lines = parse(str(typeset(TEXT))).all("span", "line")
    assert [" ".join(sorted(line.classes - {"line"})) for line in lines] == [
        "heading",
        "gap",
        "entry",
        "entry",
        "",
    ]
    assert lines[0].one("span", "sign").text == "# "


@pytest.mark.parametrize(
    "line", ["#hashtag", "# ", "-5 minutes", "1.5 hours", "--- ", "*bold* word"]
)
def test_a_line_that_only_resembles_one_stays_plain(line: str) -> None:
    (only,) = parse(str(typeset(line))).all("span", "line")
    assert only.classes == {"line"}


def test_a_quote_that_runs_through_lines_is_marked_in_each_and_linked_where_it_begins() -> None:
    start = TEXT.index("Mean")
    page = parse(str(typeset(TEXT, [Span(start, len(TEXT) - 6, "a", "here")])))
    pieces = page.all("mark")
    assert "".join(p.text for p in pieces) == TEXT[start:-6]
    assert [p.get("id") for p in pieces] == ["here", None, None]


@given(st.text(st.sampled_from("#-1. \n\r\tab<&\u2028*"), min_size=1, max_size=40), st.data())
def test_the_text_and_every_quote_stay_whole_letter_for_letter(
    text: str, draw: st.DataObject
) -> None:
    low = draw.draw(st.integers(0, len(text) - 1))
    high = draw.draw(st.integers(low + 1, len(text)))
    page = parse(str(typeset(text, [Span(low, high, "a", "x"), Span(0, high, "b", "y")])))
    # A browser reads every line end as one newline; the tree of the tests does not.
    assert page.text == text
    pieces = [m for m in page.all("mark") if m.get("data-item") == "a"]
    assert "".join(p.text for p in pieces) == text[low:high]
    assert [p.get("id") for p in pieces][:1] == ["x"]
