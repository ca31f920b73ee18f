"""A worker process of its own: the desks of a home, behind a tool host that is another's.

`python -m tests.server.desk.worker HOME STORE SOCKET PATH` reads calls, [name, arguments] a line, and
writes each answer's text as a line.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from core.outside import Caller, Seat
from server.desks import opened
from server.settings import Settings
from server.store import open_store
from server.toolhost import ToolHost
from tests.server.desk.house import House
from tools.host.link import SocketReach

ROOT = Path(__file__).parents[3]


async def serve(home: Path, store_path: Path, socket: Path, path: str) -> None:
    settings = Settings(home)
    with open_store(store_path) as store:
        async with opened(settings, store, reach=SocketReach(socket)) as desks:
            desk = await desks.at(path)
            assert desk is not None
            while line := await asyncio.to_thread(sys.stdin.readline):
                name, arguments = json.loads(line)
                if name == "most bytes of a file":
                    resource.setrlimit(resource.RLIMIT_FSIZE, (arguments, arguments))
                    print("{}", flush=True)
                    continue
                seen = await desk.call(name, arguments, Caller())
                print(seen.text, flush=True)


class Worker:
    """Such a process, and what it is asked."""

    def __init__(self, house: House, seat: Seat, host: ToolHost) -> None:
        places = (house.settings.home, house.store.path, host.path, seat.path)
        command = [sys.executable, "-m", __name__, *map(str, places)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def ask(self, name: str, arguments: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([name, arguments]) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        self.ask(name, arguments)
        return self.answer()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]))
