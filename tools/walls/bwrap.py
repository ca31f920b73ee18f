"""The command line that starts the sandbox, for an ordinary user and for root."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import SandboxError
from tools.walls.runtime import Runtime
from tools.walls.seccomp import filter_program

LAUNCHER = Path(__file__).with_name("launcher.py")
STAGES = ("/mnt", "/media", "/srv", "/tmp")  # noqa: S108 - covered in a namespace of our own only
UIDS = range(61184, 65520)
"""Where an unprivileged uid is taken from as root: systemd keeps it for users that come and go."""
FLAGS = ("-I", "-S", "-B", "-X", "utf8")
"""Of an interpreter that is ours: nothing of the person's environment, no site-packages, no writes."""
DEVICES = ("null", "zero", "random", "urandom")
INSIDE_ID = "1000"

_next_uid = itertools.count(os.getpid())


@dataclass(frozen=True)
class Sizes:
    """What bubblewrap itself bounds; the rest is rlimits that the process inside sets on itself."""

    tmp_mb: int = 128
    shared_mb: int = 16


def sandbox_command(
    runtime: Runtime,
    sizes: Sizes,
    inside: Sequence[str],
    *,
    info_fd: int,
    seccomp_fd: int | None,
    nests: bool = False,
) -> list[str]:
    """The argv to start, whoever we are. `inside` is run by the interpreter in the sandbox.

    `nests`: what runs inside may make namespaces of its own. It must give that up before it runs
    anybody else's code.
    """
    if os.geteuid() != 0:
        command = [str(runtime.bwrap), *_options(runtime, sizes, str, nests=nests)]
        return _with_fds(command, runtime, inside, info_fd, seccomp_fd)
    stage = next((path for path in STAGES if Path(path).is_dir()), None)
    if stage is None:
        raise SandboxError(f"none of {', '.join(STAGES)} is there to mount over")
    staged, binds = _staged(runtime, stage)
    command = [staged(runtime.bwrap), *_options(runtime, sizes, staged, nests=nests)]
    argv = _with_fds(command, runtime, inside, info_fd, seccomp_fd)
    plan = {
        "stage": stage,
        "binds": [[str(source), name] for source, name in binds.items()],
        "uid": UIDS[next(_next_uid) % len(UIDS)],
        "probes": [staged(bind.source) for bind in runtime.binds] + [argv[0]],
        "argv": argv,
    }
    return [sys.executable, "-I", "-S", "-B", str(LAUNCHER), json.dumps(plan)]


def _staged(runtime: Runtime, stage: str) -> tuple[Callable[[Path], str], dict[Path, str]]:
    """Where each part of the runtime stands below the neutral folder."""
    binds = {bind.source: f"runtime{bind.target}" for bind in runtime.binds}
    package = runtime.bwrap.parents[1]
    if runtime.bwrap_libs:  # its own libraries are found relative to it
        binds[package] = f"bwrap/{package.name}"
        binds[runtime.bwrap_libs] = f"bwrap/{runtime.bwrap_libs.name}"
        program = f"bwrap/{runtime.bwrap.relative_to(package.parent)}"
    else:
        program = "bwrap"
        binds[runtime.bwrap] = program

    def staged(source: Path) -> str:
        return f"{stage}/{program if source == runtime.bwrap else binds[source]}"

    return staged, binds


def _options(
    runtime: Runtime, sizes: Sizes, locate: Callable[[Path], str], *, nests: bool
) -> list[str]:
    options = [
        *("--unshare-all", "--unshare-user"),
        *("--uid", INSIDE_ID, "--gid", INSIDE_ID),
        *("--die-with-parent", "--new-session", "--as-pid-1"),
        *("--clearenv", "--cap-drop", "ALL", "--hostname", "sandbox"),
    ]
    # The capability holds in the sandbox's own user namespace, over its own namespaces alone.
    options += ["--cap-add", "CAP_SYS_ADMIN"] if nests else _no_further_namespaces()
    for bind in runtime.binds:
        options += ["--bind" if bind.writable else "--ro-bind", locate(bind.source), bind.target]
    for mask in runtime.masks:
        options += ["--size", "4096", "--tmpfs", mask, "--remount-ro", mask]
    for device in DEVICES:
        options += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    options += ["--size", str(sizes.shared_mb << 20), "--tmpfs", "/dev/shm"]  # noqa: S108 - its own
    options += ["--size", str(sizes.tmp_mb << 20), "--tmpfs", "/tmp"]  # noqa: S108 - its own
    options += ["--remount-ro", "/", "--chdir", "/tmp"]  # noqa: S108 - its own
    for name, value in {**_environment(), **runtime.environment}.items():
        options += ["--setenv", name, value]
    return options


def _no_further_namespaces() -> list[str]:
    """bubblewrap's own bound, a number that it writes below /proc/sys.

    Containers mount that read-only; there the filter, which refuses every call that makes a
    namespace, is alone. Without a filter for this machine bubblewrap is left to say what is in its way.
    """
    if os.statvfs("/proc/sys").f_flag & os.ST_RDONLY and filter_program() is not None:
        return []
    return ["--disable-userns"]


def _environment() -> dict[str, str]:
    """All that a cell finds in os.environ; nothing of the host's but a hint for its processor."""
    kept = {"HOME": "/tmp", "LD_LIBRARY_PATH": "/lib", "OPENBLAS_NUM_THREADS": "1"}  # noqa: S108 - its own
    if core := os.environ.get("OPENBLAS_CORETYPE"):
        kept["OPENBLAS_CORETYPE"] = core
    return kept


def _with_fds(
    command: list[str],
    runtime: Runtime,
    inside: Sequence[str],
    info_fd: int,
    seccomp_fd: int | None,
) -> list[str]:
    command = [*command, "--info-fd", str(info_fd)]
    if seccomp_fd is not None:
        command += ["--seccomp", str(seccomp_fd)]
    return [*command, "--", runtime.python, *FLAGS, *inside]
