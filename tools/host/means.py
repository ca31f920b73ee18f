"""What sessions share: one pool of SQL workers for all that read a database, one sandbox for all that compute."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from weakref import WeakSet

from core import plugins
from core.errors import DdrError, UnknownNameError
from core.protocols import SandboxFactory
from databases.target import Target, engine_names
from tools.host.messages import Opening
from tools.host.sessions import HeldTools
from tools.python import SANDBOXES
from tools.python.fresh import FreshPython
from tools.python.sandbox import state_of
from tools.sql.pool import SqlPool
from tools.threads import in_thread
from tools.toolset import ToolSet

_LOG = logging.getLogger(__name__)

UNUSED_S: Final = 600.0
"""How long the workers of a database wait for its next session."""

Content = tuple[int, int, int]
"""Which file stands at a place: device, number, time of change (ns)."""


class Means:
    """Makes a session's tools, and keeps what several of them use. Lives in one event loop."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._sandboxes: dict[str, SandboxFactory] = {}
        self._pools: dict[tuple[str, Content | None], _Shared] = {}
        self._warming: set[asyncio.Task[None]] = set()

    async def tools(self, opening: Opening) -> HeldTools:
        """The tools of a new session. Raises DatabaseError, ConfigError, UnknownNameError."""
        held = self._sandbox(opening)
        shared = self._shared(opening.target)
        # Side by side: each may take a second at the first time.
        pool, _ = await asyncio.gather(shared.pool(), _ask_state(held))
        is_fresh = opening.python_state == "call"
        tools = ToolSet(
            pool,
            names=opening.names,
            sandbox=FreshPython(held) if held is not None and is_fresh else held,
            limits=opening.limits,
            session=opening.key,
        )
        shared.users.add(tools)
        self._warm(held)
        return tools

    async def sweep(self) -> None:
        """End the workers of databases that nobody has explored for a while."""
        for key, shared in list(self._pools.items()):
            if shared.users:
                shared.used_at = self._now()
            elif self._now() - shared.used_at >= UNUSED_S:
                del self._pools[key]
                await shared.close()

    async def close(self) -> None:
        """Let go of everything that is shared."""
        for warming in self._warming:
            warming.cancel()
        pools, self._pools = list(self._pools.values()), {}
        await asyncio.gather(*(shared.close() for shared in pools))

    def _shared(self, target: Target) -> _Shared:
        """The workers of what stands at this place now: a database that was built anew is another."""
        key = (target.model_dump_json(), _content(target))
        if key not in self._pools:
            _check_installed("database engine", target.dialect, engine_names())
            self._pools[key] = _Shared(target)
        self._pools[key].used_at = self._now()
        return self._pools[key]

    def _sandbox(self, opening: Opening) -> SandboxFactory | None:
        name = opening.sandbox
        if name is None or "execute_code" not in opening.names:
            return None
        if name not in self._sandboxes:
            _check_installed("sandbox", name, plugins.known("ddr.sandboxes", SANDBOXES))
            self._sandboxes[name] = plugins.load("ddr.sandboxes", name, SANDBOXES)()
        return self._sandboxes[name]

    def _warm(self, sandbox: SandboxFactory | None) -> None:
        """Have the sandbox ready by the first cell; that is not waited for, and may fail then."""
        warm = getattr(sandbox, "warm", None)
        if warm is None:
            return

        async def warmed() -> None:
            with contextlib.suppress(DdrError):
                await warm()

        task = asyncio.create_task(warmed())
        self._warming.add(task)
        task.add_done_callback(self._warming.discard)


class _Shared:
    """The workers of one database, started by the first who asks, and the sessions on it."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._starting: asyncio.Task[SqlPool] | None = None
        self.users: WeakSet[ToolSet] = WeakSet()
        self.used_at = 0.0

    async def pool(self) -> SqlPool:
        """Raises what the start raises; the next who asks tries again."""
        starting = self._starting
        if starting is None or (starting.done() and (starting.cancelled() or starting.exception())):
            starting = self._starting = asyncio.create_task(self._start())
        # Shielded: another session may wait for the same workers.
        return await asyncio.shield(starting)

    async def _start(self) -> SqlPool:
        pool = SqlPool(self._target)
        await pool.start()
        state = pool.state()
        if _content(self._target) is not None and not state.confined:
            _LOG.warning("SQL workers are plain processes, not walled in: %s", state.detail)
        return pool

    async def close(self) -> None:
        if self._starting is None:
            return
        self._starting.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await (await self._starting).close()


def _content(target: Target) -> Content | None:
    try:
        stat = Path(target.location).stat()
    except (OSError, ValueError):  # a URL, or nothing there: opening it says what is wrong
        return None
    return stat.st_dev, stat.st_ino, stat.st_mtime_ns


def _check_installed(kind: str, name: str, installed: Sequence[str]) -> None:
    """A client chooses among what is installed: a free `module:attribute` would be run in the host."""
    if name not in installed:
        raise UnknownNameError(kind, name, installed)


async def _ask_state(sandbox: SandboxFactory | None) -> None:
    """A sandbox is tried at the first time that its state is asked for, which blocks."""
    if sandbox is not None:
        await in_thread(lambda: state_of(sandbox), name="sandbox-state")
