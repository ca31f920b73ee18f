"""The tool host as a process: takes a listening socket over, serves, and leaves nothing behind.

Whoever starts it holds the write end of the pipe that is its standard input, and writes nothing. When
that end closes, because the parent says so or is gone, the host ends. So it ends with its parent
however the parent ends, `kill -9` included.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import logging
import os
import resource
import shutil
import signal
import socket
import sys
import threading
import time
from pathlib import Path

from tools.host.means import Means
from tools.host.service import Service
from tools.host.sessions import IDLE_S, SessionBook

END_S = 8.0
"""How long an orderly end may take; past it the process ends as it is."""
SWEEP_S = 5.0
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve until the parent closes our standard input, or a SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m tools.host")
    parser.add_argument("--socket-fd", type=int, required=True, help="a listening unix socket")
    parser.add_argument("--folder", type=Path, required=True, help="removed with an orphaned host")
    parser.add_argument("--parent", type=int, required=True, help="process id of who starts it")
    parser.add_argument("--idle-s", type=float, default=IDLE_S)
    options = parser.parse_args()
    logging.basicConfig(format="ddr tool host: %(message)s", level=logging.WARNING)
    _harden(options.parent)
    listening = socket.socket(fileno=options.socket_fd)
    asyncio.run(_serve(listening, options.folder, options.idle_s))


def _harden(parent: int) -> None:
    os.umask(0o077)
    # A second line beside the pipe, should another process have inherited its write end.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(0)  # it died before we asked to be told
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def _serve(listening: socket.socket, folder: Path, idle_s: float) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    watch = threading.Thread(
        target=_watch_parent, args=(loop, stop, folder), name="parent", daemon=True
    )
    watch.start()
    means = Means()
    book = SessionBook(means.tools, idle_s=idle_s)
    service = Service(book)
    server = await loop.create_unix_server(service.meet, sock=listening)
    sweeping = asyncio.create_task(_sweep(book, means, min(SWEEP_S, idle_s / 2)))
    await stop.wait()
    server.close()
    sweeping.cancel()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_S / 2):
            await book.close_all()
            await means.close()
    await service.hang_up()


def _watch_parent(loop: asyncio.AbstractEventLoop, stop: asyncio.Event, folder: Path) -> None:
    while os.read(0, 1):
        pass
    # First of all: whatever happens to us from here on, the socket is gone.
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(RuntimeError):  # the loop has ended already
        loop.call_soon_threadsafe(stop.set)
    time.sleep(END_S)
    os._exit(1)


async def _sweep(book: SessionBook, means: Means, every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        await book.sweep()
        await means.sweep()
