"""Speak MCP over HTTP in tests: as the SDK's client does, and as nobody should."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, Literal

import httpx
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

Era = Literal["legacy", "auto"]
ERAS: Final[tuple[Era, ...]] = ("legacy", "auto")
MODERN: Final = "2026-07-28"
ENVELOPE: Final = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}

_numbers = itertools.count(1)


@asynccontextmanager
async def connected(
    url: str, token: str, era: Era, *, timeout_s: float = 60.0, **options: Any
) -> AsyncIterator[Client]:
    """The SDK's own client at a seat."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout_s) as http,
        Client(streamable_http_client(url, http_client=http), mode=era, **options) as client,
    ):
        yield client


def headers_for(token: str, message: Mapping[str, Any], era: Era) -> dict[str, str]:
    """What a well-behaved client sends with a message."""
    found = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    if era == "legacy":
        return {**found, "MCP-Protocol-Version": "2025-11-25"}
    found |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": str(message.get("method"))}
    name = (message.get("params") or {}).get("name")
    return {**found, "Mcp-Name": name} if isinstance(name, str) and name.isascii() else found


def request(
    method: str, era: Era = "legacy", number: int | str | None = None, **params: Any
) -> Any:
    """A request as it stands in the body."""
    if era == "auto":
        params["_meta"] = {**ENVELOPE, **params.get("_meta", {})}
    number = next(_numbers) if number is None else number
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(name: str, era: Era = "legacy", number: int | str | None = None, **arguments: Any) -> Any:
    """A call of a tool as it stands in the body."""
    return request("tools/call", era, number, name=name, arguments=arguments)


def answer_of(response: httpx.Response) -> dict[str, Any]:
    """The JSON-RPC answer in a response, whether a stream brought it or not."""
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        lines = [line for line in response.text.splitlines() if line.startswith("data:")]
        said: dict[str, Any] = json.loads(lines[-1].removeprefix("data:"))
        return said
    plain: dict[str, Any] = response.json()
    return plain
