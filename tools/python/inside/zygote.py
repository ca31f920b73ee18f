"""One warm process that has the libraries imported, and forks a walled-in kernel whenever asked.

It is process 1 of its sandbox, runs nobody's code but ours, listens to its host's socket alone and
ends with it. A kernel inherits what was imported here, and nothing of another kernel: no session's
data ever comes this way.

Messages (SOCK_SEQPACKET, JSON). From the host: `settings`, once; `fork` with two descriptors, the
kernel's channel and where it prints; `grow` with a module to import ahead. To the host: `ready`; `grown`; `ended` for each kernel.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import io
import json
import os
import signal
import socket
import sys
import tempfile
import traceback
from typing import Any

from . import walls
from .cells import prepare, serve
from .channel import Channel, Printed
from .heap import keep_at_hand
from .landlock import allow_only

MOST_BYTES = 1 << 18
CHANNEL, FIRST_FREE = 3, 4
"""A kernel has four descriptors: nothing, what it prints (twice), and its channel."""
FAILED = 120


class Zygote:
    """The warm process. `own_proc` is an open folder of /proc, not to be seen by path in here."""

    def __init__(self, host: socket.socket, own_proc: int) -> None:
        self._host = host
        self._own_proc = own_proc
        self._own_pids = os.open("self/ns/pid", os.O_RDONLY | os.O_CLOEXEC, dir_fd=own_proc)
        self._kernels: dict[int, int] = {}
        """Process id of each living kernel: its number."""
        self._settings: dict[str, Any] = json.loads(host.recv(MOST_BYTES))

    def serve(self) -> None:
        """Fork kernels until the host goes away."""
        walls.hide_memory()
        if self._settings["wall"] != "namespaces":
            walls.end_with_parent()
        keep_at_hand()
        sys.path.append(self._settings["site"])
        if self._settings["warm"]:
            prepare()
            _import_first()
        _settle()
        signal.signal(signal.SIGCHLD, lambda *_: self._bury())
        self._host.send(json.dumps({"op": "ready"}).encode())
        while True:
            self._listen()

    def _listen(self) -> None:
        raw, handles, _, _ = socket.recv_fds(self._host, MOST_BYTES, 2)
        if not raw:
            os._exit(0)  # the host is gone
        message = json.loads(raw)
        if message["op"] == "grow":
            with contextlib.suppress(Exception):  # then a kernel that wants it is told why
                importlib.import_module(message["module"])
            _settle()
            self._host.send(json.dumps({"op": "grown"}).encode())
        else:
            try:
                self._fork(message, *handles)
            except OSError as exc:
                with contextlib.suppress(OSError):
                    os.write(handles[1], f"no process could be made: {exc}\n".encode())
                self._tell_end(message["number"], FAILED)
        for handle in handles:
            os.close(handle)

    def _fork(self, message: dict[str, Any], channel: int, output: int) -> None:
        apart = self._settings["wall"] == "namespaces"
        if apart:
            walls.new_pid_namespace()
        # An end is not heard of before it is known whose it is.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        try:
            pid = os.fork()
            if pid == 0:
                self._become_kernel(message["bounds"], channel, output)
            self._kernels[pid] = message["number"]
        finally:
            if apart:
                walls.back_to_pid_namespace(self._own_pids)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})

    def _bury(self) -> None:
        """Tell the host of those that have ended; also in the middle of an import."""
        while self._kernels:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            if (number := self._kernels.pop(pid, None)) is None:
                continue  # what an import started
            code = os.waitstatus_to_exitcode(status)
            cpu_s = usage.ru_utime + usage.ru_stime
            self._tell_end(number, code if code >= 0 else 128 - code, cpu_s)

    def _tell_end(self, number: int, status: int, cpu_s: float = 0.0) -> None:
        said = {"op": "ended", "number": number, "status": status, "cpu_s": cpu_s}
        with contextlib.suppress(OSError):
            self._host.send(json.dumps(said).encode())

    def _become_kernel(self, bounds: dict[str, Any], channel: int, output: int) -> None:
        """In the child: leave everything of the zygote behind, then serve cells. Never returns."""
        errors = output
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            settings, self._settings = self._settings, {}
            apart = settings["wall"] == "namespaces"
            if apart:
                walls.enter_namespaces(self._own_proc, os.getuid(), os.getgid())
            base_mb = self._address_space_mb()
            self._keep_only(channel, output)
            errors = 2
            if apart:
                walls.mount_own_folders(bounds["tmp_mb"], bounds["shared_mb"], bounds["inodes"])
            else:
                walls.end_with_parent()
                _move_into(bounds["folder"])
            talk = Channel(CHANNEL)
            talk.introduce()
            walls.drop_privileges()
            walls.set_bounds({**bounds, "memory_mb": bounds["memory_mb"] + base_mb}, apart=apart)
            if settings["wall"] == "landlock":
                allow_only(settings["readable"], settings["listable"], bounds["folder"])
            walls.filter_calls(bytes.fromhex(settings["filter"]))
            if bounds["probe"]:
                os._exit(0)
            _own_randomness()
            sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 - as long as the process
            sys.stdout = sys.stderr = Printed(io.FileIO(1, "wb", closefd=False))
            serve(talk, base_mb, (*settings["own"], *settings.get("readable", ())))
        except OSError as exc:
            os.write(errors, f"{exc}\n".encode("utf-8", "replace"))
        except BaseException:  # noqa: BLE001 - it must never go on as a second zygote
            os.write(errors, traceback.format_exc().encode("utf-8", "replace"))
        finally:
            os._exit(FAILED)

    def _keep_only(self, channel: int, output: int) -> None:
        """Close every descriptor but the two that are this kernel's own."""
        self._host.detach()
        self._kernels.clear()
        talk, out = (fcntl.fcntl(fd, fcntl.F_DUPFD, 2 * FIRST_FREE) for fd in (channel, output))
        nothing = os.open("/dev/null", os.O_RDONLY)
        for source, place in ((nothing, 0), (out, 1), (out, 2), (talk, CHANNEL)):
            os.dup2(source, place)
        os.closerange(FIRST_FREE, os.sysconf("SC_OPEN_MAX"))

    def _address_space_mb(self) -> int:
        file = os.open("self/statm", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._own_proc)
        pages = int(os.read(file, 200).split()[0])
        os.close(file)
        return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def _import_first() -> None:
    """What every session uses, and the code paths of its first cell, so that they are shared."""
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame(
        {
            "group": np.arange(10) % 3,
            "value": np.arange(10.0),
            "text": list("abcdefghij"),
            "time": pd.date_range("2020-01-01", periods=10),
        }
    )
    grouped = frame.groupby("group")["value"].agg(["count", "mean", "min", "max"])
    merged = frame.merge(grouped.reset_index(), on="group").sort_values("value")
    resampled = frame.set_index("time")["value"].resample("3D").mean()
    pivoted = frame.pivot_table(index="group", values="value")
    for shown in (frame, frame.describe(), frame.dtypes, merged, resampled, pivoted):
        repr(shown)
    frame["value"].quantile(0.5)
    frame["text"].value_counts()
    frame["text"].astype("category").astype(str)


def _settle() -> None:
    """Have what is imported stay on pages that no kernel's garbage collector writes to."""
    gc.collect()
    gc.freeze()


def _own_randomness() -> None:
    """Kernels must not draw the numbers of their brothers; `random` sees to itself."""
    if "numpy" in sys.modules:
        import numpy as np

        np.random.seed()


def _move_into(folder: str) -> None:
    """A session's own folder takes the place of /tmp."""
    os.setsid()
    os.chdir(folder)
    tempfile.tempdir = folder
    for name in ("HOME", "TMPDIR", "MPLCONFIGDIR"):
        os.environ[name] = folder


def main() -> None:
    """Started with the descriptors of the host's socket and of an open folder of /proc."""
    host, own_proc = (int(text) for text in sys.argv[1:3])
    sys.argv = [""]
    Zygote(socket.socket(fileno=host), own_proc).serve()
