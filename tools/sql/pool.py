"""A fair queue before worker processes: every statement has its deadline, whatever it does.

Within a session first come is first served; between sessions it goes in turns, and next is one that
holds the fewest places. However much a session asks, it takes another place only while more are free
than it holds, so that a newcomer finds one.

A worker may hold several statements (`slots`), but a second one only beside one that takes long, so that
short ones wait for their turn and not for a share of a core. At its deadline a statement's caller has
the answer, and the worker is told to stop it; one that does not listen is killed with its worker. What
else that worker had in hand is run again, alone, and so meets neither another's kill nor, where nobody
knows who broke the worker, its fault. A worker that holds several and is deaf is ended at once: one of
them keeps its interpreter from the others.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
from collections import Counter
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import DdrError, ToolError
from tools.limits import ToolLimits
from tools.sql.engine import EngineLimits, Target
from tools.sql.hand import Answer, SqlHand
from tools.sql.housing import Housing
from tools.sql.worker_process import WorkerProcess

SLOTS = 4
PATIENCE_S = 0.1
"""A statement that has taken this long gets company in its worker."""
GRACE_S = 1.0
"""How long a statement that was told to stop may take to listen."""
DEAF_S = 1.5
"""A worker with several requests that says nothing for so long holds all of them up for one."""
SPARE_AFTER_S = 1.0
"""The spare waits until those that serve have their start behind them."""
FIRST_RETRY_S, LAST_RETRY_S = 0.1, 5.0
"""Between attempts to start a worker where they fail."""
BROKEN = (
    "the query needs more memory than there is, or broke the engine: it was ended with its process;"
    " filter or aggregate earlier, or write it another way"
)
NO_WORKER = "the database cannot be opened at the moment; try again later"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PoolState:
    """How a pool does, for whoever runs the server."""

    confined: bool
    """Whether workers are walled in with their database (docs/tools.md)."""
    detail: str | None
    """Why not."""
    workers: int
    """Ready, the spare among them."""
    running: int
    waiting: int
    lost: int
    """Workers that were killed or died since the start."""


@dataclass(eq=False)
class Job:
    """One request on its way: waiting, or in a worker."""

    hand: SqlHand
    request: Mapping[str, Any]
    deadline: float
    """By the event loop's clock."""
    future: asyncio.Future[Answer]
    alone: bool = False
    """To be run in a worker by itself: an earlier worker was lost under it."""
    worker: WorkerProcess | None = None
    id: int = 0
    since: float = 0.0


