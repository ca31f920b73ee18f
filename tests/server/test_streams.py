"""A stream looks again and again, and knows when to end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack

from core.errors import StoreError
from server.streams import Look, Streams, event, stream

OVER = event("over", {})


def heard(
    look: Callable[[int], Look[int]],
    streams: Streams | None = None,
    *,
    heartbeat_s: float = 60.0,
    most: int = 50,
    whose: str = "ann",
) -> list[str]:
    """What whoever listens is sent, at most so many pieces."""

    async def listen() -> list[str]:
        found: list[str] = []
        telling = stream(
            streams or Streams(),
            look,
            0,
            whose=whose,
            over=OVER,
            look_s=0.001,
            heartbeat_s=heartbeat_s,
        )
        async for text in telling:
            found.append(text)
            if len(found) >= most:
                break
        await telling.aclose()  # type: ignore[attr-defined]
        return found

    return asyncio.run(listen())


def test_events_come_in_order_and_the_end_comes_last() -> None:
    seen: list[int] = []

    def look(place: int) -> Look[int]:
        seen.append(place)
        events = [(f"e{place + 1}\n\n", place + 1)] if place < 3 else []
        return Look(events, is_over=place >= 3, may_go_on=True, place=min(place + 1, 3))

    assert heard(look) == [": watching\n\n", "e1\n\n", "e2\n\n", "e3\n\n", OVER]
    assert seen == [0, 1, 2, 3]


def test_what_happened_before_the_end_is_told_before_it() -> None:
    def look(place: int) -> Look[int]:
        events = [("last\n\n", 1)] if place == 0 else []
        return Look(events, is_over=True, may_go_on=True, place=1)

    assert heard(look) == [": watching\n\n", "last\n\n", OVER]


def test_whoever_may_not_go_on_is_told_no_end() -> None:
    found = heard(lambda place: Look([], is_over=False, may_go_on=False, place=place))
    assert found == [": watching\n\n"]


def test_a_store_that_does_not_answer_ends_it_without_an_end() -> None:
    def look(_place: int) -> Look[int]:
        raise StoreError("locked")

    assert heard(look) == [": watching\n\n"]


def test_a_server_that_stops_ends_it() -> None:
    streams = Streams()
    looks = 0

    def look(place: int) -> Look[int]:
        nonlocal looks
        looks += 1
        streams.is_closing = looks == 3
        return Look([], is_over=False, may_go_on=True, place=place)

    assert heard(look, streams) == [": watching\n\n"]
    assert looks == 3


def test_silence_beats() -> None:
    quiet = Look[int]([], is_over=False, may_go_on=True, place=0)
    found = heard(lambda _: quiet, heartbeat_s=0.0, most=4)
    assert found == [": watching\n\n", *[": still watching\n\n"] * 3]


def test_those_that_are_open_are_counted_and_counted_off() -> None:
    streams = Streams()
    seen: list[int] = []

    def look(place: int) -> Look[int]:
        seen.append(streams.open)
        return Look([], is_over=True, may_go_on=True, place=place)

    heard(look, streams)
    assert seen == [1]
    assert streams.open == 0
    assert streams.why_full("ann") is None


def test_somebody_with_many_open_leaves_room_for_others() -> None:
    streams = Streams(most=5, most_own=3)
    done = Look[int]([], is_over=True, may_go_on=True, place=0)
    with ExitStack() as opened:
        for _ in range(3):
            opened.enter_context(streams.counted("ann"))
        assert streams.why_full("ann") == (
            "3 streams of yours are open here: try again when you have closed one"
        )
        assert heard(lambda _: done, streams, whose="ann") == []
        assert heard(lambda _: done, streams, whose="bob") == [": watching\n\n", OVER]
        for _ in range(2):
            opened.enter_context(streams.counted("bob"))
        assert streams.why_full("bob") == (
            "5 streams are open here: try again when another has ended"
        )
        assert heard(lambda _: done, streams, whose="cid") == []
    assert (streams.open, streams.why_full("ann")) == (0, None)


def test_no_text_in_an_event_can_end_it() -> None:
    text = event("change", {"said": "a\n\nevent: over\r\u2028 é"}, "7")
    assert text.startswith("id: 7\nevent: change\ndata: ")
    assert text.count("\n\n") == 1
    assert text.isascii()
