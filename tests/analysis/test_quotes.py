"""A quote is marked where it stands word for word, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.quotes import Span, locate, mark
from tests.analysis.page import parse

TEXT = "Carrier 03 is late. Carrier 03's mean delay (min) is 20.0, against 11.9 for the rest."


def test_a_quote_is_found_where_it_stands() -> None:
    place = locate(TEXT, "mean delay (min) is 20.0")
    assert place
    assert TEXT[slice(*place)] == "mean delay (min) is 20.0"


def test_a_quote_whose_line_breaks_differ_is_found_with_the_texts_own() -> None:
    text = "The mean\n  delay is 20.0."
    place = locate(text, "mean delay is")
    assert place
    assert text[slice(*place)] == "mean\n  delay is"


@pytest.mark.parametrize(
    "quote", [None, "", "  ", "mean delay is 20.0", "carrier 03 IS late", "Carrier 03 is late. The"]
)
def test_a_quote_that_is_not_there_word_for_word_is_not_marked(quote: str | None) -> None:
    assert locate(TEXT, quote) is None


def test_white_space_inside_a_word_is_not_forgiven() -> None:
    assert locate("a notable case", "not able") is None
    assert locate("not able, a not able one", "notable") is None


def test_a_marked_passage_carries_its_item_and_its_fragment() -> None:
    html = mark("a b c", [Span(2, 3, "03/item-x", "03/turn-1/item-x")])
    assert (
        html
        == 'a <mark id="03/turn-1/item-x" data-item="03/item-x" data-tone="supported">b</mark> c'
    )


def test_one_sentence_that_supports_two_items_is_marked_for_both() -> None:
    page = parse(str(mark("so it is", [Span(0, 8, "a", "x"), Span(0, 8, "b", "y")])))
    assert page.by_id("x").text == page.by_id("y").text == "so it is"


def test_quotes_that_overlap_are_cut_into_pieces_and_none_is_lost() -> None:
    page = parse(str(mark("one two three", [Span(0, 7, "a", "x"), Span(4, 13, "b", "y")])))
    pieces = [m.text for m in page.all("mark") if m.get("data-item") == "b"]
    assert pieces == ["two", " three"]
    assert page.by_id("y").text == "two"
    assert page.text == "one two three"


def test_a_span_beyond_the_text_is_left_out() -> None:
    assert mark("ab", [Span(1, 9, "a"), Span(1, 1, "b"), Span(-1, 1, "c")]) == "ab"


def test_markup_in_text_and_names_stays_text() -> None:
    hostile = '"><script>alert(1)</script>'
    html = str(mark(hostile, [Span(0, len(hostile), hostile, hostile)]))
    page = parse(html)
    assert "<script" not in html
    assert page.text == hostile
    assert page.all("mark")[0].get("data-item") == hostile


@given(st.text("ab <&", min_size=1, max_size=20), st.data())
def test_however_quotes_overlap_their_pieces_join_to_the_quote_and_the_text_is_whole(
    text: str, data: st.DataObject
) -> None:
    n = len(text)
    ends = st.tuples(st.integers(0, n - 1), st.integers(1, n)).filter(lambda p: p[0] < p[1])
    spans = [
        Span(low, high, f"i{k}", f"q{k}")
        for k, (low, high) in enumerate(data.draw(st.lists(ends, max_size=5)))
    ]
    page = parse(str(mark(text, spans)))
    assert page.text == text
    for span in spans:
        pieces = [m for m in page.all("mark") if m.get("data-item") == span.item]
        assert "".join(m.text for m in pieces) == text[span.start : span.end]
        assert [m.get("id") for m in pieces] == [span.id] + [None] * (len(pieces) - 1)


def test_a_number_inside_a_quote_is_a_link_to_itself_and_the_text_stays() -> None:

    start = TEXT.index("20.0")
    quote = Span(12, start + 4, "item-a", "turn-1/item-a")
    number = Span(start, start + 4, "turn-1/number-1", "turn-1/number-1", kind="number")
    page = parse(str(mark(TEXT, [quote, number])))
    assert page.text == TEXT
    (link,) = page.all("a")
    assert link.attributes == {
        "class": "claim",
        "id": "turn-1/number-1",
        "href": "#turn-1/number-1",
    }
    assert link.text == "20.0"
