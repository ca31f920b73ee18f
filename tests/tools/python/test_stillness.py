"""Between cells nothing goes on, whatever a cell did to bring it about."""

from __future__ import annotations

import asyncio
import os
import platform
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.sandbox import Session
from tests.tools.support import needs_sandbox
from tools.python.inside.figures import MOST_BYTES, MOST_PIXELS, is_picture
from tools.python.process import Glance, _is_over
from tools.python.sandbox import BubblewrapSandbox
from tools.python.wire import PIECE, Channel, EndedError, Output

pytestmark = needs_sandbox()

EXIT = {"x86_64": 60, "aarch64": 93}[platform.machine()]
LEFT_BEHIND = f"""
import ctypes, os, signal, threading, time
import inside.cells
inside.cells._sweep = lambda: None
libc = ctypes.CDLL(None)

def leave(work):
    \"\"\"A child whose first thread has ended, as if it were over, while another works on.\"\"\"
    if os.fork() == 0:
        threading.Thread(target=work).start()
        libc.syscall({EXIT}, 0)
"""


@pytest.fixture
def cell() -> Iterator[Session]:
    session = Session(BubblewrapSandbox())
    yield session
    session.close()


def settle(session: Session) -> None:
    """Wait until it is decided whether the kernel keeps still."""
    settling = session.kernel._settling  # type: ignore[attr-defined]
    session.runner.run(asyncio.wait_for(settling, 20))


def is_ended(session: Session) -> bool:
    return session.kernel._live is None  # type: ignore[attr-defined]


