"""The tool host as a real process: it outlives its clients, is started anew, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.protocols import Observation
from databases.target import Target
from server import toolhost
from server.toolhost import ToolHost, clean_environment, remove_stale
from tests.support.needs import needs
from tests.support.processes import BOUND_S, below, is_alive, until
from tests.tools.support import make_visits
from tools.host import frames
from tools.host.client import HostTools
from tools.host.link import Link, SocketReach
from tools.host.messages import Opening

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
SQL = "execute_query"
PYTHON = "execute_code"


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_visits(tmp_path_factory.mktemp("visits") / "visits.duckdb")


@pytest.fixture
def host() -> Iterator[ToolHost]:
    held = ToolHost()
    yield held
    held.close()


@pytest.fixture(scope="module")
def lasting(visits: Path) -> Iterator[ToolHost]:
    """One for the tests that leave it alive, its workers warm."""
    held = ToolHost()

    async def warm() -> None:
        tools = HostTools(held, opening(visits, "warm"))
        await tools.call(PYTHON, {"code": "1"})
        await tools.close()

    asyncio.run(warm())
    yield held
    held.close()


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


# The socket and the process


def test_it_is_started_at_its_first_use_and_not_before(host: ToolHost, visits: Path) -> None:
    async def talk() -> None:
        tools = HostTools(host, opening(visits, python=False))
        assert host.pid is None
        seen = await tools.call(SQL, {"query": "SELECT count(*) AS n FROM visits"})
        assert data(seen)["rows"] == [[150]]
        assert host.pid is not None

    asyncio.run(talk())


def test_its_socket_is_for_its_owner_alone(lasting: ToolHost) -> None:
    assert stat.S_IMODE(lasting.path.stat().st_mode) == 0o600
    assert stat.S_ISSOCK(lasting.path.stat().st_mode)
    assert stat.S_IMODE(lasting.path.parent.stat().st_mode) == 0o700
    assert lasting.path.parent.stat().st_uid == os.geteuid()


def _knock(folder: Path, uid: int) -> bool:
    """Whether a process of this user gets an answer."""
    child = os.fork()
    if child == 0:
        try:
            os.chdir(folder)
            os.setresuid(uid, uid, uid)
            with socket.socket(socket.AF_UNIX) as end:
                end.settimeout(BOUND_S)
                end.connect("socket")
                end.sendall(frames.encode(1, {"op": "health"}))
                os._exit(0 if end.recv(100) else 1)
        except ConnectionResetError:
            os._exit(1)
        finally:
            os._exit(2)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 1), "it could not knock"
    return code == 0


@needs("root")
def test_another_user_is_turned_away_even_where_the_socket_was_left_open_to_all(
    host: ToolHost,
) -> None:
    host.start()
    host.path.parent.chmod(0o755)
    host.path.chmod(0o666)
    assert not _knock(host.path.parent, 65534)
    assert _knock(host.path.parent, os.geteuid())


def test_no_secret_of_ours_is_in_its_environment(
    host: ToolHost, visits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-the-tools")
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    host.start()
    until(lambda: host.pid, "the host")
    pid = host.pid
    assert pid is not None
    until(lambda: b"tools.host" in Path(f"/proc/{pid}/cmdline").read_bytes(), "its program")

    async def talk() -> None:
        async with held(host, opening(visits)) as tools:
            await tools.call(SQL, {"query": "SELECT 1"})
            await tools.call(PYTHON, {"code": "1"})
            for process in {pid, *below(pid)}:
                with contextlib.suppress(OSError):
                    found = Path(f"/proc/{process}/environ").read_bytes()
                    assert b"sk-not" not in found
                    assert b"hunter2" not in found
                    command = Path(f"/proc/{process}/cmdline").read_bytes()
                    assert b"hunter2" not in command

    asyncio.run(talk())


def test_what_a_host_is_given_is_named_and_all_else_is_left_out() -> None:
    given = {"PATH": "/bin", "LC_ALL": "C", "TZ": "UTC", "AWS_SECRET": "x", "DDR_HOME": "/h"}
    assert clean_environment(given) == {"PATH": "/bin", "LC_ALL": "C", "TZ": "UTC"}


def test_it_ends_with_everything_in_it_and_leaves_no_folder(visits: Path) -> None:
    host = ToolHost()

    async def talk() -> set[int]:
        tools = HostTools(host, opening(visits))
        assert data(await tools.call(PYTHON, {"code": "x = 1"}))["error"] is None
        await tools.call(SQL, {"query": "SELECT 1"})
        assert host.pid is not None
        return {host.pid, *below(host.pid)}

    processes = asyncio.run(talk())
    folder = host.path.parent
    assert folder.is_dir()
    host.close()
    host.close()
    assert not folder.exists()
    until(lambda: not any(map(is_alive, processes)), "the end of its processes")


# Variables


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


@needs("user namespaces")
def test_kill_9_of_a_web_worker_loses_no_variable(lasting: ToolHost, visits: Path) -> None:
    with WebWorker(lasting, opening(visits, "killed")) as first:
        assert first.call(PYTHON, code="x = 41")["error"] is None
        first.kill()
    with WebWorker(lasting, opening(visits, "killed")) as second:
        assert second.call(PYTHON, code="x + 1")["value"] == "42"


@needs("user namespaces")
def test_kill_9_of_a_web_worker_during_a_cell_loses_no_variable(
    lasting: ToolHost, visits: Path
) -> None:
    with WebWorker(lasting, opening(visits, "in mid-cell")) as first:
        assert first.call(PYTHON, code="x = 41")["error"] is None
        first.ask(PYTHON, code="import time\nfor _ in range(10): time.sleep(0.1)\nx += 1")
        until(lambda: _health(lasting)["calls"] == 1, "the cell")
        first.kill()
    with WebWorker(lasting, opening(visits, "in mid-cell")) as second:
        assert second.call(PYTHON, code="x")["value"] == "42"


@needs("user namespaces")
def test_two_web_workers_fifty_rounds_each_never_meet_the_others_variables(
    lasting: ToolHost, visits: Path
) -> None:
    """F21."""
    with (
        WebWorker(lasting, opening(visits, "a")) as a,
        WebWorker(lasting, opening(visits, "b")) as b,
    ):
        for number in range(50):
            a.ask(PYTHON, code=f"x = 'a{number}'")
            b.ask(PYTHON, code=f"x = 'b{number}'")
            assert a.answer()["error"] is None
            assert b.answer()["error"] is None
            a.ask(PYTHON, code="x")
            b.ask(PYTHON, code="x")
            assert a.answer()["value"] == f"'a{number}'"
            assert b.answer()["value"] == f"'b{number}'"


def _health(host: ToolHost) -> dict[str, Any]:
    async def ask() -> dict[str, Any]:
        link = Link(await SocketReach(host.path).connect())
        try:
            found: dict[str, Any] = (await link.ask({"op": "health"})).message["health"]
            return found
        finally:
            link.close()

    return asyncio.run(ask())


@needs("user namespaces")
def test_an_abandoned_session_ends_after_its_time_with_its_kernel(visits: Path) -> None:
    host = ToolHost(idle_s=0.5)
    try:
        host.start()
        with WebWorker(host, opening(visits)) as worker:
            assert worker.call(PYTHON, code="x = 1")["error"] is None
            assert host.pid is not None
        until(lambda: _health(host)["sessions"] == 0, "the end of the session")
        with WebWorker(host, opening(visits)) as worker:
            assert "NameError" in worker.call(PYTHON, code="x")["error"]
    finally:
        host.close()


NAMED = "import ctypes; ctypes.CDLL(None).prctl(15, b'{}')"
"""Gives the kernel's process a name that is seen from outside."""


