"""The Python sandbox: whether this machine can hold one, and a factory of sessions in it."""

from __future__ import annotations

import functools
import os
import socket
import sys
from pathlib import Path

from core.errors import SandboxError
from core.protocols import QueryFunction
from core.trajectory import Sandbox
from tools.deadline import in_thread
from tools.python.bounds import Bounds
from tools.python.kernel import SandboxKernel
from tools.python.zygote import START_S, Zygote, start_zygote

NAME = "bubblewrap"
OFF = "off"


class BubblewrapSandbox:
    """Holds each session in namespaces of its own (docs/tools.md says what that keeps in and out)."""

    name = NAME

    def __init__(self, bounds: Bounds | None = None) -> None:
        self._bounds = bounds or Bounds()

    def state(self) -> Sandbox:
        """Whether it works on this machine."""
        return sandbox_available()

    async def warm(self) -> None:
        """Have the process ready that sessions are forked from. Raises SandboxError."""
        await in_thread(start_zygote, name="zygote-start")

    async def open(self, session: str, query: QueryFunction) -> SandboxKernel:
        """Start a session. Raises SandboxError where this machine cannot hold one."""
        kernel = SandboxKernel(query, self._bounds)
        await kernel.start()
        return kernel


@functools.cache
def sandbox_available() -> Sandbox:
    """Puts up all the walls once per process; where that fails, the reason and what to do."""
    if sys.platform != "linux":
        return Sandbox(name=OFF, detail=f"the Python sandbox needs Linux; this is {sys.platform}")
    try:
        said = _try_walls()
    except SandboxError as exc:
        said = str(exc)
    return Sandbox(name=OFF, detail=explain(said)) if said else Sandbox(name=NAME)


def _try_walls() -> str:
    """What a sandbox without an inside says to the attempt; nothing where it goes well."""
    zygote = Zygote(warm=False)
    ours, theirs = socket.socketpair()
    output_r, output_w = os.pipe()
    try:
        zygote.wait_until_ready()
        with theirs:
            ended = zygote.fork(Bounds(), theirs, output_w, probe=True)
        os.close(output_w)
        with os.fdopen(output_r, encoding="utf-8", errors="replace") as pipe:
            said = pipe.read().strip()
        ending = ended.result(START_S)
    finally:
        zygote.close()
        ours.close()
    return "" if ending.status == 0 else said or f"it ended with exit code {ending.status}"


def explain(said: str, proc: Path = Path("/proc/sys")) -> str:
    """Bubblewrap's complaint with the remedy that fits this machine's settings under `proc`."""

    def setting(name: str) -> str | None:
        try:
            return (proc / name).read_text(encoding="ascii").strip()
        except OSError:
            return None

    last = said.splitlines()[-1] if said else "no reason given"
    if setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        remedy = "run: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    elif setting("kernel/unprivileged_userns_clone") == "0":
        remedy = "run: sysctl -w kernel.unprivileged_userns_clone=1"
    elif setting("user/max_user_namespaces") == "0":
        remedy = "run: sysctl -w user.max_user_namespaces=15000"
    elif "namespace" in last or "Operation not permitted" in last:
        remedy = (
            "in a container, allow user namespaces (docker run --security-opt seccomp=unconfined"
            " --security-opt apparmor=unconfined)"
        )
    else:
        return last
    return f"the machine refuses user namespaces ({last}); {remedy}"
