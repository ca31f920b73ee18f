"""What a statement says beside the fact's own words is counted, and asides are left out."""

from __future__ import annotations

import pytest

from evaluator.facts import compile_fact
from evaluator.narrowing import Narrowing, narrowing
from evaluator.reading.document import read
from evaluator.reading.stretches import stretches_of
from evaluator.sighting import sightings
from tests.evaluator import facts as f

NAMES = tuple((each.id, each.label) for each in f.OTHERS)


def narrowed(text: str) -> Narrowing:
    """What narrows the first statement of a sentence about the mean departure delay."""
    fact = compile_fact(f.MEAN)
    document = read([text], (f.OWN.id, f.OWN.label), NAMES, ["carrier"])
    ((number, sighting),) = sightings(fact, document)
    annotated = document.annotated(number)
    return narrowing(fact, stretches_of(annotated)[0], sighting.covered, annotated.nouns)


def test_the_facts_own_words_and_those_of_any_prose_narrow_nothing() -> None:
    found = narrowed(
        "On average carrier 03 shows a mean departure delay (min) of roughly 20.0 in flights."
    )
    assert found == Narrowing(restricted=False, foreign=0, after=0, clean=True, extreme=False)


@pytest.mark.parametrize(
    ("words", "restricted", "foreign"),
    [
        ("in fog", True, 1),
        ("in dense fog", True, 2),
        ("with fog", False, 1),
        ("to A017", True, 1),
        ("per leg", False, 0),
        ("where fog prevails", True, 2),
        ("in the data", False, 0),
        ("for carrier 03", False, 0),
        ("in flights", False, 0),
    ],
)
def test_foreign_words_narrow_behind_a_preposition(
    words: str, *, restricted: bool, foreign: int
) -> None:
    found = narrowed(f"Carrier 03's mean departure delay is 20.0 {words}.")
    assert (found.restricted, found.foreign) == (restricted, foreign)
    assert found.clean is (foreign == 0)


@pytest.mark.parametrize(
    "aside", ["driven by storms", "a dismal result", "which crews resent", "(as storms suggest)"]
)
def test_an_aside_is_left_out_but_the_statement_is_no_longer_clean(aside: str) -> None:
    comma = "" if aside.startswith("(") else ","
    found = narrowed(f"Carrier 03's mean departure delay is 20.0{comma} {aside}.")
    assert (found.restricted, found.foreign, found.clean) == (False, 0, False)


def test_an_aside_that_opens_with_a_condition_counts() -> None:
    assert narrowed("Carrier 03's mean departure delay is 20.0, when storms rage.").restricted


def test_what_follows_the_figure_is_counted_apart() -> None:
    found = narrowed("The dismal carrier 03's mean departure delay is 20.0 with storms and fog.")
    assert (found.foreign, found.after) == (3, 2)


def test_an_extreme_is_noted() -> None:
    assert narrowed("Carrier 03's mean departure delay is highest, at 20.0.").extreme
    assert not narrowed("Carrier 03's mean departure delay is high, at 20.0.").extreme


def test_a_rate_narrows_a_count_and_not_a_mean() -> None:
    assert (
        f.judge(f.MEAN, "Carrier 03's mean departure delay per day is 20.0.").label == "supported"
    )
    assert f.judge(f.COUNT, "Carrier 03 has 54,635 flights per day.").label == "insufficient"


def test_a_limit_narrows() -> None:
    assert narrowed("Carrier 03's departure delay is above 15 in 16.3% of rows.").restricted


def test_a_figure_in_brackets_is_read_with_the_words_around_them() -> None:
    assert narrowed("Carrier 03's mean departure delay is highest at hub X9 (20.0).").restricted


def test_after_the_entitys_name_a_preposition_no_longer_narrows() -> None:
    found = narrowed("At least carrier 03 struggles: mean departure delay 20.0.")
    assert not found.restricted


def test_in_a_text_of_capitals_capitals_are_no_codes() -> None:
    assert not narrowed("CARRIER 03 MEAN DEPARTURE DELAY IS 20.0 WITH FOG.").restricted


def test_what_two_stretches_say_adds_up() -> None:
    one = Narrowing(restricted=False, foreign=1, after=0, clean=False, extreme=True)
    other = Narrowing(restricted=True, foreign=2, after=1, clean=True, extreme=False)
    assert one.joined(other) == Narrowing(
        restricted=True, foreign=3, after=1, clean=False, extreme=True
    )