def _names(host: ToolHost) -> set[str]:
    assert host.pid is not None
    found = set()
    for pid in below(host.pid):
        with contextlib.suppress(OSError):
            found.add(Path(f"/proc/{pid}/comm").read_text().strip())
    return found


@needs("user namespaces")
def test_a_closed_sessions_kernel_is_gone_and_the_others_is_not(
    lasting: ToolHost, visits: Path
) -> None:
    async def talk() -> None:
        async with held(lasting, opening(visits, "a")) as stays:
            await stays.call(PYTHON, {"code": f"x = 1\n{NAMED.format('stays')}"})
            async with held(lasting, opening(visits, "b")) as goes:
                await goes.call(PYTHON, {"code": NAMED.format("goes")})
                assert sorted(_names(lasting) & {"goes", "stays"}) == ["goes", "stays"]
            until(lambda: "goes" not in _names(lasting), "the end of its kernel")
            assert "stays" in _names(lasting)
            assert data(await stays.call(PYTHON, {"code": "x"}))["value"] == "1"

    asyncio.run(talk())


@needs("user namespaces")
def test_eight_sessions_at_once_keep_their_own_variables(lasting: ToolHost, visits: Path) -> None:
    async def explore(number: int) -> None:
        async with held(lasting, opening(visits, f"s{number}")) as tools:
            await tools.call(PYTHON, {"code": f"x = query('SELECT {number} AS n')"})
            for _ in range(3):
                rows = data(await tools.call(SQL, {"query": f"SELECT {number}"}))["rows"]
                assert rows == [[number]]
                value = data(await tools.call(PYTHON, {"code": "int(x.n[0])"}))["value"]
                assert value == str(number)

    async def talk() -> None:
        await asyncio.gather(*(explore(number) for number in range(8)))

    asyncio.run(talk())


# Deaths


