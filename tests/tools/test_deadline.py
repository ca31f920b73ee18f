"""Work that runs too long is interrupted until it gives in, and nobody waits for it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tools.deadline import Deadline, in_thread

ROOT = Path(__file__).resolve().parents[2]


def test_work_that_ends_in_time_is_left_alone() -> None:
    calls: list[int] = []
    deadline = Deadline(60)
    with deadline.watching(lambda: calls.append(1)):
        pass
    assert deadline.reason is None
    assert calls == []


def test_an_interrupt_is_repeated_until_it_takes() -> None:
    calls: list[int] = []
    third = threading.Event()

    def interrupt() -> None:
        calls.append(1)
        if len(calls) == 3:
            third.set()

    deadline = Deadline(0.01)
    with deadline.watching(interrupt):
        assert third.wait(10)
    assert deadline.reason == "timeout"


def test_a_cancel_before_the_work_begins_still_ends_it() -> None:
    called = threading.Event()
    deadline = Deadline(60)
    deadline.cancel()
    with deadline.watching(called.set):
        assert called.wait(10)
    assert deadline.reason == "cancelled"


def test_nothing_is_interrupted_after_the_work_has_ended() -> None:
    calls: list[int] = []
    deadline = Deadline(60)
    with deadline.watching(lambda: calls.append(1)):
        pass
    deadline.cancel()
    assert calls == []
    assert not [t for t in threading.enumerate() if t.name == "deadline"]


def test_the_first_reason_stands() -> None:
    deadline = Deadline(60)
    deadline.expire()
    deadline.cancel()
    assert deadline.reason == "timeout"


def test_a_result_and_an_error_come_back_from_the_thread() -> None:
    def fail() -> int:
        raise ValueError("no")

    async def both() -> int:
        with pytest.raises(ValueError, match="no"):
            await in_thread(fail, name="t")
        return await in_thread(lambda: 41, name="t")

    assert asyncio.run(both()) == 41


def test_a_waiter_that_goes_away_does_not_wait_for_the_thread() -> None:
    release = threading.Event()

    async def leave() -> None:
        task = asyncio.create_task(in_thread(lambda: release.wait(30), name="t"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(leave())
    release.set()


def test_a_thread_that_outlives_its_loop_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    release = threading.Event()
    ended = threading.Event()

    def work() -> None:
        release.wait(30)
        ended.set()

    async def leave() -> None:
        task = asyncio.create_task(in_thread(work, name="orphan"))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(leave())
    release.set()
    assert ended.wait(10)
    for thread in threading.enumerate():
        if thread.name == "orphan":
            thread.join(10)
    assert capfd.readouterr().err == ""


def test_a_process_that_ends_in_mid_step_ends_well() -> None:
    program = (
        "import asyncio, time\n"
        "from tools.deadline import in_thread\n"
        "async def main():\n"
        "    asyncio.create_task(in_thread(lambda: time.sleep(0.2), name='t'))\n"
        "    await asyncio.sleep(0)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
