"""Where queries write when memory is short: private, on disk, and never left behind."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

from tools.sql.spill import PREFIX, Spill

ROOT = Path(__file__).resolve().parents[3]


def test_a_workers_folder_is_open_to_it_and_closed_to_all_others(tmp_path: Path) -> None:
    spill = Spill(tmp_path)
    first, second = spill.folder(), spill.folder()
    assert first != second
    assert stat.S_IMODE(first.stat().st_mode) == 0o777
    assert stat.S_IMODE(first.parent.stat().st_mode) == 0o700
    spill.close()


def test_a_strict_umask_does_not_close_it_to_the_worker(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        spill = Spill(tmp_path)
        assert stat.S_IMODE(spill.folder().stat().st_mode) == 0o777
    finally:
        os.umask(old)
    spill.close()


def test_all_of_it_goes_with_the_pool(tmp_path: Path) -> None:
    spill = Spill(tmp_path)
    (spill.folder() / "block").write_bytes(b"x" * 1000)
    spill.close()
    spill.close()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_pool_left_is_removed_by_the_next_and_one_in_use_is_kept(
    tmp_path: Path,
) -> None:
    program = (
        "import sys, os; from pathlib import Path; from tools.sql.spill import Spill;"
        " s = Spill(Path(sys.argv[1])); (s.folder() / 'x').write_text('x'); os._exit(9)"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, check=False)
    assert killed.returncode == 9
    (left,) = tmp_path.glob(f"{PREFIX}*")
    living = Spill(tmp_path)
    assert not left.exists()
    another = Spill(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    another.close()
    living.close()


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    without_lock = tmp_path / f"{PREFIX}somebody"
    without_lock.mkdir()
    link = tmp_path / f"{PREFIX}link"
    link.symlink_to(tmp_path)
    (tmp_path / "other").mkdir()
    Spill(tmp_path).close()
    assert {path.name for path in tmp_path.iterdir()} == {without_lock.name, link.name, "other"}
