"""Copy a home while ddr works in it: python3 backup.py HOME TARGET [--without-scenarios]

The store is copied by SQLite itself, as of one moment, with what stands in its write-ahead log; a copy of the
file alone would lack that, or be torn. All else is copied as it is, but for locks and benchmarks. TARGET is made
anew, for its owner alone, and only gets its name once it is whole. Only the standard library.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sqlite3
import sys
from pathlib import Path

STORE = "store.sqlite3"
LEFT_OUT = frozenset({STORE, f"{STORE}-wal", f"{STORE}-shm", "locks", "bench"})
SCENARIOS = "scenarios"


class BackupError(Exception):
    """Why there is no copy; the text says what to do."""


def back_up(home: Path, target: Path, *, scenarios: bool = True) -> None:
    """Copy `home` to `target`. Raises BackupError, OSError and sqlite3.Error, leaving no target."""
    if not home.is_dir():
        raise BackupError(f"there is no home at {home}; name the folder that DDR_HOME names")
    if target.exists():
        raise BackupError(f"{target} is there already; name a folder that is not")
    if target.resolve().is_relative_to(home.resolve()):
        raise BackupError(f"{target} lies in {home}, which would then hold its own copies")
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    partial.mkdir(mode=0o700, parents=True)
    try:
        if (home / STORE).exists():
            copy_store(home / STORE, partial / STORE)
        left_out = LEFT_OUT if scenarios else LEFT_OUT | {SCENARIOS}
        for entry in sorted(home.iterdir()):
            if entry.name not in left_out:
                _copy(entry, partial / entry.name)
        partial.rename(target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def copy_store(source: Path, target: Path) -> None:
    """The store as it is at one moment, checked. Raises BackupError and sqlite3.Error."""
    os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o600))
    with (
        contextlib.closing(
            sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
        ) as live,
        contextlib.closing(sqlite3.connect(target)) as copy,
    ):
        live.backup(copy)
        (said,) = copy.execute("PRAGMA integrity_check").fetchone()
    if said != "ok":
        raise BackupError(f"the copy of {source} is not sound: {said}")


def _copy(source: Path, target: Path) -> None:
    """A file or a folder; what is gone meanwhile was being made, and is not missed."""
    if source.is_dir() and not source.is_symlink():
        target.mkdir(mode=0o700)
        for entry in sorted(source.iterdir()):
            _copy(entry, target / entry.name)
        return
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(source, target, follow_symlinks=False)


def main(arguments: list[str] | None = None) -> int:
    """0 where the copy is whole, else 1 and why."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    asked.add_argument("home", type=Path)
    asked.add_argument("target", type=Path)
    asked.add_argument("--without-scenarios", action="store_true", help="they can be built again")
    given = asked.parse_args(arguments)
    try:
        back_up(given.home, given.target, scenarios=not given.without_scenarios)
    except (BackupError, OSError, sqlite3.Error) as exc:
        sys.stderr.write(f"error: no copy was made: {exc}\n")
        return 1
    sys.stdout.write(f"{given.target}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
