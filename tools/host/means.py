"""What sessions share: one open database for all that read it, one sandbox for all that compute."""

from __future__ import annotations

import asyncio
import contextlib

from core import plugins
from core.protocols import SandboxFactory
from tools.host.messages import Opening
from tools.host.sessions import HeldTools
from tools.python import SANDBOXES
from tools.python.fresh import FreshPython
from tools.sql.engine import Target
from tools.sql.pool import SqlPool
from tools.toolset import ToolSet


class Means:
    """Makes a session's tools, and keeps what several of them use."""

    def __init__(self) -> None:
        self._sandboxes: dict[str, SandboxFactory] = {}
        self._pools: dict[str, asyncio.Task[SqlPool]] = {}

    async def tools(self, opening: Opening) -> HeldTools:
        """The tools of a new session. Raises DatabaseError, ConfigError, UnknownNameError."""
        return ToolSet(
            await self._pool(opening.target),
            names=opening.names,
            sandbox=self._sandbox(opening.sandbox, opening.python_state),
            limits=opening.limits,
            session=opening.key,
        )

    async def _pool(self, target: Target) -> SqlPool:
        """The workers of this database, started by the first who asks; a start that failed is tried
        again by the next."""
        key = target.model_dump_json()
        found = self._pools.get(key)
        if found is None or (found.done() and (found.cancelled() or found.exception())):
            found = self._pools[key] = asyncio.create_task(_started(target))
        return await asyncio.shield(found)

    def _sandbox(self, name: str | None, state: str) -> SandboxFactory | None:
        if name is None:
            return None
        if name not in self._sandboxes:
            self._sandboxes[name] = plugins.load("ddr.sandboxes", name, SANDBOXES)()
        sandbox = self._sandboxes[name]
        return FreshPython(sandbox) if state == "call" else sandbox

    async def close(self) -> None:
        """Let go of everything that is shared."""
        for starting in self._pools.values():
            with contextlib.suppress(Exception):
                await (await starting).close()
        self._pools.clear()


async def _started(target: Target) -> SqlPool:
    pool = SqlPool(target)
    await pool.start()
    return pool
