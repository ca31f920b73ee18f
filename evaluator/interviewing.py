"""Ask a model what has one form of answer: once more where it cannot be used, never the same twice."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, Protocol, TypeVar

from core.errors import ProviderError
from core.protocols import ChatModel, Reply
from core.record import Record
from core.trajectory import NO_USAGE, UNKNOWN_USAGE, ModelCall, Role
from evaluator.replying import Fault

ASKS: Final = 2
"""How often one question is asked at most: once, and once more after a reply that cannot be used."""
KEPT: Final = 1000
"""Characters of a raw reply or of a reason that are kept."""

FAILED: Final = "judge failed: "
"""Begins the reason of what is unscored since a request failed, and may come through another time."""
_TOLD: Final = 300
"""Characters of an endpoint's error that are stored."""

Found = TypeVar("Found")
Message = Mapping[str, str]


@dataclass(frozen=True)
class Question(Generic[Found]):
    """What a model is asked, and how its reply is read."""

    messages: tuple[Message, ...]
    """In OpenAI's form. What many questions share comes first, so that caches can help."""
    read: Callable[[str], Found | Fault]
    """Never raises, and says the same of the same text."""
    again: Callable[[str], Message]
    """The message that asks once more, and says what was wrong."""
    repeat: int = 0
    """Tells repetitions apart that are to be asked anew (DDR-31)."""
    form: Mapping[str, Any] | None = None
    """JSON schema of the reply, for a model that can be held to one. What `read` says of a reply does
    not depend on it."""
    shared: int = 0
    """So many characters of the last message begin other questions too, and are asked of soon."""


@dataclass(frozen=True)
class Answered(Generic[Found]):
    """What came of a question."""

    found: Found | Fault
    text: str
    """The last reply as it was."""
    call: ModelCall
    """All that was asked for this question, as one (`summed`)."""


class Remembered(Record):
    """A reply that could be used, and what it took."""

    text: str
    call: ModelCall


class Memory(Protocol):
    """Where replies are kept by what was asked. A key is a sha-256 in hex."""

    def recall(self, key: str) -> Remembered | None:
        """The reply to the very same question to the very same judge; None where there is none."""
        ...

    def keep(self, key: str, remembered: Remembered) -> None:
        """Keep a reply, in the place of one that can no longer be used."""
        ...


class ShortMemory:
    """A Memory that lasts as long as the process."""

    def __init__(self) -> None:
        self._kept: dict[str, Remembered] = {}

    def recall(self, key: str) -> Remembered | None:
        """See Memory."""
        return self._kept.get(key)

    def keep(self, key: str, remembered: Remembered) -> None:
        """See Memory."""
        self._kept[key] = remembered


class UnansweredError(ProviderError):
    """A request failed; with all that was asked for this one question, this request included."""

    def __init__(self, cause: ProviderError, calls: Sequence[ModelCall]) -> None:
        super().__init__(str(cause), status_code=cause.status_code, kind=cause.kind)
        self.call = summed(calls)


