"""Serve one entity's tools over MCP, in both of the protocol's eras, as the toolset says them."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, CallToolResult, ImageContent, TextContent, ToolAnnotations
from mcp.types import Tool as ListedTool

from core.errors import DdrError, ToolError
from core.protocols import Observation, Tools
from core.scenario import Task
from server.stdio import streams
from server.wire import Wire

_LOG = logging.getLogger(__name__)

MAX_INSTRUCTIONS: Final = 2000
"""Characters; clients cut what is longer (MCP.md 5.16)."""

_HOW = (
    "You are given no question. Find out what matters about this {noun}: compare it with the "
    "others, look at shares, trends and outliers, and say what you find with its figures. Stop "
    "when new queries stop telling you anything.\n"
    "get_database_info lists the tables, describe_table the columns of one. execute_query runs one "
    "read-only SQL statement and returns 20 rows unless you ask for more (200 at most). "
    "execute_code, where it is offered, runs Python that keeps its variables between calls; "
    "query(sql) in it gives a DataFrame. A result that is cut says so: aggregate in SQL."
)

_TITLES: Final = {
    "get_database_info": "Database overview",
    "describe_table": "Describe table",
    "execute_query": "Run read-only SQL",
    "execute_code": "Run Python",
}

PROGRESS_S: Final = 5.0
"""How often a client hears that its call goes on; some give up after a minute of silence."""

_NOT_IDEMPOTENT: Final = frozenset({"execute_code"})

_ALWAYS_LOAD: Final = {"anthropic/alwaysLoad": True}
"""Without it one client hides our tools behind a search (MCP.md 3)."""


class ToolServer(MCPServer[Any]):
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
        return [
            ListedTool(
                name=spec.name,
                title=_TITLES.get(spec.name),
                description=spec.description,
                input_schema=spec.input_schema,
                annotations=ToolAnnotations(
                    read_only_hint=True,
                    destructive_hint=False,
                    idempotent_hint=spec.name not in _NOT_IDEMPOTENT,
                    open_world_hint=False,
                ),
                _meta=_ALWAYS_LOAD,
            )
            for spec in specs
        ]

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult:
        """Call one tool. Whatever goes wrong is a result with is_error, never a protocol error."""
        try:
            async with self._progress(name, context):
                observation = await self._tools.call(name, arguments)
        except Exception:  # noqa: BLE001 - a broken tool must not end the session
            # Our fault, so its text stays with us: it could name paths of this machine.
            _LOG.exception("tool %r broke", name)
            text = f"{name} failed on the server's side, not by your call; go on without it"
            observation = Observation(text=text, is_error=True, error_kind="internal")
        return result(observation, images=self._images)

    @contextlib.asynccontextmanager
    async def _progress(self, name: str, context: Context[Any, Any] | None) -> AsyncIterator[None]:
        """While a call goes on, tell a client that asked to be told (field case F23)."""

        async def tell() -> None:
            began = time.monotonic()
            while context is not None:
                await asyncio.sleep(self._progress_s)
                gone = time.monotonic() - began
                with contextlib.suppress(Exception):  # a client that has gone is told by others
                    await context.report_progress(gone, None, f"{name} goes on, {gone:.0f} s")

        telling = asyncio.create_task(tell())
        try:
            yield
        finally:
            telling.cancel()

    async def serve(self, wire: Wire) -> None:
        """Speak over the given streams until the client hangs up."""
        async with streams(wire) as (reads, writes):
            options = self._lowlevel_server.create_initialization_options()
            await self._lowlevel_server.run(reads, writes, options)


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
    text = f"{task.text}\n{_HOW.format(noun=task.entity_noun)}"
    return text if len(text) < MAX_INSTRUCTIONS else text[: MAX_INSTRUCTIONS - 2] + "…"


def result(observation: Observation, *, images: bool = False) -> CallToolResult:
    """An Observation on the wire: its text, the same as a structure, and our notes in `_meta`."""
    pictures = observation.images if images else ()
    return CallToolResult(
        content=[
            TextContent(type="text", text=observation.text),
            *(
                ImageContent(
                    type="image", data=base64.b64encode(png).decode(), mime_type="image/png"
                )
                for png in pictures
            ),
        ],
        structured_content=observation.data,
        is_error=observation.is_error,
        _meta={
            "ddr": {
                "accessed_fields": list(observation.accessed_fields),
                "violations": list(observation.violations),
                "error_kind": observation.error_kind,
                "truncated": observation.truncated,
                "duration_s": observation.duration_s,
            }
        },
    )
