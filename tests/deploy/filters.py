"""Filters of system calls as others would install them: Docker from a profile, systemd from a unit."""

from __future__ import annotations

import json
import platform
import struct
from collections.abc import Collection, Iterable
from pathlib import Path

from tools.walls.seccomp import MACHINES, REFUSED

LOAD, JEQ, RET = 0x20, 0x15, 0x06
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NR, ARCH, ARG0 = 0, 4, 16
EPERM, EAFNOSUPPORT = 1, 97

MORE: dict[str, tuple[int | None, int | None]] = {
    "sethostname": (170, 161),
    "landlock_create_ruleset": (444, 444),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
}
"""Numbers (x86_64, aarch64) of calls that our own filter does not speak of."""
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16, "AF_PACKET": 17}


def number(call: str) -> int | None:
    """The number of a call on this machine; None where it has no such call, or we do not know it."""
    column = MACHINES[platform.machine()].column
    return {**REFUSED, **MORE}.get(call, (None, None))[column]


def refusing(calls: Iterable[str], *, families: Collection[str] | None = None) -> bytes:
    """A filter over an open default: these calls fail with EPERM, and sockets of all but these families."""
    machine = MACHINES[platform.machine()]
    program = [_op(LOAD, ARCH), _op(JEQ, machine.audit_arch, 1, 0), _op(RET, KILL), _op(LOAD, NR)]
    for call in calls:
        if (known := number(call)) is not None:
            program += [_op(JEQ, known, 0, 1), _op(RET, ERRNO | EPERM)]
    if families is not None:
        socket = number("socket")
        assert socket is not None
        # Past the whole of it where it is another call; else one line for each family.
        program += [_op(JEQ, socket, 0, 2 + 2 * len(families)), _op(LOAD, ARG0)]
        for family in families:
            program += [_op(JEQ, FAMILIES[family], 0, 1), _op(RET, ALLOW)]
        program.append(_op(RET, ERRNO | EAFNOSUPPORT))
    program.append(_op(RET, ALLOW))
    return b"".join(program)


def profile(path: Path) -> set[str]:
    """The calls that a profile in Docker's format refuses; it is of the form that ours has, or this fails."""
    told = json.loads(path.read_text(encoding="utf-8"))
    assert set(told) == {"defaultAction", "syscalls"}
    assert told["defaultAction"] == "SCMP_ACT_ALLOW"
    (rule,) = told["syscalls"]
    assert {key: value for key, value in rule.items() if key != "names"} == {
        "action": "SCMP_ACT_ERRNO",
        "errnoRet": EPERM,
    }
    return set(rule["names"])


def _op(code: int, k: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, k)
