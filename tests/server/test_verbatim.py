"""What a client sent is written down as it was: reading it gives the same again."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.verbatim import _flat, verbatim

TEXTS = st.text(st.characters())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


def nested(depth: int) -> Any:
    value: Any = "in the middle"
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


@given(VALUES)
def test_reading_it_gives_the_same_again(value: Any) -> None:
    text = verbatim(value)
    assert json.loads(text) == value
    text.encode()  # as UTF-8, as which it is kept


@given(VALUES)
def test_what_is_nested_too_deep_for_the_library_is_written_in_the_same_way(value: Any) -> None:
    assert "".join(_flat(value)) == json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("depth", [100, 1_000, 20_000])
def test_no_depth_is_too_deep(depth: int) -> None:
    text = verbatim({"a": nested(depth)})
    assert text.startswith('{"a": ')
    assert text.count("[") + text.count("{") == depth + 1
    assert '"in the middle"' in text


def test_a_lone_half_of_a_surrogate_pair_stays_what_it_is() -> None:
    assert verbatim({"a": "x\ud800y\udc00"}) == '{"a": "x\\ud800y\\udc00"}'
    assert json.loads(verbatim({"\udfff": 1})) == {"\udfff": 1}


def test_numbers_that_json_does_not_know_stay_what_they_are() -> None:
    read = json.loads(verbatim([math.nan, math.inf, -math.inf, 10**400]))
    assert math.isnan(read[0])
    assert read[1:] == [math.inf, -math.inf, 10**400]


@pytest.mark.parametrize("value", [b"bytes", {1, 2}, 10**5000], ids=["bytes", "set", "number"])
def test_what_no_parser_gives_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        verbatim({"a": value})


def test_other_letters_and_control_characters_are_kept() -> None:
    said = {"text": "Zürich \u202e✈️ \x00\x1b[31m\n\u2028"}
    assert json.loads(verbatim(said)) == said
    assert "Zürich" in verbatim(said)
