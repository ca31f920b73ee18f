"""Messages on a stream: what is written is read again, and nothing else is believed."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.host import frames
from tools.host.frames import (
    FROM_HOST,
    TO_HOST,
    Frame,
    FrameError,
    Inbox,
    JsonError,
    Wire,
    encode,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
MESSAGES = st.tuples(
    st.integers(0, frames.MOST_NUMBER),
    st.dictionaries(st.text(), VALUES, max_size=4),
    st.binary(max_size=200),
)


class Told(Wire):
    """A wire that notes what it is told of."""

    def __init__(self, bounds: frames.Bounds) -> None:
        super().__init__(bounds)
        self.frames: list[Frame] = []
        self.ends: list[FrameError | None] = []

    def heard(self, frame: Frame) -> None:
        self.frames.append(frame)

    def ended(self, fault: FrameError | None) -> None:
        self.ends.append(fault)


def _told(raw: bytes, bounds: frames.Bounds = FROM_HOST) -> Told:
    """What a wire makes of a stream that comes in one piece."""
    wire = Told(bounds)
    if raw:
        wire.data_received(raw)
    wire.eof_received()
    wire.connection_lost(None)
    assert len(wire.ends) == 1
    return wire


def _read_all(raw: bytes, bounds: frames.Bounds = FROM_HOST) -> list[Frame]:
    inbox = Inbox(bounds)
    inbox.add(raw)
    found = []
    while frame := inbox.take():
        found.append(frame)
    return found


@given(st.lists(MESSAGES, max_size=4))
def test_messages_are_read_as_they_were_written(said: list[tuple[int, Any, bytes]]) -> None:
    raw = b"".join(encode(*one) for one in said)
    assert _read_all(raw) == [Frame(*one) for one in said]


@given(st.lists(MESSAGES, max_size=4), st.data())
def test_it_does_not_matter_in_which_pieces_they_come(
    said: list[tuple[int, Any, bytes]], data: st.DataObject
) -> None:
    raw = b"".join(encode(*one) for one in said)
    wire = Told(FROM_HOST)
    place = 0
    while place < len(raw):
        end = place + data.draw(st.integers(1, len(raw) - place))
        wire.data_received(raw[place:end])
        place = end
    wire.eof_received()
    assert wire.frames == [Frame(*one) for one in said]
    assert wire.ends == [None]


def test_half_of_a_surrogate_pair_comes_through() -> None:
    (frame,) = _read_all(encode(1, {"code": "'\ud83d'"}))
    assert frame.message == {"code": "'\ud83d'"}


@given(MESSAGES, st.data())
def test_a_stream_that_ends_inside_a_message_is_a_fault(
    said: tuple[int, Any, bytes], data: st.DataObject
) -> None:
    raw = encode(*said)
    wire = _told(raw[: data.draw(st.integers(1, len(raw) - 1))])
    assert wire.frames == []
    assert "inside a message" in str(wire.ends[0])


def test_after_its_end_nothing_is_heard_and_nothing_said() -> None:
    one = encode(1, {})
    wire = Told(FROM_HOST)
    wire.data_received(one)
    wire.close()
    wire.data_received(one)
    wire.say(2, {})
    wire.connection_lost(None)
    assert (len(wire.frames), wire.ends) == (1, [None])


def test_any_event_loops_transport_will_do() -> None:
    class Bare:
        """As a loop other than asyncio's has it: of no class of asyncio's."""

        def __init__(self) -> None:
            self.written = b""

        def write(self, data: bytes) -> None:
            self.written += data

    wire, transport = Told(FROM_HOST), Bare()
    wire.connection_made(transport)  # type: ignore[arg-type]
    wire.say(3, {"op": "health"})
    assert _read_all(transport.written) == [Frame(3, {"op": "health"})]


def test_a_message_without_json_ends_a_wire_that_says_nothing_to_it() -> None:
    wire = _told(struct.pack(">III", 5, 1, 0) + b"{" + encode(1, {}))
    assert (wire.frames, wire.ends) == ([], [None])


@given(st.binary(min_size=12, max_size=400))
def test_no_bytes_make_the_reader_do_anything_but_read_or_refuse(raw: bytes) -> None:
    try:
        found = _read_all(raw, TO_HOST)
    except (FrameError, JsonError):
        return
    assert all(isinstance(frame.message, dict) for frame in found)


@pytest.mark.parametrize(
    ("head", "bounds"),
    [
        (struct.pack(">III", 1, frames.MOST_JSON + 1, 0), FROM_HOST),
        (struct.pack(">III", 1, 2, frames.MOST_BYTES + 1), FROM_HOST),
        (struct.pack(">III", 1, 2, 1), TO_HOST),
        (b"GET / HTTP/1.1\r\n", TO_HOST),
    ],
)
def test_a_size_over_the_bound_is_refused_before_anything_of_it_is_read(
    head: bytes, bounds: frames.Bounds
) -> None:
    with pytest.raises(FrameError, match="too large"):
        _read_all(head, bounds)
    assert "too large" in str(_told(head, bounds).ends[0])


@pytest.mark.parametrize("raw", [b"{", b"[1]", b'"text"', b"\xff\xfe", b"[" * 100_000])
def test_broken_json_names_the_message_that_it_came_in(raw: bytes) -> None:
    with pytest.raises(JsonError) as caught:
        _read_all(struct.pack(">III", 77, len(raw), 0) + raw)
    assert caught.value.number == 77


def test_what_no_reader_takes_is_not_written() -> None:
    with pytest.raises(ValueError, match="too large"):
        encode(1, {"code": "x" * frames.MOST_JSON})
    with pytest.raises(TypeError):
        encode(1, {"code": object()})


def test_a_message_costs_twelve_bytes_more_than_its_json() -> None:
    message = {"op": "health"}
    assert len(encode(1, message)) == 12 + len(json.dumps(message, separators=(",", ":")))
