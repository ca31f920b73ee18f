"""A conversation in OpenAI's form, or Inspect's: its turns, its insights and its report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any, Final

from agent.finish import MARKER, after_marker
from core.errors import LogError
from core.outside import FINISH, GET_TASK, SUBMIT_INSIGHT
from core.reading import kind_of
from core.trajectory import Nudge, Preamble, StopReason, ToolCall, ToolResult, Turn
from server.foreign_logs.told import MOST_TURNS, NO_TIME, Told, is_number, silent_call

_SUBMIT: Final = "submit"
"""The tool by which Inspect's own agents end."""
_BESIDE: Final = frozenset({GET_TASK, SUBMIT_INSIGHT, FINISH, _SUBMIT})
"""Tools that explore nothing."""
MOST: Final = 100_000
"""Messages of one conversation."""


@dataclass(frozen=True)
class _Call:
    id: str
    name: str
    arguments: str

    @property
    def tool(self) -> str:
        """Without what clients put before a tool's name ('mcp__ddr__execute_query')."""
        return self.name.rpartition("__")[2]

    def said(self, key: str) -> str:
        """A text among its arguments; empty where there is none."""
        try:
            found = json.loads(self.arguments)
        except (ValueError, RecursionError):
            return ""
        value = found.get(key) if isinstance(found, dict) else None
        return value.strip() if isinstance(value, str) else ""

    def turn(self) -> int | None:
        """The turn that an insight is dated to by its author."""
        try:
            found = json.loads(self.arguments).get("turn")
        except (ValueError, AttributeError, RecursionError):
            return None
        return found if is_number(found, MOST_TURNS) else None


@dataclass(frozen=True)
class _Message:
    role: str
    text: str
    reasoning: str | None
    calls: tuple[_Call, ...]
    answers: str | None
    """The id of the call that it answers."""
    error: str | None


@dataclass
class _Parts:
    turns: list[Turn] = field(default_factory=list)
    nudges: list[Nudge] = field(default_factory=list)
    insights: list[tuple[int | None, str]] = field(default_factory=list)
    report: str | None = None
    ended: bool = False


def explore(
    listed: Any,
    *,
    entity: str,
    where: str,
    model: str | None = None,
    started_at: datetime = NO_TIME,
    ended_at: datetime = NO_TIME,
) -> Told:
    """What a list of messages tells.

    A turn is a message of the assistant that calls an exploring tool, with what its calls gave back;
    one that calls nothing and is not the last is a nudge. `submit_insight` and `finish` (and
    Inspect's `submit`) are heard as they were meant. The report is what was handed to `finish`, else
    the last message, without the finish marker before it. A conversation that ends on a call or on
    its answer was broken off: abandoned. Raises LogError, with `where` before it.
    """
    messages = list(_messages(listed, where))
    parts = _Parts()
    spoken = [place for place, m in enumerate(messages) if m.role == "assistant"]
    for place, following in pairwise([*spoken, len(messages)]):
        if parts.ended:
            break
        # Those up to the next reply alone: some clients begin their ids anew with each.
        results = {m.answers: m for m in messages[place:following] if m.answers is not None}
        is_last = place == len(messages) - 1
        _hear(messages[place], results, parts, is_last=is_last, model=model, at=started_at)
    system = next((m.text for m in messages if m.role in ("system", "developer")), None)
    start = next((m.text for m in messages if m.role == "user"), "")
    return Told(
        entity=entity,
        where=where,
        turns=tuple(parts.turns),
        nudges=tuple(parts.nudges),
        insights=tuple(parts.insights),
        report=parts.report or None,
        stop_reason=StopReason.FINISHED if parts.ended else StopReason.ABANDONED,
        model=model,
        preamble=Preamble(system_prompt=system, start_prompt=start) if messages else None,
        started_at=started_at,
        ended_at=ended_at,
    )


