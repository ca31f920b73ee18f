"""The place where a build happens: one build at a time, swept, with room enough, its failures told."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from core.errors import DdrError, ScenarioError
from core.hints import typed
from databases.installed import TEMP_PREFIX

_MORE_SPACE = "free some space, or set DDR_HOME to a folder on another disk"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def sweep(folder: Path) -> None:
    """Remove what killed builds left. Only the holder of the lock may."""
    for left in folder.glob(f"{TEMP_PREFIX}*"):
        shutil.rmtree(left, ignore_errors=True)


def refuse_full_disk(folder: Path, needed_mb: int) -> None:
    """Raise ScenarioError unless so much is free. Better now than in the middle."""
    free_mb = shutil.disk_usage(folder).free // 1_000_000
    if free_mb < needed_mb:
        raise ScenarioError(
            f"{folder} has {free_mb} MB free and the build needs {needed_mb} MB; {_MORE_SPACE}"
        )


@contextlib.contextmanager
def one_builder(folder: Path, progress: Callable[[str, float], None]) -> Iterator[None]:
    """Wait until no other process builds here. The lock ends with its process, however that ends."""
    lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another process that builds the same scenario", 0.0)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


@contextlib.contextmanager
def failures_told(scenario_id: str, folder: Path) -> Iterator[None]:
    """Turn what the machine or a builder throws into a ScenarioError that says what to do.

    Ctrl-C passes: it is the caller's to answer.
    """
    import duckdb

    try:
        yield
    except DdrError:
        raise
    except Exception as exc:
        if _is_full(exc):
            todo = f"{_MORE_SPACE}, then"
        elif isinstance(exc, OSError | duckdb.IOException):
            todo = f"make {folder} a folder that you may write to, then"
        else:
            todo = "when its builder is mended,"
        raise ScenarioError(
            f"building {scenario_id} failed ({type(exc).__name__}: {exc}); nothing half built was "
            f"put in place. To try again: {todo} {typed(f'scenarios build {scenario_id}')}"
        ) from exc


def _is_full(exc: Exception) -> bool:
    """Whether the disk or a quota is used up. DuckDB says so in words, under several types."""
    if isinstance(exc, OSError):
        return exc.errno in _FULL
    return any(os.strerror(number) in str(exc) for number in _FULL)
