"""The two ways out of a kernel: messages to the host, and what is printed.

Messages: four bytes of length (big-endian), then a JSON object. One that says `"bytes": n` is
followed by n raw bytes; only the host sends those.
"""

from __future__ import annotations

import io
import json
import os
import socket
import struct
from typing import Any

LENGTH = struct.Struct(">I")
PIECE = 1 << 16


class Channel:
    """The socket to the host."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)

    def introduce(self) -> None:
        """Hand the host a handle on this process, before anybody else's code runs in it."""
        handle = os.pidfd_open(os.getpid())
        socket.send_fds(self._socket, [b"+"], [handle])
        os.close(handle)

    def send(self, message: dict[str, Any]) -> None:
        raw = json.dumps(message).encode()
        self._socket.sendall(LENGTH.pack(len(raw)) + raw)

    def receive(self) -> tuple[dict[str, Any], bytearray]:
        message = json.loads(self._exactly(LENGTH.unpack(self._exactly(LENGTH.size))[0]))
        return message, self._exactly(message.get("bytes", 0))

    def _exactly(self, count: int) -> bytearray:
        try:
            buffer = bytearray(count)
        except MemoryError:
            while count:  # or the next message would be looked for in the middle of this one
                count -= len(self._exactly(min(count, PIECE)))
            raise
        view = memoryview(buffer)
        got = 0
        while got < count:
            if not (read := self._socket.recv_into(view[got:])):
                os._exit(0)  # the host is gone
            got += read
        return buffer


class Printed(io.TextIOWrapper):
    """Standard output. Long text leaves in pieces, so that the host's cap meets it before memory."""

    def __init__(self, raw: io.FileIO) -> None:
        super().__init__(io.BufferedWriter(raw), "utf-8", "replace", line_buffering=True)

    def write(self, text: str) -> int:
        for start in range(0, len(text), PIECE):
            super().write(text[start : start + PIECE])
        return len(text)
