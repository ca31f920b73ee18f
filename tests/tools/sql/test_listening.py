"""A worker hears while it answers: who hears a request answers it, and another listens where that takes long."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from databases.target import Target
from tests.tools.sql.odd_engine import PLACE
from tests.tools.sql.pools import ENDLESS, LONG, LONG_ANSWER
from tools.limits import ToolLimits
from tools.sql.channel import Inbox, pack
from tools.sql.engine import EngineLimits
from tools.sql.listening import TICK_S, Listening
from tools.sql.order import Order

pytestmark = pytest.mark.real
SLOTS = 4
WAIT_S = 60.0
LIMITS = ToolLimits().model_dump_json()
WORKER = "import sys; from tools.sql.worker import main; main(int(sys.argv[1]))"


class Talk:
    """The pool's end of a worker's socket, without a pool: nothing is held back, nothing is watched."""

    def __init__(self, database: Path) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(WAIT_S)
        self._inbox = Inbox(1 << 20)
        self._asked = 0
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", WORKER, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=Path(__file__).parents[3],
            )
        order = Order(
            target=Target(dialect=PLACE, location=str(database)),
            engine=EngineLimits(),
            slots=SLOTS,
            memory_mb=8000,
            confined=False,
        )
        self.say(order.model_dump(mode="json"))
        assert self.hear() == ({"ready": True}, b"")

    def say(self, *messages: dict[str, Any]) -> None:
        self._socket.sendall(b"".join(pack(message) for message in messages))

    def query(self, sql: str) -> dict[str, Any]:
        """A request, not yet sent."""
        self._asked += 1
        asked = {"id": self._asked, "do": "rows", "sql": sql, "limits": LIMITS}
        return asked | {"limit": 20, "offset": 0, "reply_chars": 8000, "remark": None}

    def ask(self, sql: str) -> int:
        request = self.query(sql)
        self.say(request)
        return self._asked

    def hear(self) -> tuple[dict[str, Any], bytes]:
        while (message := self._inbox.take()) is None:
            piece = self._socket.recv(1 << 16)
            assert piece, "the worker has hung up"
            self._inbox.add(piece)
        return message

    def rows(self) -> tuple[int, Any]:
        head, body = self.hear()
        assert "error" not in head, head
        return head["id"], json.loads(body)["rows"]

    def hang_up(self) -> None:
        self._socket.close()


@pytest.fixture
def talk(visits: Path) -> Iterator[Talk]:
    talk = Talk(visits)
    try:
        yield talk
    finally:
        talk.hang_up()
        talk.process.kill()
        talk.process.wait()


def stopped(talk: Talk, asked: int) -> bool:
    head, _ = talk.hear()
    return (head["id"], head["kind"]) == (asked, "cancelled")


def test_hundreds_of_short_ones_one_after_the_other_are_each_answered(talk: Talk) -> None:
    for number in range(600):
        asked = talk.ask(f"SELECT {number}")
        assert talk.rows() == (asked, [[number]])


def test_requests_that_come_in_one_piece_are_all_answered(talk: Talk) -> None:
    requests = [talk.query(f"SELECT {number}") for number in range(300)]
    talk.say(*requests)
    got = dict(talk.rows() for _ in requests)
    assert got == {asked["id"]: [[number]] for number, asked in enumerate(requests)}


def test_a_long_one_is_stopped_and_the_next_is_answered(talk: Talk) -> None:
    for _ in range(5):
        asked = talk.ask(ENDLESS)
        talk.say({"id": asked, "do": "stop"})
        assert stopped(talk, asked)
        asked = talk.ask("SELECT 1")
        assert talk.rows() == (asked, [[1]])


def test_a_ping_is_answered_and_short_ones_run_beside_long_ones(talk: Talk) -> None:
    held = [talk.ask(ENDLESS) for _ in range(SLOTS - 1)]
    talk.say({"id": 1000, "do": "ping"})
    assert talk.hear() == ({"id": 1000, "alive": True}, b"")
    for number in range(100):
        asked = talk.ask(f"SELECT {number}")
        assert talk.rows() == (asked, [[number]])
    for asked in held:
        talk.say({"id": asked, "do": "stop"})
        assert stopped(talk, asked)


def test_with_every_slot_taken_stop_and_ping_are_heard(talk: Talk) -> None:
    held = [talk.ask(ENDLESS) for _ in range(SLOTS)]
    talk.say({"id": 1000, "do": "ping"})
    assert talk.hear() == ({"id": 1000, "alive": True}, b"")
    for asked in reversed(held):
        talk.say({"id": asked, "do": "stop"})
        assert stopped(talk, asked)


def test_who_comes_back_from_a_long_one_does_not_listen_beside_who_listens(talk: Talk) -> None:
    for _ in range(6):  # more often than there are threads: none is lost on the way
        long = talk.ask(LONG)
        talk.say({"id": 1000, "do": "ping"})
        assert talk.hear() == ({"id": 1000, "alive": True}, b"")
        assert talk.rows() == (long, LONG_ANSWER)
        requests = [talk.query(f"SELECT {number}") for number in range(50)]
        talk.say(*requests)
        got = dict(talk.rows() for _ in requests)
        assert got == {asked["id"]: [[number]] for number, asked in enumerate(requests)}


def test_statements_about_as_long_as_a_tick_lose_no_request(talk: Talk) -> None:
    """Who answers comes back just as another wants to listen instead."""
    size, seconds = 10_000, 0.0
    while seconds < TICK_S:
        size *= 2
        began = time.monotonic()
        talk.ask(_measured(size))
        talk.rows()
        seconds = time.monotonic() - began
    for number in range(60):
        asked = talk.ask(_measured(size + size * (number % 20) // 10))
        beside = talk.ask(f"SELECT {number}")
        assert dict((talk.rows(), talk.rows())) == {asked: [[6]], beside: [[number]]}


def _measured(size: int) -> str:
    """A statement that takes as long as it is told to."""
    return f"SELECT max(hash(x) % 7) FROM range({size}) t(x)"


def test_the_right_to_listen_goes_to_one_at_a_time_and_is_never_lost() -> None:
    """Eight threads that come back early, late and just in time; each message is heard by one."""
    listening, inside = Listening(), threading.Lock()
    left, heard = iter(range(400)), list[int]()
    done = threading.Event()

    def take_turns(draw: random.Random) -> None:
        while not done.is_set():
            with listening:
                if not inside.acquire(blocking=False):
                    heard.append(-1)
                    return
                if (number := next(left, None)) is not None:
                    heard.append(number)
                else:
                    done.set()
                inside.release()
            if draw.random() < 0.1:
                time.sleep(draw.choice((0.5, 1, 1.5, 2, 3)) * TICK_S)

    for number in range(8):
        turns = threading.Thread(target=take_turns, args=(random.Random(number),), daemon=True)
        turns.start()
    assert done.wait(WAIT_S)
    assert heard == list(range(400))


@pytest.mark.parametrize("held", [1, SLOTS])
def test_a_worker_whose_pool_hangs_up_ends_whatever_it_has_in_hand(talk: Talk, held: int) -> None:
    for _ in range(held):
        talk.ask(ENDLESS)
    talk.hang_up()
    assert talk.process.wait(WAIT_S) == 0


def test_a_worker_at_rest_wakes_for_nothing(talk: Talk) -> None:
    talk.ask("SELECT 1")
    talk.rows()
    last = time.monotonic() + WAIT_S
    slept = -1
    while slept != (slept := _switches(talk.process.pid)):  # what it learns at its start has an end
        assert time.monotonic() < last
        time.sleep(20 * TICK_S)


def _switches(pid: int) -> int:
    """How often its threads have gone to sleep."""
    said = (path.read_text("ascii") for path in Path(f"/proc/{pid}/task").glob("*/status"))
    return sum(
        int(line.split()[1])
        for text in said
        for line in text.splitlines()
        if line.startswith("voluntary_ctxt_switches")
    )
