"""Answer a plain call: as JSON where it is done soon, else as a stream that tells how it goes on."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from mcp.types import SERVER_INFO_META_KEY

from server.mcp_app.replies import broken, going_on, wire

if TYPE_CHECKING:
    from starlette.types import Receive, Send

    from core.protocols import Observation
    from server.desk import Desk
    from server.errands import Errand
    from server.mcp_app.plain_calls import PlainCall

_LOG = logging.getLogger(__name__)

SOON_S: Final = 0.2
"""So long nobody looks whether the client has hung up."""
PING_S: Final = 15.0
"""How often a stream with nothing to tell says that it is there: silent ones are cut off on the way."""

Headers = tuple[tuple[bytes, bytes], ...]

_JSON: Final[Headers] = ((b"content-type", b"application/json"),)
_STREAM: Final[Headers] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"connection", b"keep-alive"),
    (b"x-accel-buffering", b"no"),
)
_PING: Final = b": ping\r\n\r\n"


class Answering:
    """What all answers of one server have in common."""

    def __init__(
        self,
        server_info: Mapping[str, Any],
        *,
        images: bool,
        progress_s: float,
        ping_s: float = PING_S,
    ) -> None:
        """`server_info`: stands in the `_meta` of every answer."""
        self._server_info, self._images = server_info, images
        self._progress_s, self._ping_s = progress_s, ping_s

    async def answer(self, call: PlainCall, desk: Desk, receive: Receive, send: Send) -> None:
        """Have it carried out at its desk, and send what it comes to."""
        began = time.monotonic()
        errand = desk.begin(call.name, call.arguments, call.caller)
        assert errand.serving is not None
        try:
            await asyncio.wait([errand.serving], timeout=SOON_S)
            if errand.serving.done():
                await self._send_whole(call, errand, send)
            else:
                await self._wait_on(call, errand, began, receive, send)
        except asyncio.CancelledError:
            await errand.taken_back()
            raise

    async def _wait_on(
        self, call: PlainCall, errand: Errand, began: float, receive: Receive, send: Send
    ) -> None:
        serving, has_begun = errand.serving, False
        assert serving is not None
        every_s = self._ping_s if call.progress_token is None else self._progress_s
        told = began
        hanging_up = asyncio.create_task(_hung_up(receive))
        try:
            while True:
                left = told + every_s - time.monotonic()
                await asyncio.wait(
                    [serving, hanging_up], timeout=max(left, 0), return_when=asyncio.FIRST_COMPLETED
                )
                if serving.done():
                    break
                if hanging_up.done():
                    await errand.taken_back()
                    return
                if not has_begun:
                    has_begun = True
                    await _start(send, _STREAM)
                told = time.monotonic()
                await _part(send, _sign(call, told - began), more=True)
        finally:
            hanging_up.cancel()
        if has_begun:
            await _part(send, _event(self._reply(call, errand)), more=False)
        else:
            await self._send_whole(call, errand, send)

    async def _send_whole(self, call: PlainCall, errand: Errand, send: Send) -> None:
        body = _compact(self._reply(call, errand))
        await _start(send, (*_JSON, (b"content-length", str(len(body)).encode())))
        await _part(send, body, more=False)

    def _reply(self, call: PlainCall, errand: Errand) -> dict[str, Any]:
        told = wire(_seen(call, errand), images=self._images)
        told["_meta"][SERVER_INFO_META_KEY] = self._server_info
        told["resultType"] = "complete"
        return {"jsonrpc": "2.0", "id": call.number, "result": told}


def _seen(call: PlainCall, errand: Errand) -> Observation:
    assert errand.serving is not None
    try:
        return errand.serving.result()
    except Exception:  # noqa: BLE001 - a broken tool must not end the session
        _LOG.exception("tool %r broke", call.name)
        return broken(call.name)


def _sign(call: PlainCall, gone_s: float) -> bytes:
    """That a call goes on: with words for a client that asked for them."""
    if call.progress_token is None:
        return _PING
    params = {
        "progressToken": call.progress_token,
        "progress": gone_s,
        "message": going_on(call.name, gone_s),
    }
    return _event({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


def _event(message: Mapping[str, Any]) -> bytes:
    return b"event: message\r\ndata: " + _compact(message) + b"\r\n\r\n"


def _compact(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()


async def _start(send: Send, headers: Headers) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": list(headers)})


async def _part(send: Send, body: bytes, *, more: bool) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
