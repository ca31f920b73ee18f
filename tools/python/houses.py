"""Where the warm process lives: in bubblewrap, or, on machines that cannot have that, as a plain process."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from core.errors import SandboxError
from tools.walls.bwrap import FLAGS, LAUNCHER, STAGES, UIDS, Sizes
from tools.walls.process import HeldProcess, PlainProcess, SandboxProcess
from tools.walls.runtime import KERNEL_PLACE, find_runtime
from tools.walls.seccomp import filter_program

OWN = ("/tmp", "/dev", "/site", "/python", "/lib", "/lib64", "/usr/share/zoneinfo")  # noqa: S108 - its own
MAIN = "import sys; sys.path.append({!r}); from inside.zygote import main; main()"
DEVICES = tuple(Path("/dev", name) for name in ("null", "zero", "random", "urandom"))
MARK = "ddr-python-"

_uids = itertools.cycle(UIDS)


class House(Protocol):
    """One way to hold the warm process and its kernels."""

    def start(self, host: socket.socket, own_proc: int) -> HeldProcess:
        """Start it from the calling thread, with which it ends. Raises SandboxError."""
        ...

    def settings(self) -> dict[str, Any]:
        """What it has to know before its first kernel."""
        ...

    def folder(self, number: int) -> str | None:
        """A new folder that a kernel may write to; None where it makes its own."""
        ...

    def clear(self, number: int | None = None) -> None:
        """Take a kernel's folder away, or all that there is."""
        ...


class BubblewrapHouse:
    """Namespaces around the warm process, and others around each kernel."""

    def start(self, host: socket.socket, own_proc: int) -> SandboxProcess:
        inside = ["-c", MAIN.format(KERNEL_PLACE), str(host.fileno()), str(own_proc)]
        sizes = Sizes(tmp_mb=1, shared_mb=1)
        process = SandboxProcess(inside, sizes, host, nests=True, handles=[own_proc])
        process.locate()
        return process

    def settings(self) -> dict[str, Any]:
        return {
            "wall": "namespaces",
            "site": "/site",
            "own": OWN,
            "filter": (filter_program() or b"").hex(),
        }

    def folder(self, number: int) -> str | None:
        return None

    def clear(self, number: int | None = None) -> None:
        return


@dataclass(frozen=True)
class _Layout:
    """Where a plain process finds what in bubblewrap lies below neutral folders."""

    python: Sequence[str]
    """The command that the interpreter's own arguments are put behind."""
    site: Path
    kernel: Path
    """The folder that the package `inside` lies in."""
    stdlib: Path
    others: Sequence[Path]
    """Everything else that is read."""
    library_path: Path | None = None