@needs("user namespaces")
def test_kill_9_of_the_host_is_an_error_that_can_be_repeated_and_says_what_is_lost(
    host: ToolHost, visits: Path
) -> None:
    async def talk() -> None:
        async with held(host, opening(visits)) as tools:
            assert data(await tools.call(PYTHON, {"code": "x = 41"}))["error"] is None
            first = host.pid
            assert first is not None
            kernels = below(first)
            slow = "import time\nfor _ in range(300): time.sleep(0.1)"
            call = asyncio.create_task(tools.call(PYTHON, {"code": slow}))
            link = Link(await host.connect())
            for _ in range(1000):
                health = (await link.ask({"op": "health"})).message["health"]
                if health["calls"]:
                    break
                await asyncio.sleep(0.01)
            link.close()
            os.kill(first, signal.SIGKILL)
            seen = await call
            assert (seen.is_error, seen.error_kind) == (True, "tool_host")
            assert "can be repeated; all Python variables are gone" in seen.text
            again = await tools.call(PYTHON, {"code": "x"})
            assert "NameError" in data(again)["error"]
            assert "all Python variables are gone" in data(again)["note"]
            assert data(await tools.call(PYTHON, {"code": "1 + 1"}))["note"] is None
            assert host.pid not in (None, first)
            until(lambda: not any(map(is_alive, kernels)), "the end of the old kernels")

    asyncio.run(talk())


def test_who_asks_while_the_host_is_started_anew_is_answered_by_the_next(
    host: ToolHost, visits: Path
) -> None:
    async def talk() -> None:
        tools = [HostTools(host, opening(visits, f"s{n}", python=False)) for n in range(4)]
        await asyncio.gather(*(each.call(SQL, {"query": "SELECT 1"}) for each in tools))
        assert host.pid is not None
        os.kill(host.pid, signal.SIGKILL)
        late = HostTools(host, opening(visits, "late", python=False))
        assert data(await late.call(SQL, {"query": "SELECT 7"}))["rows"] == [[7]]
        for each in tools:
            seen = await each.call(SQL, {"query": "SELECT 1"})
            if seen.error_kind == "tool_host":  # it noticed the death in this very call
                seen = await each.call(SQL, {"query": "SELECT 1"})
            assert data(seen)["rows"] == [[1]]

    asyncio.run(talk())


def test_a_host_that_dies_again_and_again_is_given_up_with_a_reason(
    host: ToolHost, visits: Path
) -> None:
    async def talk() -> None:
        tools = HostTools(host, opening(visits, python=False))
        for _ in range(toolhost.MOST_DEATHS):
            await tools.call(SQL, {"query": "SELECT 1"})
            assert host.pid is not None
            os.kill(host.pid, signal.SIGKILL)
            seen = await tools.call(SQL, {"query": "SELECT 1"})
        for _ in range(3):
            if seen.error_kind != "unavailable":
                seen = await tools.call(SQL, {"query": "SELECT 1"})
        assert (seen.is_error, seen.error_kind) == (True, "unavailable")
        assert "ended 3 times" in seen.text

    asyncio.run(talk())
    assert not host.path.exists()


PARENT = """
import asyncio, sys, time
from server.toolhost import private_host
from tools.host import frames
from tools.host.client import HostTools
from tools.host.messages import Opening

async def work():
    tools = HostTools(private_host(), Opening.model_validate_json(sys.argv[1]))
    await tools.call("execute_query", {"query": "SELECT 1"})
    await tools.call("execute_code", {"code": "x = 1"})
    print(private_host().pid, private_host().path, flush=True)
    slow = "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range + b.range = 7"
    await tools.call("execute_query", {"query": slow})

asyncio.run(work())
"""


def _parent(opened: Opening) -> tuple[subprocess.Popen[str], int, Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PARENT), opened.model_dump_json()],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    pid, path = process.stdout.readline().split()
    return process, int(pid), Path(path)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_whatever_ends_the_parent_in_mid_query_leaves_nothing_behind(
    visits: Path, number: signal.Signals
) -> None:
    process, pid, path = _parent(opening(visits))
    processes = {pid, *below(pid)}
    assert is_alive(pid)
    assert path.exists()
    process.send_signal(number)
    process.communicate(timeout=BOUND_S)
    until(lambda: not any(map(is_alive, processes)), "the end of its processes")
    until(lambda: not path.parent.exists(), "the end of its folder")


def test_kill_9_of_parent_and_host_leaves_a_folder_that_the_next_host_removes(
    visits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process, pid, path = _parent(opening(visits))
    processes = below(pid)
    process.send_signal(signal.SIGSTOP)
    os.kill(pid, signal.SIGKILL)
    process.kill()
    process.communicate(timeout=BOUND_S)
    until(lambda: not any(map(is_alive, processes)), "the end of its processes")
    assert path.parent.is_dir()
    remove_stale(path.parent.parent)
    assert path.parent.is_dir(), "too young to tell"
    monkeypatch.setattr(toolhost, "STALE_S", 0)
    remove_stale(path.parent.parent)
    assert not path.parent.exists()


def test_a_folder_in_use_is_not_stale_however_old(
    lasting: ToolHost, visits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolhost, "STALE_S", -1)
    remove_stale(lasting.path.parent.parent)
    assert lasting.path.exists()


def test_many_threads_that_start_it_at_once_start_one(host: ToolHost) -> None:
    threads = [threading.Thread(target=host.start) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until(lambda: host.pid, "the host")
    first = host.pid
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(str(host.path))
    assert host.pid == first
