"""The host's end of the one warm process that forks kernels: started once, shared, started again if it dies."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import socket
import threading
import time
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from typing import Any

from core.errors import SandboxError
from tools.python.bounds import Bounds
from tools.python.houses import HOUSES
from tools.walls.runtime import precompile

START_S = 30.0
SEND_S = 5.0
MOST_BYTES = 1 << 16
SAID_BYTES = 4000
LATER = (
    *("scipy.special", "scipy.linalg", "scipy.sparse", "scipy.optimize", "scipy.interpolate"),
    *("scipy.spatial", "scipy.stats", "scipy.signal", "scipy.cluster.hierarchy"),
    *("matplotlib", "matplotlib.font_manager", "matplotlib.pyplot"),
    *("joblib", "sklearn.linear_model", "sklearn.cluster", "sklearn.preprocessing"),
    *("sklearn.decomposition", "sklearn.ensemble", "sklearn.metrics", "sklearn.model_selection"),
    *("patsy", "formulaic", "statsmodels.regression.linear_model", "statsmodels.api"),
    "statsmodels.formula.api",
)
"""What the zygote imports one by one, after its first kernel, while little goes on: in kernels forked
later these imports take no time, and their memory is shared."""
QUIET_S, PATIENCE_S, LOOK_S = 2.0, 10.0, 0.2
"""How long no cell must have begun or ended before the next import, and how long that is waited for."""


@dataclass(frozen=True)
class Ending:
    """How a kernel ended."""

    status: int | None
    """Its exit code, or 128 and the signal that ended it; None where its zygote died with it."""
    cpu_s: float = 0.0
    """Processor time of its first process."""


class ZygoteGoneError(SandboxError):
    """It ended after it was found to live: another one may be started."""


class Zygote:
    """A warm process in a house of its own. Safe to use from any thread and any event loop."""

    def __init__(self, house: str = "bubblewrap", *, warm: bool = True) -> None:
        """Start it in the background. `warm`: with the libraries imported."""
        self._house = HOUSES[house]()
        self._warm = warm
        self._host, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._host.settimeout(SEND_S)
        self._living: dict[int, Future[Ending]] = {}
        self._lock = threading.Lock()
        self._number = 0
        self._ready: Future[None] = Future()
        self._grown = threading.Event()
        self._last_use = time.monotonic()
        self.is_alive = True
        threading.Thread(target=self._keep, name="zygote", daemon=True).start()

    def wait_until_ready(self) -> None:
        """Blocks. Raises SandboxError with the reason where it does not start."""
        try:
            self._ready.result(START_S)
        except TimeoutError:
            self.close()
            raise SandboxError(f"the Python sandbox did not start in {START_S:g} s") from None

    def fork(
        self, bounds: Bounds, channel: socket.socket, output_fd: int, *, probe: bool = False
    ) -> Future[Ending]:
        """Have it fork a kernel that talks over `channel` and prints to `output_fd`.

        `probe`: one that puts up its walls and ends with status 0. Raises ZygoteGoneError where the
        zygote is gone. The answer comes over the channel; what is returned tells of the end.
        """
        ended: Future[Ending] = Future()
        with self._lock:
            self._number += 1
            number = self._number
            if self.is_alive:
                self._living[number] = ended
            try:
                folder = self._house.folder(number)
                own = {**asdict(bounds), "probe": probe, "folder": folder}
                message = {"op": "fork", "number": number, "bounds": own}
                self._send(message, [channel.fileno(), output_fd])
            except OSError as exc:
                self._living.pop(number, None)
                self.is_alive = False  # known here first: its thread has yet to hear of it
                self.close()
                raise ZygoteGoneError("the Python sandbox has just ended; call again") from exc
        if self._warm and number == 1:
            threading.Thread(target=self._grow, name="zygote-grow", daemon=True).start()
        return ended

    def close(self) -> None:
        """End it and every kernel of it."""
        with contextlib.suppress(OSError):
            self._host.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """The same, and take away what it has on disk."""
        self.close()
        self._house.clear()

    def _send(self, message: dict[str, Any], handles: list[int] | None = None) -> None:
        socket.send_fds(self._host, [json.dumps(message).encode()], handles or [])

    def touch(self) -> None:
        """A cell begins or ends: the machine has better things to do than to import ahead."""
        self._last_use = time.monotonic()

    def _grow(self) -> None:
        self._wait_for_quiet()
        precompile(LATER[-1], ", ".join(LATER), background=True)
        with contextlib.suppress(OSError):  # it has ended meanwhile
            for module in LATER:
                self._wait_for_quiet()
                self._grown.clear()
                self._send({"op": "grow", "module": module})
                self._grown.wait()

    def _wait_for_quiet(self) -> None:
        last = time.monotonic() + PATIENCE_S
        while time.monotonic() < min(last, self._last_use + QUIET_S) and self.is_alive:
            time.sleep(LOOK_S)

    def _keep(self) -> None:
        """The life of the process, in the one thread that it is bound to."""
        said = "it gave no reason"
        try:
            precompile()
            own_proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY)
            try:
                process = self._house.start(self._theirs, own_proc)
            finally:
                os.close(own_proc)
                self._theirs.close()
            try:
                self._converse()
            finally:
                process.kill()
                process.wait()
                said = _last_words(process.output_fd) or said
        except Exception as exc:  # noqa: BLE001 - told to whoever waits for it
            said = str(exc)
        self._end(said)

    def _converse(self) -> None:
        with contextlib.suppress(OSError):
            self._send({"op": "settings", "warm": self._warm, **self._house.settings()})
        while message := self._receive():
            if message["op"] == "ready":
                self.touch()
                self._ready.set_result(None)
                continue
            if message["op"] == "grown":
                self._grown.set()
                continue
            if ended := self._living.pop(message["number"], None):
                ended.set_result(Ending(message["status"], message["cpu_s"]))
            self._house.clear(message["number"])

    def _receive(self) -> dict[str, Any] | None:
        while True:
            try:
                raw = self._host.recv(MOST_BYTES)
            except TimeoutError:
                continue
            except OSError:
                return None
            return json.loads(raw) if raw else None

    def _end(self, said: str) -> None:
        with self._lock:
            self.is_alive = False
            self._host.close()
            living, self._living = self._living, {}
        self._grown.set()
        if not self._ready.done():
            self._ready.set_exception(SandboxError(f"the Python sandbox did not start: {said}"))
        for ended in living.values():
            ended.set_result(Ending(status=None))
        self._house.clear()


def _last_words(output_fd: int) -> str:
    os.set_blocking(output_fd, False)
    try:
        with contextlib.suppress(BlockingIOError):
            return os.read(output_fd, SAID_BYTES).decode("utf-8", "replace").strip()[-600:]
        return ""
    finally:
        os.close(output_fd)


_running: dict[str, Zygote] = {}
_starting = threading.Lock()


def running_zygote(house: str) -> Zygote | None:
    """The process's own zygote in that house, where it is ready for work."""
    zygote = _running.get(house)
    return zygote if zygote and zygote.is_alive else None


def start_zygote(house: str) -> Zygote:
    """The same, started where there is none or the last one died. Blocks; raises SandboxError."""
    with _starting:
        if running := running_zygote(house):
            return running
        started = Zygote(house)
        started.wait_until_ready()
        _running[house] = started
        return started


@atexit.register
def _end_all() -> None:
    for zygote in _running.values():
        zygote.end()


def _forget() -> None:
    """A forked child of this process has no part in its parent's zygotes."""
    global _starting  # noqa: PLW0603 - a lock may have been held by a thread that is not there
    _running.clear()
    _starting = threading.Lock()


os.register_at_fork(after_in_child=_forget)
