"""The conversation as it is sent: every reply as its provider wrote it, every call answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent.calls import is_sound
from core.protocols import Reply
from core.trajectory import ToolCall, ToolResult

Message = dict[str, Any]


class History:
    """System prompt, start prompt, then exchanges: a reply and what answered it."""

    def __init__(self, system: str, start: str) -> None:
        self._head = [{"role": "system", "content": system}, user(start)]
        self._exchanges: list[list[Message]] = []

    def __len__(self) -> int:
        """How many exchanges there are."""
        return len(self._exchanges)

    def add(self, *messages: Message) -> None:
        """One exchange. It stays or is cut as a whole, so that no call loses its answer."""
        self._exchanges.append(list(messages))

    def messages(self, *, newest: int | None = None, ask: str | None = None) -> list[Message]:
        """All of it, or its head and the newest exchanges; `ask` comes as the last word."""
        first = 0 if newest is None else len(self) - newest
        said = [*self._head, *(m for exchange in self._exchanges[first:] for m in exchange)]
        if ask is not None:
            said.append(user(ask))
        return _alternating(said)


def user(text: str) -> Message:
    """A message of ours."""
    return {"role": "user", "content": text}


def observed(result: ToolResult) -> Message:
    """A tool's answer, empty or not."""
    return {"role": "tool", "tool_call_id": result.call_id, "content": result.text}


def behind(text: str, told: str | None) -> str:
    """A message's text, with what is told beside it set apart."""
    return f"{text}\n\n{told}" if told else text


def acted(
    reply: Reply, calls: Sequence[ToolCall], results: Sequence[ToolResult], told: str | None = None
) -> list[Message]:
    """A reply with calls and their answers. `told` stands behind the last one: endpoints refuse a
    message of ours between an answer and the reply to it."""
    answers = [observed(result) for result in results]
    if answers:
        answers[-1] = {**answers[-1], "content": behind(answers[-1]["content"], told)}
    return [*replayed(reply, calls), *answers]


def nudged(reply: Reply, nudge: str, told: str | None = None) -> list[Message]:
    """A reply that neither called nor finished, and the nudge."""
    return [*replayed(reply, ()), user(behind(nudge, told))]


def replayed(reply: Reply, calls: Sequence[ToolCall]) -> list[Message]:
    """The reply as it goes into history: what the provider sent, unchanged.

    But for what no provider would take back: arguments that are no JSON object become {}, a call
    without an id of its own has the one that its answer names, an empty list of calls is dropped,
    and a reply without text or call is left out.
    """
    raw = reply.raw or plain(reply)
    sent = raw.get("tool_calls")
    if not calls:
        if sent is not None:
            raw = {key: value for key, value in raw.items() if key != "tool_calls"}
        return [raw] if reply.text.strip() else []
    entries = [e if isinstance(e, dict) else {} for e in sent] if isinstance(sent, list) else []
    same = [entry.get("id") for entry in entries] == [call.call_id for call in calls]
    if same and all(map(is_sound, calls)):
        return [raw]
    entries += [{}] * (len(calls) - len(entries))
    mended = [_mended(entry, call) for entry, call in zip(entries, calls, strict=False)]
    return [{**raw, "tool_calls": mended}]


def plain(reply: Reply) -> Message:
    """The reply as a message that holds its text, reasoning and calls, and nothing else."""
    message: Message = {"role": "assistant", "content": reply.text or None}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.tool_calls:
        message["tool_calls"] = [_entry(call) for call in reply.tool_calls]
    return message


def beyond_plain(reply: Reply) -> Message | None:
    """The provider's message where it holds more than `plain` says, else None."""
    return None if _filled(reply.raw) in ({}, _filled(plain(reply))) else reply.raw


def _entry(call: ToolCall) -> Message:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.call_id, "type": "function", "function": function}


def _mended(entry: Message, call: ToolCall) -> Message:
    own = entry.get("function")
    mended = {
        **(own if isinstance(own, dict) else {}),
        "name": call.name,
        "arguments": call.arguments if is_sound(call) else "{}",
    }
    return {**entry, "id": call.call_id, "type": "function", "function": mended}


def _filled(value: Any) -> Any:
    """The value without keys that say nothing."""
    if isinstance(value, dict):
        kept = {key: _filled(part) for key, part in value.items()}
        return {key: part for key, part in kept.items() if part not in (None, "", [], {})}
    return [_filled(part) for part in value] if isinstance(value, list) else value


def _alternating(messages: list[Message]) -> list[Message]:
    """Our own messages joined where two would follow one another: some endpoints refuse that."""
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1].get("role") == message.get("role") == "user":
            joined[-1] = user(f"{joined[-1]['content']}\n\n{message['content']}")
        else:
            joined.append(message)
    return joined
