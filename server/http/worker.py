"""One worker: the gate, the seats' endpoint and the REST interface on a socket of its own."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Final

import uvicorn

from server.desks import opened
from server.http.connections import Connection
from server.http.gate import Gate
from server.http.hosts import AllowedHosts
from server.http.options import GRACE_S, MOST_BODY, QUEUE, READY, ServeOptions
from server.http.reception import Reception
from server.mcp_app.outside import OutsideServer
from server.settings import Settings
from server.store import open_store
from tools.host.link import SocketReach

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from server.dashboard.app import Dashboard
    from server.desks import Desks
    from server.rest_app.door import Door

KEEP_ALIVE_S: Final = 75
"""Longer than clients keep a connection between two calls: else they write into one that closes."""
MOST_AT_ONCE: Final = 1000
"""Connections and requests of one worker; what is more is answered 503."""


@asynccontextmanager
async def app(
    desks: Desks, settings: Settings, options: ServeOptions
) -> AsyncIterator[tuple[Gate, list[OutsideServer | Door | Dashboard]]]:
    """All that a worker serves, and what in it has to hang up first, while the block lasts."""
    async with AsyncExitStack() as stack:
        servers = [OutsideServer()]
        endpoint = await _endpoint(stack, servers[0], options)
        routes: dict[str, ASGIApp] = {
            "/r": Reception(desks, endpoint, rate=options.rate, stateful=options.stateful)
        }
        if options.conformance:
            servers.append(_conformance_server())
            routes["/conformance"] = await _endpoint(stack, servers[1], options)
        rest = _rest(desks, settings)
        routes["/api"] = _below("/api", rest)
        pages = _pages(desks, settings)
        routes |= dict.fromkeys(pages[0], pages[1])
        yield Gate(AllowedHosts(options.allowed_hosts), routes), [*servers, rest, pages[1]]


async def _endpoint(stack: AsyncExitStack, server: OutsideServer, options: ServeOptions) -> ASGIApp:
    serving = server.http(stateless=not options.stateful, most_bytes=MOST_BODY)
    return await stack.enter_async_context(serving)


def _conformance_server() -> OutsideServer:
    from server.mcp_app.fixtures import Fixtures

    class ConformanceServer(Fixtures, OutsideServer):
        """What the protocol's own suite asks for, on a server that is else ours."""

    return ConformanceServer()


def _rest(desks: Desks, settings: Settings) -> Door:
    from server.rest_app import make_rest_app

    return make_rest_app(desks, settings)


def _pages(desks: Desks, settings: Settings) -> tuple[tuple[str, ...], Dashboard]:
    """The first segments of the dashboard's paths, and the dashboard."""
    from server.dashboard.app import SEGMENTS, make_dashboard

    return SEGMENTS, make_dashboard(settings, desks.store)


def _below(path: str, app: ASGIApp) -> ASGIApp:
    from starlette.applications import Starlette
    from starlette.routing import Mount

    return Starlette(routes=[Mount(path, app=app)])


class _Server(uvicorn.Server):
    """Uvicorn's, told to stop by us, and saying when it listens."""

    def __init__(
        self, config: uvicorn.Config, on_ready: Callable[[], None], on_stop: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._on_ready, self._on_stop = on_ready, on_stop

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Without uvicorn's handlers of signals, which would end the process before it has tidied up."""
        await self._serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_stop()
        await super().shutdown(sockets)


async def serve(options: ServeOptions, on_ready: Callable[[], None]) -> None:
    """Serve until SIGTERM, or until the supervisor has gone."""
    settings = Settings(options.home)
    with open_store(settings.store_path, fsync=options.fsync) as store:
        async with (
            opened(settings, store, reach=SocketReach(options.tools)) as desks,
            app(desks, settings, options) as (gate, servers),
        ):
            config = uvicorn.Config(
                gate,
                http=Connection,  # h11's: httptools keeps blanks behind a header's value (the suite minds)
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                backlog=QUEUE,
                limit_concurrency=MOST_AT_ONCE,
                h11_max_incomplete_event_size=32 << 10,
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=GRACE_S,
                ssl_certfile=options.tls_cert,
                ssl_keyfile=options.tls_key,
            )

            def hang_up() -> None:
                for each in servers:
                    each.hang_up()

            server = _Server(config, on_ready, hang_up)

            def stop() -> None:
                server.should_exit = True

            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, stop)
            # The supervisor holds the other end: it closes when it ends, however it ends.
            loop.add_reader(0, stop)
            await server.serve([socket.socket(fileno=options.socket_fd)])
            loop.remove_reader(0)


def main() -> None:
    """The worker's process: its options are the first line of stdin, its only word on stdout READY."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # A line for each bad request would let any stranger fill the log.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    options = ServeOptions.model_validate_json(_first_line())

    def ready() -> None:
        settle()
        os.write(1, READY)
        os.dup2(2, 1)  # whatever else is printed belongs to the log

    asyncio.run(serve(options, ready))


def settle() -> None:
    """What is loaded stays: to be looked through at each collection would cost a tenth of every call."""
    gc.collect()
    gc.freeze()


def _first_line() -> bytes:
    """Read byte by byte: nothing after it may be taken from the descriptor."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            sys.exit(0)  # the supervisor has gone already
        line += byte
    return line
