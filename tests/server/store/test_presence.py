"""A worker is alive as long as its process is, however that ends."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from server.store.presence import Presence

ROOT = Path(__file__).parents[3]
WORKER = """
import sys
from pathlib import Path
from server.store.presence import Presence

with Presence(Path(sys.argv[1])) as presence:
    print(presence.name, flush=True)
    sys.stdin.read()
"""


def test_a_worker_is_alive_inside_its_block_and_not_after_it(tmp_path: Path) -> None:
    with Presence(tmp_path) as one, Presence(tmp_path) as other:
        assert one.name != other.name
        assert one.is_alive(one.name)
        assert one.is_alive(other.name)
        assert other.is_alive(one.name)
    assert not one.is_alive(one.name)
    assert not one.is_alive(other.name)
    assert list((tmp_path / "workers").iterdir()) == []


def test_a_worker_that_was_killed_is_dead_for_everybody_who_looks(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    name = child.stdout.readline().strip()
    with Presence(tmp_path) as presence:
        assert presence.is_alive(name)
        child.kill()
        child.communicate()
        gate, seen = threading.Barrier(8), list[bool]()

        def look() -> None:
            gate.wait()
            seen.append(presence.is_alive(name))

        threads = [threading.Thread(target=look) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == [False] * 8
        assert not (tmp_path / "workers" / name).exists()


def test_whoever_looks_does_not_pass_for_the_worker(tmp_path: Path) -> None:
    """Two that look at a dead worker at once; each holds its file open for a moment."""
    import fcntl
    import os

    with Presence(tmp_path) as presence:
        dead = tmp_path / "workers" / "1-dead"
        dead.touch(mode=0o600)
        looking = os.open(dead, os.O_RDWR)
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert not presence.is_alive("1-dead")
        os.close(looking)


def test_the_folder_is_its_owners_alone(tmp_path: Path) -> None:
    with Presence(tmp_path / "locks") as presence:
        folder = tmp_path / "locks" / "workers"
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / presence.name).stat().st_mode & 0o777 == 0o600


def test_a_name_that_is_none_is_nobody(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    with Presence(tmp_path / "locks") as presence:
        link = tmp_path / "locks" / "workers" / "link"
        link.symlink_to(tmp_path / "secret")
        assert not presence.is_alive("never")
        assert not presence.is_alive("link")
    assert (tmp_path / "secret").read_text() == "x"
