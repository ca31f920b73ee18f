"""Let an agent in to its seat: by the path that it was given, with the token of that path, not too often."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from core.errors import DdrError
from server.http.answers import refuse
from server.http.gate import NOTHING
from server.mcp_app.outside import DESK
from server.secret import bearer
from server.store.seats import Seats

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from server.desks import Desks

_LOG = logging.getLogger(__name__)

CLOSED_S: Final = 1.0
"""So long it may take until a seat that was taken back is known to be."""
MOST_KNOWN: Final = 4096

_PATH: Final = re.compile(r"/r/([A-Za-z0-9_-]{8,128})/mcp")


@dataclass
class _Known:
    """What is remembered of a seat for a moment."""

    allowance: float
    counted_at: float
    is_closed: bool = False
    looked_at: float = float("-inf")


class Reception:
    """In front of the endpoint of all seats."""

    def __init__(
        self,
        desks: Desks,
        endpoint: ASGIApp,
        *,
        rate: float,
        stateful: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`rate`: messages per second of one seat, twice as many at once."""
        self._desks, self._endpoint, self._rate, self._clock = desks, endpoint, rate, clock
        self._methods = ("GET", "POST", "DELETE") if stateful else ("POST",)
        self._known: dict[str, _Known] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one message of an agent, or say why not."""
        found = _PATH.fullmatch(scope["path"])
        if found is None:
            await refuse(send, HTTPStatus.NOT_FOUND, NOTHING)
            return
        path = found[1]
        try:
            desk = await self._desks.at(path)
        except DdrError:
            _LOG.exception("a seat cannot be served")
            await refuse(
                send,
                HTTPStatus.SERVICE_UNAVAILABLE,
                "this cannot be explored now; tell who let you in",
            )
            return
        if desk is None:
            await refuse(send, HTTPStatus.NOT_FOUND, NOTHING)
            return
        token = bearer(scope["headers"])
        if token is None or not desk.admits(token):
            # No resource_metadata: clients would set out to find an OAuth server.
            await refuse(
                send,
                HTTPStatus.UNAUTHORIZED,
                "send the token of this path: Authorization: Bearer ...",
                ("www-authenticate", "Bearer"),
            )
            return
        known = self._of(path)
        if self._is_closed(path, known):
            await refuse(send, HTTPStatus.GONE, "this was closed; ask who let you in for another")
        elif not self._allows(known):
            await refuse(
                send,
                HTTPStatus.TOO_MANY_REQUESTS,
                f"at most {self._rate:g} messages in a second: wait a moment",
                ("retry-after", "1"),
            )
        elif scope["method"] not in self._methods:
            await refuse(
                send,
                HTTPStatus.METHOD_NOT_ALLOWED,
                "POST messages here; there is no session and no stream of its own",
                ("allow", ", ".join(self._methods)),
            )
        else:
            await self._endpoint({**scope, DESK: desk}, receive, send)

    def _of(self, path: str) -> _Known:
        known = self._known.get(path)
        if known is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            known = self._known[path] = _Known(2 * self._rate, self._clock())
        return known

    def _is_closed(self, path: str, known: _Known) -> bool:
        now = self._clock()
        if now - known.looked_at >= CLOSED_S:
            known.is_closed = Seats(self._desks.store).is_closed(path)
            known.looked_at = now
        return known.is_closed

    def _allows(self, known: _Known) -> bool:
        now = self._clock()
        grown = known.allowance + (now - known.counted_at) * self._rate
        known.allowance, known.counted_at = min(grown, 2 * self._rate), now
        if known.allowance < 1:
            return False
        known.allowance -= 1
        return True
