"""Check facts against insights by asking a language model, one call per item and level (DDR-07)."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Container, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from core.checklist import ChecklistItem
from core.errors import CheckerError, ProviderError
from core.evaluation import Level, Verdict
from core.protocols import ChatModel
from core.trajectory import UNKNOWN_USAGE, ModelCall, Trajectory
from evaluator.asking import Enquiry, Passages, Prompts
from evaluator.citing import cite
from evaluator.persevering import Endpoint
from evaluator.replying import Fault, read

ASKS: Final = 2
"""How often one item is asked at most: once, and once more after a reply that cannot be used."""
NOTHING: Final = "nothing was handed in"
_FAILED: Final = "judge failed: "
"""Begins the reason of an item whose request failed, and may come through another time."""

_LEVELS: Final[tuple[Level, ...]] = ("message", "trajectory")
_KEPT: Final = 1000
"""Characters of a reason or of a raw reply that are stored."""
_TOLD: Final = 300
"""Characters of an endpoint's error that are stored."""


@dataclass(frozen=True)
class _Case:
    """One item at one level, with the insights that it is checked against."""

    item: ChecklistItem
    level: Level
    passages: Passages
    enquiry: Enquiry


class _UnansweredError(ProviderError):
    """A request failed; with all that was asked for this one item, this request included."""

    def __init__(self, cause: ProviderError, calls: Sequence[ModelCall]) -> None:
        super().__init__(str(cause), status_code=cause.status_code, kind=cause.kind)
        self.call = summed(calls)


def is_open(verdict: Verdict) -> bool:
    """Whether its request failed, so that asking again may bring a label."""
    return verdict.label is None and (verdict.unscored_reason or "").startswith(_FAILED)


class LLMChecker:
    """The checker with a model. It judges each item by itself, at each level by itself."""

    name = "llm"

    def __init__(self, *, model: ChatModel, criteria: str = "strict", concurrency: int = 4) -> None:
        """`concurrency`: requests under way at a time. Raises UnknownNameError for the criteria."""
        self._model = model
        self._prompts = Prompts(criteria)
        self._endpoint: Endpoint[_Case, dict[str, Any]] = Endpoint(
            model.name, concurrency=concurrency
        )

    @property
    def criteria(self) -> str:
        """For Evaluation.criteria."""
        return self._prompts.criteria

    @property
    def prompt_hash(self) -> str:
        """For Evaluation.prompt_hash: sha-256 of all prompts and criteria."""
        return self._prompts.hash

    @property
    def judges_asked(self) -> tuple[str, ...]:
        """For Evaluation.judges_asked; who answered stands in each verdict's call."""
        return (self._model.name,)

    @property
    def parameters(self) -> dict[str, Any]:
        """For Evaluation.parameters: what else a verdict depends on."""
        return {"asks": ASKS, "closed": "cannot tell allowed"}

    async def check(
        self,
        items: Sequence[ChecklistItem],
        trajectory: Trajectory,
        *,
        evaluation_id: str,
        done: Container[tuple[str, Level]] = frozenset(),
    ) -> AsyncIterator[Verdict]:
        """One verdict per item and level, as they come. Those in `done` (item id, level) are left out.

        Raises CheckerError where going on is useless: the endpoint refuses our key, or has failed
        three times in a row. No verdict is given then on the items that failed last, so that
        checking again with what is stored as `done` begins with them.
        """
        base = {"evaluation_id": evaluation_id, "trajectory_id": trajectory.id}
        cases = []
        for item, level, case in self._cases(items, trajectory, done):
            if isinstance(case, _Case):
                cases.append(case)
            else:
                yield _verdict(base, item, level, case)
        async with aclosing(self._endpoint.ask(cases, self._judge)) as found:
            async for case, said in found:
                fields = _failed(said) if isinstance(said, ProviderError) else said
                yield _verdict(base, case.item, case.level, fields)

    def enquiries(
        self,
        items: Sequence[ChecklistItem],
        trajectory: Trajectory,
        *,
        done: Container[tuple[str, Level]] = frozenset(),
    ) -> list[Enquiry]:
        """What `check` would ask a model, second asks left out; nothing is asked here."""
        cases = (case for _, _, case in self._cases(items, trajectory, done))
        return [case.enquiry for case in cases if isinstance(case, _Case)]

    def _cases(
        self,
        items: Sequence[ChecklistItem],
        trajectory: Trajectory,
        done: Container[tuple[str, Level]],
    ) -> Iterator[tuple[ChecklistItem, Level, _Case | dict[str, Any]]]:
        for level in _LEVELS:
            passages = _passages(trajectory, level)
            for item in items:
                if item.entity_id == trajectory.entity_id and (item.id, level) not in done:
                    yield item, level, self._case(item, level, passages, trajectory)

    def _case(
        self, item: ChecklistItem, level: Level, passages: Passages, trajectory: Trajectory
    ) -> _Case | dict[str, Any]:
        """What to ask, or the fields of a verdict that needs no model (EVALUATION 1.2)."""
        stop = trajectory.stop_reason
        if stop is None:
            return {"label": None, "unscored_reason": "the trajectory did not end"}
        if not stop.scored:
            reason = f"{stop}: {trajectory.error}" if trajectory.error else str(stop)
            return {"label": None, "unscored_reason": reason}
        try:
            enquiry = self._prompts.enquire(item, level, passages)
        except CheckerError as exc:
            return {"label": None, "unscored_reason": str(exc)}
        if not passages:
            return {"label": "insufficient", "reason": NOTHING}
        return _Case(item, level, passages, enquiry)

    async def _judge(self, case: _Case) -> dict[str, Any]:
        """The fields of one verdict. Raises ProviderError."""
        messages: list[Any] = list(case.enquiry.messages)
        calls: list[ModelCall] = []
        while True:
            began, started_at = time.monotonic(), datetime.now(UTC)
            try:
                reply = await self._model.complete(messages, role="checker")
            except ProviderError as exc:
                failed = ModelCall(
                    role="checker",
                    model_asked=self._model.name,
                    usage=UNKNOWN_USAGE,
                    started_at=started_at,
                    duration_s=time.monotonic() - began,
                    error=str(exc),
                )
                raise _UnansweredError(exc, [*calls, failed]) from exc
            calls.append(reply.call)
            fields = _findings(reply.text, case)
            if not isinstance(fields, Fault):
                return {**fields, "call": summed(calls)}
            if len(calls) >= ASKS or not fields.again:
                return {
                    "label": None,
                    "unscored_reason": str(fields),
                    "reason": reply.text[:_KEPT],
                    "call": summed(calls),
                }
            messages = list(case.enquiry.messages)
            if reply.text.strip():  # some providers refuse an empty message in a history
                said = {"role": "assistant", "content": reply.text[:_KEPT]}
                messages += [said, self._prompts.again(fields.detail or fields.text)]


