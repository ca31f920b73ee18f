"""A seccomp filter for the sandbox, assembled by hand: what namespaces leave open is refused here.

Classic BPF, one filter per machine type (x86_64, aarch64). It is a list of refusals over an open
default; the namespaces, the empty file system and the dropped capabilities are the first wall.
System call numbers: Linux's asm/unistd_64.h and asm-generic/unistd.h.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Collection
from dataclasses import dataclass

EPERM, ENOSYS = 1, 38
AF_UNIX = 1
CLONE_NEW = 0x7E020080
"""Any flag of clone() that makes a namespace."""
CLONE_THREAD = 0x00010000

# name: (x86_64, aarch64); None where the machine has no such call
REFUSED: dict[str, tuple[int | None, int | None]] = {
    "socket": (41, 198),  # vsock and netlink reach past a network namespace
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "statmount": (457, 457),  # a mount's source is a path of the host
    "listmount": (458, 458),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "memfd_create": (319, 279),  # memory that RLIMIT_AS does not count once it is unmapped
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "vmsplice": (278, 75),
    "tee": (276, 77),
    "personality": (135, 92),
    "syslog": (103, 116),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "clock_settime": (227, 112),
    "settimeofday": (164, 170),
    "ioprio_set": (251, 30),
    "timer_create": (222, 107),  # its signal is named in memory, where no filter looks
    "io_setup": (206, 0),  # one count for the whole machine, and inotify's one for the whole user
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "modify_ldt": (154, None),
    "ioperm": (173, None),
    "iopl": (172, None),
    "uselib": (134, None),
}

NESTING = ("unshare", "setns", "mount")
"""What a process needs that forks others into namespaces of their own."""

ALONE: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "process_mrelease": (448, 448),
    "setpriority": (141, 140),  # of all processes of the user, if one likes
    "sched_setaffinity": (203, 122),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
}
"""Refused besides where no namespace keeps a process among its own: it is one process and reaches none."""
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Machine:
    """One machine type as the filter sees it."""

    column: int
    audit_arch: int
    clone: int
    clone3: int
    prlimit64: int
    socketpair: int
    ioctl: int
    prctl: int
    fcntl: int
    signalling: dict[int, int]
    """Calls that send a signal: the place of its number among the arguments."""
    first_foreign: int | None = None
    """Numbers from here on belong to another calling convention (x32)."""


def _signalling(column: int) -> dict[int, int]:
    """The number of each call that sends a signal: which argument the signal is."""
    places = {"tgkill": 2, "rt_tgsigqueueinfo": 2}
    names = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal")
    return {ALONE[name][column] or 0: places.get(name, 1) for name in names}


MACHINES = {
    "x86_64": Machine(
        *(0, 0xC000003E, 56, 435, 302, 53, 16, 157, 72, _signalling(0)), first_foreign=0x40000000
    ),
    "aarch64": Machine(1, 0xC00000B7, 220, 435, 261, 199, 29, 167, 25, _signalling(1)),
}

SIGCHLD, SIGCONT = 17, 18
F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETPIPE_SZ = 8, 10, 15, 1031
FILE_REQUESTS = (F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETPIPE_SZ)
"""Requests of fcntl() that are refused: signals of a file's own, and memory of pipes, which is counted for
the whole user."""
SOCKET_IOCTLS = 0x8900
"""The second lowest byte of a request says whom it is for."""
LOAD, AND, JEQ, JGE, JSET, RET = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NR, ARCH, ARG0, ARG1 = 0, 4, 16, 24
"""Offsets in struct seccomp_data; the low half of an argument comes first on both machines."""


def filter_program(
    machine: str = platform.machine(), *, allowed: Collection[str] = (), alone: bool = False
) -> bytes | None:
    """The filter as an array of `struct sock_filter`; None on a machine that it is not made for.

    `allowed` are names of the list that are let through all the same; `alone` is for a process that
    no namespace keeps apart: threads it may make, other processes it neither makes nor reaches.
    """
    if machine not in MACHINES:
        return None
    m = MACHINES[machine]
    program = [_op(LOAD, ARCH), _op(JEQ, m.audit_arch, 1, 0), _op(RET, KILL), _op(LOAD, NR)]
    if m.first_foreign is not None:
        program += [_op(JGE, m.first_foreign, 0, 1), _op(RET, KILL)]
    for name, numbers in {**REFUSED, **(ALONE if alone else {})}.items():
        if name not in allowed and (number := numbers[m.column]) is not None:
            program += [_op(JEQ, number, 0, 1), _op(RET, ERRNO | EPERM)]
    # With ENOSYS for clone3, libc falls back to clone, whose flags a filter can see.
    program += [_op(JEQ, m.clone3, 0, 1), _op(RET, ERRNO | ENOSYS)]
    if alone:
        program += _argument(m.clone, _op(JSET, CLONE_THREAD, 1, 0))
        # It has to end with the one that it was forked from.
        program += _argument(m.prctl, _op(JEQ, PR_SET_PDEATHSIG, 0, 1))
    else:
        # No namespace; and the low byte is the signal that the parent gets at the end.
        program += [
            *(_op(JEQ, m.clone, 0, 7), _op(LOAD, ARG0), _op(JSET, CLONE_NEW, 3, 0)),
            *(_op(AND, 0xFF), _op(JEQ, 0, 2, 0), _op(JEQ, SIGCHLD, 1, 0)),
            *(_op(RET, ERRNO | EPERM), _op(RET, ALLOW)),
        ]
        # Between cells a session is stopped: nothing in it may make it go on.
        for number, place in m.signalling.items():
            program += _argument(number, _op(JEQ, SIGCONT, 0, 1), ARG0 + 8 * place)
    program += [_op(JEQ, m.fcntl, 0, 2 + 2 * len(FILE_REQUESTS)), _op(LOAD, ARG1)]
    for request in FILE_REQUESTS:
        program += [_op(JEQ, request, 0, 1), _op(RET, ERRNO | EPERM)]
    program.append(_op(RET, ALLOW))
    # Another process's limits (prlimit of process 1 would end the session), or one's own: pid 0.
    program += _argument(m.prlimit64, _op(JEQ, 0, 1, 0))
    program += _argument(m.socketpair, _op(JEQ, AF_UNIX, 1, 0))
    # The channel was made outside: questions to a socket would be answered for the host's network.
    program += [
        *(_op(JEQ, m.ioctl, 0, 4), _op(LOAD, ARG1), _op(AND, 0xFF00)),
        *(_op(JEQ, SOCKET_IOCTLS, 0, 1), _op(RET, ERRNO | EPERM), _op(RET, ALLOW)),
    ]
    return b"".join(program)


def _argument(number: int, refuse_next: bytes, offset: int = ARG0) -> list[bytes]:
    """For one call: load an argument, its first, and refuse if `refuse_next` falls through."""
    return [
        _op(JEQ, number, 0, 4),
        _op(LOAD, offset),
        refuse_next,
        _op(RET, ERRNO | EPERM),
        _op(RET, ALLOW),
    ]


def _op(code: int, k: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, k)
