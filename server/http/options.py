"""What a worker is told when it is started."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from core.record import Record

MOST_BODY: Final = 256 << 10
"""Bytes of one request."""
QUEUE: Final = 512
"""Connections that wait for a worker to take them."""
READY: Final = b"ready\n"
"""What a worker says on its stdout once it listens."""
GRACE_S: Final = 5
"""Calls under way may end in this time when the server stops."""


class ServeOptions(Record):
    """How one `ddr serve --http` serves; the same for each of its workers but for the socket."""

    home: Path
    socket_fd: int = -1
    """The worker's listening socket, which the supervisor keeps open: what comes in while a worker is
    started again waits there."""
    tools: Path
    """The tool host's socket."""
    allowed_hosts: tuple[str, ...]
    """What a request's Host may be; see hosts.AllowedHosts."""
    stateful: bool = False
    conformance: bool = False
    fsync: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    rate: float = 200.0
    """Messages per second at one seat, in one worker; twice as many at once."""