def summed(calls: Sequence[ModelCall]) -> ModelCall:
    """The calls for one item as one: tokens, cost and time are sums, all else is the last one's.

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
        }
    )


def _findings(text: str, case: _Case) -> dict[str, Any] | Fault:
    """What a reply says of an item, once it is read and its citations hold."""
    data = "\n".join(passage for _, passage in case.passages)
    answer = read(text, key=case.enquiry.key, allowed=case.enquiry.labels, data=data)
    if isinstance(answer, Fault):
        return answer
    label = case.enquiry.labels[answer.word]
    if case.item.kind == "closed" and label == "contradicted":
        # What speaks for a wrong answer speaks against the true one.
        turns = answer.supporting_turns
        answer = replace(answer, supporting_turns=(), contradicting_turns=turns)
    cited = cite(answer, label, case.level, case.passages)
    if isinstance(cited, Fault):
        return cited
    flags = f"({'; '.join(cited.flags)}) " if cited.flags else ""
    chose = f"answered {answer.word!r}: " if case.item.kind == "closed" else ""
    return {
        "label": label,
        "supporting_turns": cited.supporting_turns,
        "contradicting_turns": cited.contradicting_turns,
        "evidence": cited.evidence,
        "reason": f"{flags}{chose}{answer.reason}".strip()[:_KEPT],
    }


def _passages(trajectory: Trajectory, level: Level) -> Passages:
    if level == "trajectory":
        report = trajectory.report
        return [(None, report)] if report and report.strip() else []
    return [(i.turn, i.text) for i in trajectory.message_insights if i.text and i.text.strip()]


def _failed(error: ProviderError) -> dict[str, Any]:
    # What is too long for a judge is so the next time too: no failure to be made good.
    what = "too long for the judge: " if error.kind == "context_length" else _FAILED
    told = f"{what}{' '.join(str(error).split())}"
    call = error.call if isinstance(error, _UnansweredError) else None
    return {"label": None, "unscored_reason": told[:_TOLD], "call": call}


def _verdict(
    base: dict[str, str], item: ChecklistItem, level: Level, fields: dict[str, Any]
) -> Verdict:
    return Verdict.model_validate({**base, "item_id": item.id, "level": level, **fields})
