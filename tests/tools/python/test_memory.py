"""The bound on a session's processes together: where a machine lets us set it, and what it does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.contracts.sandbox import Session
from tests.support.needs import needs
from tests.tools.support import needs_sandbox
from tools.python.bounds import Bounds
from tools.python.memory import MemoryGroup, MemoryGroups, find_groups, memory_groups
from tools.python.sandbox import BubblewrapSandbox

MARK = "ddr-python-"


def machine(tmp_path: Path, members: str, *folders: str, hands_on: str = "") -> tuple[Path, Path]:
    """A tree like /sys/fs/cgroup, and what this process is said to be a member of."""
    root = tmp_path / "cgroup"
    for folder in folders:
        place = root / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / "cgroup.procs").write_text("", encoding="ascii")
        (place / "cgroup.subtree_control").write_text(hands_on, encoding="ascii")
    list_of_groups = tmp_path / "members"
    list_of_groups.write_text(members, encoding="ascii")
    return root, list_of_groups


def test_version_2_is_used_where_the_folder_above_hands_memory_on(tmp_path: Path) -> None:
    found = machine(tmp_path, "0::/app/server\n", "app/server", "app", hands_on="cpu memory pids")
    (found[0] / "app/server/cgroup.subtree_control").write_text("", encoding="ascii")
    assert find_groups(*found) == MemoryGroups(found[0] / "app", 2)


def test_version_2_without_delegation_is_left_alone(tmp_path: Path) -> None:
    assert find_groups(*machine(tmp_path, "0::/app\n", "app", hands_on="cpu pids")) is None


def test_version_1_is_used_where_its_folder_lets_us(tmp_path: Path) -> None:
    members = "5:cpu:/\n4:memory:/app\n0::/\n"
    root, list_of_groups = machine(tmp_path, members, "memory/app", "unified")
    assert find_groups(root, list_of_groups) == MemoryGroups(root / "memory/app", 1)


def test_a_container_that_sees_another_root_uses_that(tmp_path: Path) -> None:
    root, list_of_groups = machine(tmp_path, "4:memory:/docker/abc\n", "memory")
    assert find_groups(root, list_of_groups) == MemoryGroups(root / "memory", 1)


def test_a_machine_without_any_has_none(tmp_path: Path) -> None:
    assert find_groups(*machine(tmp_path, "")) is None
    assert find_groups(tmp_path, tmp_path / "not there") is None


@pytest.mark.parametrize(
    ("version", "files"),
    [
        (1, {"memory.limit_in_bytes": 256 << 20, "memory.memsw.limit_in_bytes": 256 << 20}),
        (2, {"memory.max": 256 << 20, "memory.swap.max": 0, "memory.oom.group": 1}),
    ],
)
def test_a_group_bounds_memory_and_swap_before_it_has_members(
    tmp_path: Path, version: int, files: dict[str, int]
) -> None:
    group = MemoryGroups(tmp_path, version).hold(4711, 256)
    assert group is not None
    said = {place.name: int(place.read_text("ascii")) for place in group.folder.iterdir()}
    assert said == {**files, "cgroup.procs": 4711}
    assert group.folder.name.startswith(f"{MARK}{os.getpid()}-")


def test_a_group_that_cannot_be_made_is_done_without(tmp_path: Path) -> None:
    assert MemoryGroups(tmp_path / "gone", 2).hold(os.getpid(), 256) is None
    MemoryGroup(tmp_path / "gone").close()


@needs_sandbox()
def test_all_processes_of_a_session_together_stay_below_their_bound() -> None:
    """Bounded by itself: 6 processes of 64 MB that end after two seconds at most."""
    bounds = Bounds(memory_mb=128, tmp_mb=16, shared_mb=16)
    session = Session(BubblewrapSandbox(bounds))
    code = (
        "import os, time\n"
        "children = []\n"
        "for _ in range(6):\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        held = bytearray(64 << 20); held[::4096] = b'x' * len(held[::4096])\n"
        "        time.sleep(2); os._exit(0)\n"
        "    children.append(pid)\n"
        "sum(os.waitpid(pid, 0)[1] == 9 for pid in children)"
    )
    try:
        result = session.run(code, memory_mb=128)
        killed = 6 if result.killed == "memory" else int(result.value or 0)
        # Where the machine counts them together some must go; elsewhere all run to their end.
        assert (killed > 0) == (memory_groups() is not None), result
        assert session.run("1 + 1").value == "2"
    finally:
        session.close()


@needs_sandbox()
def test_no_group_outlives_its_session() -> None:
    groups = memory_groups()
    mine = f"{MARK}{os.getpid()}-*"
    before = set(groups.folder.glob(mine)) if groups else set()
    session = Session(BubblewrapSandbox())
    session.value("1")
    during = set(groups.folder.glob(mine)) if groups else {Path()}
    session.close()
    assert len(during - before) == 1
    assert (set(groups.folder.glob(mine)) if groups else before) == before


@needs_sandbox()
@needs("root")  # nobody else sees the pages of a process that hides them
def test_memory_that_a_cell_has_freed_is_given_back() -> None:
    session = Session(BubblewrapSandbox())

    def private_mb() -> float:
        pid = session.kernel._live.process.pid  # type: ignore[attr-defined]
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
        return sum(int(x.split()[1]) for x in lines if x.startswith("Private_Dirty")) / 1024

    try:
        session.run("keep = 1")
        before = private_mb()
        held = "x = [bytes(1000) for _ in range(60_000)], [np.ones(10**6) for _ in range(8)]"
        session.run(held)
        assert private_mb() > before + 100, "what is held is not given back"
        session.run("del x")
        assert private_mb() < before + 20
        assert session.value("keep") == "1"
    finally:
        session.close()
