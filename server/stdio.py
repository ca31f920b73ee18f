"""MCP messages over a wire, one a line. A line that is no message is answered, and ends nothing."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from typing import BinaryIO, Final

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from server.wire import Wire
from tools.threads import in_thread

MOST_LINE: Final = 4 << 20
"""Bytes of one message."""

Reads = ObjectReceiveStream[SessionMessage | Exception]
Writes = ObjectSendStream[SessionMessage]


@contextlib.asynccontextmanager
async def streams(wire: Wire) -> AsyncIterator[tuple[Reads, Writes]]:
    """What a server reads and writes, until the client hangs up.

    A line with half of a surrogate pair, which strict JSON readers refuse, is mended: models send
    such text. What cannot be read at all is answered with an error, under its own id if it has one.
    """
    to_server, reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    writes, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    writing = anyio.Lock()

    async def say(message: JSONRPCMessage) -> None:
        line = _encode(message)
        async with writing:
            await in_thread(lambda: _put(wire.outgoing, line), name="stdout")

    # In threads that nobody waits for: a client that says nothing does not keep the server from ending.
    async def listen() -> None:
        async with to_server:
            while line := await in_thread(lambda: _line(wire.incoming), name="stdin"):
                message = read_message(line)
                if isinstance(message, JSONRPCError):
                    await say(message)
                elif message is not None:
                    await to_server.send(SessionMessage(message))

    async def speak() -> None:
        async with from_server:
            async for sent in from_server:
                await say(sent.message)

    async with anyio.create_task_group() as group:
        group.start_soon(listen)
        group.start_soon(speak)
        yield reads, writes


def read_message(line: bytes) -> JSONRPCMessage | None:
    """The message on a line; an error to send back where there is none; None for an empty line."""
    if not line.strip():
        return None
    if len(line) > MOST_LINE:
        return _refusal(None, PARSE_ERROR, f"a message has at most {MOST_LINE} bytes")
    message = _valid(line)
    if message is not None and not (isinstance(message, JSONRPCNotification) and b'"id"' in line):
        return message
    try:
        said = json.loads(line.decode("utf-8", "replace"))
        mended = json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return _refusal(None, PARSE_ERROR, "the message is no JSON")
    asked = said.get("id") if isinstance(said, dict) else None
    number = asked if isinstance(asked, (str, int)) and not isinstance(asked, bool) else None
    message = _valid(mended)
    # With an id of a wrong kind it would pass for a notification, and never be answered.
    if message is None or (isinstance(message, JSONRPCNotification) and "id" in said):
        return _refusal(number, INVALID_REQUEST, "the message is no JSON-RPC request")
    return message


def _valid(line: bytes) -> JSONRPCMessage | None:
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return None


def _refusal(number: str | int | None, code: int, text: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=text))


def _encode(message: JSONRPCMessage) -> bytes:
    try:
        said = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:  # half of a surrogate pair in a value
        plain = message.model_dump(mode="python", by_alias=True, exclude_unset=True)
        said = json.dumps(plain, ensure_ascii=False)
    return said.encode("utf-8", "replace") + b"\n"


def _line(incoming: BinaryIO) -> bytes:
    """The next line, cut short where it is too long to be read; empty at the end. Blocks."""
    line = incoming.readline(MOST_LINE + 1)
    part = line
    while len(part) > MOST_LINE and not part.endswith(b"\n"):
        part = incoming.readline(MOST_LINE + 1)
    return line


def _put(outgoing: BinaryIO, line: bytes) -> None:
    outgoing.write(line)
    outgoing.flush()
