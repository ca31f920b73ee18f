"""Forms of one word meet, and different words stay apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.reading.stems import stem
from tests.evaluator.records import STEADY


@pytest.mark.parametrize(
    "forms",
    [
        "delay delays delayed delaying",
        "arrival arrivals arrive arrived arriving",
        "departure departures depart departed departing",
        "cancel cancelled canceled cancellation cancellations",
        "destination destinations",
        "average averages averaged averaging",
        "rain rainy raining rains",
        "temperature temperatures",
        "country countries",
        "city cities",
        "wind winds",
        "leaves left departs dep",
        "lands arrived arr",
        "planes aircraft jet",
        "month monthly months",
        "row rows",
        "hour hours hourly",
        "class classes",
        "fly flies flew flown",
        "missing missed",
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(word) for word in forms.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mean", "means"),
        ("weather", "whether"),
        ("departure", "arrival"),
        ("rate", "rare"),
        ("seat", "seal"),
        ("wait", "weight"),
        ("a017", "a01"),
        ("03", "3"),
    ],
)
def test_different_words_have_different_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize("code", ["a017", "t0001", "2b", "03", "x9s", "r2es"])
def test_codes_stay_whole(code: str) -> None:
    assert stem(code) == code


@STEADY
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=15))
def test_a_stem_is_no_longer_than_its_word_and_never_empty(word: str) -> None:
    assert 0 < len(stem(word)) <= len(word)
