"""Messages come in whole, whatever pieces they arrive in, and never larger than agreed."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.sql.channel import MOST_HEAD, BrokenError, Channel, Inbox, Wire, pack

HEADS = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=20), max_size=3)


@given(
    messages=st.lists(st.tuples(HEADS, st.binary(max_size=50)), max_size=6),
    size=st.integers(1, 40),
)
def test_messages_are_put_together_out_of_any_pieces(
    messages: list[tuple[dict[str, Any], bytes]], size: int
) -> None:
    stream = b"".join(pack(head, body) + body for head, body in messages)
    inbox, got = Inbox(1000), []
    for start in range(0, len(stream), size):
        inbox.add(stream[start : start + size])
        while (message := inbox.take()) is not None:
            got.append(message)
    assert got == messages


@pytest.mark.parametrize(
    "stream",
    [
        struct.pack(">II", MOST_HEAD + 1, 0),
        struct.pack(">II", 2, 1001) + b"{}",
        struct.pack(">II", 4, 0) + b"nope",
        struct.pack(">II", 2, 0) + b"[]",
        struct.pack(">II", 20_000, 0) + b"[" * 20_000,
        struct.pack(">II", 2, 0) + b"\xff\xff",
    ],
)
def test_what_breaks_the_protocol_is_not_listened_to(stream: bytes) -> None:
    inbox = Inbox(1000)
    inbox.add(stream)
    with pytest.raises(BrokenError):
        inbox.take()


def test_a_worker_hears_in_order_waits_no_longer_than_asked_and_notices_the_end() -> None:
    ours, theirs = socket.socketpair()
    channel = Channel(theirs.detach())
    ours.sendall(pack({"n": 1}) + pack({"n": 2}))
    assert channel.receive() == {"n": 1}
    assert channel.receive(0.01) == {"n": 2}, "without a look at the socket"
    assert channel.receive(0.01) is None
    ours.close()
    with pytest.raises(EOFError):
        channel.receive()


def test_large_bodies_of_several_threads_do_not_mix() -> None:
    async def talk() -> list[tuple[dict[str, Any], bytes]]:
        ours, theirs = socket.socketpair()
        got: list[tuple[dict[str, Any], bytes]] = []
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        await loop.create_connection(
            lambda: Wire(1 << 22, lambda head, body: got.append((head, body)), ended.set), sock=ours
        )
        channel = Channel(theirs.detach())
        senders = [
            threading.Thread(target=channel.send, args=({"n": n}, bytes([n]) * (n << 18)))
            for n in range(1, 9)
        ]
        for sender in senders:
            sender.start()
        async with asyncio.timeout(60):
            while len(got) < 8:
                await asyncio.sleep(0.01)
        for sender in senders:
            sender.join()
        channel.close()
        async with asyncio.timeout(60):
            await ended.wait()
        return got

    for head, body in asyncio.run(talk()):
        assert body == bytes([head["n"]]) * (head["n"] << 18)


def test_an_end_that_breaks_the_protocol_is_hung_up_on() -> None:
    async def talk() -> list[object]:
        ours, theirs = socket.socketpair()
        got: list[object] = []
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        await loop.create_connection(
            lambda: Wire(10, lambda head, body: got.append(head), ended.set), sock=ours
        )
        with theirs:
            theirs.sendall(pack({"a": 1}) + pack({"b": 2}, b"x" * 11) + b"x" * 11 + pack({"c": 3}))
            async with asyncio.timeout(60):
                await ended.wait()
        return got

    assert asyncio.run(talk()) == [{"a": 1}]
