"""Serve one entity's tools over MCP, in both of the protocol's eras, as the toolset says them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, CallToolResult
from mcp.types import Tool as ListedTool

from core.errors import DdrError, ToolError
from core.protocols import Tools
from core.scenario import Task
from server.instructions import fitting
from server.mcp_app.replies import PROGRESS_S, OurServer, broken, listed, progress, result

_LOG = logging.getLogger(__name__)

_HOW = (
    "You are given no question. Find out what matters about this {noun}: compare it with the "
    "others, look at shares, trends and outliers, and say what you find with its figures. Stop "
    "when new queries stop telling you anything.\n"
    "get_database_info lists the tables, describe_table the columns of one. execute_query runs one "
    "read-only SQL statement and returns 20 rows unless you ask for more (200 at most). "
    "execute_code, where it is offered, runs Python that keeps its variables between calls; "
    "query(sql) in it gives a DataFrame. A result that is cut says so: aggregate in SQL."
)


class ToolServer(OurServer):
    """An MCP server whose tools are a ToolSet's: one source for names, schemas and results.

    The SDK's own tool registry is not used: it derives schemas from signatures, with unions and
    bounds that some providers refuse (F25), and hides the text of errors.
    """

    def __init__(
        self,
        tools: Tools,
        task: Task,
        *,
        version: str,
        images: bool = False,
        progress_s: float = PROGRESS_S,
    ) -> None:
        super().__init__(
            "ddr",
            title="Open-ended data research",
            version=version,
            instructions=instructions(task),
            subscriptions=False,
            log_level="WARNING",
        )
        self._tools, self._images, self._progress_s = tools, images, progress_s

    async def list_tools(self) -> list[ListedTool]:
        """The toolset's tools, with the hints that clients ask for."""
        try:
            specs = await self._tools.list()
        except DdrError as exc:
            _LOG.exception("the tools cannot be listed")
            # Other errors are for who runs the server: they may name paths of this machine.
            told = str(exc) if isinstance(exc, ToolError) else "the tools cannot be opened"
            raise MCPError(code=INTERNAL_ERROR, message=told) from exc
        return [listed(spec) for spec in specs]

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult:
        """Call one tool. Whatever goes wrong is a result with is_error, never a protocol error."""
        try:
            async with progress(name, context, self._progress_s):
                observation = await self._tools.call(name, arguments)
        except Exception:  # noqa: BLE001 - a broken tool must not end the session
            _LOG.exception("tool %r broke", name)
            observation = broken(name)
        return result(observation, images=self._images)


def make_app(
    toolset: Tools, task: Task, *, version: str | None = None, images: bool = False
) -> ToolServer:
    """The MCP server of one entity's exploration. `images`: figures are sent as pictures too."""
    if version is None:
        from server.revision import version as installed

        version = installed()
    return ToolServer(toolset, task, version=version, images=images)


def instructions(task: Task) -> str:
    """What a client may show its model before anything else; the task comes first."""
    return fitting(task, _HOW)
