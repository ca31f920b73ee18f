"""One session against another, and against the process that both were forked from."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.errors import SandboxError
from core.protocols import CellLimits, CellResult
from tests.contracts.sandbox import Session, answer
from tests.support.needs import needs
from tests.tools.python.attacks import LIBC
from tests.tools.support import needs_sandbox
from tools.python.bounds import Bounds
from tools.python.sandbox import BubblewrapSandbox
from tools.python.zygote import Zygote, running_zygote, start_zygote

pytestmark = needs_sandbox()

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def first() -> Iterator[Session]:
    session = Session(BubblewrapSandbox())
    yield session
    session.close()


@pytest.fixture(scope="module")
def second(first: Session) -> Iterator[Session]:
    """Opened after the first one, from the same zygote."""
    first.value("1")
    session = Session(BubblewrapSandbox())
    yield session
    session.close()


def pid_of(session: Session) -> int:
    """A kernel's first process, as this machine numbers it."""
    return session.kernel._live.process.pid  # type: ignore[attr-defined, no-any-return]


def zygote_of(session: Session) -> int:
    """The process that a kernel was forked from."""
    status = Path(f"/proc/{pid_of(session)}/status").read_text("ascii")
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid")))


def namespaces(pid: int) -> dict[str, str]:
    names = ("user", "pid", "mnt", "ipc", "net", "uts", "cgroup")
    return {name: str(Path(f"/proc/{pid}/ns/{name}").readlink()) for name in names}


def test_kernels_come_from_one_process(first: Session, second: Session) -> None:
    assert zygote_of(first) == zygote_of(second)
    assert pid_of(first) != pid_of(second)


@needs("root")  # nobody else may look at the links of a process that hides its memory
def test_each_kernel_has_every_namespace_for_itself(first: Session, second: Session) -> None:
    mine = namespaces(os.getpid())
    one, other, zygote = (namespaces(p) for p in (pid_of(first), pid_of(second), zygote_of(first)))
    for name in mine:
        assert len({one[name], other[name], zygote[name], mine[name]}) == 4, name


def test_neither_the_zygote_nor_a_kernel_runs_as_root(first: Session) -> None:
    for pid in (pid_of(first), zygote_of(first)):
        status = Path(f"/proc/{pid}/status").read_text("ascii")
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        assert "0" not in fields["Uid"].split()
        assert "0" not in fields["Gid"].split()
        assert (fields["NoNewPrivs"], fields["Seccomp"]) == ("1", "2")


def test_a_kernel_holds_no_capability_and_the_zygote_one(first: Session) -> None:
    def held(pid: int) -> dict[str, int]:
        lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
        return {k: int(v, 16) for k, _, v in (x.partition(":\t") for x in lines if x[:3] == "Cap")}

    assert set(held(pid_of(first)).values()) == {0}
    sys_admin = 1 << 21
    assert set(held(zygote_of(first)).values()) <= {0, sys_admin}


def test_a_kernel_inherits_no_descriptor_but_its_own(first: Session, second: Session) -> None:
    code = (
        "import os\n"
        "def is_open(fd):\n"
        "    try: os.fstat(fd); return True\n"
        "    except OSError: return False\n"
        "[fd for fd in range(1024) if is_open(fd)]"
    )
    for session in (first, second):
        assert session.value(code) == "[0, 1, 2, 3]"


@needs("root")
def test_what_a_kernel_prints_to_and_speaks_over_is_its_own(
    first: Session, second: Session
) -> None:
    ours, theirs = (
        {Path(f"/proc/{pid_of(session)}/fd/{fd}").readlink() for fd in (1, 3)}
        for session in (first, second)
    )
    assert not ours & theirs


def test_no_process_of_others_can_be_named(first: Session, second: Session) -> None:
    code = (
        "import os\n"
        "def there(pid):\n"
        "    try: os.kill(pid, 0); return True\n"
        "    except ProcessLookupError: return False\n"
        f"named = [{pid_of(second)}, {zygote_of(second)}, {os.getpid()}, *range(2, 3000)]\n"
        "os.getpid(), os.getppid(), [pid for pid in named if there(pid)]"
    )
    assert first.value(code) == "(1, 0, [])"


