"""What a server costs that does nothing: the SDK's own, stateless over HTTP, with one empty tool.

Each worker is `python -m bench.empty_server FD`, on a listening socket that all of them share, with the
HTTP parser that our server has and no access log.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.applications import Starlette

START_S: Final = 60.0


@contextlib.contextmanager
def served(workers: int) -> Iterator[str]:
    """The URL of its endpoint, for as long as the block lasts. Raises RuntimeError if none comes."""
    # The protocol is named: only then does asyncio turn Nagle's algorithm off, which costs 40 ms a call.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        port, descriptor = listening.getsockname()[1], listening.fileno()
        command = [sys.executable, "-m", "bench.empty_server", str(descriptor)]
        processes = [
            subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[descriptor])
            for _ in range(workers)
        ]
        try:
            _wait(f"http://127.0.0.1:{port}/")
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(START_S)


def _wait(url: str) -> None:
    """Until a worker answers: whoever connects before that waits in the socket's queue."""
    try:
        urllib.request.urlopen(url, timeout=START_S).close()
    except urllib.error.HTTPError:
        return  # there is nothing at this path, and somebody who says so
    except OSError as exc:
        raise RuntimeError("the empty server did not start") from exc


def _make() -> Starlette:
    from mcp.server import MCPServer

    server = MCPServer("empty", log_level="WARNING")

    @server.tool()
    async def empty() -> str:
        """Say nothing."""
        return ""

    return server.streamable_http_app(stateless_http=True)


def main() -> None:
    """Serve on the socket of this descriptor until SIGTERM."""
    import uvicorn

    config = uvicorn.Config(_make(), http="h11", access_log=False, log_level="warning")
    listening = socket.socket(fileno=int(sys.argv[1]))
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