class Interviewer:
    """Asks one model, in one role."""

    def __init__(
        self,
        model: ChatModel,
        *,
        role: Role,
        parameters: Mapping[str, Any] | None = None,
        memory: Memory | None = None,
        holds_to_forms: bool = False,
        marks_shared: bool = False,
    ) -> None:
        """`parameters`: what else a reply depends on (sampling, address); a part of what is recalled.
        `holds_to_forms`: whether the model is handed a question's form (ChatModel.complete);
        `marks_shared`: whether it is told what others share of a message, as the message's `shared`.
        """
        self._model, self._role = model, role
        self._parameters = dict(parameters or {})
        self._holds_to_forms, self._marks_shared = holds_to_forms, marks_shared
        if holds_to_forms:
            self._parameters["structured"] = True
        self._memory: Memory = ShortMemory() if memory is None else memory
        self._open: dict[str, asyncio.Event] = {}

    @property
    def name(self) -> str:
        """Of the model, as it was asked for."""
        return self._model.name

    def key(self, question: Question[Found]) -> str:
        """What a reply is remembered by: the judge, its parameters, and every word of the question."""
        asked = [self.name, self._role, self._parameters, question.messages, question.repeat]
        said = json.dumps(asked, sort_keys=True, default=str, ensure_ascii=True)
        return hashlib.sha256(said.encode()).hexdigest()

    def recalls(self, question: Question[Found]) -> bool:
        """Whether it would be answered from memory."""
        return self._recall(self.key(question), question) is not None

    async def ask(self, question: Question[Found]) -> Answered[Found]:
        """Its answer. Raises UnansweredError where a request fails, and what else the model raises.

        Of several that ask the same at the same time one asks, and the others wait for it.
        """
        key = self.key(question)
        while (other := self._open.get(key)) is not None:
            await other.wait()
        if (known := self._recall(key, question)) is not None:
            return known
        asking = self._open[key] = asyncio.Event()
        try:
            answered = await self._ask(question)
            if not isinstance(answered.found, Fault):
                self._memory.keep(key, Remembered(text=answered.text, call=answered.call))
            return answered
        finally:
            del self._open[key]
            asking.set()

    def _recall(self, key: str, question: Question[Found]) -> Answered[Found] | None:
        kept = self._memory.recall(key)
        if kept is None:
            return None
        found = question.read(kept.text)
        if isinstance(found, Fault):
            return None  # it was read by other rules then
        call = kept.call.model_copy(
            update={"usage": NO_USAGE, "duration_s": 0.0, "is_recalled": True}
        )
        return Answered(found, kept.text, call)

    async def _ask(self, question: Question[Found]) -> Answered[Found]:
        messages = first = self._first(question)
        calls: list[ModelCall] = []
        while True:
            began, started_at = time.monotonic(), datetime.now(UTC)
            try:
                reply = await self._complete(messages, question.form)
            except ProviderError as exc:
                failed = ModelCall(
                    role=self._role,
                    model_asked=self.name,
                    usage=UNKNOWN_USAGE,
                    started_at=started_at,
                    duration_s=time.monotonic() - began,
                    error=str(exc),
                )
                raise UnansweredError(exc, [*calls, failed]) from exc
            calls.append(reply.call)
            found = question.read(reply.text)
            if not isinstance(found, Fault) or len(calls) >= ASKS or not found.again:
                return Answered(found, reply.text, summed(calls))
            if reply.text.strip():  # some providers refuse an empty message in a history
                said = {"role": "assistant", "content": reply.text[:KEPT]}
                messages = [*first, said, question.again(found.detail or found.text)]

    def _first(self, question: Question[Found]) -> list[Mapping[str, Any]]:
        if not (self._marks_shared and question.shared):
            return list(question.messages)
        *before, last = question.messages
        return [*before, {**last, "shared": question.shared}]

    async def _complete(
        self, messages: Sequence[Mapping[str, Any]], form: Mapping[str, Any] | None
    ) -> Reply:
        if form is None or not self._holds_to_forms:
            return await self._model.complete(messages, role=self._role)
        return await self._model.complete(messages, role=self._role, form=form)


def why_failed(error: ProviderError) -> tuple[str, ModelCall | None]:
    """Why what a request was for is unscored, and what was asked for it.

    What is too long for a judge is so the next time too: no failure to be made good.
    """
    what = "too long for the judge: " if error.kind == "context_length" else FAILED
    call = error.call if isinstance(error, UnansweredError) else None
    return f"{what}{' '.join(str(error).split())}"[:_TOLD], call


def summed(calls: Sequence[ModelCall]) -> ModelCall:
    """The calls for one question as one: tokens, cost and time are sums, all else is the last one's.

    Where they were served by different models, all of these are named.
    """
    usage = calls[0].usage
    for call in calls[1:]:
        usage = usage + call.usage
    served = dict.fromkeys(call.model_served for call in calls if call.model_served)
    return calls[-1].model_copy(
        update={
            "model_served": ", ".join(served) or None,
            "usage": usage,
            "started_at": calls[0].started_at,
            "duration_s": sum(call.duration_s for call in calls),
            "is_recalled": all(call.is_recalled for call in calls),
        }
    )
