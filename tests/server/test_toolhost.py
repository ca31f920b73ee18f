"""The tool host as a real process: it outlives its clients, is started anew, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from server import toolhost
from server.toolhost import ToolHost, clean_environment, remove_stale
from tests.server.hosting import PYTHON, ROOT, SQL, data, held, opening
from tests.support.needs import needs
from tests.support.processes import BOUND_S, below, is_alive, until
from tests.tools.support import make_visits
from tools.host import frames
from tools.host.client import HostTools
from tools.host.messages import Opening

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_visits(tmp_path_factory.mktemp("visits") / "visits.duckdb")


@pytest.fixture
def host() -> Iterator[ToolHost]:
    host = ToolHost()
    yield host
    host.close()


# The socket and the process


def test_it_is_started_at_its_first_use_and_not_before(host: ToolHost, visits: Path) -> None:
    async def talk() -> None:
        tools = HostTools(host, opening(visits, python=False))
        assert host.pid is None
        seen = await tools.call(SQL, {"query": "SELECT count(*) AS n FROM visits"})
        assert data(seen)["rows"] == [[150]]
        assert host.pid is not None

    asyncio.run(talk())


def test_its_socket_is_for_its_owner_alone(host: ToolHost) -> None:
    host.start()
    assert stat.S_IMODE(host.path.stat().st_mode) == 0o600
    assert stat.S_ISSOCK(host.path.stat().st_mode)
    assert stat.S_IMODE(host.path.parent.stat().st_mode) == 0o700
    assert host.path.parent.stat().st_uid == os.geteuid()


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
            link = await host.connect()
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
    until(lambda: not host.path.exists(), "the end of its socket")


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
    host: ToolHost, visits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.start()
    monkeypatch.setattr(toolhost, "STALE_S", -1)
    remove_stale(host.path.parent.parent)
    assert host.path.exists()


def test_a_machine_without_a_place_for_the_socket_has_no_tools_and_says_so(
    host: ToolHost, visits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/not/there")

    async def talk() -> None:
        tools = HostTools(host, opening(visits))
        for _ in range(2):
            seen = await tools.call(SQL, {"query": "SELECT 1"})
            assert (seen.is_error, seen.error_kind) == (True, "unavailable")
            assert "/not/there" not in seen.text
            host.close()

    asyncio.run(talk())


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
