"""The Python sandbox: whether this machine can hold one, and a factory of sessions in it."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

from core.errors import SandboxError
from core.protocols import QueryFunction
from core.trajectory import Sandbox
from tools.python.kernel import BubblewrapKernel
from tools.python.wire import START_S
from tools.walls.bwrap import Sizes
from tools.walls.process import SandboxProcess

NAME = "bubblewrap"
OFF = "off"


class BubblewrapSandbox:
    """Holds each session in namespaces of its own (docs/tools.md says what that keeps in and out)."""

    name = NAME

    def __init__(self, *, sizes: Sizes | None = None, memory_mb: int = 2048) -> None:
        self._sizes = sizes or Sizes()
        self._memory_mb = memory_mb

    def state(self) -> Sandbox:
        """Whether it works on this machine."""
        return sandbox_available()

    async def open(self, session: str, query: QueryFunction) -> BubblewrapKernel:
        """Start a session. Raises SandboxError where this machine cannot hold one."""
        kernel = BubblewrapKernel(query, self._sizes, self._memory_mb)
        await kernel.start()
        return kernel


@functools.cache
def sandbox_available() -> Sandbox:
    """Starts an empty sandbox once per process; where that fails, the reason and what to do."""
    if sys.platform != "linux":
        return Sandbox(name=OFF, detail=f"the Python sandbox needs Linux; this is {sys.platform}")
    try:
        process = SandboxProcess(["-c", ""], Sizes())
    except SandboxError as exc:
        return Sandbox(name=OFF, detail=str(exc))
    process.locate()
    if (code := process.wait(START_S)) is None:
        process.kill()
    with os.fdopen(process.output_fd, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace").strip()
    if code == 0:
        return Sandbox(name=NAME)
    return Sandbox(name=OFF, detail=explain(said or f"bubblewrap ended with exit code {code}"))


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
