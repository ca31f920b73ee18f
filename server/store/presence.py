"""Which worker processes are alive: each holds a file's lock, which dies with it, however it dies."""

from __future__ import annotations

import fcntl
import os
import secrets
from pathlib import Path
from types import TracebackType
from typing import Final

_FOLDER: Final = "workers"


class Presence:
    """One worker's sign of life below a folder, for as long as the block lasts."""

    def __init__(self, locks: Path) -> None:
        self._folder = locks / _FOLDER
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._fd: int | None = None

    def __enter__(self) -> Presence:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._fd = os.open(self._folder / self.name, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._fd is not None:
            (self._folder / self.name).unlink(missing_ok=True)
            os.close(self._fd)
            self._fd = None

    def is_alive(self, worker: str) -> bool:
        """Whether the worker of this name still runs. What a dead one left is removed."""
        if worker == self.name:
            return self._fd is not None
        path = self._folder / worker
        try:
            fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            return False
        try:
            # Shared, so that two who look at once do not take each other for the worker.
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        else:
            # Removed under its lock: nobody takes a dead worker's name again.
            path.unlink(missing_ok=True)
            return False
        finally:
            os.close(fd)
