"""A plain call is answered as the SDK would answer it, soon or late, and ends where its client hangs up."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from mcp.types import CallToolResult

from core.outside import CANCELLED, Caller, OutsideCall
from core.protocols import Observation
from databases.catalog import InstalledScenario
from server.desk import Desk
from server.desks import opened
from server.enrolment import enrol
from server.errands import Errand
from server.http.options import MOST_BODY
from server.mcp_app.answering import Answering
from server.mcp_app.outside import DESK, OutsideServer
from server.mcp_app.plain_calls import PlainCall
from server.mcp_app.replies import wire
from server.settings import Settings
from server.store import open_store
from server.store.callbook import CallBook
from server.store.seats import Seats
from tests.support.asgi import Exchange, raw
from tests.support.mcp_http import call, headers_for

THE_SDKS_WAY = {"Accept": "application/json, text/event-stream;q=1"}
"""What no plain call says, and the SDK takes for the same."""

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_task", {}),
    ("execute_query", {"query": "SELECT NULL AS n, 'Zürich\u2028\U0001f600' AS s, 1.5 AS x"}),
    ("execute_query", {"query": "SELECT nope FROM flights"}),
    ("execute_query", {"query": "SELECT 1", "limit": "many"}),
    ("execute_query", {"query": "SELECT '\ud800'"}),
    ("describe_table", {"table_name": "flights"}),
    ("execute_code", {"code": "import matplotlib.pyplot as p; p.plot([1, 2]); p.show(); print(3)"}),
    ("no_such_tool", {}),
    ("submit_insight", {"text": "So it is."}),
    ("finish", {"report": "All."}),
    ("execute_query", {"query": "SELECT 1"}),
]


@dataclass(frozen=True)
class Place:
    """A seat, and the endpoint through which it is reached."""

    app: Callable[..., Awaitable[None]]
    desk: Desk

    def asked(
        self, message: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> Exchange:
        given = {**headers_for("t", message, "auto"), **(headers or {})}
        return Exchange(raw(given), json.dumps(message).encode(), {DESK: self.desk})

    async def ask(
        self, message: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> Exchange:
        return await self.asked(message, headers).run(self.app)

    def kept(self) -> list[OutsideCall]:
        store = self.desk._bench.store
        state = Seats(store).at(self.desk.seat.path)
        assert state is not None
        assert state.trajectory_id is not None
        return CallBook(store).calls(state.trajectory_id)


@pytest.fixture
def places(own_flights_home: Path, flights: InstalledScenario) -> Callable[..., Any]:
    """Two seats at one server."""

    @asynccontextmanager
    async def made(**options: Any) -> AsyncIterator[tuple[Place, Place]]:
        settings = Settings(own_flights_home)
        with open_store(settings.store_path) as store:
            now = datetime.now(UTC)
            run = enrol(flights, store, agent="mine", now=now, entities=["03"], trials=2)
            server = OutsideServer(**options)
            async with (
                opened(settings, store) as desks,
                server.http(stateless=True, most_bytes=MOST_BODY) as app,
            ):
                found = [await desks.at(each.seat.path) for each in run.seats]
                first, second = (Place(app, desk) for desk in found if desk is not None)
                yield first, second

    return made


def timeless(told: dict[str, Any]) -> dict[str, Any]:
    """An answer without what differs from one call to the next."""
    told["result"]["_meta"]["ddr"]["duration_s"] = 0.0
    return told


@pytest.mark.real
@pytest.mark.parametrize("images", [False, True])
def test_every_answer_is_what_the_sdk_makes_of_the_same(
    images: bool, places: Callable[..., Any]
) -> None:
    async def scene() -> None:
        async with places(images=images) as (short, long):
            for number, (name, arguments) in enumerate(CALLS):
                message = call(name, "auto", number if number % 2 else f"n{number}", **arguments)
                mine = await short.ask(message)
                theirs = await long.ask(message, THE_SDKS_WAY)
                assert (
                    (mine.status, mine.kind)
                    == (theirs.status, theirs.kind)
                    == (200, "application/json")
                )
                assert timeless(mine.told) == timeless(theirs.told), name
                length = dict(mine.sent[0]["headers"])[b"content-length"]
                assert int(length) == len(b"".join(mine.parts))
            ours, sdks = (
                [
                    (c.name, c.arguments, c.turn, c.caller, c.result and c.result.text)
                    for c in place.kept()
                ]
                for place in (short, long)
            )
            assert ours == sdks
            assert len(ours) == len(CALLS)

    asyncio.run(scene())


WAIT = {"code": "import time; time.sleep(1.2); print('done')"}


def events(answer: Exchange) -> list[Any]:
    """The messages of a stream, without the times in them."""
    said = [part.removeprefix(b"event: message\r\ndata: ") for part in answer.parts]
    told = [json.loads(each) for each in said]
    for each in told[:-1]:
        assert 0 < each["params"].pop("progress") < 60
        each["params"]["message"] = re.sub(r"\d+ s$", "N s", each["params"]["message"])
    timeless(told[-1])
    return told


@pytest.mark.real
def test_a_call_that_takes_long_tells_how_it_goes_on_as_the_sdk_does(
    places: Callable[..., Any],
) -> None:
    async def scene() -> None:
        async with places(progress_s=0.35) as (short, long):
            message = call("execute_code", "auto", 5, **WAIT)
            message["params"]["_meta"]["progressToken"] = "p"
            for place in (short, long):
                await place.ask(call("execute_code", "auto", code="1"))  # Python is started
            mine = await short.ask(message)
            theirs = await long.ask(message, THE_SDKS_WAY)
            assert mine.sent[0] == theirs.sent[0]
            assert mine.kind == "text/event-stream"
            ours, sdks = events(mine), events(theirs)
            assert ours[0] == sdks[0]
            assert ours[-1] == sdks[-1]
            assert "done" in json.dumps(ours[-1])
            assert len(ours) >= 3
            assert [m["more_body"] for m in mine.sent[1:]] == [True] * (len(ours) - 1) + [False]

    asyncio.run(scene())


@pytest.mark.real
def test_a_client_that_asked_for_no_progress_gets_json_however_long_it_takes(
    places: Callable[..., Any],
) -> None:
    async def scene() -> None:
        async with places(progress_s=0.1) as (place, _):
            answer = await place.ask(call("execute_code", "auto", 5, **WAIT))
            assert answer.kind == "application/json"
            assert answer.told["result"]["structuredContent"]["stdout"] == "done\n"

    asyncio.run(scene())


def plain(name: str, **arguments: Any) -> PlainCall:
    return PlainCall(1, name, arguments, Caller(request_id="1"), None)


@pytest.mark.real
def test_a_stream_with_nothing_to_tell_says_that_it_is_there(places: Callable[..., Any]) -> None:
    async def scene() -> None:
        async with places() as (place, _):
            answering = Answering({"name": "x"}, images=True, progress_s=9.0, ping_s=0.4)

            async def app(_scope: Any, receive: Any, send: Any) -> None:
                await receive()
                await answering.answer(plain("execute_code", **WAIT), place.desk, receive, send)

            answer = await place.asked(call("execute_code", "auto", 1)).run(app)
            assert answer.kind == "text/event-stream"
            assert set(answer.parts[:-1]) == {b": ping\r\n\r\n"}
            assert len(answer.parts) >= 3
            last = json.loads(answer.parts[-1].removeprefix(b"event: message\r\ndata: "))
            assert last["result"]["structuredContent"]["stdout"] == "done\n"

    asyncio.run(scene())


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_so():
            await asyncio.sleep(0.02)


@pytest.mark.real
@pytest.mark.parametrize("way", ["hangs up", "hangs up during the stream", "is cancelled"])
def test_where_nobody_waits_any_more_the_work_stops_and_that_is_written_down(
    way: str, places: Callable[..., Any]
) -> None:
    async def scene() -> None:
        async with places(progress_s=0.1) as (place, _):
            await place.ask(call("execute_code", "auto", code="x = 1"))
            message = call("execute_code", "auto", 5, code="import time; time.sleep(50)")
            if way == "hangs up during the stream":
                message["params"]["_meta"]["progressToken"] = 1
            asked = place.asked(message)
            serving = asyncio.create_task(asked.run(place.app))
            await until(lambda: place.desk.is_busy)
            if way == "is cancelled":
                serving.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await serving
            else:
                if message["params"]["_meta"].get("progressToken"):
                    await until(lambda: bool(asked.sent))
                asked.hang_up.set()
                async with asyncio.timeout(10):
                    await serving
            assert not place.desk.is_busy
            assert len(asked.sent) < 100
            assert not any(b"result" in part for part in asked.parts)
            result = place.kept()[-1].result
            assert result is not None
            assert result.error_kind == CANCELLED
            after = await place.ask(call("execute_code", "auto", code="1 + 1"))
            assert after.told["result"]["isError"] is False

    asyncio.run(scene())


class Broken:
    """A desk whose every call breaks in a way that nobody thought of."""

    def begin(self, _name: str, _arguments: Mapping[str, Any], _caller: Caller) -> Errand:
        async def fail() -> Observation:
            raise ZeroDivisionError("/a/path/of/ours")

        return Errand("p", "1", datetime.now(UTC), asyncio.ensure_future(fail()))


def test_a_fault_of_ours_is_told_without_its_text() -> None:
    async def scene() -> Exchange:
        async with OutsideServer().http(stateless=True, most_bytes=MOST_BODY) as app:
            message = call("execute_query", "auto", 3)
            given = raw(headers_for("t", message, "auto"))
            return await Exchange(given, json.dumps(message).encode(), {DESK: Broken()}).run(app)

    answer = asyncio.run(scene())
    assert answer.told["result"]["isError"] is True
    assert answer.told["result"]["_meta"]["ddr"]["error_kind"] == "internal"
    assert b"/a/path" not in b"".join(answer.parts)


@pytest.mark.parametrize("images", [False, True])
def test_what_is_sent_is_a_result_of_the_protocol(images: bool) -> None:
    seen = Observation(text='{"a":null}', data={"a": None}, images=(b"png",), violations=("v",))
    told = wire(seen, images=images)
    assert [each["type"] for each in told["content"]] == ["text", *["image"] * images]
    assert told["structuredContent"] == {"a": None}
    again = CallToolResult.model_validate(told).model_dump(mode="json", by_alias=True)
    assert {name: again[name] for name in told if name != "content"} == {
        name: value for name, value in told.items() if name != "content"
    }
    assert "structuredContent" not in wire(Observation(text="x"))
