"""What a scripted endpoint is told to answer, and what it was asked, in no provider's own shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Api = Literal["openai", "responses", "anthropic", "gemini"]
Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class Call:
    """One tool call. Arguments given as text are sent word for word (OpenAI's format alone can)."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str | None = None
    """None = a distinct one is made; '' = none is sent."""


@dataclass(frozen=True)
class Tokens:
    """Usage as we count it: input with its cached part, output with its reasoning part."""

    input: int = 10
    output: int = 5
    cached: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True)
class Say:
    """An assistant's reply."""

    text: str | None
    calls: tuple[Call, ...] | None = None
    """None = no such field; () = an empty list of calls."""
    reasoning: str | None = None
    signature: str | None = None
    finish: str | None = None
    """In OpenAI's words: stop, tool_calls, length; None = what the calls make of it."""
    tokens: Tokens | None = Tokens()
    """None = no usage is reported."""
    served: str | None = None
    """The model that the reply names; None = the one that was asked for."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the message (OpenAI's format)."""
    chances: tuple[tuple[str, Mapping[str, float]], ...] = ()
    """Each token with what might stand in its place and how likely, 0 to 1; told where a request asks
    for logprobs (OpenAI's format)."""
    latency_s: float | None = None


@dataclass(frozen=True)
class Status:
    """An HTTP error."""

    code: int
    retry_after: str | None = None
    text: str | None = None
    error: Mapping[str, Any] | None = None
    """The whole error object, in place of the provider's own shape."""
    latency_s: float | None = None


@dataclass(frozen=True)
class ContextLength:
    """The prompt is longer than the model's context."""

    latency_s: float | None = None


@dataclass(frozen=True)
class Malformed:
    """A 200 whose body is no JSON."""

    body: str = '{"id": "x", "choices": [{"mess'
    latency_s: float | None = None


@dataclass(frozen=True)
class Reset:
    """The connection is reset, after half the body or before a byte."""

    mid_body: bool = True
    latency_s: float | None = None


@dataclass(frozen=True)
class Hang:
    """No answer at all."""

    latency_s: float | None = None


Step = Say | Status | ContextLength | Malformed | Reset | Hang


@dataclass(frozen=True)
class Message:
    """One message of a prompt."""

    role: Role
    text: str
    calls: tuple[Call, ...] = ()
    call_id: str | None = None
    """Which call a tool's message answers (Gemini: the tool's name)."""
    raw: Any = None
    """The part of the body that it was read from."""


@dataclass(frozen=True)
class Request:
    """What the endpoint was asked."""

    number: int
    """From 1, in order of arrival."""
    api: Api
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any]
    model: str
    messages: tuple[Message, ...]
    tools: tuple[str, ...]
    """The names of those that may be called."""
    stream: bool
    at: float
    """time.monotonic() at its arrival."""

    @property
    def replies(self) -> int:
        """How many of the messages are an assistant's."""
        return sum(message.role == "assistant" for message in self.messages)

    @property
    def text(self) -> str:
        """All that the messages say, one a line."""
        return "\n".join(message.text for message in self.messages)


Script = Sequence[Step] | Callable[[Request], Step]


def say(text: str | None, *, calls: Sequence[Call] | None = None, **fields: Any) -> Say:
    """A reply; `fields` are those of Say."""
    return Say(text, None if calls is None else tuple(calls), **fields)


def call(name: str, **arguments: Any) -> Say:
    """A reply with one tool call and no text."""
    return Say(None, (Call(name, arguments),))


def explorer(
    steps: Sequence[Step],
    *,
    insight: Step = Say("NO INSIGHT"),
    report: Step = Say("The report."),
) -> Callable[[Request], Step]:
    """A script for many conversations at once: the step is told by the request alone.

    With tools: the step with the number of the assistant's messages so far (the last one again
    where there are more). Without tools: `insight` where the assistant has not spoken yet, else
    `report`. An agent that leaves empty replies out of its history gets an empty step again.
    """

    def answer(request: Request) -> Step:
        if request.tools:
            return steps[min(request.replies, len(steps) - 1)]
        return report if request.replies else insight

    return answer
