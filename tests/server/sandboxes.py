"""A sandbox as a machine without user namespaces has it, for a tool host that loads it by its path."""

from __future__ import annotations

from core.errors import SandboxError
from core.protocols import Kernel, QueryFunction
from core.trajectory import Sandbox

REASON = "this kernel has no user namespaces"


class NoSandbox:
    """Off, and says why."""

    name = "none"

    def state(self) -> Sandbox:
        return Sandbox(name="off", detail=REASON)

    async def open(self, session: str, query: QueryFunction) -> Kernel:
        raise SandboxError(REASON)
