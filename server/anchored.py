"""A toolset whose engine works on one thread, so that the same query gives the same digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.protocols import Observation, ToolSpec
from core.trajectory import Sandbox
from databases.connection import open_readonly
from tools.toolset import ToolSet

ENGINE_MB = 4096
"""What the engine may hold in memory before it spills or refuses, for all sessions of a process;
DuckDB's own default is most of the machine."""


class AnchoredTools:
    """Holds a connection with `threads=1` for as long as its toolset lives, and bounds its memory.

    All connections of a process to one file share an engine, and the first opener sets its threads.
    With several, a mean or deviation is summed in another order each time and differs in its last
    digits: enough for one run to print 12.4 where the next prints 12.5. Entities explored side by
    side use the cores instead.
    """

    def __init__(self, database: Path, **options: Any) -> None:
        self._anchor = open_readonly(database, threads=1, memory_mb=ENGINE_MB)
        try:
            self._tools = ToolSet(database, **options)
        except BaseException:
            self._anchor.close()
            raise

    @property
    def sandbox_state(self) -> Sandbox:
        """How Python is held, or why it is off."""
        return self._tools.sandbox_state

    async def list(self) -> Sequence[ToolSpec]:
        """The tools on offer."""
        return await self._tools.list()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Call one."""
        return await self._tools.call(name, arguments)

    async def close(self) -> None:
        """Let go of the toolset, then of the engine."""
        try:
            await self._tools.close()
        finally:
            self._anchor.close()