@pytest.mark.parametrize(
    "attack",
    [
        "libc.ptrace(16, {pid}, 0, 0)",
        "libc.syscall(310, {pid}, 0, 0, 0, 0, 0)",  # process_vm_readv
        "libc.syscall(302, {pid}, 7, 0, 0)",  # prlimit64
        "libc.syscall(312, {pid}, 1, 0, 0, 0)",  # kcmp
        "libc.kill({pid}, 0)",
        "libc.syscall(434, {pid}, 0)",  # pidfd_open
        "libc.syscall(448, {pid}, 0)",  # process_mrelease
    ],
)
def test_neither_the_zygote_nor_a_session_can_be_reached(
    first: Session, second: Session, attack: str
) -> None:
    for pid in (pid_of(second), zygote_of(second), os.getpid()):
        refused = first.value(LIBC + f"{attack.format(pid=pid)} < 0")
        assert refused == "True", (attack, pid)
    assert second.value("1 + 1") == "2"


def test_what_a_session_would_do_to_all_ends_nobody_else(first: Session, second: Session) -> None:
    second.run("kept = 'still here'")
    first.run("import os, signal\nos.kill(-1, signal.SIGKILL)\nos.kill(0, signal.SIGTERM)")
    first.run(LIBC + "libc.setpriority(2, 0, 19)")  # of every process of the user
    assert second.value("kept") == "'still here'"
    assert second.value("import os; os.getpriority(os.PRIO_PROCESS, 0)") == "0"
    first.runner.run(first.kernel.reset())


def test_no_folder_is_shared(first: Session, second: Session) -> None:
    mark = secrets.token_hex(8)
    first.run(
        "import os\n"
        f"for folder in ('/tmp', '/dev/shm'): open(f'{{folder}}/{mark}', 'w').write('x')\n"
    )
    assert first.value(f"os.path.exists('/dev/shm/{mark}')") == "True"
    assert second.value("import os\nos.listdir('/tmp'), os.listdir('/dev/shm')") == "([], [])"
    assert not Path("/tmp", mark).exists()
    if os.geteuid() == 0:  # nobody else may look into the zygote
        assert not Path(f"/proc/{zygote_of(first)}/root/tmp/{mark}").exists()


def test_a_name_in_the_abstract_reaches_nobody(first: Session, second: Session) -> None:
    code = "import socket\nsocket.socket(socket.AF_UNIX).bind('\\0ddr')"
    for session in (first, second):
        assert "PermissionError" in (session.run(code).error or "")


def test_shared_memory_by_key_is_refused(first: Session) -> None:
    for call in ("shmget(7, 4096, 0o1666)", "msgget(7, 0o1666)", "semget(7, 1, 0o1666)"):
        assert first.value(LIBC + f"libc.{call} < 0") == "True", call


def test_a_pid_handle_can_be_had_of_oneself_alone(first: Session) -> None:
    code = LIBC + "mine = os.pidfd_open(1)\nlibc.syscall(438, mine, 3, 0) < 0"  # pidfd_getfd
    assert first.value(code) == "True"


def test_the_zygote_has_one_thread_and_waits_for_none_of_its_dead(first: Session) -> None:
    zygote = zygote_of(first)
    gone = Session(BubblewrapSandbox())
    pid = pid_of(gone)
    gone.close()
    assert len(list(Path(f"/proc/{zygote}/task").iterdir())) == 1, "threads do not outlive a fork"
    wait_until(lambda: not Path(f"/proc/{pid}").exists())


def test_a_later_kernel_sees_nothing_of_an_earlier_one() -> None:
    mark = secrets.token_hex(16)
    earlier = Session(BubblewrapSandbox())
    earlier.run(
        f"held = {mark!r}; pieces = [held * 10 for _ in range(1000)]\n"
        "import os, builtins, math\n"
        "builtins.left = held; math.left = held; pd.left = held; os.environ['LEFT'] = held\n"
        "open('/tmp/left', 'w').write(held)"
    )
    for _ in range(2):
        later = Session(BubblewrapSandbox())
        code = (
            "import builtins, math, os\n"
            "[hasattr(place, 'left') for place in (builtins, math, pd)], 'LEFT' in os.environ,"
            " os.listdir('/tmp'), 'held' in globals()"
        )
        assert later.value(code) == "([False, False, False], False, [], False)"
        later.close()
    earlier.close()


@needs("root")
def test_no_data_of_a_session_is_left_in_the_zygote() -> None:
    mark = secrets.token_hex(16)
    session = Session(BubblewrapSandbox())
    session.run(f"held = {mark!r}; pieces = [held * 10 for _ in range(1000)]; query('SELECT 1')")
    pids = pid_of(session), zygote_of(session)
    assert is_in_memory(pids[0], mark), "the search finds what is there"
    assert not is_in_memory(pids[1], mark)
    session.close()
    assert not is_in_memory(pids[1], mark)


