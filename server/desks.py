"""Every desk of one worker process, by path; what was taken back elsewhere, and who has gone silent."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from core.run import RunSpec
from databases.catalog import open_scenario
from server.attendance import end_silent
from server.build import open_tools, sandbox_for
from server.desk import TURN_ROOM, Desk
from server.errands import Bench, Stop
from server.runner import same_content, utc_now
from server.settings import Settings
from server.store import Repository, Writer
from server.store.presence import Presence
from server.store.seats import Seats
from tools.threads import in_thread

if TYPE_CHECKING:
    from databases.catalog import InstalledScenario
    from tools.host.client import HostTools
    from tools.host.link import Reach

_LOG = logging.getLogger(__name__)

MOST_DESKS: Final = 1024
UNUSED_S: Final = 600.0
"""A desk that nobody came to for so long lets its connection to the tools go."""
LISTEN_S: Final = 0.25
"""How often cancel notices of other workers are looked for, while calls are under way."""
SWEEP_S: Final = 5.0


class Desks:
    """Made by `opened`."""

    def __init__(self, settings: Settings, bench: Bench, reach: Reach | None) -> None:
        self._settings, self._bench, self._reach = settings, bench, reach
        self._desks: dict[str, Desk] = {}
        self._looking = threading.Lock()
        self._whole: set[tuple[str, Hashable]] = set()
        """Databases that were found to be what their runs began on: fingerprint and state."""

    @property
    def store(self) -> Repository:
        """Where everything is kept."""
        return self._bench.store

    async def at(self, path: str) -> Desk | None:
        """The desk of a seat; None where nobody was given this path.

        Raises ScenarioError where the run's database is not there or not the same any more, UsageError
        where its tools cannot be had on this machine.
        """
        desk = self._desks.get(path)
        if desk is not None:
            desk.used_at = self._bench.now()  # whoever asks for it is about to use it
            return desk
        if not path.isascii():
            return None
        state = Seats(self._bench.store).at(path)
        if state is None:
            return None
        run_id = state.seat.run_id
        spec, installed = await in_thread(lambda: self._look(run_id), name="scenario")
        desk = self._desks.setdefault(
            path, Desk(state.seat, spec, installed, self._bench, self._opener(spec, installed))
        )
        if len(self._desks) > MOST_DESKS:
            await self._tidy(timedelta(0), keep=desk)
        return desk

    def _look(self, run_id: str) -> tuple[RunSpec, InstalledScenario]:
        """A run and its scenario, whose database is what the run began on. Raises ScenarioError."""
        spec = self._bench.store.run(run_id)
        installed = open_scenario(spec.scenario_id, self._settings.home)
        # One after the other: of many seats that are taken at once, the first one's look does for all.
        with self._looking:
            state = (spec.scenario_fingerprint, installed.stamp())
            if state[1] is None or state not in self._whole:
                same_content(spec, installed)
                self._whole.add(state)
        return spec, installed

    def _opener(
        self, spec: RunSpec, installed: InstalledScenario
    ) -> Callable[[str, str, Callable[[], bool]], HostTools]:
        sandbox = sandbox_for(spec.tools, spec.sandbox)

        def opener(session: str, entity_id: str, computed: Callable[[], bool]) -> HostTools:
            return open_tools(
                installed,
                spec.tools,
                sandbox,
                session,
                protocol=spec.protocol,
                reach=self._reach,
                entity_id=entity_id,
                computed=computed,
                spare_chars=TURN_ROOM,
            )

        return opener

    async def watch(self) -> None:
        """Until it is cancelled: heed cancel notices, end what went silent, leave unused desks."""
        swept, specs = self._bench.now(), dict[str, RunSpec]()
        while True:
            await asyncio.sleep(LISTEN_S)
            now = self._bench.now()
            try:
                self._heed()
                if (now - swept).total_seconds() >= SWEEP_S:
                    swept = now
                    if len(specs) > MOST_DESKS:
                        specs.clear()
                    await self._bench.catch_up()
                    await self._bench.keep(partial(end_silent, now=now, specs=specs))
                    await self._tidy(timedelta(seconds=UNUSED_S))
            except Exception:  # noqa: BLE001 - one failure must not end the watch
                _LOG.exception("the desks could not be looked after")

    def _heed(self) -> None:
        """Stop what was taken back through another worker."""
        errands = self._bench.under_way
        if not errands:
            return
        earliest = min(errand.since for errand in errands)
        for path, request_id, at in Seats(self._bench.store).cancelled(earliest):
            for errand in errands:
                if (errand.path, errand.request_id) == (path, request_id) and at >= errand.since:
                    errand.stop(Stop.TAKEN_BACK)

    async def _tidy(self, unused: timedelta, *, keep: Desk | None = None) -> None:
        """Leave desks that are not in use, the longest unused first."""
        now: datetime = self._bench.now()
        idle = [
            desk
            for desk in self._desks.values()
            if desk is not keep and not desk.is_busy and now - desk.used_at >= unused
        ]
        surplus = max(len(self._desks) - MOST_DESKS, 0) if not unused else len(idle)
        for desk in sorted(idle, key=lambda each: each.used_at)[:surplus]:
            del self._desks[desk.seat.path]
            await desk.leave()

    async def close(self) -> None:
        """Let go of everything; sessions stay with the tool host."""
        await self._bench.end()
        for desk in self._desks.values():
            await desk.leave()
        self._desks.clear()


@asynccontextmanager
async def opened(
    settings: Settings,
    store: Repository,
    *,
    reach: Reach | None = None,
    now: Callable[[], datetime] = utc_now,
) -> AsyncIterator[Desks]:
    """The desks of this process on a store, looked after until the block is left.

    `reach`: the way to a tool host that others keep running; None = this process's own.
    """
    with Presence(settings.locks) as presence, Writer(store) as writer:
        desks = Desks(settings, Bench(writer, store, presence, now), reach)
        watching = asyncio.create_task(desks.watch())
        try:
            yield desks
        finally:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
            await desks.close()