class PlainHouse:
    """No namespaces. With `landlock` each kernel gives up all files but its own; without, nothing."""

    def __init__(self, *, landlock: bool) -> None:
        self._landlock = landlock
        _sweep()
        self._base = Path(tempfile.mkdtemp(prefix=f"{MARK}{os.getpid()}-"))
        # Without walls the rights are those of the server's user, whoever that is.
        self._uid = next(_uids) if landlock and os.geteuid() == 0 else None
        self._give(self._base)
        self._layout = _beside(self._base) if self._uid is None else _staged(self._uid)

    def start(self, host: socket.socket, own_proc: int) -> PlainProcess:
        main = MAIN.format(str(self._layout.kernel))
        return PlainProcess(
            [*self._layout.python, *FLAGS, "-c", main, str(host.fileno()), str(own_proc)],
            environment=self._environment(),
            handles=[host.fileno(), own_proc],
        )

    def settings(self) -> dict[str, Any]:
        layout = self._layout
        readable = [*self._parts_of_stdlib(), *layout.others, layout.site, *DEVICES]
        own = (layout.kernel, layout.stdlib.parent)  # where imports look, in vain or not
        program = filter_program(alone=True) if self._landlock else None
        return {
            "wall": "landlock" if self._landlock else "none",
            "site": str(layout.site),
            "own": [str(path) for path in (*own, self._base)],
            "readable": [str(path) for path in readable],
            "listable": [str(layout.stdlib)],
            "filter": (program or b"").hex(),
        }

    def folder(self, number: int) -> str | None:
        folder = self._base / str(number)
        folder.mkdir(mode=0o700)
        self._give(folder)
        return str(folder)

    def clear(self, number: int | None = None) -> None:
        _remove(self._base / str(number) if number is not None else self._base)

    def _parts_of_stdlib(self) -> list[Path]:
        """Its parts one by one: a site-packages in it may hold our own checklists."""
        masked = {Path(mask).name for mask in find_runtime().masks}
        parts = Path(os.__file__).resolve().parent.iterdir()
        return [self._layout.stdlib / part.name for part in parts if part.name not in masked]

    def _environment(self) -> dict[str, str]:
        layout = self._layout
        libraries = {"LD_LIBRARY_PATH": str(layout.library_path)} if layout.library_path else {}
        return {
            **find_runtime().environment,
            **libraries,
            "HOME": str(self._base),
            "PYTHONPATH": str(layout.site),
            "OPENBLAS_NUM_THREADS": "1",
            "MPLCONFIGDIR": str(self._base),
        }

    def _give(self, folder: Path) -> None:
        if self._uid is not None:
            os.chown(folder, self._uid, self._uid)


def _beside(base: Path) -> _Layout:
    """Where everything is, with links to the packages in one folder, so that no others are seen."""
    runtime = find_runtime()
    stdlib = Path(os.__file__).resolve().parent
    site = base / "site"
    site.mkdir()
    for bind in runtime.binds:
        if bind.target.startswith(("/site/", f"{KERNEL_PLACE}/")):
            (site / Path(bind.target).name).symlink_to(bind.source)
    others = [bind.source for bind in runtime.binds if bind.source != stdlib]
    return _Layout([sys.executable], site, site, stdlib, others)


def _staged(uid: int) -> _Layout:
    """As root: below a neutral folder, in a mount namespace, for a user who may not come here."""
    runtime = find_runtime()
    stdlib = Path(os.__file__).resolve().parent
    stage = next((path for path in STAGES if Path(path).is_dir()), None)
    if stage is None:
        raise SandboxError(f"none of {', '.join(STAGES)} is there to mount over")
    at = {bind.source: f"runtime{bind.target}" for bind in runtime.binds}
    python = f"{stage}/runtime{runtime.python}"
    plan = {
        "stage": stage,
        "binds": [[str(source), name] for source, name in at.items()],
        "uid": uid,
        "probes": [f"{stage}/{name}" for name in at.values()],
        "argv": [python],
    }
    inside = Path(stage, "runtime")
    return _Layout(
        [sys.executable, "-I", "-S", "-B", str(LAUNCHER), json.dumps(plan)],
        inside / "site",
        inside / KERNEL_PLACE.lstrip("/"),
        Path(stage, at[stdlib]),
        [Path(stage, name) for source, name in at.items() if source != stdlib],
        inside / "lib",
    )


HOUSES: dict[str, Callable[[], House]] = {
    "bubblewrap": BubblewrapHouse,
    "landlock": lambda: PlainHouse(landlock=True),
    "unsafe-none": lambda: PlainHouse(landlock=False),
}
"""By the sandbox's name."""


def _remove(folder: Path) -> None:
    with contextlib.suppress(RecursionError):  # a cell may nest folders deeper than that
        shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Folders of servers that were killed."""
    for left in _left_over(Path(tempfile.gettempdir())):
        _remove(left)


def _left_over(folder: Path) -> Iterator[Path]:
    for place in folder.glob(f"{MARK}*"):
        owner = place.name.removeprefix(MARK).partition("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists() and not place.is_symlink():
            yield place
