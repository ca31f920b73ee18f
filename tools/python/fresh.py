"""Python whose variables do not outlive a call, as in the paper's own tools (`--protocol ddr`)."""

from __future__ import annotations

from core.protocols import CellLimits, CellResult, Kernel, QueryFunction, SandboxFactory
from core.trajectory import Sandbox
from tools.python.sandbox import state_of


class FreshPython:
    """A way to hold Python in which each cell begins with nothing."""

    def __init__(self, inner: SandboxFactory) -> None:
        self._inner = inner
        self.name = inner.name

    def state(self) -> Sandbox:
        """How Python is held, or why it is off."""
        return state_of(self._inner)

    async def open(self, session: str, query: QueryFunction) -> Kernel:
        """Start a kernel. Raises SandboxError where this machine cannot hold one."""
        return _Fresh(await self._inner.open(session, query))


class _Fresh:
    def __init__(self, inner: Kernel) -> None:
        self._inner, self._used = inner, False

    async def run(self, code: str, limits: CellLimits) -> CellResult:
        if self._used:
            await self._inner.reset()
        self._used = True
        return await self._inner.run(code, limits)

    async def reset(self) -> None:
        await self._inner.reset()

    async def close(self) -> None:
        await self._inner.close()
