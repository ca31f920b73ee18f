"""Work that blocks has a thread of its own, and nobody has to wait for it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tools.threads import in_thread

ROOT = Path(__file__).resolve().parents[2]


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
        "from tools.threads import in_thread\n"
        "async def main():\n"
        "    asyncio.create_task(in_thread(lambda: time.sleep(0.2), name='t'))\n"
        "    await asyncio.sleep(0)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
