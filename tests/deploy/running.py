"""A server that runs in a box: where it listens, and its end."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.deploy.image import Boxed, Image

END_S = 30.0


@dataclass(frozen=True)
class Running:
    """What `docker run -d` would have left running."""

    url: str
    process: Boxed

    def stop(self) -> tuple[int, str]:
        """As `docker stop`: SIGTERM to process 1. Its exit code, and what it said on stderr."""
        assert self.process.first is not None
        os.kill(self.process.first, signal.SIGTERM)
        _, err = self.process.communicate(timeout=END_S)
        return self.process.returncode, err


def free_port() -> int:
    with socket.socket() as passing:
        passing.bind(("127.0.0.1", 0))
        return int(passing.getsockname()[1])


@contextmanager
def running(
    image: Image, *more: str, command: Sequence[str] | None = None, **options: Any
) -> Iterator[Running]:
    """The image's own command, or another one that serves, at a free port, once it listens."""
    command = [*(command or image.command), "--port", str(free_port()), *more]
    with image.box(command, **options) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http"), process.communicate(timeout=END_S)[1]
        yield Running(url, process)
