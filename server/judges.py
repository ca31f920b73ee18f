"""The checker with a model, and what an evaluation keeps of whoever judged."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from core.checklist import ChecklistItem
from core.errors import UnknownNameError, UsageError
from core.evaluation import Level, Verdict
from core.protocols import Checker
from core.run import ModelSpec
from core.trajectory import Trajectory
from evaluator.asking import Enquiry
from evaluator.llm import LLMChecker
from server.models import Means, metered_model

Baselines = Literal["all", "free", "none"]
CONCURRENCY: Final = 4


@dataclass(frozen=True)
class Traits:
    """What tells one pass of judging from another."""

    judges_asked: tuple[str, ...] = ()
    prompt_hash: str | None = None
    criteria: str = "strict"
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def is_paid(self) -> bool:
        """Whether a model judges."""
        return bool(self.judges_asked)


def traits_of(checker: Checker) -> Traits:
    """A checker's own account of itself; nothing of one that asks no model."""
    if not isinstance(checker, LLMChecker):
        return Traits()
    return Traits(
        checker.judges_asked, checker.prompt_hash, checker.criteria, dict(checker.parameters)
    )


def make_judge(
    model: ModelSpec, means: Means, *, criteria: str, concurrency: int | None = None
) -> LLMChecker:
    """The checker with this model. Raises UsageError, UnknownNameError."""
    if model.provider == "replay":
        raise UsageError("a replay answers an exploration, not a judge's questions")
    if concurrency is not None and concurrency < 1:
        raise UsageError(f"--concurrency {concurrency}: give 1 or more")
    return LLMChecker(
        model=metered_model(model, means),
        criteria=criteria,
        concurrency=concurrency or CONCURRENCY,
    )


def chosen(baselines: str | None, *, is_paid: bool) -> Baselines:
    """Which baselines are judged: without a choice all, or those that cost nothing."""
    if baselines is None:
        return "free" if is_paid else "all"
    known: dict[str, Baselines] = {name: name for name in get_args(Baselines)}
    if baselines not in known:
        raise UnknownNameError("choice of baselines", baselines, known)
    return known[baselines]


def check(
    checker: Checker,
    items: Sequence[ChecklistItem],
    trajectory: Trajectory,
    evaluation_id: str,
    done: frozenset[tuple[str, Level]],
) -> AsyncIterator[Verdict]:
    """Its verdicts; a paid one is not asked again for those that are done."""
    if isinstance(checker, LLMChecker):
        return checker.check(items, trajectory, evaluation_id=evaluation_id, done=done)
    return checker.check(items, trajectory, evaluation_id=evaluation_id)


def enquiries(
    checker: Checker,
    items: Sequence[ChecklistItem],
    trajectory: Trajectory,
    done: frozenset[tuple[str, Level]],
) -> list[Enquiry]:
    """What it would ask a model; nothing where it asks none."""
    if isinstance(checker, LLMChecker):
        return checker.enquiries(items, trajectory, done=done)
    return []
