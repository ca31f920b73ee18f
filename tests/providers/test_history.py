"""Of a conversation only that is changed which an endpoint would refuse."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from providers.history import marked, parted, sendable

MARK = {"cache_control": {"type": "ephemeral"}}


def calling(*calls: tuple[str, str], **fields: Any) -> dict[str, Any]:
    """An assistant's message with calls of f: (id, arguments)."""
    made = [
        {"id": identity, "type": "function", "function": {"name": "f", "arguments": arguments}}
        for identity, arguments in calls
    ]
    return {"role": "assistant", "content": None, "tool_calls": made, **fields}


def answer(identity: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identity, "content": "result"}


START: list[dict[str, Any]] = [
    {"role": "system", "content": "sys"},
    {"role": "user", "content": "go"},
]


def test_what_an_endpoint_takes_is_sent_word_for_word() -> None:
    odd = {"reasoning_content": "hm", "reasoning_details": [{"data": None}], "odd": 5}
    talk = [*START, calling(("c1", '{ "a" : 1 }'), **odd), answer("c1")]
    assert sendable(talk) == talk


def test_the_history_itself_is_left_as_it_was_emitted() -> None:
    talk = [*START, calling(("c1", "{broken"), ("c2", "{broken")), answer("c1"), answer("c2")]
    kept = copy.deepcopy(talk)
    sendable(talk, drop_blank=True, merge_twins=True)
    marked(talk)
    assert talk == kept


@pytest.mark.parametrize("emitted", ['{"query": "SELECT 1', "[1, 2]", '"text"', "null", "nonsense"])
def test_arguments_that_are_no_object_are_wrapped_into_one(emitted: str) -> None:
    """Field case F29: the history that is sent holds valid JSON."""
    (sent,) = sendable([calling(("c1", emitted))])
    arguments = json.loads(sent["tool_calls"][0]["function"]["arguments"])
    assert arguments == {"unreadable_arguments": emitted}


@pytest.mark.parametrize("emitted", ["", "  ", None])
def test_no_arguments_are_an_empty_object(emitted: Any) -> None:
    (sent,) = sendable([calling(("c1", emitted))])
    assert sent["tool_calls"][0]["function"]["arguments"] == "{}"


def test_arguments_that_came_as_an_object_become_its_text() -> None:
    message = calling(("c1", "{}"))
    message["tool_calls"][0]["function"]["arguments"] = {"a": 1}
    (sent,) = sendable([message])
    assert json.loads(sent["tool_calls"][0]["function"]["arguments"]) == {"a": 1}


def test_an_empty_list_of_calls_is_not_sent() -> None:
    (sent,) = sendable([{"role": "assistant", "content": "x", "tool_calls": []}])
    assert sent == {"role": "assistant", "content": "x"}


@pytest.mark.parametrize("blank", [{"content": None}, {}, {"content": None, "tool_calls": []}])
def test_an_assistant_that_said_nothing_says_an_empty_text(blank: dict[str, Any]) -> None:
    (sent,) = sendable([{"role": "assistant", "reasoning_content": "hm", **blank}])
    assert sent == {"role": "assistant", "reasoning_content": "hm", "content": ""}


def test_in_formats_of_blocks_an_empty_message_is_left_out() -> None:
    blank = {"role": "assistant", "content": None, "thinking_blocks": [{"thinking": "hm"}]}
    nudge = {"role": "user", "content": "go on"}
    assert sendable([*START, blank, nudge], drop_blank=True) == [*START, nudge]
    speaking = calling(("c1", "{}"))
    assert sendable([speaking], drop_blank=True) == [speaking]


def test_twin_calls_are_sent_once_with_one_answer_where_asked() -> None:
    talk = [
        calling(("c1", '{"a": 1}'), ("c2", '{"a": 1}'), ("c3", '{"a": 2}')),
        answer("c1"),
        answer("c2"),
        answer("c3"),
    ]
    sent = sendable(talk, merge_twins=True)
    assert [call["id"] for call in sent[0]["tool_calls"]] == ["c1", "c3"]
    assert [message["tool_call_id"] for message in sent[1:]] == ["c1", "c3"]
    assert len(sendable(talk)) == 4


# Prompt-cache marks


def places(messages: list[dict[str, Any]]) -> list[int]:
    """Where marks stand."""
    return [n for n, m in enumerate(messages) if "cache_control" in json.dumps(m)]


def test_the_first_prompt_is_marked_at_the_system_prompt_and_its_end() -> None:
    sent = marked(START)
    assert sent == [
        {"role": "system", "content": [{"type": "text", "text": "sys", **MARK}]},
        {"role": "user", "content": [{"type": "text", "text": "go", **MARK}]},
    ]


def test_a_later_prompt_is_marked_where_the_one_before_it_ended_and_at_its_own_end() -> None:
    first = [*START, calling(("c1", "{}"), ("c2", "{}")), answer("c1"), answer("c2")]
    assert places(marked(first)) == [0, 1, 4]
    second = [*first, calling(("c3", "{}")), answer("c3")]
    assert places(marked(second)) == [0, 4, 6]


def test_there_are_never_more_marks_than_anthropic_takes() -> None:
    talk = list(START)
    for n in range(30):
        talk += [calling((f"c{n}", "{}")), answer(f"c{n}")]
    assert len(places(marked(talk))) <= 4


def test_marks_of_the_callers_own_are_left_alone() -> None:
    own = [{"role": "user", "content": [{"type": "text", "text": "long", **MARK}]}]
    assert marked([*own, *START]) == [*own, *START]


def test_an_empty_text_is_not_marked() -> None:
    assert (
        places(marked([{"role": "user", "content": "x"}, {"role": "user", "content": " "}])) == []
    )
    assert marked([]) == []


def test_what_others_share_is_a_block_of_its_own_with_a_mark_behind_it() -> None:
    asked = {"role": "user", "content": "insights; question", "shared": 9}
    (system, sent) = parted([{"role": "system", "content": "sys"}, asked], mark=True)
    assert system == {"role": "system", "content": "sys"}
    assert sent == {
        "role": "user",
        "content": [
            {"type": "text", "text": "insights;", **MARK},
            {"type": "text", "text": " question"},
        ],
    }
    assert asked["shared"] == 9, "what was handed in stays as it was"


def test_where_nothing_is_marked_the_message_is_whole_and_says_nothing_of_it() -> None:
    asked = {"role": "user", "content": "insights; question", "shared": 9}
    assert parted([asked], mark=False) == [{"role": "user", "content": "insights; question"}]


@pytest.mark.parametrize("shared", [0, 1])
def test_no_block_is_empty(shared: int) -> None:
    asked = {"role": "user", "content": " question", "shared": shared}
    assert parted([asked], mark=True) == [{"role": "user", "content": " question"}]
    whole = {"role": "user", "content": "all", "shared": 3}
    (sent,) = parted([whole], mark=True)
    assert sent["content"] == [{"type": "text", "text": "all", **MARK}]
