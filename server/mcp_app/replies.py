"""What all our servers have in common: how a tool is listed, how a call is told of, how it is answered."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ToolAnnotations
from mcp.types import Tool as ListedTool

from core.outside import FINISH, GET_TASK, SUBMIT_INSIGHT
from core.protocols import Observation, ToolSpec
from server.stdio import streams
from server.wire import Wire

PROGRESS_S: Final = 5.0
"""How often a client hears that its call goes on; some give up after a minute of silence."""

_TITLES: Final = {
    "get_database_info": "Database overview",
    "describe_table": "Describe table",
    "execute_query": "Run read-only SQL",
    "execute_code": "Run Python",
    GET_TASK: "Get the task",
    SUBMIT_INSIGHT: "Hand in an insight",
    FINISH: "Hand in the report and stop",
}

_WRITES: Final = frozenset({SUBMIT_INSIGHT, FINISH})
_NOT_IDEMPOTENT: Final = frozenset({"execute_code"})

_ALWAYS_LOAD: Final = {"anthropic/alwaysLoad": True}
"""Without it one client hides our tools behind a search."""

RESULT_CHARS: Final = 64_000
"""More than any answer has: where a client cuts results of its own accord, it leaves ours whole (F24)."""


class OurServer(MCPServer[Any]):
    """One that speaks over a wire of ours, too."""

    async def serve(self, wire: Wire) -> None:
        """Speak over the given streams until the client hangs up."""
        async with streams(wire) as (reads, writes):
            options = self._lowlevel_server.create_initialization_options()
            await self._lowlevel_server.run(reads, writes, options)


def listed(
    spec: ToolSpec,
    output_schema: dict[str, Any] | None = None,
    *,
    result_chars: int | None = None,
) -> ListedTool:
    """A tool with the hints that clients ask for. `result_chars`: how long an answer may get."""
    size = {} if result_chars is None else {"anthropic/maxResultSizeChars": result_chars}
    return ListedTool(
        name=spec.name,
        title=_TITLES.get(spec.name),
        description=spec.description,
        input_schema=spec.input_schema,
        output_schema=output_schema,
        annotations=ToolAnnotations(
            read_only_hint=spec.name not in _WRITES,
            destructive_hint=False,
            idempotent_hint=spec.name not in _NOT_IDEMPOTENT,
            open_world_hint=False,
        ),
        _meta={**_ALWAYS_LOAD, **size},
    )


@contextlib.asynccontextmanager
async def progress(
    name: str, context: Context[Any, Any] | None, every_s: float
) -> AsyncIterator[None]:
    """While a call goes on, tell a client that asked to be told (field case F23)."""

    async def tell() -> None:
        began = time.monotonic()
        while context is not None:
            await asyncio.sleep(every_s)
            gone = time.monotonic() - began
            with contextlib.suppress(Exception):  # a client that has gone is told by others
                await context.report_progress(gone, None, going_on(name, gone))

    telling = asyncio.create_task(tell())
    try:
        yield
    finally:
        telling.cancel()


def going_on(name: str, seconds: float) -> str:
    """What is said of a call that is not done yet."""
    return f"{name} goes on, {seconds:.0f} s"


def broken(name: str) -> Observation:
    """What is said of a fault of ours; its own text stays with us: it could name our paths."""
    text = f"{name} failed on the server's side, not by your call; go on without it"
    return Observation(text=text, is_error=True, error_kind="internal")


def nowhere(name: str) -> Observation:
    """What is said of a call where nothing is explored."""
    return Observation(text=f"there is no tool {name!r}", is_error=True, error_kind="unknown_tool")


def wire(observation: Observation, *, images: bool = False) -> dict[str, Any]:
    """An Observation on the wire: its text, the same as a structure, and our notes in `_meta`."""
    content: list[dict[str, Any]] = [{"type": "text", "text": observation.text}]
    for png in observation.images if images else ():
        drawn = base64.b64encode(png).decode()
        content.append({"type": "image", "data": drawn, "mimeType": "image/png"})
    notes = {
        "accessed_fields": list(observation.accessed_fields),
        "violations": list(observation.violations),
        "error_kind": observation.error_kind,
        "truncated": observation.truncated,
        "duration_s": observation.duration_s,
    }
    told = {"content": content, "isError": observation.is_error, "_meta": {"ddr": notes}}
    return told if observation.data is None else told | {"structuredContent": observation.data}


def result(observation: Observation, *, images: bool = False) -> CallToolResult:
    """The same for the SDK."""
    return CallToolResult.model_validate(wire(observation, images=images))
