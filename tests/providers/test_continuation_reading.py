"""What an endpoint tells of tokens is read as it stands: what is missing is refused, and is never zero."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import ProviderError
from providers import continuation_reading as reading
from providers.continuation_wire import Refused


@pytest.mark.parametrize(
    ("told", "text", "expected"),
    [
        ([("x", 0), ("FIN", -1), ("ISH:", -2)], "FINISH:", [("FIN", -1), ("ISH:", -2)]),
        ([("FINISH:", -3)], "FINISH:", [("FINISH:", -3)]),
    ],
)
def test_the_last_tokens_that_make_up_the_text_are_found(
    told: list[tuple[str, float]], text: str, expected: list[tuple[str, float]]
) -> None:
    assert reading.suffix(told, text) == expected


@pytest.mark.parametrize(
    "told", [[], [("\nFIN", -1), ("ISH:", -2)], [("ISH:", -1)], [("other", -1), ("words", -2)]]
)
def test_a_token_that_reaches_over_the_beginning_is_refused(told: list[tuple[str, float]]) -> None:
    with pytest.raises(Refused, match="do not part where the continuation begins"):
        reading.suffix(told, "FINISH:")


@pytest.mark.parametrize("answer", [{}, {"tokens": []}, {"tokens": "x"}, {"tokens": ["F"]}])
def test_tokens_are_numbers(answer: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="does not tell a text's tokens"):
        reading.ids_of(answer)
    assert reading.ids_of({"tokens": [1, 2]}) == [1, 2]


@pytest.mark.parametrize("answer", [{}, {"choices": []}, {"choices": ["x"]}, {"choices": None}])
def test_an_answer_without_a_choice_is_refused(answer: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="without a choice"):
        reading.choice_of(answer)


def test_a_list_of_another_length_is_of_another_prompt() -> None:
    assert reading.told([None, {}], 2) == [None, {}]
    with pytest.raises(Refused, match="told of 2 tokens, and was sent 3"):
        reading.told([None, {}], 3)
    without: list[Any] = [None, [], "x"]
    for nothing in without:
        with pytest.raises(Refused, match="without prompt_logprobs"):
            reading.told(nothing, None)


def test_of_several_tokens_at_one_place_the_one_that_was_sent_counts() -> None:
    place = {
        "7": {"logprob": -4.0, "rank": 9, "decoded_token": "F"},
        "1": {"logprob": -0.1, "rank": 1, "decoded_token": "The"},
    }
    assert reading.entry(place, "7") == ("F", -4.0)
    assert reading.entry(dict(reversed(place.items())), "7") == ("F", -4.0)
    with pytest.raises(Refused, match="did not tell of the token that was sent"):
        reading.entry(place, "8")


@pytest.mark.parametrize("found", [[], [("F", None)], [("F", -1.0), ("I", "x")]])
def test_a_number_that_is_missing_makes_the_whole_unreadable(found: list[tuple[str, Any]]) -> None:
    with pytest.raises(ProviderError, match="a log-probability is missing") as caught:
        reading.scored(found)
    assert caught.value.kind == "malformed"


def test_the_mean_is_over_the_tokens() -> None:
    assert reading.scored([("F", -1), ("INISH:", -4.0)]).mean == -2.5
    assert reading.starts(["F", "IN", "ISH:"]) == [0, 1, 3]
