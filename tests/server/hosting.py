"""A real tool host with sessions on the visits, and web workers that reach it from other processes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from core.protocols import Observation
from databases.target import Target
from server.toolhost import ToolHost
from tools.host.client import HostTools
from tools.host.link import SocketReach
from tools.host.messages import Opening

ROOT = Path(__file__).parents[2]
SQL = "execute_query"
PYTHON = "execute_code"


def opening(database: Path, key: str = "a", *, python: bool = True) -> Opening:
    """A session on the visits, with both hands unless told otherwise."""
    return Opening(
        key=key,
        target=Target(dialect="duckdb", location=str(database)),
        names=(SQL, PYTHON) if python else (SQL,),
        sandbox="bubblewrap" if python else None,
    )


def data(seen: Observation) -> dict[str, Any]:
    assert seen.data is not None
    return seen.data


@contextlib.asynccontextmanager
async def held(host: ToolHost, opened: Opening) -> AsyncIterator[HostTools]:
    tools = HostTools(host, opened)
    try:
        yield tools
    finally:
        await tools.close()


WORKER = """
import asyncio, json, sys
from pathlib import Path
from tools.host import frames
from tools.host.client import HostTools
from tools.host.link import SocketReach
from tools.host.messages import Opening

async def work():
    opening = Opening.model_validate_json(sys.argv[2])
    tools = HostTools(SocketReach(Path(sys.argv[1])), opening)
    for line in sys.stdin:
        name, arguments = json.loads(line)
        seen = await tools.call(name, arguments)
        print(json.dumps(seen.data), flush=True)

asyncio.run(work())
"""


class WebWorker:
    """A process that reaches a host which is not its own."""

    def __init__(self, host: ToolHost, opened: Opening) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(host.path), opened.model_dump_json()],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> WebWorker:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def ask(self, name: str, **arguments: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([name, arguments]) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        self.ask(name, **arguments)
        return self.answer()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def health(host: ToolHost) -> dict[str, Any]:
    async def ask() -> dict[str, Any]:
        link = await SocketReach(host.path).connect()
        try:
            found: dict[str, Any] = (await link.ask({"op": "health"})).message["health"]
            return found
        finally:
            link.close()

    return asyncio.run(ask())