def is_in_memory(pid: int, mark: str) -> bool:
    """Whether a process holds a text on any page that it can write to."""
    process = Path("/proc", str(pid))
    with (process / "mem").open("rb", buffering=0) as memory:
        for line in (process / "maps").read_text("utf-8").splitlines():
            span, rights, *_ = line.split()
            if rights.startswith("rw"):
                start, end = (int(text, 16) for text in span.split("-"))
                memory.seek(start)
                if mark.encode() in memory.read(end - start):
                    return True
    return False


def test_kernels_draw_different_random_numbers(first: Session, second: Session) -> None:
    code = "import random, os\nnp.random.rand(), random.random(), os.urandom(8)"
    drawn = [session.value(code) for session in (first, second)]
    assert drawn[0] != drawn[1]
    one, other = (eval(text or "", {"np": __import__("numpy")}) for text in drawn)
    assert all(a != b for a, b in zip(one, other, strict=True))


def test_processes_are_counted_for_each_session_alone(first: Session, second: Session) -> None:
    # Bounded: it stops at the refusal, or after 200; its children end by themselves.
    fill = (
        "import os, time\n"
        "made = 0\n"
        "for _ in range(200):\n"
        "    try: pid = os.fork()\n"
        "    except BlockingIOError: break\n"
        "    if pid == 0:\n"
        "        time.sleep(5); os._exit(0)\n"
        "    made += 1\n"
    )
    assert first.value(fill + "made") == "31"

    async def both() -> tuple[str | None, str | None]:
        full = asyncio.create_task(first.kernel.run(fill + "time.sleep(1)\nmade", CellLimits()))
        await asyncio.sleep(0.3)
        loop = asyncio.get_running_loop()
        beside = await loop.run_in_executor(None, second.run, fill + "made")
        return (await full).value, beside.value

    assert first.runner.run(both()) == ("31", "31")


def test_a_flood_of_files_ends_at_its_bound(first: Session, second: Session) -> None:
    flood = (
        "import os\n"
        "for folder in ('/tmp', '/dev/shm'):\n"
        "    made = 0\n"
        "    try:\n"
        "        for made in range(20_000): os.close(os.open(f'{folder}/f{made}', os.O_CREAT))\n"
        "    except OSError as e: print(e.errno, made < 8192)\n"
    )
    assert first.run(flood).stdout == "28 True\n28 True\n"
    second.run("open('/tmp/mine', 'w').write('x')")
    assert second.value("open('/tmp/mine').read()") == "'x'"
    first.runner.run(first.kernel.reset())


def test_what_lies_in_tmp_does_not_run(first: Session) -> None:
    code = (
        "import os, sys, shutil\n"
        "shutil.copy(sys.executable, '/tmp/program')\n"
        "os.chmod('/tmp/program', 0o700)\n"
        "os.execv('/tmp/program', ['/tmp/program', '-c', '1'])"
    )
    assert "PermissionError" in (first.run(code).error or "")


def test_the_processor_time_of_a_session_is_bounded_and_named() -> None:
    session = Session(BubblewrapSandbox(Bounds(cpu_s=1)))
    try:
        result = session.run("while True: pass", wall_s=30)
        assert result.killed == "cpu"
        assert session.run("1").state_lost
    finally:
        session.close()


def test_a_zygote_that_dies_takes_its_kernels_along_and_the_next_call_works() -> None:
    session = Session(BubblewrapSandbox())
    other = Session(BubblewrapSandbox())
    try:
        session.run("z = 41")
        before, kernels = zygote_of(session), [pid_of(session), pid_of(other)]
        assert not is_gone(before)
        os.kill(before, signal.SIGKILL)
        wait_until_gone(before, *kernels)
        after = session.run("z")
        assert "NameError" in (after.error or "")
        assert after.state_lost
        assert zygote_of(session) != before
        assert other.run("1 + 1").value == "2"
    finally:
        session.close()
        other.close()


