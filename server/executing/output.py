"""What a process prints: its head into a file, its last words in memory, the rest counted."""

from __future__ import annotations

import os
import select
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

LOG_BYTES: Final = 10_000_000
TAIL_BYTES: Final = 4_096
_CHUNK: Final = 1 << 16
_LISTEN_MS: Final = 100
_DRAIN_S: Final = 1.0


class Captured:
    """Reads a pipe to its end in a thread, so that whoever prints never waits for us."""

    def __init__(self, pipe: IO[bytes], log: Path) -> None:
        """Makes the file (0600); raises OSError where it is there or cannot be made."""
        fd = os.open(log, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        self._pipe, self._log = pipe, os.fdopen(fd, "wb")
        self._over = threading.Event()
        self._tail = b""
        self.count = 0
        """Bytes that were printed."""
        self.kept = 0
        """Bytes in the file, but for the last line that tells of the rest."""
        self._thread = threading.Thread(target=self._read, name="output", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def tail(self) -> str:
        """The last that was printed, to be shown: without control characters of a terminal."""
        text = self._tail.decode("utf-8", "replace")
        return "".join(c if c == "\n" or c.isprintable() else " " for c in text).strip()

    def close(self) -> None:
        """Read what is left and close the file. Who still holds the other end is not waited for."""
        self._over.set()
        self._thread.join()
        self._pipe.close()
        lost = self.count - self.kept
        with self._log as log:
            if lost:
                log.write(f"\n[ddr: {lost} more bytes were printed and are not kept]\n".encode())

    def _read(self) -> None:
        fd = self._pipe.fileno()
        poll = select.poll()
        poll.register(fd, select.POLLIN | select.POLLHUP)
        last: float | None = None
        while True:
            if poll.poll(_LISTEN_MS):
                chunk = os.read(fd, _CHUNK)
                if not chunk:
                    return
                self._take(chunk)
            elif self._over.is_set():
                return
            if self._over.is_set():
                last = last or time.monotonic() + _DRAIN_S
                if time.monotonic() > last:
                    return

    def _take(self, chunk: bytes) -> None:
        self.count += len(chunk)
        self._tail = (self._tail + chunk)[-TAIL_BYTES:]
        kept = chunk[: max(LOG_BYTES - self.kept, 0)]
        try:
            self._log.write(kept)
            self._log.flush()
        except OSError:  # the disk is full: the agent goes on, and the file says what it lacks
            return
        self.kept += len(kept)
