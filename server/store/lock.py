"""One process works on a run at a time; the lock dies with its process, however it dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from core.errors import StoreError


class RunLock:
    """Held while a run is explored or evaluated. Raises StoreError where another has it."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self._path = folder / f"{run_id}.lock"
        self._run_id = run_id
        self._fd: int | None = None

    def __enter__(self) -> RunLock:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            # The kernel drops it when the process ends, so that `kill -9` leaves nothing to clean.
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(fd, 20, 0).decode("ascii", "replace").strip()
            os.close(fd)
            raise StoreError(
                f"run {self._run_id} is being worked on by another process (pid {holder}); "
                "wait for it, or end it and then resume"
            ) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, str(os.getpid()).encode(), 0)
        self._fd = fd
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._fd is not None:
            # The file stays: removing it would let a waiter lock a file that nobody else sees.
            os.close(self._fd)
            self._fd = None


def is_locked(folder: Path, run_id: str) -> bool:
    """Whether some process works on the run right now."""
    try:
        with RunLock(folder, run_id):
            return False
    except StoreError:
        return True
