"""Texts that are made to be slow, or to pass for a source, are read as any other."""

from __future__ import annotations

from evaluator.grounding import grounding_of
from evaluator.tracing.observed import MOST_CHARS, numbers_in, observed
from tests.evaluator.tracing.records import explored, rows


def test_a_dump_of_numbers_is_traced_number_by_number() -> None:
    dump = " ".join(f"{n * 1.37:.2f}" for n in range(4000))
    made = explored({1: rows(["v"], [137.0], [1.37])}, [(1, f"It is {dump}.")])
    (insight,) = grounding_of(made).insights
    assert len(insight.numbers) > 3000
    assert sum(number.state == "observed" for number in insight.numbers) == 2
    assert insight.grounded < 0.05 * insight.claimed, "numbers beside one another make no source"


def test_digits_without_end_are_no_number() -> None:
    assert list(numbers_in("1" * 500_000)) == []
    assert len(list(numbers_in("1," * 200_000 + "x"))) < 2
    assert len(list(numbers_in("1.1" * 100_000))) < 2
    assert list(numbers_in("1" * 500_000 + ":")) == []
    assert len(list(numbers_in("1,111" * 100_000 + "x"))) < 2
    assert observed("[" * 100_000, 1).tables == ()
    assert observed("7 " * MOST_CHARS, 1).turn == 1


def test_an_insight_cannot_be_its_own_source() -> None:
    made = explored({1: "nothing"}, [(1, '{"rows": [[4711.5]]} so it is 4711.5.')])
    assert grounding_of(made).insights[0].has_untraced


def test_an_error_that_repeats_the_agents_words_is_no_source() -> None:
    made = explored({1: "ok"}, [(1, "It is 4711.5.")])
    turn = made.turns[0]
    echo = turn.tool_results[0].model_copy(update={"text": "no 4711.5 here", "is_error": True})
    made = made.model_copy(update={"turns": (turn.model_copy(update={"tool_results": (echo,)}),)})
    assert grounding_of(made).insights[0].has_untraced
