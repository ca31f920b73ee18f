"""Serve one entity over stdio: scenario and entity by name, one toolset, one client."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

import anyio

from core.errors import DdrError, UnknownNameError
from core.protocols import Observation, Tools, ToolSpec
from core.scenario import Goal
from databases.catalog import open_scenario
from server import settings as places
from server.build import SANDBOX, Hands, open_tools, sandbox_for
from server.wire import Wire
from tools.threads import in_thread

if TYPE_CHECKING:
    from server.mcp_app import ToolServer
    from server.runner import HeldTools


async def serve_entity(
    wire: Wire,
    scenario: str,
    entity: str,
    hands: str,
    *,
    images: bool = True,
    sandbox: str = SANDBOX,
    goal: str = "none",
    quiet: bool = False,
) -> int:
    """Serve until the client hangs up; the number of calls that were answered.

    `images`: whether figures that a cell draws are sent as pictures beside the text. `sandbox`: the
    name of what holds Python. `goal`: what the client is told that it is to find out.
    Raises UnknownNameError, UsageError, ScenarioError or DatabaseError before the first message is
    read.
    """
    chosen: dict[str, Hands] = {name: name for name in get_args(Hands)}
    if hands not in chosen:
        raise UnknownNameError("set of tools", hands, chosen)
    installed = open_scenario(scenario, places.load().home)
    installed.check()
    goals: dict[str, Goal] = {name: name for name in get_args(Goal)}
    if goal not in goals:
        raise UnknownNameError("goal", goal, goals)
    task = installed.task(entity, goals[goal])
    holder = sandbox_for(chosen[hands], sandbox)
    session = f"stdio.{scenario}.{entity}"
    tools = open_tools(installed, chosen[hands], holder, session, entity_id=entity)
    opening = asyncio.create_task(_announce(tools, f"{scenario}, {entity}", quiet=quiet))
    # In a thread: the tools are opened while the protocol's library is loaded.
    make_app = await in_thread(_load_protocol, name="protocol")
    counted = _Counted(tools)
    try:
        await make_app(counted, task, images=images).serve(wire)
    finally:
        opening.cancel()
        with anyio.CancelScope(shield=True):
            await tools.close()
    return counted.calls


async def _announce(tools: HeldTools, what: str, *, quiet: bool) -> None:
    """Have the tools opened before the first call, and say on stderr how Python is held."""
    try:
        await tools.list()
    except DdrError as exc:
        sys.stderr.write(f"error: {exc}\n")
        return
    if not quiet:
        state = tools.sandbox_state
        python = f"{state.name} ({state.detail})" if state.detail else state.name
        sys.stderr.write(f"ddr: serving {what}, over stdio; execute_code: {python}\n")


def _load_protocol() -> Callable[..., ToolServer]:
    from server.mcp_app import make_app

    return make_app


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
