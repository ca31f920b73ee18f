"""Start an agent for each seat, some at a time, and end what it left open."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, Final

from core.errors import DdrError, StoreError
from core.run import RunSpec
from core.trajectory import StopReason
from server.attendance import close_run
from server.configurations import write
from server.enrolment import Issued
from server.executing.order import Order
from server.executing.process import Exit, Reaper, run_to_end
from server.store import Repository
from server.store.seats import Seats
from tools.threads import in_thread

_ERROR_CHARS: Final = 300

Watch = Callable[[int, int], None]
"""Told how many agents have ended, and how many are under way."""


@dataclass(frozen=True)
class Ended:
    """An agent that came to its end."""

    issued: Issued
    exit: Exit
    log: Path


@dataclass(frozen=True)
class Terms:
    """How the agents of one call are started."""

    order: Order
    base_url: str
    logs: Path
    """The run's folder for what agents print."""
    concurrency: int = 1
    limit_s: float | None = None


class Execution:
    """The agents of one run. What each left open is ended as soon as its process has ended."""

    def __init__(
        self,
        spec: RunSpec,
        store: Repository,
        terms: Terms,
        *,
        reaper: Reaper,
        now: Callable[[], datetime],
        watch: Watch = lambda _done, _under_way: None,
    ) -> None:
        self._spec, self._store, self._terms = spec, store, terms
        self._reaper, self._now, self._watch = reaper, now, watch
        self._under_way = 0
        self.ended: list[Ended] = []
        """In the order in which they ended; those of a call that was broken off too."""

    async def go(
        self, seats: Sequence[Issued], guard: Coroutine[Any, Any, None] | None = None
    ) -> None:
        """Until every seat's agent has ended. `guard` raises where the server is gone.

        Raises what it does, StoreError where a log cannot be written, and UsageError for an entity
        that cannot stand in the command. That, and a cancellation, ends the agents that are under
        way with their process groups.
        """
        left = iter(seats)
        try:
            async with asyncio.TaskGroup() as group:
                guarding = group.create_task(guard) if guard is not None else None
                slots = min(self._terms.concurrency, len(seats))
                tasks = [group.create_task(self._slot(left)) for _ in range(slots)]
                await asyncio.gather(*tasks)
                if guarding is not None:
                    guarding.cancel()
        except BaseExceptionGroup as exc:
            ours = [each for each in exc.exceptions if isinstance(each, DdrError)]
            raise (ours or exc.exceptions)[0] from exc

    async def _slot(self, left: Iterator[Issued]) -> None:
        for issued in left:
            self._under_way += 1
            self._tell()
            try:
                await self._explore(issued)
            finally:
                self._under_way -= 1
                self._tell()

    def _tell(self) -> None:
        self._watch(len(self.ended), self._under_way)

    async def _explore(self, issued: Issued) -> None:
        terms = self._terms
        # Not below our home: there the databases would be two folders away.
        folder = Path(tempfile.mkdtemp(prefix="ddr-agent-"))
        log = free_name(terms.logs, issued.label)
        try:
            url = issued.url(terms.base_url)
            client = terms.order.client
            config = write(client, folder, url, issued.token) if client else None
            ended = await run_to_end(
                terms.order.command(issued, url, folder=folder, config=config),
                folder=folder,
                environment=terms.order.environment(os.environ, issued, url, folder=folder),
                log=log,
                limit_s=terms.limit_s,
                reaper=self._reaper,
            )
        except OSError as exc:
            raise StoreError(f"{log} cannot be written: {exc.strerror or exc}") from exc
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        await in_thread(lambda: self._close(issued, ended), name="store")
        self.ended.append(Ended(issued, ended, log))

    def _close(self, issued: Issued, ended: Exit) -> None:
        state = Seats(self._store).at(issued.seat.path)
        met = state is not None and state.trajectory_id is not None
        close_run(
            self._spec,
            self._store,
            self._now(),
            keys=frozenset(issued.seat.keys),
            reason=StopReason.MAX_SECONDS if ended.timed_out else StopReason.ABANDONED,
            # Of one that was met it would pass for a fault of ours.
            error=None if met else _why_unmet(ended),
        )


def free_name(folder: Path, label: str) -> Path:
    """Where an agent's output goes: what an earlier attempt at the same printed is kept."""
    for number in count(1):
        path = folder / (f"{label}.log" if number == 1 else f"{label}.{number}.log")
        if not os.path.lexists(path):
            return path
    raise AssertionError("numbers do not end")


def _why_unmet(ended: Exit) -> str:
    last = ended.tail.rpartition("\n")[2].strip()[-_ERROR_CHARS:]
    if ended.code is None:
        return ended.tail[-_ERROR_CHARS:]
    how = (
        f"was ended after {ended.seconds:.0f} s"
        if ended.timed_out
        else f"ended with exit code {ended.code}"
    )
    said = f"; its last words: {last}" if last else ""
    return f"its process {how} and never came to the server{said}"
