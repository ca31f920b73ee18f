"""The wire of `ddr serve`: whatever a line holds, it is served or answered, and the next one is too."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, JSONRPCError, JSONRPCRequest, JSONRPCResponse

from server.stdio import MOST_LINE, read_message, streams
from server.wire import Wire

CALL = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "x"}}


def _line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


def test_a_sound_line_is_the_message_that_it_says() -> None:
    message = read_message(_line(CALL))
    assert isinstance(message, JSONRPCRequest)
    assert (message.id, message.method, message.params) == (3, "tools/call", {"name": "x"})


@pytest.mark.parametrize(
    "query", ["SELECT '\ud83d'", "\udc00 SELECT 1", "'\ud83d\ud83d'", "\ud83d\ude00 whole"]
)
def test_half_of_a_surrogate_pair_is_mended_and_the_call_is_served(query: str) -> None:
    """Models that are cut off in mid-character send such text."""
    message = read_message(_line({**CALL, "params": {"query": query}}))
    assert isinstance(message, JSONRPCRequest)
    assert message.params is not None
    mended = message.params["query"]
    assert mended == query.encode("utf-16", "surrogatepass").decode("utf-16", "replace") or (
        len(mended) == len(query) and "?" in mended
    )
    assert mended.encode()


@pytest.mark.parametrize("line", [b"\xff\xfe\xfd\n", b"{\n", b"nonsense\n", b"[" * 100_000 + b"\n"])
def test_what_is_no_json_is_answered_as_such(line: bytes) -> None:
    answer = read_message(line)
    assert isinstance(answer, JSONRPCError)
    assert (answer.id, answer.error.code) == (None, PARSE_ERROR)


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ({**CALL, "method": 7}, 3),
        ({**CALL, "id": "abc", "params": "no object"}, "abc"),
        ({"id": 5}, 5),
        ({**CALL, "id": 1.5}, None),
        ({**CALL, "id": True, "method": None}, None),
        ({**CALL, "id": [1]}, None),
        ([], None),
        ("text", None),
        (7, None),
    ],
)
def test_json_that_is_no_request_is_answered_under_its_own_id(said: Any, number: Any) -> None:
    answer = read_message(_line(said))
    assert isinstance(answer, JSONRPCError)
    assert (answer.id, answer.error.code) == (number, INVALID_REQUEST)


@pytest.mark.parametrize("line", [b"\n", b"  \r\n", b""])
def test_an_empty_line_says_nothing(line: bytes) -> None:
    assert read_message(line) is None


@given(st.binary(max_size=300))
def test_no_line_makes_the_reader_raise(line: bytes) -> None:
    read_message(line)
    read_message(b'{"jsonrpc":"2.0","id":1,"method":"' + line + b'"}')


def _spoken(lines: Sequence[bytes], answers: int) -> list[dict[str, Any]]:
    """What comes back where the server answers each request with its own method."""

    async def talk() -> None:
        incoming, client_out = os.pipe()
        client_in, outgoing = os.pipe()
        os.set_blocking(client_out, True)
        writing = asyncio.to_thread(_write, client_out, b"".join(lines))
        reading = asyncio.to_thread(_read, client_in, answers)
        with os.fdopen(incoming, "rb") as reads, os.fdopen(outgoing, "wb") as writes:
            async with asyncio.timeout(30), streams(Wire(reads, writes)) as (requests, replies):
                sending = asyncio.gather(writing, reading)
                async with replies:
                    async for item in requests:
                        assert isinstance(item, SessionMessage)
                        assert isinstance(item.message, JSONRPCRequest)
                        said = {"said": item.message.method, **(item.message.params or {})}
                        reply = JSONRPCResponse(jsonrpc="2.0", id=item.message.id, result=said)
                        await replies.send(SessionMessage(reply))
                _, found = await sending
                seen.extend(found)

    seen: list[dict[str, Any]] = []
    asyncio.run(talk())
    return seen


def _write(descriptor: int, raw: bytes) -> None:
    with os.fdopen(descriptor, "wb") as pipe:
        pipe.write(raw)


def _read(descriptor: int, count: int) -> list[dict[str, Any]]:
    with os.fdopen(descriptor, "rb") as pipe:
        return [json.loads(pipe.readline()) for _ in range(count)]


def test_bad_lines_between_good_ones_cost_the_good_ones_nothing() -> None:
    lines = [
        _line({**CALL, "id": 1, "method": "first"}),
        b"{broken\n",
        b"\xff\n",
        _line({**CALL, "id": 2, "method": "\ud83d"}),
        b"\n",
        _line({"id": 3}),
        _line({**CALL, "id": 4, "method": "last"}),
    ]
    seen = _spoken(lines, 6)
    # A refusal needs no server behind the wire, and may overtake an answer that was asked for before.
    refused = [found["id"] for found in seen if "error" in found]
    answered = [found["id"] for found in seen if "result" in found]
    assert (refused, answered) == ([None, None, 3], [1, 2, 4])
    assert [found["result"]["said"] for found in seen if found.get("id") == 4] == ["last"]


def test_a_line_without_end_is_answered_and_the_next_one_served() -> None:
    endless = b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (3 * MOST_LINE) + b'"}\n'
    seen = _spoken([endless, _line({**CALL, "id": 2, "method": "next"})], 2)
    assert seen[0]["error"]["code"] == PARSE_ERROR
    assert (seen[1]["id"], seen[1]["result"]["said"]) == (2, "next")


def test_half_of_a_surrogate_pair_in_an_answer_does_not_end_the_server() -> None:
    async def answered() -> bytes:
        client_in, outgoing = os.pipe()
        incoming, client_out = os.pipe()
        with os.fdopen(incoming, "rb") as reads, os.fdopen(outgoing, "wb") as writes:
            async with asyncio.timeout(30), streams(Wire(reads, writes)) as (requests, replies):
                async with replies:
                    for text in ("'\ud83d'", "whole"):
                        said = JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": text})
                        await replies.send(SessionMessage(said))
                os.close(client_out)
                async for _ in requests:
                    pass
        with os.fdopen(client_in, "rb") as pipe:
            return pipe.read()

    first, second = asyncio.run(answered()).splitlines()
    assert json.loads(first)["result"] == {"text": "'?'"}
    assert json.loads(second)["result"] == {"text": "whole"}
