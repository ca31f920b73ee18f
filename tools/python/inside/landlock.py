"""The second line, for machines without user namespaces: this process may open these files and no others."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION, PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE = 1 << 14
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
# All but device nodes and links between folders: remove, make folder, file, socket, pipe, symlink.
WRITE = (
    READ | WRITE_FILE | TRUNCATE | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12
)
RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All that a version knows of files; it is denied where no rule grants it."""
NETWORK, SCOPES = 3, 3
"""TCP, from version 4; abstract sockets and signals, from version 6."""

_libc = ctypes.CDLL(None, use_errno=True)


def landlock_version() -> int:
    """0 where the machine has no landlock."""
    found = _libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION))
    return max(int(found), 0)


def allow_only(readable: Iterable[str], listable: Iterable[str], writable: str) -> None:
    """Give up every file but these, for good. Needs no_new_privs. Raises OSError."""
    version = landlock_version()
    known = RIGHTS[max(v for v in RIGHTS if v <= version)] if version else 0
    given = struct.pack("=Q", known)
    if version >= 4:
        given += struct.pack("=Q", NETWORK)
    if version >= 6:
        given += struct.pack("=Q", SCOPES)
    rules = _call(CREATE_RULESET, given, ctypes.c_size_t(len(given)), ctypes.c_uint32(0))
    granted = [*((p, READ) for p in readable), *((p, READ_DIR) for p in listable)]
    for path, wanted in [*granted, (writable, WRITE)]:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        rights = wanted & (known if os.path.isdir(path) else known & OF_FILES)  # noqa: PTH112 - no pathlib in here
        rule = struct.pack("=Qi", rights, place)
        _call(ADD_RULE, ctypes.c_int(rules), ctypes.c_int(PATH_BENEATH), rule, ctypes.c_uint32(0))
        os.close(place)
    _call(RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0))
    os.close(rules)


def _call(*given: object) -> int:
    result = int(_libc.syscall(*given))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"landlock: {os.strerror(number)}")
    return result
