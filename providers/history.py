"""Make a conversation fit for the wire: only what an endpoint would refuse is changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Message = Mapping[str, Any]

_MARK = {"type": "ephemeral"}


def sendable(
    messages: Sequence[Message], *, drop_blank: bool = False, merge_twins: bool = False
) -> list[dict[str, Any]]:
    """The same messages, with the few changes without which endpoints answer 400.

    Of an assistant's message: an empty list of calls goes, missing content becomes '', and
    arguments that are no JSON object are wrapped into one. The message itself is not touched: what
    is stored stays as it was emitted.

    `drop_blank`: an assistant's message without text and calls is left out (in formats of blocks
    it would be an empty one, which litellm fills with words of its own). `merge_twins`: of calls in
    one message that are equal in name and arguments the first alone is sent, with its answer
    (litellm sends Gemini one of them, but the answers to both).
    """
    twins: set[str] = set()
    sent = []
    for message in messages:
        if message.get("role") == "assistant":
            own = _assistant(message)
            if drop_blank and not own["content"] and "tool_calls" not in own:
                continue
            if merge_twins:
                twins |= _merge(own)
            sent.append(own)
        elif not (message.get("role") == "tool" and message.get("tool_call_id") in twins):
            sent.append(dict(message))
    return sent


def _assistant(message: Message) -> dict[str, Any]:
    own = {key: value for key, value in message.items() if value is not None}
    calls = own.pop("tool_calls", None)
    if calls:
        own["tool_calls"] = [_call(call) for call in calls]
    if "content" not in own:
        own["content"] = None if calls else ""
    return own


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = dict(call["function"])
    function["arguments"] = _object_text(function.get("arguments"))
    return {"type": "function", **call, "function": function}


def _object_text(arguments: Any) -> str:
    """Arguments as the text of a JSON object, word for word where they are one."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    if not text.strip():
        return "{}"
    return text if is_object(text) else json.dumps({"unreadable_arguments": text})


def is_object(text: str) -> bool:
    """Whether a text is a JSON object."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _merge(message: dict[str, Any]) -> set[str]:
    """Drop repeated calls of a message; the ids of those that were dropped."""
    kept: dict[tuple[str, str], Any] = {}
    dropped = set()
    for call in message.get("tool_calls", ()):
        same = kept.setdefault((call["function"]["name"], call["function"]["arguments"]), call)
        if same is not call:
            dropped.add(call["id"])
    if dropped:
        message["tool_calls"] = list(kept.values())
    return dropped


def marked(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The same messages with prompt-cache marks, for providers that cache only what is marked.

    Marks stand on the system prompt (it covers the tools), on the newest message, and on the
    newest one before the last reply, where the request before this one ended and wrote its cache.
    A conversation that carries marks of its own is left alone.
    """
    own = [dict(message) for message in messages]
    if any(_is_marked(message) for message in own):
        return own
    last = max((n for n, m in enumerate(own) if m.get("role") == "assistant"), default=0)
    places = {n for n, m in enumerate(own) if m.get("role") == "system"}
    places |= {len(own) - 1, last - 1}
    for place in places:
        if 0 <= place < len(own):
            own[place] = _with_mark(own[place])
    return own


def parted(messages: Sequence[Message], *, mark: bool) -> list[dict[str, Any]]:
    """The same messages without `shared`: how many characters of one begin other requests too.

    `mark`: these become a block of their own with a prompt-cache mark behind them.
    """
    own = []
    for message in messages:
        plain = {key: value for key, value in message.items() if key != "shared"}
        text, shared = plain.get("content"), message.get("shared")
        if mark and shared and isinstance(text, str) and text[:shared].strip():
            first = {"type": "text", "text": text[:shared], "cache_control": _MARK}
            rest = {"type": "text", "text": text[shared:]}
            plain["content"] = [first, rest] if rest["text"].strip() else [first]
        own.append(plain)
    return own


def _is_marked(message: Message) -> bool:
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return "cache_control" in message or any("cache_control" in part for part in parts)


def _with_mark(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, str) or not content.strip() or message["role"] == "assistant":
        return message  # an empty block must not be marked
    block = {"type": "text", "text": content, "cache_control": _MARK}
    return {**message, "content": [block]}
