"""A text is cut into words, numbers, codes, dates, clock times and marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.reading.folding import fold
from evaluator.reading.tokens import Tokens, tokenize
from tests.evaluator.records import STEADY


def cut(text: str) -> Tokens:
    folded = fold(text)
    return tokenize(folded, 0, len(folded.text))


def texts(text: str) -> list[str]:
    return [form.text for form in cut(text).forms]


def test_names_with_underscores_are_their_words() -> None:
    assert texts("departure_delay_min") == ["departure", "delay", "min"]


def test_a_possessive_is_its_noun() -> None:
    assert texts("Kestrel's seats, carriers' rows") == ["kestrel", "seats", ",", "carriers", "rows"]


def test_emphasis_and_quotes_leave_no_trace() -> None:
    assert texts('**Mean** `delay` "is" _high_') == ["mean", "delay", "is", "high"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("54,635", ["number"]),
        ("1,2,3", ["number", "mark", "number", "mark", "number"]),
        ("20.0.", ["number", "mark"]),
        ("2019-03-08", ["date"]),
        ("2019-03", ["date"]),
        ("19:00", ["clock"]),
        ("A017", ["word"]),
        ("A320-232", ["word"]),
        ("767-223", ["word"]),
        ("28.4-30.1", ["number", "mark", "number"]),
        ("16.2%", ["number", "mark"]),
        ("(-2.1)", ["mark", "mark", "number", "mark"]),
    ],
)
def test_each_spelling_is_of_its_kind(text: str, kinds: list[str]) -> None:
    assert [form.kind for form in cut(text).forms] == kinds


@pytest.mark.parametrize(
    ("text", "value", "decimals", "suffix"),
    [
        ("54,635", 54_635, 0, ""),
        ("1,234,567.25", 1_234_567.25, 2, ""),
        ("28.40", 28.4, 2, ""),
        ("35k", 35, 0, "k"),
        ("28.4min", 28.4, 1, "min"),
        ("3rd", 3, 0, "rd"),
        ("7PM", 7, 0, "pm"),
    ],
)
def test_a_number_keeps_its_value_its_decimals_and_what_is_glued_to_it(
    text: str, value: float, decimals: int, suffix: str
) -> None:
    (form,) = cut(text).forms
    assert (form.value, form.decimals, form.suffix) == (value, decimals, suffix)


@pytest.mark.parametrize("text", ["A017", "EMBRAER", "7f3a", "B6", "CL-600-2D24", "737-7H4"])
def test_names_out_of_the_data_are_codes(text: str) -> None:
    assert any(form.code for form in cut(text).forms)


@pytest.mark.parametrize("text", ["Carrier", "mean", "I", "a", "Airbus"])
def test_ordinary_words_are_no_codes(text: str) -> None:
    assert not any(form.code for form in cut(text).forms)


def test_a_number_too_long_to_be_one_is_a_code() -> None:
    (form,) = cut("1" * 40).forms
    assert (form.kind, form.code) == ("word", True)


def test_a_sign_for_a_number_that_is_no_digit_makes_no_figure() -> None:
    assert [form.kind for form in cut("20 1\u0bf0 7").forms] == ["number", "word", "number"]


@STEADY
@given(st.text(alphabet="aAbBt019.,-':; \n\t\u00e9\u0663\u0bf0_%", max_size=30))
def test_a_token_is_of_one_kind_wherever_it_stands(text: str) -> None:
    tokens = cut(text)
    for known, start, end in zip(tokens.forms, tokens.starts, tokens.ends, strict=True):
        assert cut(text[start:end]).forms == [known]


@STEADY
@given(st.text(max_size=120))
def test_tokens_lie_in_order_and_do_not_overlap(text: str) -> None:
    tokens = cut(text)
    bounds = [place for pair in zip(tokens.starts, tokens.ends, strict=True) for place in pair]
    assert bounds == sorted(bounds)
    assert len(tokens.forms) == len(tokens.starts) == len(tokens.ends)


def test_a_token_is_glued_to_what_stands_before_it_at_once() -> None:
    tokens = cut("(3.5%), about -2 *to* a\n.b")
    glued = [tokens.glued(i) for i in range(len(tokens))]
    known = [form.text for form in tokens.forms]
    assert known == ["(", "3.5", "%", ")", ",", "about", "-", "2", "to", "a", ".", "b"]
    assert glued == [
        False, True, True, True, True, False, False, True, False, False, False, True
    ]  # fmt: skip


@STEADY
@given(st.text(alphabet="aB1.,-'( \n*_", max_size=30))
def test_tokens_are_glued_where_their_places_touch(text: str) -> None:
    tokens = cut(text)
    touching = [start == end for start, end in zip(tokens.starts[1:], tokens.ends, strict=False)]
    assert [tokens.glued(i) for i in range(1, len(tokens))] == touching


def test_a_word_of_any_length_is_read_alike_whether_or_not_it_was_met_before() -> None:
    for length in (10, 64, 65, 5000):
        word = "b" * length
        assert cut(word).forms == cut(word).forms and texts(f"{word}, x") == [word, ",", "x"]
