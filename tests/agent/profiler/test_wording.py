"""Names become words and numbers become text without a change of meaning."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.profiler import wording
from tests.agent.profiler.sums import Number


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("departure_delay_min", "departure delay (min)"),
        ("distance_mi", "distance (mi)"),
        ("humidity_pct", "humidity (%)"),
        ("amount_usd", "amount (USD)"),
        ("actual_departure_hhmm", "actual departure (hhmm)"),
        ("scheduled_at_utc", "scheduled at (UTC)"),
        ("destination_id", "destination"),
        ("carrier_name", "carrier name"),
        ("seatCount", "seat Count"),
        ("the day", "the day"),
        ("min", "min"),
        ("id", "id"),
        ("zorp_kint", "zorp kint"),
        ("__x__", "x"),
        ("größe_km", "größe (km)"),
        ("___", "the unnamed column"),
        ("", "the unnamed column"),
        ("a" * 80, "a" * 57 + "..."),
    ],
)
def test_a_columns_name_is_read_as_words(name: str, words: str) -> None:
    assert wording.humanise(name) == words


@pytest.mark.parametrize(
    ("name", "words"),
    [("flights", "flights"), ("sleep_data", "sleep data"), ("  ", "the unnamed table")],
)
def test_a_tables_name_is_read_as_words(name: str, words: str) -> None:
    assert wording.table_words(name) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (54635, "54,635"),
        (0.0, "0"),
        (19.96, "20.0"),
        (-2.14, "-2.14"),
        (1301, "1,301"),
        (1528.95, "1,529.0"),
        (9.999, "10.00"),
        (0.123, "0.12"),
        (0.0123, "0.012"),
        (0.004469, "0.0045"),
        (-0.0000123, "-0.000012"),
        (1.2e-12, "1.2e-12"),
        (-5, "-5"),
        (1e18, "1,000,000,000,000,000,000.0"),
    ],
)
def test_an_amount_shows_the_digits_that_count(value: float, text: str) -> None:
    assert wording.amount(value) == text


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (0.162, "16.2%"),
        (0.0085, "0.85%"),
        (0.01, "1.0%"),
        (1.0, "100%"),
        (0.0, "0%"),
        (0.9997, "99.97%"),
        (0.00003, "0.003%"),
        (0.99999, "99.999%"),
        (0.5, "50.0%"),
    ],
)
def test_a_share_is_a_percentage(part: float, text: str) -> None:
    assert wording.share(part) == text


@given(st.floats(min_value=1e-7, max_value=1 - 1e-7))
def test_a_share_never_reads_none_or_all_where_it_is_neither(part: float) -> None:
    shown = Number(wording.share(part))
    assert 0 < shown.value < 1
    assert abs(shown.value - part) <= 0.5 * shown.unit + 1e-12


@given(st.floats(min_value=1e-6, max_value=1e9) | st.floats(min_value=-1e9, max_value=-1e-6))
def test_an_amount_is_right_to_its_last_digit(value: float) -> None:
    shown = Number(wording.amount(value))
    assert abs(shown.value - value) <= 0.5 * shown.unit * (1 + 1e-6) + 1e-9 * abs(value)
    assert abs(shown.value - value) <= 0.051 * abs(value)


@given(st.integers(min_value=-(10**9), max_value=10**9), st.integers(min_value=0, max_value=6))
def test_a_bound_is_printed_with_all_of_its_digits(digits: int, places: int) -> None:
    value = digits / 10**places
    assert math.isclose(Number(wording.exact(value)).value, value, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("value", "text"),
    [(15.0, "15"), (1500.0, "1,500"), (0.13, "0.13"), (12.35, "12.35"), (-2.5, "-2.5")],
)
def test_a_bound_has_no_digit_too_many(value: float, text: str) -> None:
    assert wording.exact(value) == text


@pytest.mark.parametrize(("value", "text"), [(2004.0, "2004"), (2004.37, "2004.4")])
def test_a_year_has_no_comma(value: float, text: str) -> None:
    assert wording.year(value) == text


@pytest.mark.parametrize(
    ("rank", "text"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (22, "22nd"), (113, "113th")],
)  # fmt: skip
def test_ranks_are_ordinals(rank: int, text: str) -> None:
    assert wording.ordinal(rank) == text


@pytest.mark.parametrize(
    ("noun", "many"),
    [("carrier", "carriers"), ("company", "companies"), ("box", "boxes"), ("day", "days"), ("branch", "branches")],
)  # fmt: skip
def test_nouns_have_a_plural(noun: str, many: str) -> None:
    assert wording.plural(noun) == many


def test_months_and_weekdays_are_named() -> None:
    assert wording.month("2019-07") == "July 2019"
    assert wording.month("2019-13") == "2019-13"
    assert wording.month("n/a") == "n/a"
    assert wording.weekday("6") == "Saturday"
    assert wording.weekday("8") == "8"
    assert wording.weekday("") == ""
