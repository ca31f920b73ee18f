"""All that a provider sends goes back to it unchanged, and the record keeps what it must."""

from __future__ import annotations

from typing import Any

import pytest

from agent.history import History, beyond_plain, plain, user
from tests.agent.react.support import Scripted, call, explore, query, said

THINKING = [{"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}]


@pytest.mark.parametrize(
    "extra",
    [
        {"thinking_blocks": THINKING},
        {"provider_specific_fields": {"thought_signature": "AbC="}},
        {"content": [{"type": "text", "text": "Look."}]},
        {"annotations": [], "function_call": None, "audio": None},
    ],
    ids=["thinking", "signature", "blocks", "empty keys"],
)
def test_what_the_provider_sent_is_replayed_unchanged_for_ever(extra: dict[str, Any]) -> None:
    first = said("Look.", call(call_id="toolu_01AbC"), reasoning="Hm.")
    first = first.model_copy(update={"raw": {**first.raw, **extra}})
    model = Scripted(first, query(2), query(3))
    explore(model)
    assert [request.messages[2] for request in model.requests[1:]] == [first.raw] * 3


def test_a_call_in_a_form_of_the_providers_own_is_left_in_it() -> None:
    entry = {"id": "c1", "function": {"name": "execute_query", "arguments": "{}"}, "index": 0}
    reply = said("", call())
    model = Scripted(reply.model_copy(update={"raw": {**reply.raw, "tool_calls": [entry]}}))
    explore(model)
    assert model.requests[1].messages[2]["tool_calls"] == [entry]


def test_a_call_that_is_mended_keeps_its_signature() -> None:
    reply = said("", call(arguments='{"query'))
    signed = {**reply.raw["tool_calls"][0], "provider_specific_fields": {"signature": "AbC="}}
    model = Scripted(reply.model_copy(update={"raw": {**reply.raw, "tool_calls": [signed]}}))
    explore(model)
    (sent,) = model.requests[1].messages[2]["tool_calls"]
    assert sent["provider_specific_fields"] == {"signature": "AbC="}
    assert sent["function"]["arguments"] == "{}"


def test_a_nudged_reply_is_replayed_unchanged_too() -> None:
    reply = said("Well.", reasoning="Hm.", thinking_blocks=THINKING)
    model = Scripted(query(), reply)
    explore(model)
    assert model.requests[-1].messages[-2] == reply.raw


def test_an_empty_list_of_calls_is_not_replayed_since_no_provider_takes_it_back() -> None:
    model = Scripted(said("Well.", tool_calls=[]))
    explore(model)
    assert model.requests[-1].messages[-2] == {"role": "assistant", "content": "Well."}


def test_a_reply_without_a_message_of_its_own_is_replayed_from_its_parts() -> None:
    whole = said("Look.", call(), reasoning="Hm.")
    model = Scripted(whole.model_copy(update={"raw": {}}))
    explore(model)
    assert model.requests[-1].messages[2] == whole.raw


# What the record keeps


def test_a_message_that_holds_no_more_than_the_turn_is_not_stored_twice() -> None:
    plainly = said("Look.", call(), reasoning="Hm.", function_call=None, annotations=[])
    (turn,) = explore(Scripted(plainly)).turns
    assert turn.raw is None
    assert beyond_plain(plainly.model_copy(update={"raw": {}})) is None


@pytest.mark.parametrize(
    "change",
    [
        {"thinking_blocks": THINKING},
        {"content": [{"type": "text", "text": "Look."}]},
        {"content": "Look. "},
        {"refusal": "no"},
        {"tool_calls": [{**said("", call()).raw["tool_calls"][0], "signature": "AbC="}]},
    ],
    ids=["thinking", "blocks", "other text", "refusal", "signed call"],
)
def test_a_message_that_holds_more_is_kept_with_its_turn(change: dict[str, Any]) -> None:
    reply = said("Look.", call())
    raw = {**reply.raw, **change}
    (turn,) = explore(Scripted(reply.model_copy(update={"raw": raw}))).turns
    assert turn.raw == raw


def test_a_broken_call_is_kept_as_it_was_sent_though_it_is_replayed_mended() -> None:
    reply = said("", call(arguments='{"query'), thinking_blocks=THINKING)
    (turn,) = explore(Scripted(reply)).turns
    assert turn.raw == reply.raw


def test_text_reasoning_and_calls_make_the_plain_message() -> None:
    reply = said("Look.", call(arguments='{"a": 1}'), reasoning="Hm.")
    assert plain(reply) == reply.raw


# Cutting


def test_an_exchange_is_cut_as_a_whole_and_the_head_stays() -> None:
    history = History("system", "start")
    for number in range(4):
        history.add({"role": "assistant", "content": f"a{number}"}, user(f"u{number}"))
    kept = [m["content"] for m in history.messages(newest=2)]
    assert kept == ["system", "start", "a2", "u2", "a3", "u3"]
    assert [m["content"] for m in history.messages(newest=0)] == ["system", "start"]
    assert len(history.messages()) == 10


def test_our_own_messages_are_joined_where_two_would_follow_one_another() -> None:
    history = History("system", "start")
    history.add(user("nudge"))
    assert history.messages(ask="report")[1:] == [user("start\n\nnudge\n\nreport")]
    assert history.messages()[1:] == [user("start\n\nnudge")]
