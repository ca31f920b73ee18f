"""What a worker is told first, and the bounds that it puts on itself then."""

from __future__ import annotations

import ctypes
import resource
import signal

from core.record import Record
from databases.target import Target
from tools.sql.engine import EngineLimits

PROCESSES = 64
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4


class Order(Record):
    """What a worker is told first."""

    target: Target
    """As the worker sees it: its `dialect` may be a `module:attribute`."""
    engine: EngineLimits
    slots: int
    """Requests answered at a time."""
    memory_mb: int
    """Of address space; beyond it the process ends, and not the machine."""
    confined: bool
    """In a mount namespace of its own: nothing here tells of the host."""


def harden(order: Order) -> None:
    """Bounds on this process that it cannot lift again."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    if not order.confined:  # bubblewrap sees to it otherwise
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    bounds = {
        resource.RLIMIT_AS: order.memory_mb << 20,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: order.engine.spill_mb << 20,
    }
    if order.confined:  # elsewhere it would count what else this user runs
        bounds[resource.RLIMIT_NPROC] = PROCESSES
    for kind, most in bounds.items():
        hard = resource.getrlimit(kind)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, bound))
