"""The words of the set: whole facts are stated whole, and what is not the fact does not state it."""

from __future__ import annotations

from string import Formatter

import pytest

from checklists.authoring.incidents import BRIEF
from evaluator.calibration.wording import FILLERS, Wording, wordings


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


@pytest.fixture(params=sorted(wordings()))
def words(request: pytest.FixtureRequest) -> Wording:
    return wordings()[request.param]


def test_every_saying_states_the_whole_fact(words: Wording) -> None:
    assert len(words.sayings) >= 2
    for saying in words.sayings:
        # An agent's or a category's sentence needs no team but for its place; most name it anyway.
        assert {"t", "v"} <= fields(saying)
        assert ("p" in fields(saying)) is (words.place is not None)
        assert fields(saying) <= {"t", "v", "p", "d"}
        assert saying.endswith(".")


def test_another_matter_has_the_figure_and_is_worded_otherwise(words: Wording) -> None:
    assert "v" in fields(words.other)
    assert words.other not in words.sayings
    assert fields(words.other) <= {"t", "v", "p", "d"}


def test_what_is_announced_tells_no_figure(words: Wording) -> None:
    assert fields(words.topic) == {"t"}


def test_neither_half_states_it_all(words: Wording) -> None:
    if words.halves is None:
        return
    one, other = words.halves
    assert "v" not in fields(one)
    assert "v" in fields(other)
    for spoken in ("most", "highest", "No category", "leads", "used most"):
        assert spoken not in other, (
            "the second half gives a figure, and does not say that it is the most"
        )


def test_a_closed_question_is_about_a_place_or_a_direction(words: Wording) -> None:
    if not words.ask:
        return
    assert words.place in ("weekday", "category", "channel", "agent") or "{d}" in words.sayings[0]
    assert words.ask.endswith("?")
    assert fields(words.ask) == {"t"}


def test_all_words_are_of_facts_that_are_authored() -> None:
    assert set(wordings()) <= {template.name for template in BRIEF.templates}
    assert len(wordings()) >= 25


def test_fillers_state_no_figure() -> None:
    for filler in FILLERS:
        assert not any(sign.isdigit() for sign in filler)
        assert fields(filler) <= {"t"}