def _hear(
    message: _Message,
    results: Mapping[str, _Message],
    parts: _Parts,
    *,
    is_last: bool,
    model: str | None,
    at: datetime,
) -> None:
    exploring = [call for call in message.calls if call.tool not in _BESIDE]
    if exploring:
        parts.turns.append(
            _turn(len(parts.turns) + 1, message, exploring, results, model=model, at=at)
        )
    for call in message.calls:
        if call.tool == SUBMIT_INSIGHT and (text := call.said("text")):
            parts.insights.append((call.turn() or len(parts.turns) or None, text))
        elif call.tool in (FINISH, _SUBMIT):
            parts.report = call.said("report") or call.said("answer")
            parts.ended = True
    if message.calls:
        return
    said = after_marker(message.text)
    if said is not None or is_last:
        parts.report = message.text.strip() if said is None else said
        parts.ended = True
        return
    parts.nudges.append(
        Nudge(
            after_turn=len(parts.turns),
            text=message.text,
            reasoning=message.reasoning,
            near_finish=MARKER in message.text,
            call=silent_call(model, at),
        )
    )


def _turn(
    number: int,
    message: _Message,
    calls: Sequence[_Call],
    results: Mapping[str, _Message],
    *,
    model: str | None,
    at: datetime,
) -> Turn:
    answered = [(call, results[call.id]) for call in calls if call.id in results]
    return Turn(
        index=number,
        text=message.text,
        reasoning=message.reasoning,
        tool_calls=tuple(
            ToolCall(call_id=call.id, name=call.tool, arguments=call.arguments) for call in calls
        ),
        tool_results=tuple(
            ToolResult(
                call_id=call.id,
                name=call.tool,
                text=answer.text or answer.error or "",
                is_error=answer.error is not None,
                error_kind="reported" if answer.error is not None else None,
                duration_s=0,
            )
            for call, answer in answered
        ),
        call=silent_call(model, at),
        started_at=at,
        duration_s=0,
    )


def _messages(listed: Any, where: str) -> Iterator[_Message]:
    if not isinstance(listed, list):
        raise LogError(f"{where}: a list of messages belongs here, not {kind_of(listed)}")
    if len(listed) > MOST:
        raise LogError(f"{where}: more than the {MOST:,} messages that it may have")
    for number, each in enumerate(listed):
        place = f"{where}: message {number + 1}"
        if not isinstance(each, dict):
            raise LogError(f"{place}: an object belongs here, not {kind_of(each)}")
        role = each.get("role")
        if not isinstance(role, str):
            raise LogError(f"{place}: it has no role")
        text, thought = _content(each.get("content"), place)
        error = each.get("error")
        answers = each.get("tool_call_id")
        yield _Message(
            role=role,
            text=text,
            reasoning=thought or _reasoning(each),
            calls=tuple(_calls(each.get("tool_calls"), number, place)),
            answers=answers if isinstance(answers, str) else None,
            error=None if error is None else _told(error),
        )


def _content(content: Any, place: str) -> tuple[str, str | None]:
    """(text, reasoning) of a message's content: a text, nothing, or a list of parts."""
    if content is None or isinstance(content, str):
        return content or "", None
    if not isinstance(content, list):
        raise LogError(f"{place}: content is a text or a list of parts, not {kind_of(content)}")
    parts = [part for part in content if isinstance(part, dict)]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    thoughts = [part["reasoning"] for part in parts if isinstance(part.get("reasoning"), str)]
    return "\n".join(texts), "\n".join(thoughts) or None


def _reasoning(message: Mapping[str, Any]) -> str | None:
    said = message.get("reasoning_content") or message.get("reasoning")
    return said if isinstance(said, str) else None


def _calls(listed: Any, number: int, place: str) -> Iterator[_Call]:
    if listed is None:
        return
    if not isinstance(listed, list):
        raise LogError(f"{place}: tool_calls is a list, not {kind_of(listed)}")
    for nth, each in enumerate(listed):
        if not isinstance(each, dict):
            raise LogError(f"{place}: a call is an object, not {kind_of(each)}")
        meant = each.get("function")
        inner = meant if isinstance(meant, dict) else {"name": meant, **each}
        name, arguments = inner.get("name"), inner.get("arguments")
        if not isinstance(name, str):
            raise LogError(f"{place}: call {nth + 1} names no function")
        given = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        call_id = each.get("id")
        yield _Call(call_id if isinstance(call_id, str) else f"call-{number}-{nth}", name, given)


def _told(error: Any) -> str:
    said = error.get("message") if isinstance(error, dict) else error
    return said if isinstance(said, str) else json.dumps(error, default=str)
