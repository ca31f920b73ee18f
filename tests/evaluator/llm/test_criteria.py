"""What counts as supported is a choice that is kept; under protocol ddr a closed item must be answered."""

from __future__ import annotations

import asyncio
import json

import pytest

from core.evaluation import CANNOT_TELL
from evaluator.asking import Criteria, Prompts
from tests.evaluator.llm.judges import (
    DELAY,
    Judge,
    at,
    checker_of,
    choice,
    explored,
    fact,
    reply,
    verdicts,
)

OWN = Criteria("house.txt#0123", "Only what is said twice counts. {question} stays as it is.")
PASSAGES = [(2, DELAY)]


def closed(answer: str) -> Judge:
    return Judge(lambda _: json.dumps({"answer": answer, "quote": ""}))


def test_each_set_of_criteria_has_its_own_hash_and_words() -> None:
    strict, lenient, own = (Prompts(each) for each in ("strict", "lenient", OWN))
    assert len({strict.hash, lenient.hash, own.hash}) == 3
    assert own.hash != Prompts(Criteria(OWN.name, "Other words.")).hash
    told = [p.enquire(fact(), "message", PASSAGES).system for p in (strict, lenient, own)]
    assert ["Be strict" in each for each in told] == [True, False, False]
    assert ["Be lenient" in each for each in told] == [False, True, False]
    assert OWN.text in told[2], "a placeholder in somebody's criteria is no placeholder"


def test_the_lenient_ones_ask_for_no_exact_figure_and_still_refuse_what_fits_anybody() -> None:
    text = Prompts("lenient").criteria.text
    assert "No figure has to be given exactly" in text
    assert "would fit any entity" in text


def test_an_evaluation_keeps_the_name_of_the_criteria() -> None:
    assert checker_of(Judge([])).criteria == "strict"
    assert checker_of(Judge([]), criteria="lenient").criteria == "lenient"
    assert checker_of(Judge([]), criteria=OWN).criteria == "house.txt#0123"


def test_a_judge_may_say_that_it_cannot_tell_and_that_is_counted_apart() -> None:
    found = asyncio.run(at("message", closed("Cannot tell"), choice(), explored()))
    assert (found.label, found.chosen) == ("insufficient", CANNOT_TELL)
    assert found.cannot_tell
    chose = asyncio.run(at("message", closed("WORSE"), choice(), explored()))
    assert (chose.label, chose.chosen, chose.cannot_tell) == ("supported", "worse", False)
    an_open_one = asyncio.run(at("message", Judge([reply("insufficient")]), fact(), explored()))
    assert (an_open_one.chosen, an_open_one.cannot_tell) == (None, False)


def test_under_protocol_ddr_a_closed_item_must_be_answered() -> None:
    evading = closed("cannot tell")
    done = [("course", "trajectory")]
    (found,) = asyncio.run(verdicts(evading, [choice()], done=done, protocol="ddr"))  # type: ignore[arg-type]
    assert found.unscored_reason == "unreadable: the answer is none of those allowed"
    assert len(evading.asked) == 2
    said = "\n".join(message["content"] for message in evading.asked[0])
    assert CANNOT_TELL not in said
    assert "You have to choose one" in said
    (answered,) = asyncio.run(verdicts(closed("better"), [choice()], done=done, protocol="ddr"))  # type: ignore[arg-type]
    assert (answered.label, answered.chosen) == ("contradicted", "better")


@pytest.mark.parametrize("criteria", ["strict", "lenient"])
def test_open_items_are_asked_alike_under_both_protocols(criteria: str) -> None:
    ours, theirs = Prompts(criteria), Prompts(criteria, "ddr")
    assert ours.enquire(fact(), "message", PASSAGES) == theirs.enquire(fact(), "message", PASSAGES)
    assert ours.hash != theirs.hash


def test_the_protocol_stands_among_the_parameters() -> None:
    assert checker_of(Judge([])).parameters["closed"] == "cannot tell allowed"
    assert checker_of(Judge([]), protocol="ddr").parameters["closed"] == "forced"
