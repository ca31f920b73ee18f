"""OpenAI's chat API: read a request, write a reply, a stream of it, or an error."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.endpoint.script import Call, ContextLength, Message, Request, Role, Say, Status

_KINDS = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("permission_error", None),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
}


def messages(body: Mapping[str, Any]) -> Iterator[Message]:
    """The prompt's messages."""
    for raw in body["messages"]:
        calls = tuple(
            Call(made["function"]["name"], made["function"]["arguments"], made.get("id"))
            for made in raw.get("tool_calls") or ()
        )
        role: Role = "system" if raw["role"] == "developer" else raw["role"]
        yield Message(role, _text(raw.get("content")), calls, raw.get("tool_call_id"), raw)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def tools(body: Mapping[str, Any]) -> list[str]:
    """The names of the tools on offer."""
    return [tool["function"]["name"] for tool in body.get("tools") or ()]


def _message(said: Say, request: Request) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text, **said.extra}
    if said.reasoning is not None:
        message["reasoning_content"] = said.reasoning
    if said.calls is not None:
        message["tool_calls"] = [_call(c, request, n) for n, c in enumerate(said.calls)]
    return message


def _call(made: Call, request: Request, place: int) -> dict[str, Any]:
    text = made.arguments if isinstance(made.arguments, str) else json.dumps(made.arguments)
    written: dict[str, Any] = {
        "type": "function",
        "function": {"name": made.name, "arguments": text},
    }
    identity = f"call_{request.number}_{place}" if made.id is None else made.id
    return {"id": identity, **written} if identity else written


def _usage(said: Say) -> dict[str, Any] | None:
    if said.tokens is None:
        return None
    count = said.tokens
    usage: dict[str, Any] = {
        "prompt_tokens": count.input,
        "completion_tokens": count.output,
        "total_tokens": count.input + count.output,
    }
    details = {"cached_tokens": count.cached, "cache_creation_tokens": count.cache_write}
    if known := {name: value for name, value in details.items() if value is not None}:
        usage["prompt_tokens_details"] = known
    if count.reasoning is not None:
        usage["completion_tokens_details"] = {"reasoning_tokens": count.reasoning}
    return usage


def _head(said: Say, request: Request, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{request.number}",
        "object": kind,
        "created": 1_700_000_000,
        "model": said.served or request.model,
    }


def _finish(said: Say) -> str:
    return said.finish or ("tool_calls" if said.calls else "stop")


def reply(said: Say, request: Request) -> dict[str, Any]:
    """The body of a reply."""
    choice = {"index": 0, "message": _message(said, request), "finish_reason": _finish(said)}
    if said.chances and request.body.get("logprobs"):
        choice["logprobs"] = {
            "content": [_token(said, place) for place in range(len(said.chances))]
        }
    body = {**_head(said, request, "chat.completion"), "choices": [choice]}
    usage = _usage(said)
    return body if usage is None else {**body, "usage": usage}


def _token(said: Say, place: int) -> dict[str, Any]:
    token, others = said.chances[place]
    logs = {word: math.log(chance) for word, chance in others.items()}
    top = [{"token": word, "logprob": log, "bytes": None} for word, log in logs.items()]
    return {"token": token, "logprob": logs.get(token, 0.0), "bytes": None, "top_logprobs": top}


def stream(said: Say, request: Request) -> Iterator[str]:
    """The same as server-sent events, text in two pieces."""
    head = _head(said, request, "chat.completion.chunk")
    message = _message(said, request)
    for place, made in enumerate(message.get("tool_calls", ())):
        made["index"] = place
    text = message.pop("content") or ""
    half = len(text) // 2
    pieces = [{**message, "content": text[:half]}, {"content": text[half:]}]
    for delta in pieces:
        yield _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    last = {"index": 0, "delta": {}, "finish_reason": _finish(said)}
    yield _event({**head, "choices": [last]})
    if usage := _usage(said):
        yield _event({**head, "choices": [], "usage": usage})
    yield "data: [DONE]\n\n"


def _event(data: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(data)}\n\n"


def error(step: Status | ContextLength) -> tuple[int, dict[str, Any]]:
    """Status and body of an error."""
    if isinstance(step, ContextLength):
        text = (
            "This model's maximum context length is 8192 tokens. However, your messages resulted "
            "in 9000 tokens. Please reduce the length of the messages."
        )
        kind, code = "invalid_request_error", "context_length_exceeded"
        return 400, {"error": {"message": text, "type": kind, "param": "messages", "code": code}}
    named, marked = _KINDS.get(step.code, ("server_error", None))
    text = step.text or f"scripted error {step.code}"
    return step.code, {"error": {"message": text, "type": named, "param": None, "code": marked}}
