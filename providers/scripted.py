"""A model that says what a file tells it to: for tests, demonstrations and rehearsals."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from core.errors import ConfigError, ProviderError, ProviderFault
from core.protocols import Reply, Spoken, ToolSpec
from core.record import Record
from core.trajectory import ModelCall, Role, ToolCall, Usage
from providers.pricing import PriceTable, priced

NO_INSIGHT = "NO INSIGHT"
"""What a script without replies for the role insight answers there."""


class ScriptedError(Record):
    """A failure of the endpoint, in place of a reply."""

    kind: ProviderFault
    status_code: int | None = None
    text: str = "a scripted failure"


class ScriptedCall(Record):
    """A tool call; arguments that are given as text are emitted word for word, valid or not."""

    name: str
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    id: str | None = None


class ScriptedReply(Record):
    """One line of a script."""

    text: str = ""
    reasoning: str | None = None
    tool_calls: tuple[ScriptedCall, ...] = ()
    usage: Usage = Usage()
    finish_reason: str | None = None
    model_served: str | None = None
    chances: tuple[Spoken, ...] = ()
    error: ScriptedError | None = None
    role: Literal["insight"] | None = None
    """insight: said to insight calls alone. Others answer every other role, in order."""
    repeat: bool = False
    """Only in the last reply (of its role): said again and again once the script has come to it."""


class ScriptedModel:
    """Answers in the order of its script; one model for one trajectory.

    At its end it raises ProviderError (bad_request): a script that is too short is never a finish.
    Insight calls get `NO INSIGHT` where the script has nothing for them.
    """

    def __init__(
        self,
        replies: Sequence[ScriptedReply | Mapping[str, Any] | str],
        *,
        name: str = "scripted",
        prices: PriceTable | None = None,
    ) -> None:
        self.name = name
        self.asked: list[tuple[Role, list[Mapping[str, Any]], list[str]]] = []
        """Every request: its role, its messages, the names of its tools."""
        self._prices = prices
        read = [_reply(given, f"{name}: reply {n}") for n, given in enumerate(replies, 1)]
        self._spoken = [reply for reply in read if reply.role is None]
        self._insights = [reply for reply in read if reply.role == "insight"]
        self._place = {"spoken": 0, "insight": 0}

    @classmethod
    def from_file(cls, path: Path, *, prices: PriceTable | None = None) -> ScriptedModel:
        """Read a JSON list or JSON lines. Raises ConfigError with file and line."""
        return cls(list(_read(path)), name=f"scripted:{path}", prices=prices)

    def skip(self, said: Mapping[Role, int]) -> None:
        """Go on behind so many replies of each role. A last one that repeats is never behind it."""
        insights = said.get("insight", 0)
        for line, script, count in (
            ("insight", self._insights, insights),
            ("spoken", self._spoken, sum(said.values()) - insights),
        ):
            self._place[line] += min(count, len(script))

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSpec] = (),
        *,
        role: Role = "agent",
        form: Mapping[str, Any] | None = None,
    ) -> Reply:
        """The next reply of the script. Raises the ProviderError that it scripts, or that it ended."""
        self.asked.append((role, [dict(message) for message in messages], [t.name for t in tools]))
        started, begun = datetime.now(UTC), time.perf_counter()
        number = len(self.asked)
        said = self._next(role)
        if said.error is not None:
            fault = said.error
            raise ProviderError(
                f"{self.name}: {fault.text}", status_code=fault.status_code, kind=fault.kind
            )
        calls = tuple(_calls(said.tool_calls, number))
        finish = said.finish_reason or ("tool_calls" if calls else "stop")
        return Reply(
            text=said.text,
            reasoning=said.reasoning,
            tool_calls=calls,
            raw=message_of(said.text, said.reasoning, calls),
            chances=said.chances,
            call=ModelCall(
                role=role,
                model_asked=self.name,
                model_served=said.model_served or self.name,
                usage=priced(said.usage, self.name, self._prices),
                price_table_hash=self._prices.hash if self._prices else None,
                finish_reason=finish,
                started_at=started,
                duration_s=time.perf_counter() - begun,
            ),
        )

    def _next(self, role: Role) -> ScriptedReply:
        line: Literal["spoken", "insight"] = "insight" if role == "insight" else "spoken"
        script = self._insights if line == "insight" else self._spoken
        if line == "insight" and not script:
            return ScriptedReply(text=NO_INSIGHT)
        place = self._place[line]
        if place >= len(script) and script and script[-1].repeat:
            return script[-1]
        if place >= len(script):
            raise ProviderError(
                f"{self.name}: the script has {len(script)} replies, and one more was asked for "
                f"(role {role})",
                kind="bad_request",
            )
        self._place[line] += 1
        return script[place]


def message_of(text: str, reasoning: str | None, calls: Sequence[ToolCall]) -> dict[str, Any]:
    """An assistant's message in OpenAI's form."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if reasoning is not None:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in calls
        ]
    return message


def _calls(scripted: Sequence[ScriptedCall], number: int) -> Iterator[ToolCall]:
    """The calls, each with an id of its own: what is missing or taken is made up."""
    taken: set[str] = set()
    for place, call in enumerate(scripted):
        identity = call.id if call.id and call.id not in taken else f"call_{number}_{place}"
        taken.add(identity)
        yield ToolCall(call_id=identity, name=call.name, arguments=_text(call.arguments))


def _text(arguments: dict[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _reply(given: ScriptedReply | Mapping[str, Any] | str, where: str) -> ScriptedReply:
    if isinstance(given, ScriptedReply):
        return given
    if isinstance(given, str):
        return ScriptedReply(text=given)
    try:
        return ScriptedReply.model_validate(given)
    except ValidationError as exc:
        fault = exc.errors()[0]
        key = ".".join(str(part) for part in fault["loc"])
        raise ConfigError(f"{where}: {key}: {fault['msg']}") from exc


def _read(path: Path) -> Iterator[ScriptedReply]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        why = exc.strerror if isinstance(exc, OSError) else "not UTF-8"
        raise ConfigError(f"{path} cannot be read: {why}") from exc
    if text.lstrip().startswith("["):
        numbered = enumerate(_parse(text, path, 1), 1)
        yield from (_reply(given, f"{path}: reply {n}") for n, given in numbered)
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield _reply(_parse(line, path, number), f"{path}:{number}")


def _parse(text: str, path: Path, line: int) -> Any:
    try:
        return json.loads(text)
    except ValueError as exc:
        at = line + exc.lineno - 1 if isinstance(exc, json.JSONDecodeError) else line
        raise ConfigError(f"{path}:{at}: not JSON: {exc}") from exc
