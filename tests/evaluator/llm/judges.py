"""Models that answer as a test wants, and the records that they are asked about."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from core.checklist import ChecklistItem
from core.errors import ProviderError
from core.evaluation import Level, Verdict
from core.protocols import ChatModel, Reply, ToolSpec
from core.trajectory import ModelCall, Role, Trajectory, Usage
from evaluator.interviewing import Interviewer
from evaluator.llm import LLMChecker
from tests.evaluator.records import MOMENT, trajectory

Messages = list[dict[str, Any]]
Said = str | ProviderError
USED = Usage(input_tokens=100, output_tokens=10, cost_usd=0.25)

DELAY = "Carrier 03's mean departure delay is 20.0 minutes."
SHARE = "Of carrier 03's rows 72.4% have\n  manufacturer EMBRAER in aircraft."
REPORT = f"What stands out:\n\n- {DELAY}\n- {SHARE}"
MESSAGES = ((2, DELAY), (5, SHARE), (7, None))


class Judge:
    """A ChatModel: a list of what it says, or a function of the messages."""

    def __init__(
        self,
        says: Iterable[Said] | Callable[[Messages], Said | Awaitable[Said]],
        *,
        served: Sequence[str] = (),
    ) -> None:
        self.name = "test/judge"
        self.asked: list[Messages] = []
        self.roles: list[Role] = []
        self._says = says if callable(says) else None
        self._list = iter(()) if callable(says) else iter(says)
        self._served = served

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSpec] = (),
        *,
        role: Role = "agent",
        form: Mapping[str, Any] | None = None,
    ) -> Reply:
        assert not tools
        heard = [dict(message) for message in messages]
        self.asked.append(heard)
        self.roles.append(role)
        number = len(self.asked)
        said = self._says(heard) if self._says else next(self._list)
        if isinstance(said, Awaitable):
            said = await said
        if isinstance(said, ProviderError):
            raise said
        return Reply(
            text=said,
            raw={"role": "assistant", "content": said},
            call=ModelCall(
                role=role,
                model_asked=self.name,
                model_served=self._served[number - 1] if self._served else "judge-2026",
                usage=USED,
                started_at=MOMENT,
                duration_s=0.5,
            ),
        )


def reply(label: str = "supported", **fields: Any) -> str:
    """A checker's reply in its right form."""
    form = {"supporting_turns": [], "contradicting_turns": [], "quote": "", "reason": "So it says."}
    return json.dumps({"label": label, **form, **fields})


def fact(item_id: str = "delay", **fields: Any) -> ChecklistItem:
    """An open item of carrier 03."""
    base = {
        "id": item_id,
        "entity_id": "03",
        "question": f"How late does carrier 03 depart on average? ({item_id})",
        "answer": "The mean departure delay of carrier 03 is 20.0 minutes.",
        "category": "punctuality",
        "difficulty": "easy",
        "source": "test",
    }
    return ChecklistItem.model_validate({**base, **fields})


def choice(**fields: Any) -> ChecklistItem:
    """A closed item of carrier 03."""
    base = {
        "kind": "closed",
        "question": "Is carrier 03 better, worse or the same?",
        "answer": "Worse",
        "options": ("better", "worse", "almost  the same"),
    }
    return fact("course", **{**base, **fields})


def explored(**fields: Any) -> Trajectory:
    """A trajectory with two insights, an empty one and a report."""
    return trajectory(**{"messages": MESSAGES, "report": REPORT, **fields})


def checker_of(*judges: ChatModel, **options: Any) -> LLMChecker:
    """The checker with these models, which forget all."""
    return LLMChecker([Interviewer(judge, role="checker") for judge in judges], **options)


async def verdicts(
    judge: Judge,
    items: Sequence[ChecklistItem],
    about: Trajectory | None = None,
    *,
    done: Iterable[tuple[str, Level]] = (),
    **options: Any,
) -> list[Verdict]:
    """All verdicts, in the order in which they came."""
    checker = checker_of(judge, **options)
    found = checker.check(items, about or explored(), evaluation_id="e", done=frozenset(done))
    return [verdict async for verdict in found]


async def at(level: Level, judge: Judge, item: ChecklistItem, about: Trajectory) -> Verdict:
    """The verdict on one item at one level; the other level is not asked."""
    other: Level = "trajectory" if level == "message" else "message"
    (verdict,) = await verdicts(judge, [item], about, done=[(item.id, other)])
    return verdict
