"""What one session said: its messages, its insights, and what each call took."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from server.ddr_bench_logs.files import Row, object_of, rows
from server.ddr_bench_logs.finding import SessionFiles

AGENT: Final = "agent"
ENVIRONMENT: Final = "environment"
_ROLES: Final = {
    "agent": AGENT,
    "assistant": AGENT,
    "environment": ENVIRONMENT,
    "user": ENVIRONMENT,
    "tool": ENVIRONMENT,
    "system": "system",
}
FORCED: Final = "FINISH: "
"""Put before a summary that the program asked for itself."""


@dataclass(frozen=True)
class Message:
    """One row of chat_messages."""

    row: Row
    role: str
    content: str
    tool: str | None
    arguments: str
    """As JSON; the log keeps the parsed form, not the text as it was emitted."""
    is_error: bool
    at: datetime | None


@dataclass(frozen=True)
class Said:
    """One row of insights."""

    row: Row
    agent: str
    environment: str
    insight: str
    at: datetime | None


@dataclass(frozen=True)
class Stats:
    """One row of message_stats."""

    length: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    at: datetime | None


@dataclass(frozen=True)
class Session:
    """All that the files of one session hold; what is missing is empty."""

    files: SessionFiles
    messages: tuple[Message, ...] = ()
    insights: tuple[Said, ...] = ()
    stats: dict[str, tuple[Stats, ...]] = field(default_factory=dict)
    """By role: assistant, user, insight_generation."""
    totals: dict[str, Any] = field(default_factory=dict)
    """session_stats as it is."""
    has_messages: bool = False

    def stats_of(self, role: str, lengths: Sequence[int]) -> Sequence[Stats | None]:
        """The statistics of the messages of one role; None for each where they do not fit.

        They have no key but their order, so that numbers and lengths of all must be those of the
        messages; a summary that was asked for is told without its first word.
        """
        found = self.stats.get(role, ())
        fits = len(found) == len(lengths) and all(
            one.length in (length, length - len(FORCED))
            for one, length in zip(found, lengths, strict=True)
        )
        return found if fits else [None] * len(lengths)


def read_session(files: SessionFiles) -> Session:
    """Read what there is. Raises LogError with the file, and the line or key."""
    paths = files.files
    messages: tuple[Message, ...] = ()
    insights: tuple[Said, ...] = ()
    if path := paths.get("chat_messages"):
        messages = tuple(_message(row) for row in rows(path, ("role", "content")))
    if path := paths.get("insights"):
        # It is written while the session goes on, so that one that was killed may end in it.
        listed = rows(path, ("user_message", "insight"), may_break_off=True)
        insights = tuple(_said(row) for row in listed)
    stats: dict[str, list[Stats]] = {}
    if path := paths.get("message_stats"):
        for row in rows(path, ("role",)):
            stats.setdefault(row.text("role"), []).append(_stats(row))
    path = paths.get("session_stats")
    return Session(
        files=files,
        messages=tuple(message for message in messages if message.role != "system"),
        insights=insights,
        stats={role: tuple(found) for role, found in stats.items()},
        totals=object_of(path) if path else {},
        has_messages="chat_messages" in paths,
    )


def _message(row: Row) -> Message:
    said = row.text("role").strip()
    if said not in _ROLES:
        raise row.fault("role", f"{said[:40]!r} is none of {', '.join(_ROLES)}")
    call, result = row.json("tool_call"), row.json("tool_result")
    tool, arguments = None, ""
    if call is not None:
        if not isinstance(call, dict) or not isinstance(call.get("tool"), str):
            raise row.fault("tool_call", "the key 'tool' is missing, or no text")
        tool = call["tool"]
        arguments = json.dumps(call.get("arguments", {}), ensure_ascii=False)
    return Message(
        row=row,
        role=_ROLES[said],
        content=row.text("content"),
        tool=tool,
        arguments=arguments,
        is_error=isinstance(result, dict) and bool(result.get("error")),
        at=row.time("timestamp"),
    )


def _said(row: Row) -> Said:
    return Said(
        row=row,
        agent=row.text("assistant_message"),
        environment=row.text("user_message"),
        insight=row.text("insight"),
        at=row.time("timestamp"),
    )


def _stats(row: Row) -> Stats:
    return Stats(
        length=int(row.number("content_length")),
        prompt_tokens=int(row.number("prompt_tokens")),
        completion_tokens=int(row.number("completion_tokens")),
        seconds=row.number("generation_time") + row.number("execution_time"),
        at=row.time("timestamp"),
    )
