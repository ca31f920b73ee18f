"""Anthropic's messages API: read a request, write a reply, a stream of it, or an error."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.endpoint.script import Call, ContextLength, Message, Request, Say, Status

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
_STOPS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}


def messages(body: Mapping[str, Any]) -> Iterator[Message]:
    """The prompt's messages; a tool's answers, which share one, are told apart."""
    if system := body.get("system"):
        yield Message("system", _text(system), raw=system)
    for raw in body["messages"]:
        blocks = _blocks(raw["content"])
        answers = [block for block in blocks if block["type"] == "tool_result"]
        for block in answers:
            yield Message(
                "tool", _text(block.get("content")), call_id=block["tool_use_id"], raw=block
            )
        calls = tuple(
            Call(block["name"], block["input"], block["id"])
            for block in blocks
            if block["type"] == "tool_use"
        )
        if len(answers) < len(blocks) or not blocks:
            yield Message(raw["role"], _text(raw["content"]), calls, raw=raw)


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _text(content: Any) -> str:
    if content is None:
        return ""
    return "".join(block["text"] for block in _blocks(content) if block["type"] == "text")


def tools(body: Mapping[str, Any]) -> list[str]:
    """The names of the tools on offer."""
    return [tool["name"] for tool in body.get("tools") or ()]


def _content(said: Say, request: Request) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if said.reasoning is not None:
        signed = said.signature or f"sig-{request.number}"
        blocks.append({"type": "thinking", "thinking": said.reasoning, "signature": signed})
    if said.text:
        blocks.append({"type": "text", "text": said.text})
    for place, made in enumerate(said.calls or ()):
        identity = made.id or f"toolu_{request.number}_{place}"
        blocks.append(
            {"type": "tool_use", "id": identity, "name": made.name, "input": _input(made)}
        )
    return blocks


def _input(made: Call) -> Any:
    return json.loads(made.arguments) if isinstance(made.arguments, str) else made.arguments


def _usage(said: Say) -> dict[str, Any]:
    if said.tokens is None:
        return {}
    count = said.tokens
    usage: dict[str, Any] = {
        "input_tokens": count.input - (count.cached or 0) - (count.cache_write or 0),
        "output_tokens": count.output,
    }
    if count.cached is not None:
        usage["cache_read_input_tokens"] = count.cached
    if count.cache_write is not None:
        usage["cache_creation_input_tokens"] = count.cache_write
    return usage


def _head(said: Say, request: Request) -> dict[str, Any]:
    return {
        "id": f"msg_{request.number}",
        "type": "message",
        "role": "assistant",
        "model": said.served or request.model,
        "stop_sequence": None,
    }


def _stop(said: Say) -> str:
    return _STOPS[said.finish or ("tool_calls" if said.calls else "stop")]


def reply(said: Say, request: Request) -> dict[str, Any]:
    """The body of a reply."""
    content = _content(said, request)
    body = {**_head(said, request), "content": content, "stop_reason": _stop(said)}
    usage = _usage(said)
    return {**body, "usage": usage} if usage else body


def stream(said: Say, request: Request) -> Iterator[str]:
    """The same as server-sent events, each block in one piece."""
    usage = _usage(said)
    head = {**_head(said, request), "content": [], "stop_reason": None, "usage": usage}
    yield _event("message_start", message=head)
    for place, block in enumerate(_content(said, request)):
        yield from _streamed(place, block)
    stopped = {"stop_reason": _stop(said), "stop_sequence": None}
    spent = {"output_tokens": usage.get("output_tokens", 0)}
    yield _event("message_delta", delta=stopped, usage=spent)
    yield _event("message_stop")


def _streamed(place: int, block: dict[str, Any]) -> Iterator[str]:
    started: dict[str, Any] = {"text": "", "thinking": "", "input": {}}
    opened = {k: started.get(k, v) for k, v in block.items() if k != "signature"}
    yield _event("content_block_start", index=place, content_block=opened)
    deltas: list[dict[str, Any]] = []
    if block["type"] == "text":
        deltas = [{"type": "text_delta", "text": block["text"]}]
    elif block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": block["thinking"]}]
        deltas += [{"type": "signature_delta", "signature": block["signature"]}]
    else:
        deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
    for delta in deltas:
        yield _event("content_block_delta", index=place, delta=delta)
    yield _event("content_block_stop", index=place)


def _event(kind: str, **data: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"


def error(step: Status | ContextLength) -> tuple[int, dict[str, Any]]:
    """Status and body of an error."""
    if isinstance(step, ContextLength):
        text = "prompt is too long: 210000 tokens > 200000 maximum"
        return 400, {"type": "error", "error": {"type": _KINDS[400], "message": text}}
    text = step.text or f"scripted error {step.code}"
    kind = _KINDS.get(step.code, "api_error")
    return step.code, {"type": "error", "error": {"type": kind, "message": text}}
