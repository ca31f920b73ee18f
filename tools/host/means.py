"""What sessions share: one open database for all that read it, one sandbox for all that compute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core import plugins
from core.protocols import SandboxFactory
from databases.connection import open_readonly
from tools.deadline import in_thread
from tools.host.messages import Opening
from tools.host.sessions import HeldTools
from tools.python import SANDBOXES
from tools.python.fresh import FreshPython
from tools.toolset import ToolSet

if TYPE_CHECKING:
    import duckdb


class Means:
    """Makes a session's tools, and keeps what several of them use."""

    def __init__(self) -> None:
        self._sandboxes: dict[str, SandboxFactory] = {}
        self._anchors: dict[str, duckdb.DuckDBPyConnection] = {}

    async def tools(self, opening: Opening) -> HeldTools:
        """The tools of a new session. Raises DatabaseError, ConfigError, UnknownNameError."""
        return await in_thread(lambda: self._tools(opening), name="open")

    def _tools(self, opening: Opening) -> HeldTools:
        database = Path(opening.target.location)
        if opening.target.location not in self._anchors:
            anchor = open_readonly(database, threads=1, memory_mb=4096)
            self._anchors[opening.target.location] = anchor
        return ToolSet(
            database,
            dialect=opening.target.dialect,
            names=opening.names,
            sandbox=self._sandbox(opening.sandbox, opening.python_state),
            limits=opening.limits,
            session=opening.key,
        )

    def _sandbox(self, name: str | None, state: str) -> SandboxFactory | None:
        if name is None:
            return None
        if name not in self._sandboxes:
            self._sandboxes[name] = plugins.load("ddr.sandboxes", name, SANDBOXES)()
        sandbox = self._sandboxes[name]
        return FreshPython(sandbox) if state == "call" else sandbox

    async def close(self) -> None:
        """Let go of everything that is shared."""
        for anchor in self._anchors.values():
            anchor.close()
