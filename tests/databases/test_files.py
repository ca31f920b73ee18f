"""Private files are private from the first byte, the same every time, and never half there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from databases.files import replace_file, write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_private_file_is_for_its_owner_whatever_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "home" / "secrets" / "a.json"
    old = os.umask(0)
    try:
        write_private(path, {"b": 1, "a": [1, "ü"]})
    finally:
        os.umask(old)
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_a_folder_that_was_open_to_all_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "a.json"
    path.parent.mkdir(mode=0o755)
    path.touch(mode=0o644)
    write_private(path, {})
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_the_order_of_keys_does_not_change_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_private(path, {"b": {"y": 1, "x": 2}, "a": 3})
    first = path.read_bytes()
    write_private(path, {"a": 3, "b": {"x": 2, "y": 1}})
    assert path.read_bytes() == first


def test_what_cannot_be_written_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_private(path, {"a": 1})
    before = path.read_bytes()
    with pytest.raises(TypeError):
        write_private(path, {"a": object()})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_replacing_takes_the_place_of_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("new")
    (tmp_path / "old").write_text("old")
    replace_file(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old").read_text() == "new"
    assert not (tmp_path / "new").exists()
