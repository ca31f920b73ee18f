"""Started as root before bubblewrap: give it a runtime that anyone may read, then give up root.

A checkout may lie below a folder that only root may enter, and bubblewrap must never run as root
(it would leave the host's /proc/sys writable). So: a mount namespace of our own, in which the
runtime is bound below a neutral 0755 folder; an unprivileged uid; then the program. Nothing of it
is visible to the rest of the machine, and it is gone with the last process inside.

A script of its own, imported by nothing, because it must fork from nothing: it is run with
`python -I -S -B launcher.py PLAN [ARGUMENT...]`, PLAN being JSON {stage, binds: [[source, name]], uid,
probes, argv}; further arguments are put behind argv. It answers trouble with one line on stderr and exit code 97.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

CLONE_NEWNS = 0x00020000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
FAILED = 97


class LaunchError(Exception):
    """What is in the way, for the person who must act."""


def main(plan: dict[str, Any], arguments: list[str]) -> None:
    """Follow the plan; does not return."""
    os.umask(0o022)
    libc = ctypes.CDLL(None, use_errno=True)
    _own_namespace(libc)
    _stage(libc, Path(plan["stage"]), plan["binds"])
    uid = plan["uid"]
    os.chdir("/")
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError as exc:
        raise LaunchError(f"cannot become the unprivileged uid {uid}: {exc.strerror}") from exc
    for path in plan["probes"]:
        if not os.access(path, os.R_OK):
            raise LaunchError(
                "an unprivileged user cannot read the Python runtime (installed under a strict"
                " umask?); run: chmod -R o+rX on the Python installation and on .venv"
            )
    os.execv(plan["argv"][0], [*plan["argv"], *arguments])  # noqa: S606 - the sandbox, by its path


def _own_namespace(libc: ctypes.CDLL) -> None:
    if libc.unshare(CLONE_NEWNS):
        raise LaunchError(
            "root may not make a mount namespace here (a container without CAP_SYS_ADMIN?);"
            " run as an ordinary user, or give the container that capability"
        )
    _mount(libc, "none", "/", flags=MS_REC | MS_PRIVATE)


def _stage(libc: ctypes.CDLL, stage: Path, binds: list[list[str]]) -> None:
    """Bind every source below `stage`. Opened first: the stage may cover one of them."""
    opened = [(os.open(source, os.O_PATH | os.O_CLOEXEC), name) for source, name in binds]
    _mount(
        libc,
        "tmpfs",
        str(stage),
        flags=MS_NOSUID | MS_NODEV,
        kind="tmpfs",
        data="mode=0755,size=4m",
    )
    for fd, name in opened:
        source = Path(f"/proc/self/fd/{fd}")
        target = stage / name
        if source.is_dir():
            target.mkdir(parents=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        _mount(libc, str(source), str(target), flags=MS_BIND | MS_REC)
        os.close(fd)


def _mount(
    libc: ctypes.CDLL,
    source: str,
    target: str,
    *,
    flags: int,
    kind: str | None = None,
    data: str | None = None,
) -> None:
    coded = [text.encode() if text is not None else None for text in (source, target, kind, data)]
    if libc.mount(coded[0], coded[1], coded[2], ctypes.c_ulong(flags), coded[3]):
        raise LaunchError(f"cannot mount {target}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]), sys.argv[2:])
    except (LaunchError, OSError) as exc:
        sys.stderr.write(f"{exc}\n")
        sys.exit(FAILED)