def test_the_next_call_works_before_anybody_has_noticed_that_the_zygote_died(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(BubblewrapSandbox())
    noticed = threading.Event()
    try:
        before = zygote_of(session)
        zygote = running_zygote("bubblewrap")
        assert zygote is not None
        end = zygote._end
        monkeypatch.setattr(zygote, "_end", lambda said: (noticed.wait(30), end(said)))
        os.kill(before, signal.SIGKILL)
        wait_until_gone(before, pid_of(session))
        assert zygote.is_alive
        assert session.run("1 + 1").value == "2"
        assert zygote_of(session) != before
    finally:
        noticed.set()
        session.close()


def test_a_zygote_that_dies_in_a_cell_says_that_the_variables_are_gone() -> None:
    session = Session(BubblewrapSandbox())

    async def in_a_cell() -> str | None:
        cell = asyncio.create_task(session.kernel.run("while True: pass", CellLimits()))
        await asyncio.sleep(0.2)
        os.kill(zygote_of(session), signal.SIGKILL)
        return (await cell).error

    try:
        error = session.runner.run(in_a_cell())
        assert (
            error
            == "the Python process was ended with its server's sandbox; its variables are gone"
        )
        after = session.run("1 + 1")
        assert (after.value, after.state_lost) == ("2", True)
    finally:
        session.close()


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def wait_until(holds: Callable[[], bool]) -> None:
    last = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < last, "it goes on"
        time.sleep(0.01)


def wait_until_gone(*pids: int) -> None:
    wait_until(lambda: all(map(is_gone, pids)))


def test_the_zygote_ends_with_its_host() -> None:
    session = Session(BubblewrapSandbox())
    zygote = running_zygote("bubblewrap")
    assert zygote is not None
    assert zygote is start_zygote("bubblewrap"), "there is one for all"
    pids = zygote_of(session), pid_of(session)
    zygote.close()
    wait_until_gone(*pids)
    session.close()


def test_one_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from tools.walls import runtime

    broken = replace(runtime.find_runtime(), python="/python/bin/none")
    monkeypatch.setattr("tools.walls.process.find_runtime", lambda: broken)
    with pytest.raises(SandboxError, match=r"did not start: .*none"):
        Zygote().wait_until_ready()


HOST = """
import asyncio, sys
from tests.contracts.sandbox import answer
from core.protocols import CellLimits
from tools.python.sandbox import BubblewrapSandbox

async def main():
    kernel = await BubblewrapSandbox().open("s", answer)
    await kernel.run("z = 1", CellLimits())
    print(kernel._live.process.pid, flush=True)
    await kernel.run("while True: pass", CellLimits(wall_s=60))

asyncio.run(main())
"""


@pytest.mark.real
def test_nothing_outlives_a_host_that_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOST], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout is not None
        kernel = int(host.stdout.readline())
        status = Path(f"/proc/{kernel}/status").read_text("ascii")
        zygote = int(next(x.split()[1] for x in status.splitlines() if x.startswith("PPid")))
        host.kill()
    wait_until_gone(kernel, zygote)


def test_closing_a_session_ends_the_cell_that_runs() -> None:
    session = Session(BubblewrapSandbox())

    async def close_in_a_cell() -> CellResult:
        cell = asyncio.create_task(session.kernel.run("while True: pass", CellLimits()))
        await asyncio.sleep(0.2)
        await session.kernel.close()
        return await asyncio.wait_for(cell, 20)

    result = session.runner.run(close_in_a_cell())
    assert "variables are gone" in (result.error or "")
    session.runner.close()


def test_a_kernel_whose_walls_do_not_stand_says_which() -> None:
    with pytest.raises(SandboxError, match=r"did not start: .*mount of /tmp"):
        Session(BubblewrapSandbox(Bounds(inodes=-1)))


def test_a_session_that_is_closed_while_it_opens_leaves_nothing_behind() -> None:
    async def close_at_once() -> None:
        sandbox = BubblewrapSandbox()
        await sandbox.warm()
        kernel = await sandbox.open("s", answer)
        await kernel.reset()
        cell = asyncio.create_task(kernel.run("1", CellLimits()))
        await asyncio.sleep(0)
        await kernel.close()
        with pytest.raises(SandboxError, match="closed"):
            await cell
        assert kernel._live is None

    asyncio.run(close_at_once())


def test_a_caller_that_goes_away_between_cells_harms_no_other() -> None:
    session = Session(BubblewrapSandbox())

    async def go_away() -> CellResult:
        session.kernel._settling = asyncio.create_task(asyncio.sleep(0.3))  # type: ignore[attr-defined]
        waiting = asyncio.create_task(session.kernel.run("1", CellLimits()))
        await asyncio.sleep(0.05)
        waiting.cancel()
        return await session.kernel.run("1 + 1", CellLimits())

    try:
        assert session.runner.run(go_away()).value == "2"
    finally:
        session.close()
