"""A run that meets a full disk says so, keeps what it has, and goes on when there is space."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.trajectory import StopReason
from tests.e2e.processes import ROOT, Home
from tests.server.agents import TURNS

pytestmark = pytest.mark.real

AGENT = "tests.server.agents:GatedAgent"
RUN = ["run", "--scenario", "flights", "--agent", AGENT, "--entities", "01,02,03", "--tools", "sql"]

CAPPED = """
import os, resource, sys
from server.cli.main import main
room = int(os.environ["ROOM"])
resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
sys.exit(main(sys.argv[1:]))
"""
"""SQLite meets a limit on a file's size in the same write() as a full disk."""

MOUNTED = """
mount -t tmpfs -o size=160k,mode=700 tmpfs "$DDR_HOME" && mkdir "$DDR_HOME/scenarios" &&
cp -rs "$FLIGHTS" "$DDR_HOME/scenarios/" && exec "$@"
"""
"""A disk of 160 KB in a mount namespace of the child's own; it is gone with it."""


def _may_mount() -> bool:
    if os.geteuid() != 0:
        return False
    trial = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def _run(home: Home, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, *RUN],
        cwd=ROOT,
        env=home.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_run_on_a_full_disk_says_what_it_kept_and_goes_on_later(home: Home, gate: Path) -> None:
    gate.touch()
    with home.store() as store:
        assert store.runs() == []
    home.environment["ROOM"] = str((home.path / "store.sqlite3").stat().st_size)
    full = _run(home, sys.executable, "-c", CAPPED)
    assert full.returncode == 1
    assert "full" in full.stderr
    assert "Traceback" not in full.stderr
    with home.store() as store:
        run = store.run("last")
        before = store.all_attempts(run.id)
    assert "Go on with: " in full.stderr
    assert f"ddr run --resume {run.id}" in full.stderr
    assert 0 < sum(len(t.turns) for t in before) < 3 * TURNS
    for trajectory in before:
        assert [t.index for t in trajectory.turns] == list(range(1, len(trajectory.turns) + 1))

    resumed = home.ddr("run", "--resume", "last", "--quiet")
    assert resumed.returncode == 0, resumed.stderr
    with home.store() as store:
        assert {t.stop_reason for t in store.trajectories(run.id)} == {StopReason.FINISHED}
        kept = {t.id: t for t in store.all_attempts(run.id)}
    assert all(kept[t.id].turns == t.turns for t in before)


if _may_mount():  # only root can make a disk; the limit above shows the same to everybody

    def test_a_really_full_disk_is_said_without_a_traceback(
        home: Home, gate: Path, flights_home: Path
    ) -> None:
        gate.touch()
        (home.path / "scenarios").unlink()
        home.environment["FLIGHTS"] = str(flights_home / "scenarios" / "flights")
        inside = ("unshare", "--mount", "sh", "-c", MOUNTED, "sh")
        full = _run(home, *inside, sys.executable, "-m", "server.cli.main")
        assert full.returncode == 1, full.stdout + full.stderr
        assert "the disk or a quota is full" in full.stderr
        assert "Traceback" not in full.stderr
