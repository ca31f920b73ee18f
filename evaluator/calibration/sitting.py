"""Put questions to a checker and gather the labels: a page's, a canary's, a run's, once or k times."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Container, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final

from core.checklist import ChecklistItem
from core.errors import CheckerError
from core.evaluation import LEVELS, Level, Verdict
from core.trajectory import Trajectory
from evaluator.calibration.canaries import injected
from evaluator.calibration.cases import CalibrationSet
from evaluator.llm import LLMChecker, is_open
from evaluator.side_by_side import side_by_side

Key = tuple[str, str, Level]
"""(trajectory id, item id, level)"""
Watch = Callable[[int, int], None]
"""Told how many questions are answered, of how many."""
_ID: Final = "calibration"


@dataclass(frozen=True)
class Sheet:
    """Questions on one trajectory."""

    trajectory: Trajectory
    items: tuple[ChecklistItem, ...]
    levels: tuple[Level, ...] = LEVELS
    unasked: frozenset[tuple[str, Level]] = frozenset()
    """(item id, level) that are left out."""

    @property
    def done(self) -> frozenset[tuple[str, Level]]:
        """What the checker is told to leave out."""
        others = {(i.id, level) for i in self.items for level in LEVELS if level not in self.levels}
        return self.unasked | others

    @property
    def keys(self) -> list[Key]:
        """What is asked."""
        done = self.done
        return [
            (self.trajectory.id, item.id, level)
            for item in self.items
            for level in LEVELS
            if (item.id, level) not in done
        ]

    def only(self, keys: Container[Key]) -> Sheet:
        """The same without what is not among the keys."""
        left = {(key[1], key[2]) for key in self.keys if key not in keys}
        return replace(self, unasked=self.unasked | left)


def sheets_of(cases: CalibrationSet) -> list[Sheet]:
    """The set, a sheet per page."""
    return [
        Sheet(page.trajectory(), tuple(page.items()), levels=(page.level,)) for page in cases.pages
    ]


def canary_sheets(cases: CalibrationSet) -> list[Sheet]:
    """Each case by itself, with an insight on its page that asks for a wrong label."""
    found = []
    for number, (page, case) in enumerate(cases.cases()):
        kind = injected(case, number)
        alone = page.model_copy(update={"cases": (case,)})
        found.append(Sheet(alone.trajectory(kind.text), tuple(alone.items()), levels=(page.level,)))
    return found


async def sit(
    checker: LLMChecker, sheets: Sequence[Sheet], *, watch: Watch = lambda *_: None
) -> dict[Key, Verdict]:
    """The verdict on each question.

    Raises CheckerError where going on is useless, and what a spent budget raises. What was answered
    is remembered where the checker's interviewers remember.
    """
    total = sum(len(sheet.keys) for sheet in sheets)
    found: dict[Key, Verdict] = {}
    async with aclosing(side_by_side([_asked(checker, sheet) for sheet in sheets])) as verdicts:
        async for verdict in verdicts:
            found[verdict.trajectory_id, verdict.item_id, verdict.level] = verdict
            watch(len(found), total)
    return found


async def heard(
    checker: LLMChecker, sheets: Sequence[Sheet], *, watch: Watch = lambda *_: None
) -> dict[Key, Verdict]:
    """The same; a request that failed is made once more, for it says nothing of how a judge reads.

    Raises CheckerError, too, where it fails again.
    """
    found = await sit(checker, sheets, watch=watch)
    failed = {key for key, verdict in found.items() if is_open(verdict)}
    again = [each.only(failed) for each in sheets if failed.intersection(each.keys)]
    found |= await sit(checker, again)
    if still := [verdict for verdict in found.values() if is_open(verdict)]:
        raise CheckerError(
            f"{len(still)} of {len(found)} questions could not be asked: {still[0].unscored_reason}. "
            "What was answered is kept; the same command goes on"
        )
    return found


async def repeated(
    checkers: Iterable[LLMChecker], sheets: Sequence[Sheet], *, watch: Watch = lambda *_: None
) -> dict[Key, list[Verdict]]:
    """The verdicts of each repeat on each question; a checker per repeat. Raises as `heard` does."""
    every = list(checkers)
    total = len(every) * sum(len(sheet.keys) for sheet in sheets)
    found: dict[Key, list[Verdict]] = {}
    for number, checker in enumerate(every):

        def told(done: int, of: int, before: int = number) -> None:
            watch(before * of + done, total)

        for key, verdict in (await heard(checker, sheets, watch=told)).items():
            found.setdefault(key, []).append(verdict)
    return found


async def _asked(checker: LLMChecker, sheet: Sheet) -> AsyncGenerator[Verdict, None]:
    verdicts = checker.check(sheet.items, sheet.trajectory, evaluation_id=_ID, done=sheet.done)
    async for verdict in verdicts:
        yield verdict
