"""A model that says what a test writes and is as strict as a provider, and tools to call."""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from agent.react import ReactAgent
from core.errors import ProviderError
from core.protocols import ChatModel, Finish, Observation, Reply, Step, Tools, ToolSpec
from core.run import Limits
from core.scenario import Task
from core.trajectory import Insight, ModelCall, Nudge, Preamble, Role, ToolCall, Turn, Usage

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
TASK = Task(
    scenario_id="small",
    entity_id="03",
    entity_label="Ash Air",
    entity_noun="carrier",
    text="Report what stands out about carrier 03.",
)
OVERVIEW = {
    "tables": [
        {"name": "flights", "comment": "One row per flight.", "column_count": 17},
        {"name": "carriers", "comment": None, "column_count": 2},
    ]
}
SPECS = tuple(
    ToolSpec(name=name, description=f"{name}.", input_schema={"type": "object", "properties": {}})
    for name in ("get_database_info", "describe_table", "execute_query")
)
Messages = list[dict[str, Any]]


def call(
    name: str = "execute_query", arguments: Any = None, call_id: str | None = "c1"
) -> tuple[str | None, str, str]:
    """One tool call as a provider sends it; arguments as values or as raw text."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return (call_id, name, text)


def said(
    text: str | None = "",
    *calls: tuple[str | None, str, str],
    reasoning: str | None = None,
    finish_reason: str | None = None,
    tokens: int | None = 10,
    cost_usd: float | None = None,
    **extra: Any,
) -> Reply:
    """A reply with its raw message; `extra` are further keys of that message."""
    raw: dict[str, Any] = {"role": "assistant", "content": text}
    if reasoning:
        raw["reasoning_content"] = reasoning
    if calls:
        raw["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in calls
        ]
    usage = Usage(input_tokens=tokens, output_tokens=tokens and 0, cost_usd=cost_usd)
    return Reply(
        text=text or "",
        reasoning=reasoning,
        tool_calls=tuple(
            ToolCall(call_id=call_id or "", name=name, arguments=arguments)
            for call_id, name, arguments in calls
        ),
        raw={**raw, **extra},
        call=ModelCall(
            role="agent",
            model_asked="scripted",
            usage=usage,
            finish_reason=finish_reason or ("tool_calls" if calls else "stop"),
            started_at=NOON,
            duration_s=0.5,
        ),
    )


def query(number: int = 1, text: str = "Look.") -> Reply:
    """A reply that runs one query."""
    return said(text, call(arguments={"query": f"SELECT {number}"}, call_id=f"c{number}"))


def too_long() -> ProviderError:
    """What an endpoint says of a prompt past its context."""
    return ProviderError("the prompt is too long", status_code=400, kind="context_length")


@dataclass(frozen=True)
class Request:
    """What a model was sent."""

    messages: Messages
    tools: tuple[ToolSpec, ...]
    role: Role

    @property
    def last(self) -> str:
        """The text of the last message."""
        return str(self.messages[-1]["content"])


Said = Reply | ProviderError
Script = Iterable[Said] | Callable[[Request], Said]


class Scripted:
    """A ChatModel that says what it is told to, and refuses what a strict provider refuses.

    `insight` and `report` answer calls in these roles; a script that runs out has finished.
    """

    name = "scripted"

    def __init__(
        self,
        *script: Said,
        insight: Script | str = "NO INSIGHT",
        report: Script | str = "It is large.",
    ) -> None:
        self.requests: list[Request] = []
        self._next: dict[Role, Callable[[Request], Said]] = {
            "agent": _source([*script, said("FINISH: done")]),
            "insight": _source(insight),
            "report": _source(report),
        }

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSpec] = (),
        *,
        role: Role = "agent",
        form: Mapping[str, Any] | None = None,
    ) -> Reply:
        """The next reply of the script for this role."""
        kept = copy.deepcopy([dict(message) for message in messages])
        request = Request(kept, tuple(tools), role)
        self.requests.append(request)
        check(kept)
        reply = self._next[role](request)
        if isinstance(reply, ProviderError):
            raise reply
        return reply.model_copy(update={"call": reply.call.model_copy(update={"role": role})})

    def asked(self, role: Role) -> list[Request]:
        """The requests in one role."""
        return [request for request in self.requests if request.role == role]


def _source(script: Script | str) -> Callable[[Request], Said]:
    if callable(script):
        return script
    left = itertools.repeat(said(script)) if isinstance(script, str) else iter(script)
    return lambda _request: next(left)


def check(messages: Messages) -> None:
    """Fail where a strict provider would answer 400."""
    roles = [message["role"] for message in messages]
    assert roles[0] in ("system", "user")
    assert ("user", "user") not in itertools.pairwise(roles), "two user messages in a row"
    assert "system" not in roles[1:]
    assert roles[-1] != "assistant", "the last word is not ours"
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            assert isinstance(message["content"], str)
            continue
        assert waiting == [], "a call without an answer"
        if message["role"] == "assistant":
            calls = message.get("tool_calls")
            assert calls != [], "an empty list of calls"
            assert calls or message["content"], "an empty message"
            waiting = [entry["id"] for entry in calls or ()]
            assert all(waiting)
            assert len(set(waiting)) == len(waiting), "an id twice"
            for entry in calls or ():
                assert isinstance(json.loads(entry["function"]["arguments"]), dict)
    assert waiting == []


@dataclass
class Desk:
    """Tools whose answers a test writes; unknown names are answered as the tool layer does."""

    answers: dict[str, Observation] = field(default_factory=dict)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    overview: Observation = field(default_factory=lambda: Observation(text="{}", data=OVERVIEW))

    async def list(self) -> Sequence[ToolSpec]:
        """Three tools."""
        return SPECS

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """The answer for this name."""
        self.calls.append((name, dict(arguments)))
        if name in self.answers:
            return self.answers[name]
        if name == "get_database_info":
            return self.overview
        if name not in {spec.name for spec in SPECS}:
            return Observation(
                text=f"there is no tool {name!r}", is_error=True, error_kind="unknown_tool"
            )
        return Observation(text=json.dumps({"rows": [[1]]}), accessed_fields=("flights.id",))

    @property
    def executed(self) -> Sequence[tuple[str, dict[str, Any]]]:
        """The calls after the first look at the tables."""
        return self.calls[1:]


@dataclass(frozen=True)
class Explored:
    """All that one exploration yielded, and the error that ended it."""

    steps: tuple[Step, ...]
    error: ProviderError | None

    @property
    def preamble(self) -> Preamble:
        """The first step."""
        first = self.steps[0]
        assert isinstance(first, Preamble)
        return first

    @property
    def turns(self) -> list[Turn]:
        """The turns, in order."""
        return [step for step in self.steps if isinstance(step, Turn)]

    @property
    def nudges(self) -> list[Nudge]:
        """The nudges, in order."""
        return [step for step in self.steps if isinstance(step, Nudge)]

    @property
    def insights(self) -> list[Insight]:
        """The message-wise insights, in order."""
        return [step for step in self.steps if isinstance(step, Insight)]

    @property
    def finish(self) -> Finish:
        """The one last word."""
        (found,) = [step for step in self.steps if isinstance(step, Finish)]
        return found

    @property
    def finished(self) -> bool:
        """Whether there was a last word."""
        return any(isinstance(step, Finish) for step in self.steps)

    @property
    def order(self) -> list[str]:
        """The kinds of steps."""
        return [type(step).__name__ for step in self.steps]


def explore(
    model: ChatModel,
    tools: Tools | None = None,
    *,
    limits: Limits | None = None,
    task: Task = TASK,
    **options: Any,
) -> Explored:
    """Let the agent explore to its end. Insight calls are left out unless asked for."""
    agent = ReactAgent(**{"insights": "none", **options})
    return asyncio.run(listen(agent, model, tools or Desk(), limits or Limits(), task))


async def listen(
    agent: ReactAgent, model: ChatModel, tools: Tools, limits: Limits, task: Task = TASK
) -> Explored:
    """Keep every step, and a ProviderError at the end."""
    steps: list[Step] = []
    try:
        async for step in agent.explore(task, tools, model, limits):
            steps.append(step)  # noqa: PERF401 - what came before an error is kept
    except ProviderError as exc:
        return Explored(tuple(steps), exc)
    return Explored(tuple(steps), None)


@dataclass
class Watch:
    """A clock that a test moves: seconds, and the time of day that goes with them."""

    seconds: float = 0.0

    def clock(self) -> float:
        """Seconds."""
        return self.seconds

    def now(self) -> datetime:
        """The time of day."""
        return NOON + timedelta(seconds=self.seconds)


class SlowModel(Scripted):
    """A scripted model of which each call takes so many seconds."""

    def __init__(self, watch: Watch, seconds: float, *script: Said, **options: Any) -> None:
        super().__init__(*script, **options)
        self._watch, self._seconds = watch, seconds

    async def complete(self, *args: Any, **options: Any) -> Reply:
        """As written, later."""
        self._watch.seconds += self._seconds
        return await super().complete(*args, **options)


@dataclass
class SlowDesk(Desk):
    """Tools of which each call takes so many seconds."""

    watch: Watch = field(default_factory=Watch)
    seconds: float = 0.0

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """As written, later."""
        self.watch.seconds += self.seconds
        return await super().call(name, arguments)