class SqlPool:
    """The workers of one database, and who is next. Lives in one event loop."""

    def __init__(
        self,
        target: Target,
        *,
        workers: int | None = None,
        slots: int = SLOTS,
        limits: ToolLimits | None = None,
        engine_limits: EngineLimits | None = None,
    ) -> None:
        """`workers`: as many as cores. Raises UnknownNameError for a dialect that no engine speaks."""
        self.target = target
        self.limits = limits or ToolLimits()
        self._size = workers or len(os.sched_getaffinity(0))
        self._slots = slots
        self._housing = Housing(
            target,
            slots=slots,
            engine_limits=engine_limits or _share(self._size),
        )
        self._workers: list[WorkerProcess] = []
        """Ready, oldest first: the first `_size` serve, what comes behind is the spare."""
        self._jobs: dict[WorkerProcess, dict[int, Job]] = {}
        self._waiting: list[Job] = []
        """In order of arrival; behind the others' where the session had a turn meanwhile."""
        self._held: Counter[SqlHand] = Counter()
        """Requests in workers, by hand."""
        self._silent: dict[WorkerProcess, bool] = {}
        """Those that are watched, and whether one has left a ping unanswered."""
        self._ids = itertools.count(1)
        self._starts: set[asyncio.Task[None]] = set()
        self._burials: set[asyncio.Task[None]] = set()
        self._nudge: asyncio.TimerHandle | None = None
        self._failures = 0
        self._lost = 0
        self._closed = False

    async def start(self) -> None:
        """Wait until the first worker has the database open; the others follow by themselves.

        Raises DatabaseError where it is missing, corrupt or held by a writer, SandboxError.
        """
        await self._housing.prepare()
        try:
            worker = await self._housing.start(self._heard, self._ended)
        except BaseException:
            self._housing.close()
            raise
        self._add(worker)
        self._replenish()

    @property
    def database(self) -> Path | None:
        """The file, where the database is one."""
        return Path(self.target.location) if self._housing.is_file else None

    def hand(self, session: str, limits: ToolLimits | None = None) -> SqlHand:
        """One session's way in, with limits of its own where they are given."""
        return SqlHand(self, session, limits or self.limits)

    def state(self) -> PoolState:
        """How it does."""
        return PoolState(
            confined=self._housing.not_confined is None,
            detail=self._housing.not_confined,
            workers=len(self._workers),
            running=sum(len(jobs) for jobs in self._jobs.values()),
            waiting=len(self._waiting),
            lost=self._lost,
        )

    async def close(self) -> None:
        """Cancel what is in flight and end every worker. Idempotent."""
        self._closed = True
        if self._nudge:
            self._nudge.cancel()
        for job in [*self._waiting, *(j for jobs in self._jobs.values() for j in jobs.values())]:
            _settle(job, ToolError("the query was cancelled: the server ends", kind="cancelled"))
        self._waiting.clear()
        workers, self._workers = self._workers, []
        self._jobs.clear()
        for worker in workers:
            worker.kill()
        for task in self._starts:
            task.cancel()
        await asyncio.gather(*self._starts, *self._burials, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in workers))
        self._housing.close()

    async def ask(self, hand: SqlHand, request: Mapping[str, Any]) -> Answer:
        """Have a request answered within the hand's `sql_seconds`, waiting for its turn included.

        Raises ToolError. A caller that goes away stops what it asked.
        """
        if self._closed:
            raise ToolError("the tools have ended", kind="internal")
        loop = asyncio.get_running_loop()
        if sum(job.hand is hand for job in self._waiting) >= hand.limits.queries_waiting:
            raise ToolError(
                f"{hand.limits.queries_waiting} queries of this session wait already; send the next"
                " one when an answer has come",
                kind="limit",
            )
        deadline = loop.time() + hand.limits.sql_seconds
        job = Job(hand, request, deadline, loop.create_future())
        timer = loop.call_at(job.deadline, self._expire, job)
        self._waiting.append(job)
        self._pump()
        try:
            return await job.future
        except asyncio.CancelledError:
            self._withdraw(job)
            raise
        finally:
            timer.cancel()

    def leave(self, hand: SqlHand) -> None:
        """Stop everything that was asked through this hand."""
        jobs = [*self._waiting, *(j for jobs in self._jobs.values() for j in jobs.values())]
        for job in jobs:
            if job.hand is hand:
                _settle(job, ToolError("the query was cancelled", kind="cancelled"))
                self._withdraw(job)

    # Whose turn it is.

    def _pump(self) -> None:
        """Hand over what there is room for."""
        if not self._waiting:
            return
        self._hand_out()
        if self._waiting and self._nudge is None:  # a worker may open to a second statement by then
            loop = asyncio.get_running_loop()
            self._nudge = loop.call_later(PATIENCE_S, self._pump_again)

    def _pump_again(self) -> None:
        self._nudge = None
        self._pump()

    def _hand_out(self) -> None:
        for job in [job for job in self._waiting if job.alone and self._may_more(job.hand)]:
            idle = next((w for w in self._workers if not self._jobs[w]), None)
            if idle is not None and len(self._serving()) > 1:  # another is left to everybody else
                self._hand_over(job, idle)
        while (worker := self._open_worker()) and (next_job := self._next_job()):
            self._hand_over(next_job, worker)

    def _may_more(self, hand: SqlHand) -> bool:
        return self._held[hand] < hand.limits.queries_at_once

    def _next_job(self) -> Job | None:
        """Of a session that holds the fewest places; of several such the first in line."""
        free = sum(self._slots - len(self._jobs[worker]) for worker in self._shared())
        chosen: Job | None = None
        for job in self._waiting:
            if job.alone or not self._may_more(job.hand):
                continue
            if chosen is None or self._held[job.hand] < self._held[chosen.hand]:
                chosen = job
            if not self._held[chosen.hand]:
                break  # nobody holds fewer
        return chosen if chosen is not None and self._held[chosen.hand] < free else None

    def _shared(self) -> list[WorkerProcess]:
        """Those that serve; the spare does instead of one that a single request has to itself."""
        return self._serving()[: self._size]

    def _serving(self) -> list[WorkerProcess]:
        """All but those that a single request has to itself."""
        return [w for w in self._workers if not any(j.alone for j in self._jobs[w].values())]

    def _open_worker(self) -> WorkerProcess | None:
        now = asyncio.get_running_loop().time()
        open_to_all = [
            worker
            for worker in self._shared()
            if len(jobs := self._jobs[worker]) < self._slots
            and all(now - one.since >= PATIENCE_S for one in jobs.values())
        ]
        return min(open_to_all, key=lambda worker: len(self._jobs[worker]), default=None)

    def _hand_over(self, job: Job, worker: WorkerProcess) -> None:
        self._waiting.remove(job)
        self._waiting.sort(key=lambda other: other.hand is job.hand)  # it had its turn
        loop = asyncio.get_running_loop()
        job.worker, job.id, job.since = worker, next(self._ids), loop.time()
        self._jobs[worker][job.id] = job
        self._held[job.hand] += 1
        worker.send({"id": job.id, **job.request})
        if worker not in self._silent:
            self._watch(worker)

    def _watch(self, worker: WorkerProcess) -> None:
        """As long as it holds several requests, ask whether it hears: one may keep its interpreter."""
        several = len(self._jobs.get(worker, ())) > 1
        if several and not self._silent.get(worker):
            self._silent[worker] = True
            worker.send({"id": next(self._ids), "do": "ping"})
            asyncio.get_running_loop().call_later(DEAF_S, self._watch, worker)
            return
        self._silent.pop(worker, None)
        if several:
            _log.warning("a SQL worker is ended: one query keeps the others from being heard")
            self._lose(worker)

    def _take_back(self, job: Job) -> None:
        assert job.worker is not None
        self._jobs[job.worker].pop(job.id, None)
        self._held[job.hand] -= 1
        if not self._held[job.hand]:
            del self._held[job.hand]

    # What becomes of it.

    def _heard(self, worker: WorkerProcess, head: dict[str, Any], body: bytes) -> None:
        if worker in self._silent:
            self._silent[worker] = False
        if head.get("alive"):
            return
        job = self._jobs.get(worker, {}).get(head.get("id", 0))
        if job is None:
            worker.kill()  # it speaks out of turn
            return
        self._take_back(job)
        self._failures = 0
        try:
            answer = Answer.read(head, body)
        except ToolError as exc:
            _settle(job, exc)
        except (KeyError, TypeError, ValueError):
            worker.kill()  # it says what no worker says
            _settle(job, ToolError(BROKEN, kind="limit"))
        else:
            if not job.future.done():
                job.future.set_result(answer)
        self._pump()

    def _expire(self, job: Job) -> None:
        seconds = f"{job.hand.limits.sql_seconds:g} s"
        if job.worker is None:
            text = (
                f"the query waited {seconds} for its turn and was not run to its end: the server is"
                " busy; try again"
            )
        else:
            text = (
                f"the query was stopped at the time limit of {seconds} and gave nothing; filter or"
                " aggregate earlier, and look for a join without a condition"
            )
        _settle(job, ToolError(text, kind="timeout"))
        self._withdraw(job)

    def _withdraw(self, job: Job) -> None:
        """Nobody waits for it any more."""
        if job in self._waiting:
            self._waiting.remove(job)
        worker = job.worker
        if worker is not None and job.id in self._jobs.get(worker, {}):
            worker.send({"id": job.id, "do": "stop"})
            asyncio.get_running_loop().call_later(GRACE_S, self._end_with, worker, job)

    def _end_with(self, worker: WorkerProcess, job: Job) -> None:
        """It was told to stop and had its time: end it with its worker."""
        if job.id in self._jobs.get(worker, {}):
            _log.warning("a SQL worker is ended: a query did not listen")
            self._lose(worker)

    def _ended(self, worker: WorkerProcess) -> None:
        """A worker is gone by itself, or has been told to go."""
        if worker in self._workers:
            self._lose(worker)

    def _lose(self, worker: WorkerProcess) -> None:
        self._workers.remove(worker)
        jobs = list(self._jobs[worker].values())
        self._lost += 1
        for job in jobs:
            self._take_back(job)
        del self._jobs[worker]
        hoped_for = [job for job in jobs if not job.future.done()]
        if len(jobs) == 1:  # nobody else can have broken it
            for job in hoped_for:
                _settle(job, ToolError(BROKEN, kind="limit"))
        else:
            for job in hoped_for:
                job.worker, job.alone = None, True
            self._waiting[:0] = reversed(hoped_for)  # the first is likelier to be the one at fault
        if not jobs:
            self._failures += 1
        _keep(self._burials, self._bury(worker))
        self._replenish()
        self._pump()

    async def _bury(self, worker: WorkerProcess) -> None:
        code = await worker.end()
        _log.info("a SQL worker has ended with exit code %s", code)

    # Workers come and go.

    def _add(self, worker: WorkerProcess) -> None:
        self._jobs[worker] = {}
        self._workers.append(worker)
        self._pump()

    def _replenish(self) -> None:
        """Have one worker more on its way for each that is missing, the spare included."""
        while not self._closed and (have := len(self._workers) + len(self._starts)) <= self._size:
            _keep(self._starts, self._start_one(SPARE_AFTER_S if have == self._size else 0.0))

    async def _start_one(self, delay_s: float) -> None:
        try:
            if self._failures:
                delay_s += min(FIRST_RETRY_S * 2 ** (self._failures - 1), LAST_RETRY_S)
            await asyncio.sleep(delay_s)
            worker = await self._housing.start(self._heard, self._ended)
        except (DdrError, OSError) as exc:
            _log.error("a SQL worker cannot be started: %s", exc)
            self._failures += 1
            if not self._workers:
                for job in self._waiting:
                    _settle(job, ToolError(NO_WORKER, kind="internal"))
                self._waiting.clear()
        else:
            self._add(worker)
        if (this := asyncio.current_task()) is not None:
            self._starts.discard(this)  # it counts no more
        self._replenish()


def _keep(tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> None:
    """Begin a task that nobody waits for, and hold it while it lasts."""
    task = asyncio.get_running_loop().create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


def _settle(job: Job, error: ToolError) -> None:
    if not job.future.done():
        job.future.set_exception(error)


def _share(workers: int) -> EngineLimits:
    """What one worker's engine may take: together they leave half of the machine's memory."""
    have_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    return EngineLimits(memory_mb=max(512, min(4096, have_mb // 2 // workers)))
