"""The checker with a model, and what an evaluation keeps of whoever judged."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

from core.checklist import ChecklistItem
from core.errors import ConfigError, UnknownNameError
from core.evaluation import Verdict
from core.protocols import Checker
from core.reading import read_text
from core.trajectory import Trajectory
from evaluator.asking import CRITERIA, Criteria, Protocol, criteria_named
from evaluator.llm import Enquired, Key, LLMChecker
from server.asking import Judges

NOTHING_SO_FAR: Final[Mapping[Key, Verdict]] = {}


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
    judges: Judges,
    *,
    criteria: Criteria | str = "strict",
    protocol: Protocol = "default",
    batch: int = 1,
    repeat: int = 0,
) -> LLMChecker:
    """The checker with these models. Raises UnknownNameError for the criteria."""
    return LLMChecker(
        list(judges.interviewers("checker")),
        criteria=criteria,
        protocol=protocol,
        concurrency=judges.concurrency,
        batch=batch,
        repeat=repeat,
    )


_LARGEST_CRITERIA: Final = 100_000
"""Bytes: they stand in every question."""


def criteria_of(text: str) -> Criteria:
    """Ours by that name, or those in a file, which bear its name and the hash of its text.

    Raises UnknownNameError for what is neither, ConfigError for a file that cannot be read or is
    empty.
    """
    path = Path(text)
    if text in CRITERIA or not text or not (path.suffix or path.exists()):
        return criteria_named(text)
    words = read_text(
        path, error=ConfigError, largest=_LARGEST_CRITERIA, shown=f"--criteria {text}"
    ).strip()
    if not words:
        raise ConfigError(f"--criteria {text}: the file is empty")
    return Criteria(f"{path.name}#{hashlib.sha256(words.encode()).hexdigest()[:12]}", words)


def protocol_of(text: str | None) -> Protocol | None:
    """The protocol of a judging by its name. Raises UnknownNameError."""
    known: dict[str, Protocol] = {name: name for name in get_args(Protocol)}
    if text is not None and text not in known:
        raise UnknownNameError("protocol", text, known)
    return None if text is None else known[text]


def check(
    checker: Checker,
    items: Sequence[ChecklistItem],
    trajectory: Trajectory,
    *,
    evaluation_id: str,
    done: frozenset[Key],
    so_far: Mapping[Key, Verdict] = NOTHING_SO_FAR,
) -> AsyncIterator[Verdict]:
    """Its verdicts; a paid one is not asked again for those that are done (LLMChecker.check)."""
    if isinstance(checker, LLMChecker):
        return checker.check(
            items, trajectory, evaluation_id=evaluation_id, done=done, so_far=so_far
        )
    return checker.check(items, trajectory, evaluation_id=evaluation_id)


def enquiries(
    checker: Checker,
    items: Sequence[ChecklistItem],
    trajectory: Trajectory,
    done: frozenset[Key],
    so_far: Mapping[Key, Verdict] = NOTHING_SO_FAR,
) -> list[Enquired]:
    """What it would ask models; nothing where it asks none."""
    if isinstance(checker, LLMChecker):
        return checker.enquiries(items, trajectory, done=done, so_far=so_far)
    return []
