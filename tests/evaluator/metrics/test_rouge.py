"""ROUGE-1 by hand, and its properties."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics.rouge import harmonic, rouge1

TEXTS = st.text(alphabet="ab C1.,-é\n", max_size=30)


def test_a_fact_whose_words_are_all_claimed_has_recall_one() -> None:
    """Field case F41."""
    found = rouge1(prediction="a b c d", reference="a b")
    assert (found.recall, found.precision) == (1.0, 0.5)
    assert found.f1 == pytest.approx(2 / 3)


def test_arguments_by_place_are_refused() -> None:
    """Field case F41: exchanged, they would exchange precision and recall unseen."""
    positional: Any = rouge1
    with pytest.raises(TypeError):
        positional("a b c d", "a b")


@pytest.mark.parametrize(
    ("prediction", "reference", "precision", "recall"),
    [
        ("Printers break most.", "printers break", 2 / 3, 1.0),
        # Other words of a stem are other words; a word counts as often as both have it.
        ("printer breaks", "printers break", 0.0, 0.0),
        ("the the the cat", "the cat the", 3 / 4, 1.0),
        # What is neither a letter a to z nor a digit divides words.
        ("TTR rose by 12.5%", "ttr 12 5", 3 / 5, 1.0),
        ("café", "caf", 1.0, 1.0),
        ("", "a b", 0.0, 0.0),
        ("a", "", 0.0, 0.0),
        ("!?", "...", 0.0, 0.0),
    ],
)
def test_known_answers(prediction: str, reference: str, precision: float, recall: float) -> None:
    found = rouge1(prediction=prediction, reference=reference)
    assert found.precision == pytest.approx(precision)
    assert found.recall == pytest.approx(recall)


@given(TEXTS, TEXTS)
def test_exchanged_texts_exchange_precision_and_recall(one: str, other: str) -> None:
    there = rouge1(prediction=one, reference=other)
    back = rouge1(prediction=other, reference=one)
    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert 0 <= there.f1 <= 1


@given(TEXTS)
def test_a_text_agrees_with_itself_unless_it_has_no_word(text: str) -> None:
    found = rouge1(prediction=text, reference=text)
    assert found.f1 == (1.0 if any(c.isascii() and c.isalnum() for c in text) else 0.0)


def test_the_harmonic_mean_of_nothing_is_nothing() -> None:
    assert harmonic(0.0, 0.0) == 0.0
    assert harmonic(1.0, 0.0) == 0.0
    assert harmonic(0.5, 0.25) == pytest.approx(1 / 3)
