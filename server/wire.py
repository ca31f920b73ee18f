"""Keep a stdio conversation clean: whatever else is printed goes to stderr."""

from __future__ import annotations

import fcntl
import os
import sys
from dataclasses import dataclass
from typing import BinaryIO

_ABOVE_STD = 3


@dataclass(frozen=True)
class Wire:
    """The two ends of the conversation, on descriptors that nobody else knows."""

    incoming: BinaryIO
    outgoing: BinaryIO


def claim_stdio() -> Wire:
    """Take stdin and stdout for the protocol alone, for the rest of this process's life.

    Called before anything else is imported or started: from then on prints, banners of libraries,
    warnings and child processes that write to descriptor 1 reach stderr, and a child that reads
    descriptor 0 meets an empty file and not the client's next message (F19).
    """
    sys.stdout.flush()
    incoming = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _ABOVE_STD)
    outgoing = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _ABOVE_STD)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return Wire(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb"))
