"""The walls that a kernel puts around itself, between its fork and the first line of other people's code.

The zygote holds the right to make namespaces, over nothing but its own sandbox; what it forks gives
that up here. The order matters: namespaces and mounts while the right is there, then the bounds,
then the filter of system calls, which takes the rest away.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from typing import Any

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
CLONE_NEWCGROUP = 0x02000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 2, 4, 8, 16384, 1 << 18
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 38, 47
PR_CAP_AMBIENT_CLEAR_ALL, SECCOMP_MODE_FILTER = 4, 2
CAPABILITY_VERSION = 0x20080522
LAST_CAPABILITY = 63

_libc = ctypes.CDLL(None, use_errno=True)


def hide_memory(*, hidden: bool = True) -> None:
    """No tracing and no reading of this process's memory by another of its own user."""
    _libc.prctl(PR_SET_DUMPABLE, int(not hidden), 0, 0, 0)


def enter_namespaces(own_proc: int, uid: int, gid: int) -> None:
    """Namespaces of this process's own; its user namespace is also what its processes count in.

    `own_proc` is an open folder of /proc, which is not to be seen by path in here.
    """
    hide_memory(hidden=False)  # or the files of its own below /proc belong to root
    named = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET
    _check(_libc.unshare(named), "unshare")
    _libc.unshare(CLONE_NEWCGROUP)  # not every kernel has them, and no /sys/fs/cgroup is in here
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        file = os.open(f"self/{name}", os.O_WRONLY | os.O_CLOEXEC, dir_fd=own_proc)
        os.write(file, text.encode())
        os.close(file)
    hide_memory()


def mount_own_folders(tmp_mb: int, shared_mb: int, inodes: int) -> None:
    """A /tmp and a /dev/shm that nobody else sees, bounded in bytes and in files."""
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    for target, size in (("/tmp", tmp_mb), ("/dev/shm", shared_mb)):  # noqa: S108 - its own
        options = f"mode=0700,size={size}m,nr_inodes={inodes}"
        _mount("tmpfs", target, options, MS_NOSUID | MS_NODEV | MS_NOEXEC)
    os.chdir("/tmp")  # noqa: S108 - likewise


def end_with_parent() -> None:
    """Where no pid namespace sees to it: when the zygote ends, so does this process."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def drop_privileges() -> None:
    """No capability, and none to be had again."""
    for capability in range(LAST_CAPABILITY + 1):
        if _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
            break  # past the last one that this machine has
    _libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def set_bounds(bounds: dict[str, Any], *, apart: bool) -> None:
    """Bounds that the process can lower but never raise again.

    Without a user namespace of its own (`apart`) the count of processes would be that of the user.
    """
    cpu_s = bounds["cpu_s"]
    for name, most in (
        ("AS", bounds["memory_mb"] << 20),
        *([("NPROC", bounds["processes"])] if apart else []),
        ("FSIZE", bounds["file_mb"] << 20),
        ("NOFILE", bounds["files"]),
        ("SIGPENDING", bounds["files"]),
        ("CORE", 0),
        ("MEMLOCK", 0),
        ("MSGQUEUE", 0),
    ):
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    hide_memory()


def filter_calls(program: bytes) -> None:
    """Install a seccomp filter, an array of `struct sock_filter`; an empty one is none."""

    class Program(ctypes.Structure):
        _fields_ = [("count", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    if not program:
        return
    buffer = ctypes.create_string_buffer(program, len(program))
    given = Program(len(program) // 8, ctypes.addressof(buffer))
    done = _libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(given), 0, 0)
    _check(done, "seccomp")


def new_pid_namespace() -> None:
    """The next fork of this process is process 1 of a pid namespace of its own."""
    _check(_libc.unshare(CLONE_NEWPID), "unshare of the pid namespace")


def back_to_pid_namespace(handle: int) -> None:
    """Later forks of this process belong to the namespace of the handle again."""
    _check(_libc.setns(handle, CLONE_NEWPID), "setns")


def _mount(kind: str | None, target: str, options: str | None, flags: int) -> None:
    coded = [text.encode() if text else None for text in (kind, target, kind, options)]
    done = _libc.mount(coded[0], coded[1], coded[2], ctypes.c_ulong(flags), coded[3])
    _check(done, f"mount of {target}")


def _check(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
