"""Serve one entity over stdio: scenario and entity by name, one toolset, one client."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import anyio

from core.errors import UnknownNameError
from core.protocols import Observation, Tools, ToolSpec
from databases.catalog import open_scenario
from server import settings as places
from server.build import Hands, make_sandbox, open_tools
from server.wire import Wire


async def serve_entity(
    wire: Wire, scenario: str, entity: str, hands: str, *, quiet: bool = False
) -> int:
    """Serve until the client hangs up; the number of calls that were answered.

    Raises UnknownNameError, ScenarioError or DatabaseError before the first message is read.
    """
    chosen: dict[str, Hands] = {name: name for name in get_args(Hands)}
    if hands not in chosen:
        raise UnknownNameError("set of tools", hands, chosen)
    installed = open_scenario(scenario, places.load().home)
    installed.check()
    task = installed.task(entity)
    # After the names: a wrong one is told before the protocol's library is loaded.
    from server.mcp_app import make_app

    sandbox = make_sandbox(chosen[hands])
    tools = open_tools(installed, chosen[hands], sandbox, session=f"stdio.{scenario}.{entity}")
    if not quiet:
        state = tools.sandbox_state
        python = state.name if state.name != "off" else f"off ({state.detail})"
        sys.stderr.write(f"ddr: serving {scenario}, {entity}, over stdio; execute_code: {python}\n")
    counted = _Counted(tools)
    try:
        await make_app(counted, task).serve(wire)
    finally:
        with anyio.CancelScope(shield=True):
            await tools.close()
    return counted.calls


class _Counted:
    """Tools that count their calls."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self.calls = 0

    async def list(self) -> Sequence[ToolSpec]:
        """The tools on offer."""
        return await self._tools.list()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Call one."""
        self.calls += 1
        return await self._tools.call(name, arguments)
