"""A text is brought to plain signs and every sign keeps its place."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from evaluator.reading.folding import MAX_CHARS, fold
from tests.evaluator.records import STEADY


def test_plain_text_stays_as_it_is_and_needs_no_map() -> None:
    folded = fold("Carrier 03's mean is 20.0.")
    assert (folded.text, folded.offsets) == ("Carrier 03's mean is 20.0.", None)


def test_typographic_quotes_minus_signs_and_thin_spaces_become_plain_in_place() -> None:
    folded = fold("Kestrel’s −2.1\u202fmin")
    assert (folded.text, folded.offsets) == ("Kestrel's -2.1 min", None)


def test_compatibility_characters_are_taken_apart_and_remember_where_they_stood() -> None:
    folded = fold("½ of ﬁve")
    assert folded.text == "1⁄2 of five"
    assert [folded.place(i) for i in range(len(folded.text))] == [0, 0, 0, 1, 2, 3, 4, 5, 5, 6, 7]


def test_full_width_digits_are_digits() -> None:
    assert fold("２０.０").text == "20.0"


def test_invisible_characters_vanish_and_leave_the_places_right() -> None:
    folded = fold("20\u200b.\u200b0 min")
    assert folded.text == "20.0 min"
    assert folded.raw[folded.place(2)] == "."


def test_a_carriage_return_is_a_line_end() -> None:
    assert fold("a\r\nb").text == "a\n\nb"


def test_what_lies_beyond_the_cap_is_not_read() -> None:
    assert len(fold("a" * (MAX_CHARS + 5)).text) == MAX_CHARS


@STEADY
@given(st.text(max_size=80))
def test_every_place_lies_in_the_text_and_places_never_go_back(text: str) -> None:
    folded = fold(text)
    places = [folded.place(i) for i in range(len(folded.text))]
    assert places == sorted(places)
    assert all(0 <= place < len(folded.raw) for place in places)
    assert folded.place(len(folded.text)) == len(folded.raw)


@STEADY
@given(st.text(alphabet="abc 123.,%½ﬁ２é’−\u200b\u00a0", max_size=60))
def test_the_folded_text_is_in_normal_form(text: str) -> None:
    assert unicodedata.is_normalized("NFKC", fold(text).text)
