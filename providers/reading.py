"""Read a provider's answer: its message word for word, its calls, and only the tokens it reported."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.protocols import Chance, Spoken
from core.trajectory import ToolCall, Usage


class UnreadableError(Exception):
    """An answer without a message in it; the text says what was there instead."""


@dataclass(frozen=True)
class Answer:
    """What one answer of a provider holds."""

    text: str
    reasoning: str | None
    tool_calls: tuple[ToolCall, ...]
    raw: dict[str, Any]
    usage: Usage
    model_served: str | None
    finish_reason: str | None
    chances: tuple[Spoken, ...] = ()


def read(response: Mapping[str, Any], body: Any) -> Answer:
    """An answer from litellm's reading of it (`response`) and from what came over the wire (`body`).

    In OpenAI's format the wire's own message is kept; of other formats litellm's translation, which
    holds thinking blocks and signatures and from which it makes the same blocks again. Raises
    UnreadableError.
    """
    choices = response.get("choices") or []
    if not choices or not isinstance(choices[0].get("message"), Mapping):
        raise UnreadableError(f"an answer without a message: {_error_in(body) or 'no choices'}")
    choice = choices[0]
    message = choice["message"]
    raw = _own_message(body) or _translated(message)
    raw["role"] = "assistant"
    if raw.get("tool_calls"):
        raw["tool_calls"] = _identified(raw["tool_calls"])
    return Answer(
        text=_text(message.get("content")),
        reasoning=message.get("reasoning_content") or None,
        tool_calls=tuple(_call(call) for call in raw.get("tool_calls") or ()),
        raw=raw,
        usage=usage_of(response.get("usage"), body),
        model_served=response.get("model") or None,
        finish_reason=choice.get("finish_reason"),
        chances=_chances(choice.get("logprobs")),
    )


def _chances(logprobs: Any) -> tuple[Spoken, ...]:
    """The tokens with their log-probabilities; empty where one of them cannot be read."""
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    try:
        return tuple(
            Spoken(
                token=token["token"],
                top=tuple(
                    Chance(token=each["token"], logprob=each["logprob"])
                    for each in token.get("top_logprobs") or ()
                ),
            )
            for token in content or ()
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        return ()


def _own_message(body: Any) -> dict[str, Any] | None:
    """The message of an answer in OpenAI's format, as it was sent."""
    try:
        message = body["choices"][0]["message"]
    except (TypeError, KeyError, IndexError):
        return None
    return json.loads(json.dumps(message)) if isinstance(message, dict) else None


def _translated(message: Mapping[str, Any]) -> dict[str, Any]:
    """litellm's message without what is empty, and without what it says twice."""
    kept = {key: value for key, value in message.items() if value not in (None, [], {})}
    specific = kept.pop("provider_specific_fields", {})
    own = {k: v for k, v in specific.items() if v is not None and v != kept.get(k)}
    if own:
        kept["provider_specific_fields"] = own
    return {**kept, "content": message.get("content")}


def _identified(calls: list[Any]) -> list[dict[str, Any]]:
    """The same calls, each with an id of its own: an answer must find its call."""
    taken: set[str] = set()
    named = []
    for call in calls:
        identity = call.get("id")
        if not isinstance(identity, str) or not identity or identity in taken:
            identity = f"call_{uuid.uuid4().hex}"
        taken.add(identity)
        named.append({**call, "id": identity, "type": call.get("type") or "function"})
    return named


def _call(call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function") or {}
    emitted = function.get("arguments")
    text = emitted if isinstance(emitted, str) else json.dumps({} if emitted is None else emitted)
    return ToolCall(call_id=call["id"], name=str(function.get("name") or ""), arguments=text)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content or ""


def usage_of(counted: Mapping[str, Any] | None, body: Any) -> Usage:
    """litellm's figures, as far as the provider reported them; None where it did not.

    litellm fills gaps: a missing usage reads 0, Anthropic's thinking is counted by a tokenizer of
    its own, a missing cache figure reads 0. What the wire named decides.
    """
    reported = set(_keys(_reported(body))) if body is not None else None
    if not counted or (reported is not None and not reported):
        return Usage()

    def said(word: str) -> bool:
        return reported is None or any(word in key for key in reported)

    prompt = counted.get("prompt_tokens_details") or {}
    output = counted.get("completion_tokens_details") or {}
    written = counted.get("cache_creation_input_tokens")
    if written is None:
        written = prompt.get("cache_creation_tokens", prompt.get("cache_write_tokens"))
    cached = counted.get("cache_read_input_tokens")
    if cached is None:
        cached = prompt.get("cached_tokens")
    return Usage(
        input_tokens=counted.get("prompt_tokens"),
        output_tokens=counted.get("completion_tokens"),
        cached_input_tokens=cached if said("cache") else None,
        cache_write_tokens=written if said("creat") or said("write") else None,
        reasoning_tokens=(
            output.get("reasoning_tokens")
            if said("reasoning") or said("think") or said("thought")
            else None
        ),
    )


def _reported(body: Any) -> Any:
    if not isinstance(body, Mapping):
        return None
    return body.get("usage") or body.get("usageMetadata") or _counts(body)


def _counts(body: Mapping[str, Any]) -> dict[str, Any]:
    """Counts that stand beside the message, as Ollama has them."""
    return {key: value for key, value in body.items() if key.endswith("_count")}


def _keys(value: Any) -> Iterator[str]:
    """Every key in a usage object that has a value, in lower case."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if inner is not None:
                yield str(key).lower()
                yield from _keys(inner)


def _error_in(body: Any) -> str | None:
    """An error that came with a status of success."""
    error = body.get("error") if isinstance(body, Mapping) else None
    return json.dumps(error)[:300] if error else None
