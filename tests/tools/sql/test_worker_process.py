"""A worker from the outside: whatever breaks its start off, all of it ends."""

from __future__ import annotations

import asyncio
import os
import socket
import threading

import pytest

from databases.target import Target
from tools.sql.engine import EngineLimits
from tools.sql.order import Order
from tools.sql.worker_process import WorkerProcess


class Slow:
    """A process that takes its time to begin, and notes what is done to it."""

    pid = 0

    def __init__(self) -> None:
        self.output_fd, self._other_end = os.pipe()
        self.begun = threading.Event()
        self.noted: list[str] = []

    def locate(self) -> bool:
        self.begun.wait(30)
        self.noted.append("begun")
        return True

    def kill(self) -> None:
        self.noted.append("killed")

    def wait(self, seconds: float = 0) -> int | None:
        os.close(self._other_end)
        return -9


def test_a_start_that_is_broken_off_is_not_killed_before_all_of_it_is_known() -> None:
    """Bubblewrap that dies in mid-start leaves a child that waits for it for ever."""

    async def talk() -> list[str]:
        process = Slow()
        ours, theirs = socket.socketpair()
        worker = WorkerProcess(process, lambda *said: None, lambda ended: None)
        order = Order(
            target=Target(dialect="duckdb", location="/none"),
            engine=EngineLimits(),
            slots=1,
            memory_mb=1000,
            confined=True,
        )
        start = asyncio.create_task(worker.begin(ours, order))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        start.cancel()
        asyncio.get_running_loop().call_later(0.05, process.begun.set)
        with pytest.raises(asyncio.CancelledError):
            await start
        theirs.close()
        return process.noted

    assert asyncio.run(talk()) == ["begun", "killed"]
