"""Judge many trajectories, several at a time where a model is asked, and keep each verdict as it comes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from core.checklist import ChecklistItem
from core.evaluation import LEVELS, Verdict
from core.protocols import Checker
from core.trajectory import Trajectory
from evaluator.llm import Key, LLMChecker, is_open
from server import judges
from server.store import Repository
from server.store.writer import Writer

_GROUP_S: Final = 0.1
"""How much judging by rules a killed process may have to do again."""


@dataclass(frozen=True)
class Sheet:
    """One trajectory that is judged for one evaluation, and what is stored of it."""

    evaluation_id: str
    trajectory: Trajectory
    items: Sequence[ChecklistItem]
    done: frozenset[Key]
    """What has its verdict."""
    open: Mapping[Key, Verdict]
    """Verdicts that failed requests left open; a new one takes their place."""

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to judge."""
        return all((item.id, level) in self.done for item in self.items for level in LEVELS)


def sheet_of(
    evaluation_id: str,
    trajectory: Trajectory,
    items: Sequence[ChecklistItem],
    stored: Sequence[Verdict],
) -> Sheet:
    """The sheet of a trajectory; `stored`: the verdicts on it, if any."""
    open_ = {(v.item_id, v.level): v for v in stored if is_open(v)}
    done = frozenset((v.item_id, v.level) for v in stored if not is_open(v))
    return Sheet(evaluation_id, trajectory, items, done, open_)


async def sweep(
    checker: Checker,
    sheets: Sequence[Sheet],
    store: Repository,
    ended: Callable[[Sheet], None] = lambda _: None,
) -> None:
    """Judge all sheets, the first ones first. `ended` is told of each.

    All items of a trajectory are handed over together: a checker may weigh them against one another,
    and has to come to the same verdicts after an interruption. A checker that asks a model has as
    many trajectories under way as it may have requests, so that none of its places stays empty; a
    verdict that took a call is on disk before the place of its question is given to another.

    Raises what ends the judging of one trajectory, once those that are under way have ended too,
    StoreError where a verdict cannot be kept.
    """
    width = checker.concurrency if isinstance(checker, LLMChecker) else 1
    left = iter(sheets)
    with Writer(store) as writer:
        workers = [
            asyncio.create_task(_work(checker, left, writer, ended))
            for _ in range(min(width, len(sheets)))
        ]
        try:
            failed = await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
    for error in failed:
        if error is not None:
            raise error


async def _work(
    checker: Checker, left: Iterator[Sheet], writer: Writer, ended: Callable[[Sheet], None]
) -> Exception | None:
    """Sheet after sheet until none is left, or until one of them fails, which ends it for all."""
    for sheet in left:
        try:
            if not sheet.is_done:
                await _judge(checker, sheet, writer)
        except Exception as exc:  # noqa: BLE001 - raised once the others have ended
            for _ in left:
                pass
            return exc
        ended(sheet)
    return None


async def _judge(checker: Checker, sheet: Sheet, writer: Writer) -> None:
    """Judge where a verdict is missing; what is stored already stays."""
    keeper = _Keeper(writer)
    found = judges.check(
        checker,
        sheet.items,
        sheet.trajectory,
        evaluation_id=sheet.evaluation_id,
        done=sheet.done,
        so_far=sheet.open,
    )
    try:
        async with _closing(found):
            async for verdict in found:
                key = (verdict.item_id, verdict.level)
                if key in sheet.open:
                    await keeper.replace(verdict)
                elif key not in sheet.done:
                    await keeper.add(verdict)
    finally:
        await keeper.flush()


class _Keeper:
    """The verdicts of one trajectory on their way to the disk."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._pending: list[Verdict] = []
        self._flushed = time.monotonic()

    async def add(self, verdict: Verdict) -> None:
        """One that took a call is kept at once; those of rules are grouped."""
        self._pending.append(verdict)
        if verdict.call is not None or time.monotonic() - self._flushed >= _GROUP_S:
            await self.flush()

    async def replace(self, verdict: Verdict) -> None:
        """Keep it in the place of one that was open."""
        await self._writer.keep_small(lambda store: store.replace_verdict(verdict))

    async def flush(self) -> None:
        """Keep what is pending."""
        pending, self._pending, self._flushed = self._pending, [], time.monotonic()
        if pending:
            await self._writer.keep_small(lambda store: store.add_verdicts(pending))


@asynccontextmanager
async def _closing(found: AsyncIterator[Verdict]) -> AsyncIterator[None]:
    """End what a generator has under way when the block is left."""
    try:
        yield
    finally:
        if isinstance(found, AsyncGenerator):
            await found.aclose()
