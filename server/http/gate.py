"""What every request passes first: the names we answer to, its size, and whose it is."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from server.http.answers import refuse, say
from server.http.bodies import TooLongError, TooSlowError, whole_body
from server.http.hosts import AllowedHosts
from server.http.options import MOST_BODY

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOG = logging.getLogger(__name__)

MOST_HEADERS: Final = 16 << 10
"""Bytes of all header lines together."""
HEALTH: Final = "/healthz"
NOTHING: Final = "there is nothing here"


class Gate:
    """An ASGI app in front of others. What it refuses, it refuses before anything is looked up."""

    def __init__(self, hosts: AllowedHosts, routes: Mapping[str, ASGIApp]) -> None:
        """`routes`: by the first segment of the path, '/r' for '/r/x/mcp'."""
        self._hosts, self._routes = hosts, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            return  # no websockets; a lifespan of its own it has none
        telling = _Telling(send)
        try:
            await self._serve(scope, receive, telling)
        except Exception:
            _LOG.exception("a request could not be served")
            if telling.has_begun:
                raise  # the connection breaks, and the client knows that this is not the whole
            await refuse(send, HTTPStatus.INTERNAL_SERVER_ERROR, "this went wrong on our side")

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Sequence[tuple[bytes, bytes]] = scope["headers"]
        if not self._is_for_us(headers):
            await refuse(
                send, HTTPStatus.MISDIRECTED_REQUEST, "this server does not go by that name"
            )
            return
        origins = _values(headers, b"origin")
        if any(not self._hosts.admits_origin(origin) for origin in origins):
            await refuse(send, HTTPStatus.FORBIDDEN, "pages of that origin may not ask here")
            return
        if sum(len(name) + len(value) for name, value in headers) > MOST_HEADERS:
            await refuse(
                send,
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                f"headers have at most {MOST_HEADERS} bytes",
            )
            return
        try:
            receive = await whole_body(scope, receive, MOST_BODY)
        except TooLongError:
            await refuse(
                send,
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"a request has at most {MOST_BODY} bytes",
                ("connection", "close"),
            )
            return
        except TooSlowError:
            await refuse(
                send,
                HTTPStatus.REQUEST_TIMEOUT,
                "the request did not come to its end",
                ("connection", "close"),
            )
            return
        await self._route(scope, receive, send)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path == HEALTH:
            await _health(scope, send)
            return
        route = self._routes.get("/" + path.removeprefix("/").partition("/")[0])
        if route is None or not path.isprintable():
            await refuse(send, HTTPStatus.NOT_FOUND, NOTHING)
            return
        await route(scope, receive, send)

    def _is_for_us(self, headers: Sequence[tuple[bytes, bytes]]) -> bool:
        hosts = _values(headers, b"host")
        return len(hosts) == 1 and self._hosts.admits(hosts[0])


class _Telling:
    """Send, and remember whether an answer has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        self.has_begun = True
        await self._send(message)


def _values(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for each, value in headers if each == name]


async def _health(scope: Scope, send: Send) -> None:
    if scope["method"] not in ("GET", "HEAD"):
        await refuse(send, HTTPStatus.METHOD_NOT_ALLOWED, "GET it", ("allow", "GET, HEAD"))
        return
    await say(send, b'{"status":"ok"}')
