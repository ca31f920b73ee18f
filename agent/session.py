"""An MCP client seen as tools: how every built-in agent meets the database."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Literal

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.server import MCPServer
from mcp.types import (
    CONNECTION_CLOSED,
    REQUEST_TIMEOUT,
    CallToolResult,
    Implementation,
    TextContent,
)

from core.errors import ToolError
from core.protocols import Observation, ToolSpec
from core.trajectory import Client as ClientRecord

CALL_TIMEOUT_S = 90.0
"""Twice what the slowest tool may take: past it the server hangs, and is not merely slow."""

UNAVAILABLE = "unavailable"
"""The error kind with which our own server says that it has no tools any more."""

_GONE = frozenset({CONNECTION_CLOSED, REQUEST_TIMEOUT})

Target = MCPServer[Any] | StdioServerParameters | str
"""A server in this process, a command to start, or a URL."""


class ToolUnavailableError(ToolError):
    """The tools cannot be reached: the server did not start, has died, or hangs."""

    def __init__(self, text: str) -> None:
        super().__init__(text, kind=UNAVAILABLE)


class McpTools:
    """Tools behind an MCP session. A failed call is an Observation; a lost server is raised."""

    def __init__(self, client: Client, specs: Sequence[ToolSpec], *, timeout_s: float) -> None:
        self._client, self._specs, self._timeout_s = client, tuple(specs), timeout_s

    @property
    def instructions(self) -> str | None:
        """What the server says of itself."""
        return self._client.instructions

    @property
    def client(self) -> ClientRecord:
        """Who we said we are, and the protocol that was agreed on."""
        me = self._client.client_info or Implementation(name="ddr", version="0")
        return ClientRecord(
            name=me.name, version=me.version, protocol=self._client.protocol_version
        )

    async def list(self) -> Sequence[ToolSpec]:
        """The tools on offer, as they were when the session began."""
        return self._specs

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Call one. Raises ToolUnavailableError where the server is gone or hangs."""
        began = time.perf_counter()
        try:
            plain = json.loads(json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode())
        except (TypeError, ValueError, RecursionError) as exc:
            return Observation(
                text=f"the arguments of {name} are not plain JSON: {exc}",
                is_error=True,
                error_kind="arguments",
            )
        with _reaching(f"{name} did not answer"):
            try:
                with anyio.fail_after(self._timeout_s):
                    said = await self._client.call_tool(name, plain)
            except TimeoutError as exc:
                raise ToolUnavailableError(
                    f"{name} did not answer within {self._timeout_s:g} s: the tools hang"
                ) from exc
            except MCPError as exc:
                if exc.code in _GONE:
                    raise
                return Observation(text=exc.message, is_error=True, error_kind="protocol")
        seen = observation(said, time.perf_counter() - began)
        if seen.error_kind == UNAVAILABLE:
            raise ToolUnavailableError(seen.text)
        return seen


def observation(said: CallToolResult, duration_s: float) -> Observation:
    """What the agent sees of a result. Our own server's notes come in `_meta['ddr']`."""
    text = "\n".join(part.text for part in said.content if isinstance(part, TextContent))
    notes = (said.meta or {}).get("ddr", {})
    if not isinstance(notes, dict):
        notes = {}
    failed = bool(said.is_error)
    return Observation(
        text=text,
        data=said.structured_content,
        is_error=failed,
        error_kind=notes.get("error_kind") or ("unknown" if failed else None),
        truncated=bool(notes.get("truncated")),
        accessed_fields=tuple(notes.get("accessed_fields") or ()),
        violations=tuple(notes.get("violations") or ()),
        duration_s=float(notes.get("duration_s") or duration_s),
    )


@asynccontextmanager
async def connect(
    target: Target,
    *,
    timeout_s: float = CALL_TIMEOUT_S,
    mode: Literal["auto", "legacy"] = "auto",
    name: str = "ddr",
    version: str = "0",
) -> AsyncIterator[McpTools]:
    """A session with the tools of `target`.

    Raises ToolUnavailableError where no session comes about, or where it offers no tools at all: an
    agent without tools is never let loose.
    """
    raised: Exception | None = None
    with _reaching("the tool server cannot be reached"):
        info = Implementation(name=name, version=version)
        async with Client(target, mode=mode, client_info=info) as client:
            with anyio.fail_after(timeout_s):
                listed = await client.list_tools()
            specs = [
                ToolSpec(
                    name=tool.name,
                    description=tool.description or "",
                    input_schema=dict(tool.input_schema),
                )
                for tool in listed.tools
            ]
            if not specs:
                raise ToolUnavailableError("the tool server offers no tools")
            try:
                yield McpTools(client, specs, timeout_s=timeout_s)
            except Exception as exc:  # noqa: BLE001 - raised again below
                # Held back: the client's task groups would wrap it in an ExceptionGroup.
                raised = exc
    if raised is not None:
        raise raised


@contextmanager
def _reaching(what: str) -> Iterator[None]:
    """Turn what a lost connection raises, wrapped or not, into ToolUnavailableError."""
    try:
        yield
    except Exception as exc:
        # Whatever it is (a reset, an HTTP status, a reply that is no MCP): no tools to be had.
        leaves = _leaves(exc)
        for found in leaves:
            if isinstance(found, ToolUnavailableError):
                raise found from found.__cause__
        said = str(leaves[0]) or type(leaves[0]).__name__
        raise ToolUnavailableError(f"{what}: {said}") from exc


def _leaves(value: BaseException) -> list[BaseException]:
    if isinstance(value, BaseExceptionGroup):
        return [leaf for part in value.exceptions for leaf in _leaves(part)]
    return [value]
