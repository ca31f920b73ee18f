"""What is read without the SDK is what the SDK would have read, and everything else is left to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client as SdkClient
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import CallToolResult

from core.outside import Caller
from core.trajectory import Client
from server.http.bodies import replay, whole_body
from server.http.options import MOST_BODY
from server.mcp_app.callers import NAME_CHARS, caller_of
from server.mcp_app.plain_calls import MOST_CLIENTS, PlainCall, PlainCalls, may_be_plain
from tests.support.asgi import Exchange, raw
from tests.support.mcp_http import ENVELOPE, MODERN, call, headers_for

Pairs = list[tuple[str, str]]


def good(**arguments: Any) -> dict[str, Any]:
    message: dict[str, Any] = call("execute_query", "auto", 7, **arguments or {"query": "SELECT 1"})
    return message


def pairs(message: Mapping[str, Any]) -> Pairs:
    return list(headers_for("t", message, "auto").items())


def read(headers: Sequence[tuple[str, str]], message: Any) -> PlainCall | None:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    first = {"type": "http.request", "body": body, "more_body": False}
    seen = PlainCalls().read(raw(headers), first)
    assert acquainted().read(raw(headers), first) == seen
    return seen


def acquainted() -> PlainCalls:
    """With the client of `good`, whom it has met before."""
    calls = PlainCalls()
    first = {"type": "http.request", "body": json.dumps(good()).encode()}
    assert calls.read(raw(pairs(good())), first) is not None
    return calls


class Sdk(MCPServer[Any]):
    """The SDK's own way to a tool, which remembers what it brought there."""

    def __init__(self) -> None:
        super().__init__("sdk", log_level="CRITICAL", middleware=[self._note])
        self.calls: list[tuple[str, Mapping[str, Any]]] = []
        self.callers: list[Caller] = []

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult:
        self.calls.append((name, arguments))
        return CallToolResult(content=[])

    async def _note(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        self.callers.append(caller_of(ctx))
        return await call_next(ctx)

    async def ask(self, headers: Sequence[tuple[str, str]], message: Any) -> Exchange:
        manager = StreamableHTTPSessionManager(self._lowlevel_server, stateless=True)
        async with manager.run():
            asked = Exchange(raw(headers), json.dumps(message).encode())
            return await asked.run(manager.handle_request)


def test_a_call_is_read_with_its_caller() -> None:
    message = good(query="SELECT 'é'", limit=3)
    message["params"]["_meta"] |= {"progressToken": "p1", "codex": {"callId": "c9"}}
    assert read(pairs(message), message) == PlainCall(
        number=7,
        name="execute_query",
        arguments={"query": "SELECT 'é'", "limit": 3},
        caller=Caller(
            client=Client(name="raw", version="1", protocol=MODERN),
            request_id="7",
            meta={
                "io.modelcontextprotocol/clientCapabilities": {},
                "progressToken": "p1",
                "codex": {"callId": "c9"},
            },
        ),
        progress_token="p1",
    )


def test_without_arguments_there_are_none_and_a_long_name_is_cut() -> None:
    message = call("x" * 500, "auto", "n1")
    del message["params"]["arguments"]
    seen = read(pairs(message), message)
    assert seen is not None
    assert (seen.number, seen.name, seen.arguments) == ("n1", "x" * NAME_CHARS, {})
    assert seen.progress_token is None


def test_what_the_sdks_client_sends_is_plain() -> None:
    """Else the short way would be there for nobody."""
    read_ones: list[PlainCall | None] = []

    async def call_once() -> None:
        sdk, calls = Sdk(), PlainCalls()
        manager = StreamableHTTPSessionManager(sdk._lowlevel_server, stateless=True)

        async def app(scope: Any, receive: Any, send: Any) -> None:
            receive = await whole_body(scope, receive, MOST_BODY)
            first = await receive()
            if b'"tools/call"' in first["body"]:
                assert may_be_plain(scope["method"], scope["headers"])
                read_ones.append(calls.read(scope["headers"], first))
            await manager.handle_request(scope, replay(first, receive), send)

        async with (
            manager.run(),
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as http,
            SdkClient(streamable_http_client("http://here/mcp", http_client=http)) as client,
        ):
            await client.call_tool("execute_query", {"query": "SELECT 1"})

    asyncio.run(call_once())
    (one,) = read_ones
    assert one is not None
    assert (one.name, one.arguments) == ("execute_query", {"query": "SELECT 1"})
    assert one.caller.client is not None
    assert one.caller.client.name == "mcp"


def test_it_is_worth_while_to_look_at_posts_of_the_present_revision_alone() -> None:
    assert may_be_plain("POST", raw(pairs(good())))
    assert not may_be_plain("GET", raw(pairs(good())))
    assert not may_be_plain("POST", raw(headers_for("t", good(), "legacy")))


def without(*path: str) -> dict[str, Any]:
    message = good()
    inner = message
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return message


def changed(*path: str, to: Any) -> dict[str, Any]:
    message = good()
    inner = message
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return message


NOT_PLAIN: dict[str, Any] = {
    "no JSON": b"{",
    "no UTF-8": b'{"a": "\xff"}',
    "nested without end": b"[" * 100_000,
    "a number without end": b'{"id": ' + b"9" * 5000 + b"}",
    "a batch": [good()],
    "a notice": without("id"),
    "an id that is none": changed("id", to=None),
    "an id that is true": changed("id", to=True),
    "an id with half a character": changed("id", to="\ud800"),
    "another version of JSON-RPC": changed("jsonrpc", to="1.0"),
    "another method": changed("method", to="tools/list"),
    "more than a request has": changed("more", to=1),
    "no parameters": changed("params", to=None),
    "a state of the SDK's": changed("params", "requestState", to="x"),
    "a task": changed("params", "task", to={}),
    "no name": without("params", "name"),
    "a name that is none": changed("params", "name", to=3),
    "arguments in a list": changed("params", "arguments", to=[]),
    "a progress token in a list": changed("params", "_meta", "progressToken", to=[1]),
    "a progress token that is null": changed("params", "_meta", "progressToken", to=None),
    "a progress token that is true": changed("params", "_meta", "progressToken", to=True),
    "no envelope": without("params", "_meta"),
    "no capabilities": without("params", "_meta", "io.modelcontextprotocol/clientCapabilities"),
    "another revision": changed(
        "params", "_meta", "io.modelcontextprotocol/protocolVersion", to="2025-11-25"
    ),
}


@pytest.mark.parametrize("message", NOT_PLAIN.values(), ids=NOT_PLAIN)
def test_what_is_no_plain_call_is_left_to_the_sdk(message: Any) -> None:
    assert read(pairs(good()), message) is None


def replaced(name: str, value: str) -> Pairs:
    return [(each, value if each == name else said) for each, said in pairs(good())]


OTHER_HEADERS: dict[str, Pairs] = {
    "another name": replaced("Mcp-Name", "finish"),
    "another method": replaced("Mcp-Method", "tools/list"),
    "no JSON is wanted": replaced("Accept", "text/event-stream"),
    "no stream is wanted": replaced("Accept", "application/json"),
    "anything is wanted": replaced("Accept", "*/*"),
    "wanted less": replaced("Accept", "application/json, text/event-stream;q=0.5"),
    "a form": replaced("Content-Type", "application/x-www-form-urlencoded"),
    "no name": [pair for pair in pairs(good()) if pair[0] != "Mcp-Name"],
    "twice a name": [*pairs(good()), ("mcp-name", "execute_query")],
    "twice a version": [*pairs(good()), ("mcp-protocol-version", MODERN)],
    "twice another": [*pairs(good()), ("accept", "*/*")],
}


@pytest.mark.parametrize("headers", OTHER_HEADERS.values(), ids=OTHER_HEADERS)
def test_headers_that_are_not_as_they_should_be_are_left_to_the_sdk(headers: Pairs) -> None:
    assert read(pairs(good()), good()) is not None
    assert read(headers, good()) is None


def test_a_body_that_has_not_come_whole_is_left_to_the_sdk() -> None:
    body = json.dumps(good()).encode()
    for first in (
        {"type": "http.request", "body": body, "more_body": True},
        {"type": "http.request"},
        {"type": "http.disconnect"},
    ):
        assert PlainCalls().read(raw(pairs(good())), first) is None


def test_a_client_is_the_one_that_it_says_with_each_call() -> None:
    """Who was met before is remembered, and never taken for somebody else."""
    calls = PlainCalls()
    for _ in range(2):
        for number in range(MOST_CLIENTS + 3):
            message = good()
            info = {"name": f"c{number}", "version": "1", "title": "x" * (number % 3 * 2_000)}
            message["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] = info
            first = {"type": "http.request", "body": json.dumps(message).encode()}
            seen = calls.read(raw(pairs(message)), first)
            assert seen is not None
            assert seen.caller.client == Client(name=f"c{number}", version="1", protocol=MODERN)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
PLACES: list[tuple[str, ...]] = [
    *(("id",), ("params", "name"), ("params", "arguments"), ("params", "_meta")),
    *(("params", "arguments", "query"), ("params", "arguments", "more"), ("jsonrpc",)),
    *(("params", "_meta", "progressToken"), ("params", "_meta", "own"), ("params", "more")),
    *(("params", "_meta", name) for name in ENVELOPE),
    *(("params", "_meta", f"{list(ENVELOPE)[2]}", part) for part in ("name", "version", "more")),
]


@st.composite
def asked(draw: st.DrawFn) -> tuple[Pairs, Any]:
    """A call with some of it changed or missing, whose name the headers tell."""
    message = json.loads(json.dumps(good()))
    for place in draw(st.lists(st.sampled_from(PLACES), max_size=3)):
        inner = message
        for key in place[:-1]:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            if draw(st.booleans()):
                inner[place[-1]] = draw(values)
            else:
                inner.pop(place[-1], None)
    headers = pairs(message if isinstance(message.get("params"), dict) else good())
    if draw(st.integers(0, 5)) == 0:
        headers.pop(draw(st.integers(0, len(headers) - 1)))
    return headers, message


@settings(max_examples=200, deadline=None)
@given(asked())
def test_whatever_is_read_the_sdk_reads_alike(asked: tuple[Pairs, Any]) -> None:
    headers, message = asked
    seen = read(headers, message)
    if seen is None:
        return
    sdk = Sdk()
    answer = asyncio.run(sdk.ask(headers, message))
    assert answer.status == 200
    assert answer.told["id"] == seen.number
    assert "result" in answer.told
    ((name, arguments),) = sdk.calls
    assert (name[:NAME_CHARS], json.dumps(arguments)) == (seen.name, json.dumps(seen.arguments))
    (caller,) = sdk.callers
    assert caller.model_dump_json() == seen.caller.model_dump_json()
