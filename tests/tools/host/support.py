"""A tool host in this event loop, on a real socket, with tools that a test writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from core.protocols import Observation, ToolSpec
from core.trajectory import Sandbox
from databases.target import Target
from tools.host.link import SocketReach
from tools.host.messages import Opening
from tools.host.service import Service
from tools.host.sessions import SessionBook

POLL_S = 0.005
BOUND_S = 20.0


def opening(key: str = "a", **changes: Any) -> Opening:
    """What a session is opened with."""
    values: dict[str, Any] = {
        "key": key,
        "target": Target(dialect="duckdb", location="/nowhere"),
        "names": ("execute_query", "execute_code"),
        "sandbox": "bubblewrap",
    }
    return Opening.model_validate({**values, **changes})


class Notebook:
    """Tools that keep variables, wait when they are told to, and know what became of them."""

    def __init__(self, opened: Opening) -> None:
        self.opening = opened
        self.variables: dict[str, Any] = {}
        self.begun: list[str] = []
        self.cancelled: list[str] = []
        self.go_on = asyncio.Event()
        self.closed = False

    @property
    def sandbox_state(self) -> Sandbox:
        return Sandbox(name="bubblewrap")

    async def list(self) -> Sequence[ToolSpec]:
        return [
            ToolSpec(name=name, description=name, input_schema={"type": "object"})
            for name in self.opening.names
        ]

    async def tell(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        return await self.call(name, arguments)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        self.begun.append(name)
        if arguments.get("fail"):
            raise RuntimeError("a fault of ours, with /a/path in it")
        if arguments.get("wait"):
            try:
                await self.go_on.wait()
            except asyncio.CancelledError:
                self.cancelled.append(name)
                raise
        self.variables.update(arguments.get("set", {}))
        data = {"variables": self.variables, "note": None}
        return Observation(
            text="x",
            data=data,
            images=tuple(bytes([n]) * n for n in arguments.get("draw", [])),
            accessed_fields=("t.a",),
            violations=("sql: file /etc/passwd",),
        )

    async def close(self) -> None:
        self.closed = True


class Host:
    """A service on a socket."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.path = path
        self.made: list[Notebook] = []
        self.book = SessionBook(self._make, **options)
        self.service = Service(self.book)
        self.reach = SocketReach(path)

    async def _make(self, opened: Opening) -> Notebook:
        self.made.append(Notebook(opened))
        return self.made[-1]


@asynccontextmanager
async def hosting(folder: Path, **options: Any) -> AsyncIterator[Host]:
    """A host that listens."""
    host = Host(folder / "socket", **options)
    loop = asyncio.get_running_loop()
    server = await loop.create_unix_server(host.service.meet, host.path)
    try:
        yield host
    finally:
        server.close()
        await host.book.close_all()
        await host.service.hang_up()


async def until(seen: Callable[[], bool | Awaitable[bool]], what: str = "it") -> None:
    """Wait until something is so."""
    for _ in range(int(BOUND_S / POLL_S)):
        found = seen()
        if found is True or (not isinstance(found, bool) and await found):
            return
        await asyncio.sleep(POLL_S)
    raise AssertionError(f"{what} did not come about")
