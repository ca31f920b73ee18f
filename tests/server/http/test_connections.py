"""Connections whose other end says nothing, little, or never listens, at a real socket."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from server.http.connections import Connection
from server.http.gathering import MOST, Gathering

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
PATIENCE_S = 0.2
BOUND_S = 10.0
BIG = b"x" * (64 << 20)
PIECES = 5

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Quick(Connection):
    """With less patience."""

    head_s = take_s = PATIENCE_S


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    body = BIG if scope["path"] == "/big" else b"well"
    if scope["path"] == "/slow":
        await asyncio.sleep(3 * PATIENCE_S)
    if scope["path"] == "/pieces":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(PIECES):
            await send({"type": "http.response.body", "body": b"%d" % number, "more_body": True})
            await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b""})
        return
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def serving(connections: type[Connection]) -> AsyncIterator[tuple[uvicorn.Server, int]]:
    config = uvicorn.Config(
        app, http=connections, ws="none", lifespan="off", log_config=None, access_log=False
    )
    server = uvicorn.Server(config)
    listening = socket.create_server(("127.0.0.1", 0))
    running = asyncio.create_task(server._serve([listening]))
    try:
        yield server, listening.getsockname()[1]
    finally:
        server.should_exit = True
        await running


def at_a_server(
    client: Callable[[Streams], Awaitable[None]], connections: type[Connection] = Quick
) -> None:
    """Run one client; by its end the server has to have let every connection go."""

    async def run() -> None:
        async with asyncio.timeout(BOUND_S), serving(connections) as (server, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                await client((reader, writer))
                while server.server_state.connections:
                    await asyncio.sleep(0.01)
            finally:
                writer.close()

    asyncio.run(run())


async def gone(reader: asyncio.StreamReader) -> bytes:
    """What came until the server hung up."""
    try:
        return await reader.read()
    except ConnectionError:
        return b""


@pytest.mark.parametrize("said", [b"", b"G", HEAD], ids=["nothing", "a letter", "half a head"])
def test_whoever_does_not_ask_is_let_go_of(said: bytes) -> None:
    async def client(streams: Streams) -> None:
        reader, writer = streams
        writer.write(said)
        assert await gone(reader) == b""

    at_a_server(client)


def test_one_line_after_the_other_wins_no_more_time() -> None:
    async def client(streams: Streams) -> None:
        reader, writer = streams
        writer.write(HEAD)
        leaving = asyncio.create_task(gone(reader))
        while not leaving.done():
            writer.write(b"x: y\r\n")
            await asyncio.sleep(PATIENCE_S / 10)
        assert await leaving == b""

    at_a_server(client)


def test_half_a_request_behind_a_whole_one_is_let_go_of_as_well() -> None:
    async def client(streams: Streams) -> None:
        reader, writer = streams
        writer.write(HEAD + b"\r\n")
        assert (await reader.readuntil(b"well")).startswith(b"HTTP/1.1 200 ")
        writer.write(b"G")
        assert await gone(reader) == b""

    at_a_server(client)


def test_an_answer_that_takes_long_is_waited_for_and_another_can_follow() -> None:
    async def client(streams: Streams) -> None:
        reader, writer = streams
        for _ in range(2):
            writer.write(HEAD.replace(b"/ ", b"/slow ", 1) + b"\r\n")
            assert (await reader.readuntil(b"well")).startswith(b"HTTP/1.1 200 ")
        writer.close()

    at_a_server(client)


def test_whoever_does_not_take_the_answer_is_let_go_of() -> None:
    async def client(streams: Streams) -> None:
        _, writer = streams
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(HEAD.replace(b"/ ", b"/big ", 1) + b"\r\n")

    at_a_server(client)


def pieces_of(path: bytes) -> list[bytes]:
    """What an answer is sent as, piece by piece."""
    pieces: list[bytes] = []

    class Noting(asyncio.Transport):
        """The connection's own transport."""

        def __init__(self, transport: asyncio.Transport) -> None:
            super().__init__()
            self._transport = transport

        def write(self, data: bytes | bytearray | memoryview) -> None:
            pieces.append(bytes(data))
            self._transport.write(data)

        def __getattribute__(self, name: str) -> Any:
            if name in ("write", "_transport"):
                return super().__getattribute__(name)
            return getattr(self._transport, name)

    class Noted(Quick):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(Noting(transport))

    async def client(streams: Streams) -> None:
        reader, writer = streams
        writer.write(HEAD.replace(b"/ ", path + b" ", 1) + b"Connection: close\r\n\r\n")
        assert await gone(reader) == b"".join(pieces)

    at_a_server(client, Noted)
    return pieces


def test_a_short_answer_is_sent_in_one_piece() -> None:
    (piece,) = pieces_of(b"/")
    assert piece.startswith(b"HTTP/1.1 200 ")
    assert piece.endswith(b"\r\n\r\nwell")


def test_what_is_told_bit_by_bit_is_sent_bit_by_bit() -> None:
    pieces = pieces_of(b"/pieces")
    assert len(pieces) == PIECES + 1
    assert [piece.split(b"\r\n")[-2] for piece in pieces[:PIECES]] == [
        b"%d" % number for number in range(PIECES)
    ]


class Kept(asyncio.Transport):
    """Keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[bytes | str] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.pieces.append(bytes(data))

    def close(self) -> None:
        self.pieces.append("closed")

    def abort(self) -> None:
        self.pieces.append("aborted")


def test_what_was_written_is_sent_before_it_is_closed_and_not_once_it_is_aborted() -> None:
    async def work() -> None:
        kept, loop = Kept(), asyncio.get_running_loop()
        for end in ("close", "abort"):
            gathering = Gathering(kept, loop)
            gathering.write(b"a")
            gathering.write(b"b")
            getattr(gathering, end)()
            await asyncio.sleep(0)
        assert kept.pieces == [b"ab", "closed", "aborted"]

    asyncio.run(work())


def test_much_is_not_held_back_so_that_whoever_sends_is_told_to_wait() -> None:
    async def work() -> None:
        kept = Kept()
        gathering = Gathering(kept, asyncio.get_running_loop())
        gathering.write(b"x" * (MOST - 1))
        assert kept.pieces == []
        gathering.write(b"yz")
        assert kept.pieces == [b"x" * (MOST - 1) + b"yz"]
        gathering.write(b"a")
        await asyncio.sleep(0)
        assert kept.pieces[1:] == [b"a"]

    asyncio.run(work())
