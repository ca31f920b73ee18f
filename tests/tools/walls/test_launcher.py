"""The sandbox below a folder that only root may enter, and in the hands of an ordinary user."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.needs import needs
from tests.tools.python.attacks import ATTACKS, LIBC
from tests.tools.support import needs_sandbox
from tools.walls.bwrap import LAUNCHER
from tools.walls.runtime import find_runtime

pytestmark = [needs("root"), needs_sandbox()]
ROOT = Path(__file__).resolve().parents[3]
FREE_UID = 61_183
"""Below those that the sandbox takes; the test skips where somebody has it."""

EVERY_ATTACK = json.dumps({name: LIBC + code for name, code in ATTACKS.items()})
PROGRAM = """
import asyncio, json, os, pickle, sys
from core.protocols import CellLimits, QueryColumns
from tools.python.sandbox import BubblewrapSandbox

async def answer(sql):
    return QueryColumns(payload=pickle.dumps({"s": [1.5, 2.5]}), row_count=2)

async def main():
    secret, attacks = sys.argv[1], json.loads(sys.argv[2])
    sandbox = BubblewrapSandbox()
    said = {"state": sandbox.state().model_dump(), "uid": os.getuid()}
    kernel = await sandbox.open("s", answer)
    cells = {
        "sum": "float(query('SELECT s').s.sum()), os.getuid()",
        "passwd": "open('/etc/passwd').read()",
        "root": "os.listdir('/root')",
        "checkout": f"os.listdir({os.path.dirname(secret)!r})",
        "secret": f"open({secret!r})",
        "host": "os.kill(os.getppid() or 1, 0) or os.listdir('/proc')",
        "environ": "sorted(os.environ)",
        "loop": "while True: pass",
        "after": "1 + 1",
    }
    for name, code in cells.items():
        limits = CellLimits(wall_s=1 if name == "loop" else 30)
        said[name] = (await kernel.run("import os\\n" + code, limits)).model_dump()
    said["let through"] = []
    for name, code in attacks.items():
        done = await kernel.run(code, CellLimits())
        if not done.error:
            said["let through"].append(name)
        await kernel.run("held = f = x = None", CellLimits())
    other = await sandbox.open("t", answer)
    await kernel.run("mine = 1; open('/tmp/mine', 'w').write('x')", CellLimits())
    code = "os.listdir('/tmp'), 'mine' in globals(), os.getpid()"
    said["other"] = (await other.run("import os\\n" + code, CellLimits())).value
    await other.close()
    await kernel.close()
    print(json.dumps(said))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def closed_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A checkout with its packages and data, below a folder that only its owner may enter."""
    closed = tmp_path_factory.mktemp("closed")
    checkout = closed / "checkout"
    for name in ("core", "tools"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("*.json"))
    (checkout / "secret.txt").write_text("the answers", encoding="ascii")
    closed.chmod(0o700)
    yield checkout
    closed.chmod(0o755)


def expect_walls(said: dict[str, Any]) -> None:
    assert said["state"] == {"name": "bubblewrap", "detail": None}
    assert said["sum"]["value"] == "(4.0, 1000)", said["sum"]
    for name in ("passwd", "root", "checkout", "secret", "host"):
        assert said[name]["error"], said[name]
        assert said[name]["value"] is None
        assert said[name]["stdout"] == ""
    assert "HOME" in said["environ"]["value"]
    assert "DDR" not in said["environ"]["value"]
    assert said["loop"]["killed"] == "timeout"
    assert said["after"]["value"] == "2"
    assert said["let through"] == []
    assert said["other"] == "([], False, 1)"


def run_as_root(closed_folder: Path, program: str) -> dict[str, Any]:
    """What a program says that root runs from a folder that is closed to all others."""
    done = subprocess.run(
        [sys.executable, "-c", program, str(closed_folder / "secret.txt"), EVERY_ATTACK],
        cwd=closed_folder,
        env={**os.environ, "PYTHONPATH": str(closed_folder), "DDR_SECRET": "x"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said: dict[str, Any] = json.loads(done.stdout)
    assert said["uid"] == 0
    return said


@pytest.mark.real
def test_root_can_hold_python_below_a_folder_that_only_root_may_enter(closed_folder: Path) -> None:
    expect_walls(run_as_root(closed_folder, PROGRAM))


def as_ordinary_user(closed_folder: Path, program: str) -> dict[str, Any]:
    """What a program says that such a user runs, who may use the machine as everybody may.

    The runtime may lie where that user cannot go, so it is bound at a neutral place first:
    with the sandbox's own launcher, which gives up root before it starts the program."""
    import pwd

    with pytest.raises(KeyError):
        pwd.getpwuid(FREE_UID)
    stdlib = Path(os.__file__).resolve().parent
    executable = Path(sys.executable).resolve()
    packages = Path(os.path.realpath(find_runtime().bwrap)).parents[2]
    stage = Path("/mnt")
    python = f"python/bin/{executable.name}"
    library = f"python/{sys.platlibdir}"
    binds = [
        [str(executable), python],
        [str(stdlib), f"{library}/{stdlib.name}"],
        [str(packages), "site"],
        [str(closed_folder), "checkout"],
    ]
    shared = (Path(sys.base_prefix) / "lib").glob("libpython*.so*")
    binds += [[str(path.resolve()), f"{library}/{path.name}"] for path in shared]
    plan = {
        "stage": str(stage),
        "binds": binds,
        "uid": FREE_UID,
        "probes": [f"{stage}/{python}"],
        "argv": [
            *(f"{stage}/{python}", "-c", program),
            *(f"{stage}/checkout/secret.txt", EVERY_ATTACK),
        ],
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", str(LAUNCHER), json.dumps(plan)],
        env={
            "PYTHONPATH": f"{stage}/checkout:{stage}/site",
            "LD_LIBRARY_PATH": f"{stage}/{library}",
            "PATH": "/usr/bin:/bin",
            "HOME": "/nonexistent",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said: dict[str, Any] = json.loads(done.stdout)
    assert said["uid"] == FREE_UID
    return said


@pytest.mark.real
def test_an_ordinary_user_can_hold_python(closed_folder: Path) -> None:
    expect_walls(as_ordinary_user(closed_folder, PROGRAM))


@pytest.mark.real
@needs("landlock")
@pytest.mark.parametrize("as_root", [True, False])
def test_the_second_line_holds_for_root_and_for_an_ordinary_user(
    closed_folder: Path, as_root: bool
) -> None:
    program = PROGRAM.replace("BubblewrapSandbox", "LandlockSandbox")
    said = (run_as_root if as_root else as_ordinary_user)(closed_folder, program)
    assert said["state"]["name"] == "landlock"
    assert (said["sum"]["value"] or "").startswith("(4.0, ")
    for name in ("passwd", "root", "checkout", "secret", "host"):
        assert said[name]["error"], name
    assert said["let through"] == ["more processes"], "a bound on what it cannot make at all"
    assert (said["loop"]["killed"], said["after"]["value"]) == ("timeout", "2")


def launch(plan: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", "-B", str(LAUNCHER), json.dumps(plan)],
        capture_output=True,
        text=True,
        check=False,
    )


def plan(**changes: Any) -> dict[str, Any]:
    return {
        "stage": "/mnt",
        "binds": [["/bin/sh", "sh"]],
        "uid": 61_190,
        "probes": ["/mnt/sh"],
        "argv": ["/mnt/sh", "-c", "id -u; id -G; cat /proc/self/status | grep -E 'CapEff|CapPrm'"],
        **changes,
    }


def test_the_launcher_gives_up_root_with_every_group_and_capability() -> None:
    done = launch(plan())
    uid, groups, *caps = done.stdout.splitlines()
    assert (uid, groups) == ("61190", "61190")
    assert {line.split()[1] for line in caps} == {"0000000000000000"}


def test_what_it_binds_is_seen_by_nobody_else() -> None:
    before = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    launch(plan())
    assert Path("/proc/self/mountinfo").read_text(encoding="utf-8") == before
    assert not Path("/mnt/sh").exists()


def test_a_runtime_that_others_cannot_read_is_told_with_its_remedy(tmp_path: Path) -> None:
    private = tmp_path / "python"
    private.write_text("x", encoding="ascii")
    private.chmod(0o600)
    done = launch(plan(binds=[[str(private), "p"]], probes=["/mnt/p"]))
    assert done.returncode == 97
    assert "chmod -R o+rX" in done.stderr
    assert done.stdout == ""


def test_a_source_that_is_gone_is_named() -> None:
    done = launch(plan(binds=[["/no/such/file", "p"]]))
    assert done.returncode == 97
    assert "/no/such/file" in done.stderr


def test_a_strict_umask_does_not_close_the_neutral_folder() -> None:
    old = os.umask(0o077)
    try:
        done = launch(
            plan(binds=[["/bin/sh", "deep/er/sh"]], probes=["/mnt/deep/er/sh"])
            | {"argv": ["/mnt/deep/er/sh", "-c", "id -u"]}
        )
    finally:
        os.umask(old)
    assert done.stdout == "61190\n"
