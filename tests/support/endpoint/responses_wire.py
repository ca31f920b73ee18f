"""OpenAI's responses API: read a request, write a reply, a stream of it, or an error.

Tools may come in namespaces here; such a one is named `namespace.tool`, on offer and in a Call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from tests.support.endpoint import openai_wire
from tests.support.endpoint.script import Call, ContextLength, Message, Request, Say, Status

_OURS = frozenset({"function_call", "reasoning"})


def messages(body: Mapping[str, Any]) -> Iterator[Message]:
    """The prompt's messages; what the model said in one reply (text, calls, reasoning) is one."""
    if told := body.get("instructions"):
        yield Message("system", told, raw=told)
    given = body["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    for is_reply, group in groupby(items, key=_is_reply):
        members = list(group)
        if is_reply:
            calls = tuple(
                _read_call(item) for item in members if item.get("type") == "function_call"
            )
            yield Message("assistant", "".join(map(_said, members)), calls, raw=members)
        else:
            yield from (_heard(item) for item in members)


def _is_reply(item: Mapping[str, Any]) -> bool:
    return item.get("role") == "assistant" or item.get("type") in _OURS


def _read_call(item: Mapping[str, Any]) -> Call:
    space = item.get("namespace")
    name = f"{space}.{item['name']}" if space else item["name"]
    return Call(name, item["arguments"], item["call_id"])


def _said(item: Mapping[str, Any]) -> str:
    return _text(item.get("content")) if item.get("type", "message") == "message" else ""


def _heard(item: Mapping[str, Any]) -> Message:
    if item.get("type") == "function_call_output":
        return Message("tool", _text(item["output"]), call_id=item["call_id"], raw=item)
    role = item.get("role", "user")
    return Message("system" if role == "developer" else role, _text(item.get("content")), raw=item)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content)
    return content or ""


def tools(body: Mapping[str, Any]) -> list[str]:
    """The names of the tools on offer that are functions."""
    return [name for tool in body.get("tools") or () for name in _names(tool)]


def _names(tool: Mapping[str, Any]) -> list[str]:
    if tool["type"] == "namespace":
        return [f"{tool['name']}.{name}" for inner in tool["tools"] for name in _names(inner)]
    return [tool["name"]] if tool["type"] == "function" else []


def _output(said: Say, request: Request) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if said.reasoning is not None:
        summary = [{"type": "summary_text", "text": said.reasoning}]
        items.append({"type": "reasoning", "id": f"rs_{request.number}", "summary": summary})
    if said.text is not None:
        text = {"type": "output_text", "text": said.text, "annotations": []}
        items.append(
            {
                "type": "message",
                "id": f"msg_{request.number}",
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
        )
    items += [_call(made, request, place) for place, made in enumerate(said.calls or ())]
    return items


def _call(made: Call, request: Request, place: int) -> dict[str, Any]:
    text = made.arguments if isinstance(made.arguments, str) else json.dumps(made.arguments)
    space, _, name = made.name.rpartition(".")
    identity = f"{request.number}_{place}"
    written = {
        "type": "function_call",
        "id": f"fc_{identity}",
        "call_id": made.id or f"call_{identity}",
        "name": name,
        "arguments": text,
        "status": "completed",
    }
    return {**written, "namespace": space} if space else written


def _usage(said: Say) -> dict[str, Any] | None:
    if said.tokens is None:
        return None
    count = said.tokens
    return {
        "input_tokens": count.input,
        "input_tokens_details": {
            "cached_tokens": count.cached or 0,
            "cache_write_tokens": count.cache_write or 0,
        },
        "output_tokens": count.output,
        "output_tokens_details": {"reasoning_tokens": count.reasoning or 0},
        "total_tokens": count.input + count.output,
    }


def reply(said: Say, request: Request) -> dict[str, Any]:
    """The body of a reply."""
    cut = said.finish == "length"
    return {
        "id": f"resp_{request.number}",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": said.served or request.model,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "output": _output(said, request),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": _usage(said),
    }


def stream(said: Say, request: Request) -> Iterator[str]:
    """The same as server-sent events, each item in one piece."""
    whole = reply(said, request)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for place, item in enumerate(whole["output"]):
        events += _streamed(place, item)
    events.append({"type": f"response.{whole['status']}", "response": whole})
    for number, event in enumerate(events):
        yield f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n"


def _streamed(place: int, item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    opened: dict[str, list[Any] | str] = {"content": [], "summary": [], "arguments": ""}
    empty = {name: opened.get(name, value) for name, value in item.items()}
    yield {"type": "response.output_item.added", "output_index": place, "item": empty}
    where = {"item_id": item["id"], "output_index": place}
    if item["type"] == "function_call":
        said = item["arguments"]
        kind = "response.function_call_arguments"
        yield {"type": f"{kind}.delta", **where, "delta": said}
        yield {"type": f"{kind}.done", **where, "name": item["name"], "arguments": said}
    elif item["type"] == "message":
        yield from _streamed_text(where, item["content"][0])
    yield {"type": "response.output_item.done", "output_index": place, "item": item}


def _streamed_text(where: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    spot = {**where, "content_index": 0}
    nothing = {**part, "text": ""}
    yield {"type": "response.content_part.added", **spot, "part": nothing}
    text = {"logprobs": [], **spot}
    yield {"type": "response.output_text.delta", **text, "delta": part["text"]}
    yield {"type": "response.output_text.done", **text, "text": part["text"]}
    yield {"type": "response.content_part.done", **spot, "part": dict(part)}


def error(step: Status | ContextLength) -> tuple[int, dict[str, Any]]:
    """Status and body of an error: those of OpenAI's chat API."""
    return openai_wire.error(step)
