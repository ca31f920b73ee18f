"""Where queries write when they outgrow memory: a private folder on disk, gone with its pool.

On disk, and not on a tmpfs, which would take the very memory that is short. How much a worker may write
is bounded by its engine (EngineLimits.spill_mb) and, file by file, by the machine (RLIMIT_FSIZE).
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import shutil
import tempfile
from pathlib import Path

LASTING = Path("/var/tmp")  # noqa: S108 - a folder of our own is made in it
"""On disk by convention, where /tmp is often memory."""
PREFIX = "ddr-spill-"
LOCK = "lock"


def usual_place() -> Path:
    """Below which folder pools put theirs on this machine."""
    return LASTING if os.access(LASTING, os.W_OK) else Path(tempfile.gettempdir())


class Spill:
    """One pool's folder, with a folder of its own for each worker."""

    def __init__(self, place: Path | None = None) -> None:
        """Make it, and remove what pools left here that were killed. Raises OSError."""
        place = place or usual_place()
        _sweep(place)
        self.place = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))  # 0700: nobody else enters
        self._lock = os.open(self.place / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._numbers = itertools.count(1)

    def folder(self) -> Path:
        """A new folder for one worker, which runs as another user where we are root."""
        made = self.place / str(next(self._numbers))
        made.mkdir()
        made.chmod(0o777)  # the folder around it is closed to all others
        return made

    def close(self) -> None:
        """Remove everything. Idempotent."""
        shutil.rmtree(self.place, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _sweep(place: Path) -> None:
    for left in place.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if left.stat().st_uid != os.geteuid():
                continue
            lock = os.open(left / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(lock)
