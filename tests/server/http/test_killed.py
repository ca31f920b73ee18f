"""kill -9 in mid-call, of a worker, of the tool host and of the supervisor: what is lost, and what never is."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.outside import UNANSWERED
from tests.server.http.conftest import Guest, House
from tests.support.mcp_http import answer_of, call, headers_for
from tests.support.processes import below, is_alive, until
from tests.support.serving import Server, serving

pytestmark = pytest.mark.real

SLOW = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7"
ONE: dict[str, Any] = {"query": "SELECT 1 AS n"}


@pytest.fixture(scope="module")
def mortal(house: House) -> Iterator[Server]:
    """A server of this module's own, whose processes are killed."""
    with serving(house.home, workers=2) as running:
        yield running


class Asking:
    """A call that is under way in a thread."""

    def __init__(self, guest: Guest, **arguments: Any) -> None:
        self.answer: httpx.Response | Exception | None = None
        message = call("execute_query", **arguments)
        number = len(guest.calls())
        self._thread = threading.Thread(target=self._ask, args=(guest, message))
        self._thread.start()
        until(lambda: len(guest.calls()) > number, "the call's beginning")

    def _ask(self, guest: Guest, message: Any) -> None:
        try:
            self.answer = guest.post(message)
        except httpx.HTTPError as exc:
            self.answer = exc

    def end(self) -> httpx.Response | Exception:
        self._thread.join(60)
        assert self.answer is not None
        return self.answer


def workers(server: Server) -> set[int]:
    """Those that run now."""
    found = set()
    for pid in below(server.pid):
        command = Path(f"/proc/{pid}/cmdline")
        if command.exists() and b"server.http\0" in command.read_bytes():
            found.add(pid)
    return found


def tool_host(server: Server) -> int:
    (found,) = {
        pid
        for pid in below(server.pid)
        if b"tools.host\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
    }
    return found


def patiently(guest: Guest, message: Any) -> dict[str, Any]:
    """Ask, and ask again where the connection broke: what a client may do."""
    for _ in range(50):
        try:
            answer = guest.post(message)
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return answer_of(answer)
    raise AssertionError("it never came back")


def test_a_killed_worker_loses_no_record_and_doubles_none(house: House, mortal: Server) -> None:
    (guest,) = house.seats(mortal)
    kept = guest.ask(call("execute_code", code="z = 41"))
    assert not kept["result"]["isError"]
    insight = guest.ask(call("submit_insight", text="Before."))
    assert not insight["result"]["isError"]
    asking = Asking(guest, query=SLOW)
    before = workers(mortal)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    assert isinstance(asking.end(), httpx.HTTPError), "the connection broke: it may be tried again"
    until(lambda: len(workers(mortal) - before) == 2, "two new workers")
    again = patiently(guest, call("execute_code", code="print(z + 1)"))
    assert again["result"]["structuredContent"]["stdout"] == "42\n", "the tool host keeps variables"
    assert again["result"]["structuredContent"]["turn"] == 3, "nobody waits for the dead"
    same = patiently(guest, call("submit_insight", text="Before."))
    assert same["result"]["structuredContent"]["duplicate"]
    kinds = [c.result.error_kind if c.result else UNANSWERED for c in guest.calls()]
    assert kinds == [None, None, UNANSWERED, None, None]
    broken = guest.trajectory().turns[1].tool_results[0]
    assert (broken.is_error, broken.error_kind) == (True, UNANSWERED)


def test_a_killed_tool_host_is_told_of_and_comes_back(house: House, mortal: Server) -> None:
    (guest,) = house.seats(mortal)
    guest.ask(call("execute_code", code="z = 41"))
    asking = Asking(guest, query=SLOW)
    os.kill(tool_host(mortal), signal.SIGKILL)
    answer = asking.end()
    assert isinstance(answer, httpx.Response)
    told = answer_of(answer)["result"]
    assert told["isError"]
    assert told["structuredContent"]["kind"] == "tool_host"
    assert "can be repeated" in told["structuredContent"]["error"]
    assert "variables" in told["structuredContent"]["error"]
    assert not guest.ask(call("execute_query", **ONE))["result"]["isError"]
    gone = guest.ask(call("execute_code", code="print(z)"))["result"]
    assert gone["isError"]
    assert "NameError" in gone["structuredContent"]["error"]
    assert [c.turn for c in guest.calls()] == [1, 2, 3, 4]
    assert all(c.result for c in guest.calls())


def test_killed_again_and_again_every_answer_that_was_sent_is_in_the_store(
    house: House, mortal: Server
) -> None:
    guests = house.seats(mortal, 4)
    answered: dict[str, set[int]] = {guest.token: set() for guest in guests}
    stop = threading.Event()

    def explore(guest: Guest) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            message = call("execute_query", query=f"SELECT {number} AS n")
            try:
                answer = httpx.post(
                    guest.url,
                    json=message,
                    headers=headers_for(guest.token, message, "legacy"),
                    timeout=60,
                )
                told = answer_of(answer)
            except (httpx.HTTPError, ValueError, IndexError):
                continue  # it broke off: nothing was said
            if "result" in told and not told["result"]["isError"]:
                answered[guest.token].add(number)

    threads = [threading.Thread(target=explore, args=(guest,)) for guest in guests]
    for thread in threads:
        thread.start()

    def more_than(count: int) -> bool:
        return sum(map(len, answered.values())) > count

    for _ in range(3):
        seen = sum(map(len, answered.values()))
        until(partial(more_than, seen + 8), "some answers")
        os.kill(workers(mortal).pop(), signal.SIGKILL)
        until(lambda: len(workers(mortal)) == 2, "a new worker")
    stop.set()
    for thread in threads:
        thread.join(60)
    for guest in guests:
        calls = guest.calls()
        assert [c.position for c in calls] == list(range(1, len(calls) + 1))
        kept = {c.arguments for c in calls if c.result and not c.result.is_error}
        sent = {f'{{"query": "SELECT {n} AS n"}}' for n in answered[guest.token]}
        assert sent <= kept, "what was answered is kept"


def test_with_the_supervisor_everything_ends_however_it_ends(house: House) -> None:
    with serving(house.home, workers=2, exit_code=-signal.SIGKILL) as server:
        (guest,) = house.seats(server)
        guest.ask(call("execute_query", **ONE))
        started = below(server.pid)
        assert len(started) >= 3
        os.kill(server.pid, signal.SIGKILL)
        until(lambda: not any(map(is_alive, started)), "the end of its processes")
    assert len(guest.calls()) == 1


def test_told_to_stop_it_lets_a_call_come_to_its_end(house: House) -> None:
    with serving(house.home) as server:
        (guest,) = house.seats(server)
        guest.ask(call("execute_query", **ONE))
        asking = Asking(guest, query="SELECT count(*) FROM range(100000000)")
        server.process.send_signal(signal.SIGTERM)
        answer = asking.end()
    assert isinstance(answer, httpx.Response)
    assert not answer_of(answer)["result"]["isError"]
