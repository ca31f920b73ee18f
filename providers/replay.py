"""A model that says again what was said in a stored trajectory: nothing is asked, nothing is paid."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.errors import ProviderError, ProviderFault
from core.protocols import Reply, ToolSpec
from core.trajectory import ModelCall, Role, StopReason, ToolCall, Trajectory, Turn, Usage
from providers.scripted import message_of

REPLAYED = "replayed: nothing was spent"


@dataclass(frozen=True)
class _Said:
    """A stored reply."""

    text: str
    call: ModelCall
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    raw: dict[str, Any] | None = None
    turn: int | None = None


class ReplayModel:
    """Answers each role's requests in the order in which they were answered then.

    Tokens are those of the stored calls; their cost is None. A request that the trajectory has no
    reply for, or that does not continue it (another start prompt, other tool calls answered), is a
    ProviderError of kind bad_request that says where the two part. Where the trajectory ended on an
    endpoint's failure or on a full context, so does its replay.
    """

    def __init__(
        self, trajectory: Trajectory, *, name: str | None = None, marker: str = "FINISH:"
    ) -> None:
        self.name = name or f"replay:{trajectory.run_id}"
        self._trajectory = trajectory
        self._said: dict[str, list[_Said]] = {
            "agent": _agent(trajectory, marker),
            "insight": _insights(trajectory),
            "report": _reports(trajectory),
        }
        self._place: dict[str, int] = dict.fromkeys(self._said, 0)

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSpec] = (),
        *,
        role: Role = "agent",
        form: Mapping[str, Any] | None = None,
    ) -> Reply:
        """The next stored reply of that role. Raises ProviderError where there is none."""
        started, begun = datetime.now(UTC), time.perf_counter()
        if role == "agent":
            self._continues(messages)
        script = self._said.get(role, [])
        place = self._place.get(role, 0)
        if place >= len(script):
            raise self._ended(role, len(script))
        self._place[role] = place + 1
        said = script[place]
        if said.call.error is not None:
            raise ProviderError(f"{self.name}: stored failure: {said.call.error}", kind="server")
        usage = said.call.usage.model_dump(exclude={"cost_usd", "cost_reason"})
        return Reply(
            text=said.text,
            reasoning=said.reasoning,
            tool_calls=said.tool_calls,
            raw=said.raw or message_of(said.text, said.reasoning, said.tool_calls),
            call=ModelCall(
                role=role,
                model_asked=self.name,
                model_served=said.call.model_served or said.call.model_asked,
                usage=Usage(**usage, cost_reason=REPLAYED),
                finish_reason=said.call.finish_reason,
                started_at=started,
                duration_s=time.perf_counter() - begun,
            ),
        )

    def _ended(self, role: Role, count: int) -> ProviderError:
        trajectory = self._trajectory
        kinds: dict[StopReason | None, ProviderFault] = {
            StopReason.CONTEXT_LENGTH: "context_length",
            StopReason.PROVIDER_ERROR: "server",
        }
        kind: ProviderFault = "bad_request"
        if role == "agent":
            kind = kinds.get(trajectory.stop_reason, kind)
        ending = trajectory.stop_reason or "no ending"
        return ProviderError(
            f"{self.name}: trajectory {trajectory.id} holds {count} replies of the role {role}, and "
            f"one more was asked for (it ended with {ending}: {trajectory.error or 'no error'})",
            kind=kind,
        )

    def _continues(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Refuse a conversation that is not the stored one."""
        preamble = self._trajectory.preamble
        place = self._place["agent"]
        if place == 0 and preamble is not None:
            sent = [_text(message.get("content")) for message in messages]
            if not any(preamble.start_prompt in text for text in sent):
                raise self._parted("the start prompt is not the stored one")
        if place == 0:
            return
        before = self._said["agent"][place - 1]
        called = [call.call_id for call in before.tool_calls]
        answered = [str(message.get("tool_call_id")) for message in _since_assistant(messages)]
        if called and sorted(answered) != sorted(called):
            raise self._parted(
                f"turn {before.turn} called {', '.join(called)}, and the answers are to "
                f"{', '.join(answered) or 'none'}"
            )

    def _parted(self, why: str) -> ProviderError:
        text = f"{self.name}: this conversation is not trajectory {self._trajectory.id}: {why}"
        return ProviderError(text, kind="bad_request")


def _agent(trajectory: Trajectory, marker: str) -> list[_Said]:
    """Turns, the nudged replies after each of them, and the finishing message."""
    nudged: dict[int, list[_Said]] = {}
    for nudge in trajectory.nudges:
        said = _Said(nudge.text, nudge.call, nudge.reasoning)
        nudged.setdefault(nudge.after_turn, []).append(said)
    script = list(nudged.get(0, []))
    for turn in sorted(trajectory.turns, key=lambda turn: turn.index):
        script += _turn(turn)
        script += nudged.get(turn.index, [])
    for insight in trajectory.insights:
        if insight.level == "trajectory" and insight.call and insight.call.role == "agent":
            script.append(_Said(f"{marker} {insight.text or ''}".rstrip(), insight.call))
    return script


def _turn(turn: Turn) -> list[_Said]:
    if turn.call is None:  # an agent without a model: nothing was said
        return []
    return [_Said(turn.text, turn.call, turn.reasoning, turn.tool_calls, turn.raw, turn.index)]


def _insights(trajectory: Trajectory) -> list[_Said]:
    asked = [i for i in trajectory.message_insights if i.call is not None]
    asked.sort(key=lambda insight: insight.turn or 0)
    return [_Said(i.text or "NO INSIGHT", i.call, turn=i.turn) for i in asked if i.call]


def _reports(trajectory: Trajectory) -> list[_Said]:
    return [
        _Said(insight.text or "", insight.call)
        for insight in trajectory.insights
        if insight.level == "trajectory" and insight.call and insight.call.role == "report"
    ]


def _since_assistant(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The tools' answers after the assistant's last message."""
    last = max((n for n, m in enumerate(messages) if m.get("role") == "assistant"), default=-1)
    return [message for message in messages[last + 1 :] if message.get("role") == "tool"]


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content or "")
