"""A displayed text becomes the value that its transformation defines, or an error."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from databases.filings.formats import FormatError, number, text_value, words


@pytest.mark.parametrize(
    ("shown", "transformation", "value"),
    [
        ("1,234.5", "ixt:num-dot-decimal", "1234.5"),
        ("1,234.5", "ixt:numdotdecimal", "1234.5"),
        ("1 234.5", "ixt:num-dot-decimal", "1234.5"),
        ("1\u00a0234", "ixt:num-dot-decimal", "1234"),
        (".75", "ixt:num-dot-decimal", "0.75"),
        ("1.234,5", "ixt:num-comma-decimal", "1234.5"),
        ("1.234,5", "ixt:numcommadecimal", "1234.5"),
        ("1.234,5", "ixt:numdotcomma", "1234.5"),
        ("\u2014", "ixt:fixed-zero", "0"),
        ("-", "ixt:zerodash", "0"),
        ("1234", None, "1234"),
        ("12.50", None, "12.50"),
        ("three", "ixt-sec:numwordsen", "3"),
        ("12 dollars 50 cents", "ixt:num-unit-decimal", "12.50"),
    ],
)
def test_a_number_is_read_by_its_transformation(
    shown: str, transformation: str | None, value: str
) -> None:
    assert number(shown, transformation) == Decimal(value)


@pytest.mark.parametrize(
    ("shown", "transformation"),
    [
        ("", None),
        ("\u2014", "ixt:num-dot-decimal"),
        ("n/a", None),
        ("1.2.3", "ixt:num-dot-decimal"),
        ("1e9", None),
        ("NaN", None),
        ("\u0661\u0662", None),
        ("9" * 60, None),
        ("12", "ixt:numsumerian"),
        ("a dozen", "ixt-sec:numwordsen"),
        ("", "ixt-sec:numwordsen"),
    ],
)
def test_what_is_no_number_is_never_guessed_at(shown: str, transformation: str | None) -> None:
    with pytest.raises(FormatError):
        number(shown, transformation)


@given(st.integers(0, 10**15), st.integers(0, 6))
def test_both_ways_of_writing_a_number_give_the_same(units: int, places: int) -> None:
    value = Decimal(units).scaleb(-places)
    shown = f"{value:,f}"
    swapped = shown.translate(str.maketrans(",.", ".,"))
    assert number(shown, "ixt:num-dot-decimal") == value
    assert number(swapped, "ixt:num-comma-decimal") == value


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("no", 0),
        ("twelve", 12),
        ("Twenty-five", 25),
        ("one hundred and two", 102),
        ("two thousand three hundred", 2300),
        ("one million", 1_000_000),
    ],
)
def test_numbers_in_words(said: str, value: int) -> None:
    assert words(said) == value


@pytest.mark.parametrize(
    ("shown", "transformation", "value"),
    [
        ("September\u00a028, 2024", "ixt:date-monthname-day-year-en", "2024-09-28"),
        ("Sept. 28, 2024", "ixt:datemonthdayyearen", "2024-09-28"),
        ("28 September 2024", "ixt:date-day-monthname-year-en", "2024-09-28"),
        ("9/28/2024", "ixt:date-month-day-year", "2024-09-28"),
        ("September 28", "ixt:date-monthname-day-en", "--09-28"),
        ("June 2031", "ixt:date-monthname-year-en", "2031-06"),
        ("5", "ixt-sec:duryear", "P5Y"),
        ("2.5", "ixt-sec:duryear", "P2Y6M"),
        ("18", "ixt-sec:durmonth", "P18M"),
        ("30", "ixt-sec:durday", "P30D"),
        ("five-year", "ixt-sec:durwordsen", "P5Y"),
        ("3-year", "ixt-sec:durwordsen", "P3Y"),
        ("two years and six months", "ixt-sec:durwordsen", "P2Y6M"),
        ("\u2612", "ixt-sec:boolballotbox", "true"),
        ("\u2610", "ixt-sec:boolballotbox", "false"),
        ("not relevant", "ixt:fixed-false", "false"),
        (
            " Large\u00a0accelerated  filer ",
            "ixt-sec:entityfilercategoryen",
            "Large accelerated filer",
        ),
    ],
)
def test_a_text_is_read_by_its_transformation(shown: str, transformation: str, value: str) -> None:
    assert text_value(shown, transformation) == value


@pytest.mark.parametrize("transformation", ["ixt:date-monthname-day-year-en", "ixt-sec:durwordsen"])
def test_a_text_that_its_transformation_cannot_read_stays_as_it_is(transformation: str) -> None:
    assert text_value("February 31, 2024 or so", transformation) == "February 31, 2024 or so"


@given(st.text(max_size=40), st.sampled_from(["ixt:date-monthname-day-en", "ixt-sec:duryear", ""]))
def test_no_text_is_an_error(shown: str, transformation: str) -> None:
    assert isinstance(text_value(shown, transformation), str)
