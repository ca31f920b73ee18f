"""An answer is read word for word, and a figure that nobody reported stays unknown."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from core.trajectory import Usage
from providers.reading import UnreadableError, read, usage_of


def response(message: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """litellm's reading of an answer."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return {"model": "served", "choices": [choice], "usage": {}, **fields}


def body(message: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An answer in OpenAI's format as it came."""
    return {"choices": [{"message": message}], **fields}


# The message


def test_the_wires_own_message_is_kept_where_it_is_in_openais_format() -> None:
    sent = {
        "role": "assistant",
        "content": "t",
        "reasoning_details": [{"type": "x", "data": "zz", "index": None}],
        "refusal": None,
    }
    translated = {"content": "t", "provider_specific_fields": {"reasoning_details": []}}
    assert read(response(translated), body(sent)).raw == sent


def test_what_came_over_the_wire_is_copied_not_shared() -> None:
    sent = body({"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f"}}]})
    before = copy.deepcopy(sent)
    read(response({"content": None}), sent)
    assert sent == before


def test_of_other_formats_the_translation_is_kept_without_what_is_empty_or_said_twice() -> None:
    blocks = [{"type": "thinking", "thinking": "hm", "signature": "S"}]
    message = {
        "content": None,
        "function_call": None,
        "images": [],
        "thinking_blocks": blocks,
        "provider_specific_fields": {
            "citations": None,
            "thinking_blocks": blocks,
            "thought_signatures": ["T"],
        },
    }
    assert read(response(message), {"content": []}).raw == {
        "role": "assistant",
        "content": None,
        "thinking_blocks": blocks,
        "provider_specific_fields": {"thought_signatures": ["T"]},
    }


@pytest.mark.parametrize("ids", [(None, None), ("", ""), ("same", "same"), (7, None)])
def test_calls_without_an_id_of_their_own_get_one(ids: tuple[Any, Any]) -> None:
    calls = [{"id": i, "function": {"name": "f", "arguments": "{}"}} for i in ids]
    answer = read(response({}), body({"content": None, "tool_calls": calls}))
    made = [call.call_id for call in answer.tool_calls]
    assert len(set(made)) == 2
    assert [call["id"] for call in answer.raw["tool_calls"]] == made
    assert {call["type"] for call in answer.raw["tool_calls"]} == {"function"}


@pytest.mark.parametrize(
    ("emitted", "text"),
    [
        ('{"a":  1}', '{"a":  1}'),
        ("{brok", "{brok"),
        ("", ""),
        (None, "{}"),
        ({"a": 1}, '{"a": 1}'),
    ],
)
def test_arguments_are_kept_as_they_were_emitted(emitted: Any, text: str) -> None:
    calls = [{"id": "c", "function": {"name": "f", "arguments": emitted}}]
    (call,) = read(response({}), body({"content": None, "tool_calls": calls})).tool_calls
    assert call.arguments == text


def test_a_call_without_a_name_is_a_call_of_nothing() -> None:
    calls = [{"id": "c", "function": {"arguments": "{}"}}, {"id": "d"}]
    answer = read(response({}), body({"content": None, "tool_calls": calls}))
    assert [call.name for call in answer.tool_calls] == ["", ""]


@pytest.mark.parametrize(
    ("content", "text"),
    [(None, ""), ("", ""), ("x", "x"), ([{"type": "text", "text": "a"}, {"text": "b"}, "c"], "ab")],
)
def test_content_is_a_text_whatever_its_form(content: Any, text: str) -> None:
    assert read(response({"content": content}), None).text == text


@pytest.mark.parametrize("choices", [[], None, [{}], [{"message": None}]])
def test_an_answer_without_a_message_cannot_be_read(choices: Any) -> None:
    with pytest.raises(UnreadableError, match="no choices"):
        read({"choices": choices}, None)


def test_an_error_that_came_as_a_success_is_told() -> None:
    with pytest.raises(UnreadableError, match="upstream is down"):
        read({"choices": []}, {"error": {"message": "upstream is down", "code": 502}})


# Usage: litellm's figures, gated by what the wire named

COUNTED = {
    "prompt_tokens": 2000,
    "completion_tokens": 50,
    "prompt_tokens_details": {"cached_tokens": 500, "cache_creation_tokens": 300},
    "completion_tokens_details": {"reasoning_tokens": 20},
}
WHOLE = Usage(
    input_tokens=2000,
    output_tokens=50,
    cached_input_tokens=500,
    cache_write_tokens=300,
    reasoning_tokens=20,
)


@pytest.mark.parametrize(
    "wire",
    [
        None,
        {
            "usage": {
                "prompt_tokens": 2000,
                "prompt_tokens_details": {"cached_tokens": 500, "cache_write_tokens": 300},
                "completion_tokens_details": {"reasoning_tokens": 20},
            }
        },
        {
            "usage": {
                "input_tokens": 1200,
                "cache_read_input_tokens": 500,
                "cache_creation_input_tokens": 300,
                "output_tokens_details": {"thinking_tokens": 20},
            }
        },
    ],
)
def test_figures_that_the_wire_named_are_taken(wire: Any) -> None:
    assert usage_of(COUNTED, wire) == WHOLE


def test_geminis_thoughts_and_cache_are_reported_under_names_of_its_own() -> None:
    wire = {
        "usageMetadata": {
            "promptTokenCount": 2000,
            "thoughtsTokenCount": 20,
            "cachedContentTokenCount": 500,
        }
    }
    assert usage_of(COUNTED, wire) == WHOLE.model_copy(update={"cache_write_tokens": None})


def test_thinking_that_litellm_counted_by_itself_is_not_reported() -> None:
    wire = {"usage": {"input_tokens": 2000, "output_tokens": 50}}
    usage = usage_of(COUNTED, wire)
    assert (usage.input_tokens, usage.output_tokens) == (2000, 50)
    assert usage.reasoning_tokens is None
    assert usage.cached_input_tokens is None
    assert usage.cache_write_tokens is None


def test_a_figure_that_the_wire_left_null_is_not_reported() -> None:
    wire = {"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": None}}}
    assert usage_of(COUNTED, wire).cached_input_tokens is None


@pytest.mark.parametrize("wire", [{}, {"usage": None}, {"usage": {}}, {"choices": []}])
def test_an_answer_without_usage_has_no_tokens_rather_than_none(wire: Any) -> None:
    zeros = {"prompt_tokens": 0, "completion_tokens": 0}
    assert usage_of(zeros, wire) == Usage()


def test_counts_beside_the_message_are_a_usage_too() -> None:
    wire = {"message": {}, "prompt_eval_count": 2000, "eval_count": 50}
    usage = usage_of(COUNTED, wire)
    assert (usage.input_tokens, usage.output_tokens) == (2000, 50)
