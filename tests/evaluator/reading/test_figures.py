"""Figures are read with their sign, scale, unit and the fineness of their print."""

from __future__ import annotations

import pytest

from evaluator.reading.clauses import clauses
from evaluator.reading.figures import Figure, canonical, figures, turned
from evaluator.reading.folding import fold


def read(text: str) -> list[Figure]:
    (clause,) = clauses(fold(text))
    return figures(clause, ())


@pytest.mark.parametrize(
    ("text", "value", "unit", "step"),
    [
        ("it is 20.0", 20.0, "", 0.1),
        ("it is 54,635 rows", 54_635, "", 1),
        ("it is -2.1", -2.1, "", 0.1),
        ("it is (−2.1)", -2.1, "", 0.1),
        ("it is (–2.1)", -2.1, "", 0.1),
        ("it is minus 2.1", -2.1, "", 0.1),
        ("it is +2.1", 2.1, "", 0.1),
        ("it is 16.2%", 16.2, "%", 0.1),
        ("it is 16.2 percent", 16.2, "%", 0.1),
        ("it is 16.2 per cent", 16.2, "%", 0.1),
        ("it rose 5 percentage points", 5, "pp", 1),
        ("it rose 5 pp", 5, "pp", 1),
        ("it is 1.7x that", 1.7, "x", 0.1),
        ("it is 3 times that", 3, "x", 1),
        ("it is 20.0 minutes", 20.0, "min", 0.1),
        ("it is 28.4min", 28.4, "min", 0.1),
        ("it is a 15-minute wait", 15, "min", 1),
        ("it is 2 hrs", 2, "h", 1),
        ("it is 900 miles", 900, "mi", 1),
        ("it is 32 °F", 32, "f", 1),
        ("it is 32 degrees", 32, "deg", 1),
        ("it costs $20.5", 20.5, "usd", 0.1),
        ("it costs $1.5 million", 1.5e6, "usd", 1e5),
        ("it has 35k rows", 35_000, "", 1000),
        ("it has 1.25 million rows", 1.25e6, "", 1e4),
        ("it is 0.2in deep", 0.2, "inch", 0.1),
        ("it is 20 in July", 20, "", 1),
        ("it is 5 m away", 5, "", 1),
        ("it lasts 3 days", 3, "day", 1),
    ],
)
def test_a_figure_has_its_value_unit_and_printed_unit(
    text: str, value: float, unit: str, step: float
) -> None:
    (figure,) = read(text)
    assert figure.value == pytest.approx(value)
    assert figure.unit == unit
    assert figure.step == pytest.approx(step)


def test_a_dash_between_numbers_is_no_sign() -> None:
    assert [figure.value for figure in read("it is 15 - 25 or 15–25")] == [15, 25, 15, 25]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("one place", 1),
        ("a single place", 1),
        ("twelve places", 12),
        ("forty-seven", 47),
        ("fifty", 50),
    ],
)
def test_small_numbers_may_be_written_out(text: str, value: float) -> None:
    (figure,) = read(text)
    assert (figure.value, figure.word) == (value, True)


@pytest.mark.parametrize("text", ["the 3rd of them", "the third of them"])
def test_ordinals_are_told_from_counts(text: str) -> None:
    (figure,) = read(text)
    assert (figure.value, figure.ordinal) == (3, True)


def test_a_number_printed_like_a_year_is_marked() -> None:
    assert [figure.year for figure in read("2019 and 2,019 and 2019.0 and 219")] == [
        True,
        False,
        False,
        False,
    ]


def test_minutes_early_are_marked() -> None:
    (figure,) = read("it arrives 2.1 minutes early")
    assert figure.early


def test_taken_places_hold_no_figure() -> None:
    (clause,) = clauses(fold("hour 19 has 24.3"))
    assert [figure.value for figure in figures(clause, {1})] == [24.3]


@pytest.mark.parametrize(
    ("spelled", "unit"),
    [
        ("min", "min"),
        ("Minutes", "min"),
        ("%", "%"),
        ("percent", "%"),
        ("days", "day"),
        ("in", "inch"),
        ("seats", ""),
        ("", ""),
        ("pp", "pp"),
        ("usd", "usd"),
    ],
)
def test_signals_may_spell_a_unit_as_people_do(spelled: str, unit: str) -> None:
    assert canonical(spelled) == unit


def test_units_of_time_turn_into_one_another_and_no_others_do() -> None:
    assert turned(90, "min", "h") == pytest.approx(1.5)
    assert turned(1.5, "h", "min") == pytest.approx(90)
    assert turned(32, "deg", "f") == 32
    assert turned(5, "mi", "km") is None
    assert turned(5, "%", "pp") is None
