"""A server whose workers cannot start says so and ends; it does not try for ever."""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from server.http.options import ServeOptions
from server.http.supervisor import Supervisor, WorkersError, listen

pytestmark = pytest.mark.real


def test_workers_that_cannot_start_are_given_up_at_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    in_the_way = tmp_path / "home"
    in_the_way.write_text("a file, where a folder should be", "utf-8")
    options = ServeOptions(home=in_the_way, tools=tmp_path / "socket", allowed_hosts=("localhost",))
    first, second = listen("127.0.0.1", 0, 2)
    with first, second:
        supervisor = Supervisor(options, [first, second])
        with pytest.raises(WorkersError, match="stands above"):
            asyncio.run(supervisor.run(lambda: pytest.fail("nobody listens")))
    assert supervisor.pids == []
    assert "StoreError" in capfd.readouterr().err


def test_the_system_shares_a_burst_out_among_the_workers() -> None:
    first, second = listen("127.0.0.1", 0, 2)
    with first, second, ExitStack() as stack:
        for _ in range(64):
            stack.enter_context(socket.create_connection(first.getsockname()))
        taken = []
        for each in (first, second):
            each.setblocking(False)
            taken.append(0)
            with suppress(BlockingIOError):
                while True:
                    stack.enter_context(each.accept()[0])
                    taken[-1] += 1
    assert sum(taken) == 64
    assert min(taken) >= 12, taken
