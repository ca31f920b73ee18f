"""The Python sandbox: whether this machine can hold one, and a factory of sessions in it."""

from __future__ import annotations

import functools
import os
import socket
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from core.errors import SandboxError
from core.protocols import QueryFunction, SandboxFactory
from core.trajectory import Sandbox
from tools.python.bounds import Bounds
from tools.python.inside.landlock import landlock_version
from tools.python.kernel import SandboxKernel
from tools.python.zygote import START_S, Zygote, start_zygote
from tools.threads import in_thread
from tools.walls.seccomp import filter_program

OFF = "off"
WEAKER = (
    "the second line, landlock with seccomp and rlimits, holds it: names, sizes and dates of the"
    " host's files can be seen (not what is in them), cells can start no process, and neither the"
    " number of threads nor the bytes of all temporary files together are bounded"
)
UNSAFE = "unsafe: no sandbox; cells run with the rights of the user who runs the server"


class _ZygoteSandbox(ABC):
    """Sessions that are forked from one warm process."""

    name: str

    def __init__(self, bounds: Bounds | None = None) -> None:
        self._bounds = bounds or Bounds()

    @abstractmethod
    def state(self) -> Sandbox:
        """Whether it works on this machine, and by what means. Asks the machine at the first time."""

    async def warm(self) -> None:
        """Have the process ready that sessions are forked from. Raises SandboxError."""
        await in_thread(lambda: start_zygote(self._house()), name="zygote-start")

    async def open(self, session: str, query: QueryFunction) -> SandboxKernel:
        """Start a session. Raises SandboxError where this machine cannot hold one."""
        house = await in_thread(self._house, name="sandbox-state")
        kernel = SandboxKernel(query, self._bounds, house)
        await kernel.start()
        return kernel

    def _house(self) -> str:
        state = self.state()
        if state.name == OFF:
            raise SandboxError(state.detail or "there is no sandbox on this machine")
        return state.name


class BubblewrapSandbox(_ZygoteSandbox):
    """Holds each session in namespaces of its own (docs/tools.md says what that keeps in and out).

    Where the machine has none, landlock holds it if it can, and the state says so.
    """

    name = "bubblewrap"

    def state(self) -> Sandbox:
        return sandbox_available()


class LandlockSandbox(_ZygoteSandbox):
    """The second line, asked for by its name."""

    name = "landlock"

    def state(self) -> Sandbox:
        return landlock_available()


class UnsafeSandbox(_ZygoteSandbox):
    """No sandbox at all."""

    name = "unsafe-none"

    def state(self) -> Sandbox:
        if sys.platform != "linux":
            return Sandbox(name=OFF, detail=NOT_LINUX)
        return Sandbox(name=self.name, detail=UNSAFE)


def state_of(sandbox: SandboxFactory) -> Sandbox:
    """Whether a sandbox works on this machine; a plug-in's that cannot say so is taken to work."""
    ask: Callable[[], Sandbox] | None = getattr(sandbox, "state", None)
    return ask() if ask else Sandbox(name=sandbox.name)


NOT_LINUX = f"the Python sandbox needs Linux; this is {sys.platform}"


@functools.cache
def sandbox_available() -> Sandbox:
    """How Python is held here. Puts up all the walls once per process; where that fails, the second
    line; where that fails too, the reason and what to do."""
    if sys.platform != "linux":
        return Sandbox(name=OFF, detail=NOT_LINUX)
    if not (said := refusal()):
        return Sandbox(name="bubblewrap")
    second = landlock_available()
    if second.name == OFF:
        return Sandbox(name=OFF, detail=explain(said))
    return Sandbox(name=second.name, detail=f"{explain(said)}; meanwhile {WEAKER}")


def refusal() -> str:
    """What stands against bubblewrap here, in the words of what failed; nothing where it holds."""
    return _try_walls("bubblewrap")


@functools.cache
def landlock_available() -> Sandbox:
    """Whether the second line holds here, tried once per process."""
    if sys.platform != "linux":
        return Sandbox(name=OFF, detail=NOT_LINUX)
    if not landlock_version():
        return Sandbox(
            name=OFF, detail="this machine has no landlock (Linux 5.13, and not turned off)"
        )
    if filter_program(alone=True) is None:
        return Sandbox(name=OFF, detail="there is no filter of system calls for this processor")
    if said := _try_walls("landlock"):
        return Sandbox(name=OFF, detail=said)
    return Sandbox(name="landlock", detail=WEAKER)


def _try_walls(house: str) -> str:
    """What a sandbox without an inside says to the attempt; nothing where it goes well."""
    try:
        zygote = Zygote(house, warm=False)
    except (SandboxError, OSError) as exc:
        return str(exc)
    ours, theirs = socket.socketpair()
    output_r, output_w = os.pipe()
    said = ""
    try:
        with os.fdopen(output_r, encoding="utf-8", errors="replace") as pipe:
            try:
                zygote.wait_until_ready()
                ended = zygote.fork(Bounds(), theirs, output_w, probe=True)
            finally:
                os.close(output_w)
            said = pipe.read().strip()
        ending = ended.result(START_S)
    except (SandboxError, TimeoutError) as exc:
        return str(exc) or "the walls do not stand"
    finally:
        zygote.close()
        ours.close()
        theirs.close()
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