def processor_time(pid: int) -> int:
    """Ticks that all threads of a process have taken."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_a_child_whose_first_thread_is_over_works_on_and_ends_the_session(cell: Session) -> None:
    result = cell.run(LEFT_BEHIND + "leave(lambda: time.sleep(60))\ntime.sleep(0.2)\n'left'")
    assert result.value == "'left'"
    settle(cell)
    assert is_ended(cell)
    assert cell.run("1 + 1").state_lost


def test_a_process_with_living_threads_is_not_over_and_a_dead_one_is() -> None:
    script = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        f"ctypes.CDLL(None).syscall({EXIT}, 0)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script]) as child:
        place = Path("/proc", str(child.pid))
        try:
            last = time.monotonic() + 20
            while (place / "stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z":
                assert time.monotonic() < last
                time.sleep(0.01)
            assert not _is_over(place)
        finally:
            child.kill()
        while not _is_over(place):
            assert time.monotonic() < last
            time.sleep(0.01)


@pytest.mark.parametrize(
    ("work", "alone"),
    [
        ("pass", True),
        ("threading.Thread(target=time.sleep, args=(60,), daemon=True).start()", False),
        ("subprocess.Popen(['sleep', '60'])", False),
        ("subprocess.Popen(['true'])", False),  # dead, and nobody has heard of it
        (
            "threading.Thread(target=lambda: held.append(subprocess.Popen(['sleep', '60']))).start()\n"
            "while not held or threading.active_count() > 1: time.sleep(0.01)",
            False,
        ),
    ],
)
def test_a_glance_sees_one_stopped_thread_without_a_child_and_nothing_else(
    work: str, *, alone: bool
) -> None:
    script = (
        "import os, signal, subprocess, threading, time\n"
        f"held = []\n{work}\ntime.sleep(0.1)\nos.kill(os.getpid(), signal.SIGSTOP)\n"
        "print('on', flush=True)\ntime.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        glance = Glance.at(process.pid)
        assert glance is not None
        assert process.stdout is not None
        try:
            assert not glance.shows_a_single_stopped_thread()  # it is being started
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            assert glance.shows_a_single_stopped_thread() is alone
            process.send_signal(signal.SIGCONT)
            assert process.stdout.readline() == b"on\n"
            assert not glance.shows_a_single_stopped_thread()
        finally:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        with pytest.raises(ProcessLookupError):
            glance.shows_a_single_stopped_thread()
        glance.close()


def test_of_a_process_that_is_gone_there_is_no_glance() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
        open_before = len(list(Path("/proc/self/fd").iterdir()))
        assert Glance.at(process.pid) is None
        assert len(list(Path("/proc/self/fd").iterdir())) == open_before


def test_the_child_cannot_wake_the_session(cell: Session) -> None:
    code = (
        "def wake():\n"
        "    for _ in range(20_000):\n"
        "        try: os.kill(1, signal.SIGCONT)\n"
        "        except PermissionError: os._exit(7)\n"
        "        time.sleep(0.001)\n"
        "if os.fork() == 0: wake()\n"
        "os.waitstatus_to_exitcode(os.wait()[1])\n"
    )
    assert cell.value(LEFT_BEHIND + code) == "7"


def test_a_session_that_is_woken_by_whatever_means_is_ended_while_it_waits(cell: Session) -> None:
    cell.run(
        "import threading\n"
        "def work():\n"
        "    for _ in range(10**9): pass\n"
        "threading.Thread(target=work, daemon=True).start()\n"
    )
    settle(cell)
    assert not is_ended(cell)
    os.kill(cell.kernel._live.process.pid, signal.SIGCONT)  # type: ignore[attr-defined]

    async def wait() -> None:
        async with asyncio.timeout(30):
            while cell.kernel._live:  # type: ignore[attr-defined]
                await asyncio.sleep(0.05)

    cell.runner.run(wait())
    assert cell.run("1 + 1").state_lost


def test_a_session_that_was_woken_does_not_run_the_next_cell(cell: Session) -> None:
    cell.run("kept = 1")
    settle(cell)
    os.kill(cell.kernel._live.process.pid, signal.SIGCONT)  # type: ignore[attr-defined]
    after = cell.run("kept")
    assert after.state_lost
    assert "NameError" in (after.error or "")


def test_a_session_that_keeps_still_keeps_its_variables_and_takes_no_time(cell: Session) -> None:
    cell.run(
        "import threading, time\n"
        "kept = 7\n"
        "def work():\n"
        "    while True: pass\n"
        "for _ in range(3): threading.Thread(target=work, daemon=True).start()\n"
    )
    settle(cell)
    pid = cell.kernel._live.process.pid  # type: ignore[attr-defined]
    before = processor_time(pid)
    cell.runner.run(asyncio.sleep(2.5))  # past the next look
    assert processor_time(pid) == before
    result = cell.run("kept")
    assert (result.value, result.state_lost) == ("7", False)


def test_what_is_printed_between_cells_is_no_work_for_the_host(cell: Session) -> None:
    cell.value("1")
    taken = cell.kernel._live.output  # type: ignore[attr-defined]
    cell.run(
        LEFT_BEHIND + "def later():\n"
        "    time.sleep(1)\n"
        "    for _ in range(2000): os.write(1, bytes(65536))\n"
        "leave(later)\n"
    )
    settle(cell)
    assert taken.total == 0
    assert is_ended(cell)


def test_output_that_waits_is_taken_by_nobody_and_belongs_to_no_cell() -> None:
    async def check() -> None:
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        output = Output(reader)
        try:
            output.pause()
            written = os.write(writer, bytes(PIECE))
            await asyncio.sleep(0.05)
            assert output.total == 0
            output.begin(1000)
            os.write(writer, b"mine")
            await asyncio.sleep(0.05)
            assert (written, output.total, output.text) == (PIECE, 4, "mine")
        finally:
            output.close()
            os.close(writer)

    asyncio.run(check())


def test_messages_that_wait_are_heard_at_the_next_cell_alone() -> None:
    async def check() -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        reader, writer = os.pipe()
        output = Output(reader)
        channel = Channel(ours, output)
        channel.open()
        channel.pause()
        said = b'{"op": "x"}'
        theirs.sendall(struct.pack(">I", len(said)) + said)
        try:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(channel.receive(), 0.1)
            channel.begin()
            assert await asyncio.wait_for(channel.receive(), 5) == {"op": "x"}
            theirs.close()
            with pytest.raises(EndedError):
                await asyncio.wait_for(channel.receive(), 5)
            channel.begin()  # of one that has ended nothing is heard
        finally:
            channel.close()
            output.close()
            os.close(writer)

    asyncio.run(check())


def test_a_heap_of_messages_lets_others_have_their_turn() -> None:
    async def check() -> int:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        reader, writer = os.pipe()
        output = Output(reader)
        channel = Channel(ours, output)
        said = b'{"op": ""}'
        count = 2000
        channel._buffer += (struct.pack(">I", len(said)) + said) * count
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        beside = asyncio.create_task(other())
        for _ in range(count):
            await channel.receive()
        beside.cancel()
        channel.close()
        output.close()
        theirs.close()
        os.close(writer)
        return turns

    assert asyncio.run(check()) > 20


def png(width: int, height: int, size: int = 100) -> bytes:
    """Something with the head of a PNG."""
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return head + bytes(size - len(head))


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        (png(100, 100), True),
        (png(5000, 10_000, MOST_BYTES), True),
        (png(100, 100, MOST_BYTES + 1), False),
        (png(1 << 31, 1 << 31), False),
        (png(1, MOST_PIXELS + 1), False),
        (png(0, 5), False),
        (png(5, 5)[:20], False),
        (png(5, 5).replace(b"IHDR", b"IDAT"), False),
    ],
)
def test_a_figure_is_bounded_in_bytes_and_in_pixels(
    cell: Session, said: bytes, *, taken: bool
) -> None:
    assert is_picture(said) is taken
    number = cell.kernel._cells + 1  # type: ignore[attr-defined] # as a cell could guess it
    code = (
        "import base64, json, os, struct\n"
        f"png = {said[:24]!r} + bytes({len(said) - 24})\n"
        f"m = json.dumps({{'op': 'figure', 'id': {number},"
        " 'png': base64.b64encode(png).decode()}).encode()\n"
        "m = struct.pack('>I', len(m)) + m\n"
        "while m: m = m[os.write(3, m):]\n"
    )
    if len(said) < 24:
        code = code.replace(f"{said[:24]!r} + bytes({len(said) - 24})", repr(said))
    assert cell.run(code).figures == ((said,) if taken else ())
