"""A statement that sets the entity on the wrong side of the others is not the fact."""

from __future__ import annotations

import pytest

from core.evaluation import Label
from evaluator.facts import compile_fact
from evaluator.matching import match
from evaluator.reading.answers import spoken
from tests.evaluator import facts as f
from tests.evaluator.records import item

ANSWER = "The mean departure delay of carrier 03 is 20.0 minutes, against 11.9 minutes over all carriers."


def label(text: str, answer: str = ANSWER) -> Label | None:
    asked = item("i", "03", f.MEAN).model_copy(update={"answer": answer})
    return match(asked, [(1, text)], entity=f.OWN, others=f.OTHERS).label


def test_an_answer_tells_what_the_others_have_and_what_it_is_bound_by() -> None:
    told = spoken("Its mean is 3.5; only routes with at least 100 departures are compared.")
    assert (told.rest, told.numbers) == (None, frozenset({100.0}))
    assert spoken(ANSWER).rest == 11.9
    assert spoken("").rest is None
    assert compile_fact(f.MEAN, ANSWER).rest == 11.9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Carrier 03's mean departure delay is 20.0 minutes, more than that of all carriers.", "supported"),
        ("Carrier 03's mean departure delay is 20.0 minutes, less than that of all carriers.", "contradicted"),
        ("Carrier 03's mean departure delay of 20.0 minutes is lower than the rest.", "contradicted"),
        ("Carrier 03's mean departure delay of 20.0 minutes is not lower than the rest.", "supported"),
        ("Carrier 03's mean departure delay of 20.0 minutes is below the industry average.", "contradicted"),
        ("Carrier 03's mean departure delay is 20.0 minutes, some 8 min less than that of all carriers.", "contradicted"),
        ("Carrier 03's mean departure delay is 20.0 minutes, lower than a year before.", "supported"),
    ],
)  # fmt: skip
def test_the_side_of_the_others_is_told_by_their_figure(text: str, expected: Label) -> None:
    assert label(text) == expected


def test_an_answer_without_the_others_leaves_the_comparison_unread() -> None:
    text = "Carrier 03's mean departure delay of 20.0 minutes is lower than the rest."
    assert label(text, "The mean departure delay of carrier 03 is 20.0 minutes.") == "supported"
