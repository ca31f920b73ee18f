"""Gemini's generateContent API: read a request, write a reply or an error."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.endpoint.script import Call, ContextLength, Message, Request, Role, Say, Status

_KINDS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
_STOPS = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS"}


def messages(body: Mapping[str, Any]) -> Iterator[Message]:
    """The prompt's messages; a tool's answers, which share one, are told apart."""
    system = body.get("systemInstruction") or body.get("system_instruction")
    if system:
        yield Message("system", _text(system["parts"]), raw=system)
    for raw in body["contents"]:
        parts = raw["parts"]
        answers = [_answer(part) for part in parts if _answer(part) is not None]
        for answer in answers:
            text = json.dumps(answer["response"])
            yield Message("tool", text, call_id=answer.get("id") or answer["name"], raw=answer)
        calls = tuple(
            Call(made["name"], made["args"], made.get("id"))
            for part in parts
            if (made := part.get("functionCall") or part.get("function_call"))
        )
        role: Role = "assistant" if raw.get("role") == "model" else "user"
        if len(answers) < len(parts):
            yield Message(role, _text(parts), calls, raw=raw)


def _answer(part: Mapping[str, Any]) -> Any:
    return part.get("functionResponse") or part.get("function_response")


def _text(parts: list[dict[str, Any]]) -> str:
    return "".join(part.get("text", "") for part in parts)


def tools(body: Mapping[str, Any]) -> list[str]:
    """The names of the tools on offer."""
    found = []
    for tool in body.get("tools") or ():
        declared = tool.get("functionDeclarations") or tool.get("function_declarations") or ()
        found += [declaration["name"] for declaration in declared]
    return found


def _parts(said: Say, request: Request) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    if said.reasoning is not None:
        parts.append({"text": said.reasoning, "thought": True})
    if said.text:
        parts.append({"text": said.text})
    for made in said.calls or ():
        args = json.loads(made.arguments) if isinstance(made.arguments, str) else made.arguments
        part: dict[str, Any] = {"functionCall": {"name": made.name, "args": args}}
        # Gemini's calls have no id: made.id is sent only where a script names one.
        if made.id:
            part["functionCall"]["id"] = made.id
        if said.signature:
            part["thoughtSignature"] = said.signature
        parts.append(part)
    return parts


def _usage(said: Say) -> dict[str, Any] | None:
    if said.tokens is None:
        return None
    count = said.tokens
    usage = {
        "promptTokenCount": count.input,
        "candidatesTokenCount": count.output - (count.reasoning or 0),
        "totalTokenCount": count.input + count.output,
    }
    if count.reasoning is not None:
        usage["thoughtsTokenCount"] = count.reasoning
    if count.cached is not None:
        usage["cachedContentTokenCount"] = count.cached
    return usage


def reply(said: Say, request: Request) -> dict[str, Any]:
    """The body of a reply."""
    content: dict[str, Any] = {"role": "model"}
    if parts := _parts(said, request):
        content["parts"] = parts
    stop = _STOPS[said.finish or "stop"]
    body: dict[str, Any] = {
        "candidates": [{"content": content, "finishReason": stop, "index": 0}],
        "modelVersion": said.served or request.model,
        "responseId": f"resp-{request.number}",
    }
    usage = _usage(said)
    return body if usage is None else {**body, "usageMetadata": usage}


def stream(said: Say, request: Request) -> Iterator[str]:
    """The same as one server-sent event."""
    yield f"data: {json.dumps(reply(said, request))}\n\n"


def error(step: Status | ContextLength) -> tuple[int, dict[str, Any]]:
    """Status and body of an error."""
    if isinstance(step, ContextLength):
        text = (
            "The input token count (1200000) exceeds the maximum number of tokens allowed "
            "(1048576)."
        )
        return 400, {"error": {"code": 400, "message": text, "status": _KINDS[400]}}
    text = step.text or f"scripted error {step.code}"
    status = _KINDS.get(step.code, "INTERNAL")
    return step.code, {"error": {"code": step.code, "message": text, "status": status}}
