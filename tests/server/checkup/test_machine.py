"""The doctor on the machine: where things are kept, for whose eyes, and how much room there is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from server import settings
from server.checkup import machine


def test_a_home_for_its_owner_alone_is_well(tmp_path: Path) -> None:
    found = machine.home(settings.load(tmp_path / "home"))
    assert (found.ok, found.detail) == (True, str(tmp_path / "home"))


def test_a_home_that_others_may_read_is_told_with_the_command_that_closes_it(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o755)
    found = machine.home(settings.load(tmp_path))
    assert not found.ok
    assert not found.needed
    assert "mode ...55" in found.detail
    assert found.remedy == f"chmod 700 {tmp_path}"


def test_a_home_that_cannot_be_made_is_told_with_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = machine.home(settings.load(tmp_path / "file" / "home"))
    assert not found.ok
    assert found.needed
    assert found.remedy == "export DDR_HOME=/a/folder/of/yours"


def test_too_little_room_is_told_for_the_home_and_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=150 << 20))
    kept, passing, large = machine.space(settings.load(tmp_path))
    assert (kept.name, kept.ok) == ("disk", False)
    assert kept.remedy == f"free 500 MB below {tmp_path}"
    assert (passing.name, passing.ok) == ("temporary files", False)
    assert "export TMPDIR=" in (passing.remedy or "")
    assert "150 MB free" in passing.detail
    assert (large.name, large.ok, large.needed) == ("large queries", False, False)
    assert large.remedy == "free 2048 MB there"


def test_room_is_looked_for_where_the_home_will_be_made(tmp_path: Path) -> None:
    kept, *_ = machine.space(settings.load(tmp_path / "not" / "yet"))
    assert kept.detail.endswith(f"free in {tmp_path.anchor}")


@pytest.mark.parametrize(("uid", "ok"), [(0, False), (1000, True)])
def test_root_is_advised_to_serve_as_somebody_else(
    uid: int, ok: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    found = machine.user()
    assert found.ok is ok
    assert not (found.needed and not ok), "root may try everything out"
    assert bool(found.remedy) is not ok


@pytest.mark.parametrize(
    ("mounts", "is_memory"),
    [
        ("/dev/sda1 / ext4 rw 0 0", False),
        ("/dev/sda1 / ext4 rw 0 0\ntmpfs /var/tmp tmpfs rw 0 0", True),
        ("tmpfs / tmpfs rw 0 0\n/dev/sda1 /var ext4 rw 0 0", False),
        (
            "/dev/sda1 / ext4 rw 0 0\ntmpfs /var/tmp tmpfs rw 0 0\n/dev/sdb /var/tmp xfs rw 0 0",
            False,
        ),
        ("tmpfs /var/tmporary tmpfs rw 0 0", False),
        ("", False),
    ],
)
def test_a_folder_is_memory_where_what_was_mounted_last_above_it_is_a_tmpfs(
    mounts: str, is_memory: bool, tmp_path: Path
) -> None:
    table = tmp_path / "mounts"
    table.write_text(mounts, encoding="utf-8")
    assert machine._is_memory(Path("/var/tmp"), table) is is_memory
    assert machine._is_memory(Path("/var/tmp"), tmp_path / "none") is False
