"""Keep one tool host running: start it, start it anew when it dies, and end it with this process."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import logging
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from core.errors import ToolError
from tools.host.link import Link
from tools.host.sessions import IDLE_S

_LOG = logging.getLogger(__name__)

PREFIX: Final = "ddr-tools-"
MOST_DEATHS = 3
"""Within DEATHS_S; after them it is given up."""
DEATHS_S = 60.0
END_S = 10.0
STALE_S = 60.0
"""A folder younger than this may belong to a host that is just being started."""
_MOST_PATH = 100
"""Characters of a unix socket's path; the system's own limit is 108."""
_KEPT: Final = frozenset(
    {
        "HOME",
        "LANG",
        "LANGUAGE",
        "LD_LIBRARY_PATH",
        "OPENBLAS_CORETYPE",
        "PATH",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONPATH",
        "PYTHONWARNINGS",
        "TMPDIR",
        "TZ",
    }
)
"""What of our environment the host is given: no key of any provider is among it."""
_ROOT = Path(__file__).resolve().parents[1]


class ToolHost:
    """A host of this process's own. Used from any thread and any event loop.

    It listens in a 0700 folder on a 0600 socket that this process keeps: whoever connects while
    the host is being started anew is served by the next one.
    """

    def __init__(self, *, idle_s: float = IDLE_S) -> None:
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._listening: socket.socket | None = None
        self._folder: Path | None = None
        self._folder_fd = -1
        self._process: subprocess.Popen[bytes] | None = None
        self._watching: threading.Thread | None = None
        self._closing = False
        self._gave_up: str | None = None

    @property
    def pid(self) -> int | None:
        """Of the host that runs now."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    @property
    def path(self) -> Path:
        """The socket. Raises ToolError `unavailable` where none was ever made."""
        if self._folder is None:
            raise ToolError("the tools were not started", kind="unavailable")
        return self._folder / "socket"

    def start(self) -> None:
        """Have it started, without waiting for it. Idempotent."""
        with self._lock:
            if self._closing or self._watching is not None:
                return
            self._listen()
            self._watching = threading.Thread(target=self._watch, name="tool-host", daemon=True)
            self._watching.start()
            atexit.register(self.close)

    async def connect(self) -> Link:
        """A connection, the host being started where it is not. Raises ToolError `unavailable`."""
        try:
            self.start()
            return await Link.to(self.path)
        except OSError as exc:
            why = self._gave_up or f"it does not listen ({exc.strerror})"
            raise ToolError(f"the tools are gone: {why}", kind="unavailable") from exc

    def close(self) -> None:
        """End the host and all that it holds; returns once it is gone. Idempotent."""
        with self._lock:
            if self._closing:
                return
            self._closing = True
            process, watching = self._process, self._watching
        atexit.unregister(self.close)
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.terminate()  # one that has not begun to serve ends by it at once
        if watching is not None:
            watching.join(END_S)
            if watching.is_alive() and process is not None:
                process.kill()
                watching.join(END_S)
        self._stop_listening()

    def _listen(self) -> None:
        base = Path(tempfile.gettempdir())
        if len(str(base)) > _MOST_PATH - 30:
            base = Path("/tmp")  # noqa: S108 - the folder made in it is ours alone
        remove_stale(base)
        self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        # Held for as long as this process lives: it tells others that the folder is in use.
        self._folder_fd = os.open(self._folder, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(self._folder_fd, fcntl.LOCK_EX)
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(str(self.path))
        self.path.chmod(0o600)
        self._listening.listen(128)

    def _watch(self) -> None:
        """Start it again and again. A thread of its own: the host dies with the thread that starts it."""
        deaths: list[float] = []
        while process := self._spawn():
            code = process.wait()
            if self._closing:
                return
            now = time.monotonic()
            deaths = [*(at for at in deaths if now - at < DEATHS_S), now]
            _LOG.warning("the tool host ended (exit code %d)", code)
            if len(deaths) >= MOST_DEATHS:
                self._gave_up = f"their process ended {len(deaths)} times (exit code {code})"
                break
        self._stop_listening()

    def _spawn(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._closing or self._listening is None:
                return None
            descriptor = self._listening.fileno()
            environment = clean_environment(os.environ)
            search = [str(_ROOT), *environment.get("PYTHONPATH", "").split(os.pathsep)]
            environment["PYTHONPATH"] = os.pathsep.join(path for path in search if path)
            command = [
                *(sys.executable, "-P", "-m", "tools.host"),
                *("--socket-fd", str(descriptor)),
                *("--folder", str(self._folder)),
                *("--parent", str(os.getpid())),
                *("--idle-s", str(self._idle_s)),
            ]
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=2,  # stdout may be a protocol's
                    pass_fds=(descriptor,),
                    env=environment,
                    cwd="/",
                    start_new_session=True,  # Ctrl-C is for us: open calls may end
                )
            except OSError as exc:
                self._gave_up = f"their process cannot be started ({exc.strerror})"
                return None
            return self._process

    def _stop_listening(self) -> None:
        with self._lock:
            listening, self._listening = self._listening, None
            if listening is None or self._folder is None:
                return
            listening.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            os.close(self._folder_fd)


def remove_stale(base: Path) -> None:
    """Remove the folders of hosts that were killed together with who had started them."""
    for folder in base.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # another user's, or gone in this moment
            stat = folder.lstat()
            if stat.st_uid != os.geteuid() or time.time() - stat.st_mtime < STALE_S:
                continue
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(descriptor)


def clean_environment(given: Mapping[str, str]) -> dict[str, str]:
    """What of an environment the host is given to the host."""
    return {name: value for name, value in given.items() if name in _KEPT or name[:3] == "LC_"}


_private: list[ToolHost] = []
_private_lock = threading.Lock()


def private_host() -> ToolHost:
    """The one host of this process, made at the first call and started at its first use."""
    with _private_lock:
        if not _private:
            _private.append(ToolHost())
        return _private[0]
