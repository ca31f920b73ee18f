"""Idioms and times of day count as the word that they stand for."""

from __future__ import annotations

import pytest

from evaluator.reading.clauses import clauses
from evaluator.reading.folding import fold
from evaluator.reading.hours import hour_between
from evaluator.reading.periods import periods
from evaluator.reading.sayings import is_early, sayings
from evaluator.reading.stems import stem


def said(text: str) -> set[str]:
    (clause,) = clauses(fold(text))
    return {stem for saying in sayings(clause.forms, clause.idioms) for stem in saying.stems}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It pushes back 51 minutes late", {"depart", "late", "delay"}),
        ("It took off 3 minutes behind schedule", {"depart", "late", "delay"}),
        ("It gets in 30 minutes after its scheduled time", {"arrive", "late", "delay"}),
        ("It reaches its destination 15 minutes ahead of schedule", {"arrive", "late", "delay"}),
        ("It is 2.1 minutes early", {"late", "delay"}),
        ("It is 2.1 minutes later than the rest", {"late", "delay"}),
        ("It left before the storm and after the rain", set()),
        ("Early in the day it takes time to get going", set()),
        ("It has an SD of 36", {"standard", "deviation"}),
        ("It covers about 2,400 miles", {"distance"}),
        ("It covers about 2,400 cases", set()),
        ("from 6 pm onwards", {"18:00"}),
        ("from 18:00 onwards", {"18:00"}),
        ("32 flights on record", {"dataset"}),
        ("on top of it", set()),
    ],
)
def test_an_idiom_stands_for_its_word_and_other_uses_for_none(
    text: str, expected: set[str]
) -> None:
    assert said(text) == {stem(word) for word in expected}


@pytest.mark.parametrize(
    ("words", "early"),
    [
        ("early", True),
        ("ahead of schedule", True),
        ("before its scheduled time", True),
        ("earlier than planned", True),
        ("earlier than the rest", False),
        ("before noon", False),
        ("late", False),
    ],
)
def test_a_time_is_early_by_the_words_behind_it(words: str, early: bool) -> None:
    (clause,) = clauses(fold(f"5 minutes {words}"))
    assert is_early(clause.forms, 2) is early


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("7 and 8 pm", 19),
        ("11 and 12 pm", 11),
        ("7 to 8am", 7),
        ("17:00 to 18:00", 17),
        ("17:00 - 17:59", 17),
        ("23:00 to 0:00", 23),
        ("7 and 9 pm", None),
        ("17:30 to 18:30", None),
        ("7 and 8 miles", None),
    ],
)
def test_two_ends_make_one_hour(text: str, hour: int | None) -> None:
    (clause,) = clauses(fold(text))
    found = hour_between(clause.forms, 0)
    assert (found and found[0]) == hour
    if hour is not None:
        assert [p.value for p in periods(clause.forms)] == [(hour,)]
