"""A service that behaves as the SEC's does: it wants to know who asks, limits the rate, and packs what it sends."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Service:
    """What it serves, what it refuses, and what it was asked."""

    files: dict[str, bytes]
    url: str = ""
    refusals: list[tuple[int, str | None]] = field(default_factory=list)
    """Answers to the next requests: a status and a Retry-After; 0 = the connection is cut."""
    layers: int = 1
    """How many times an answer is packed, where the client takes gzip."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Path and User-Agent of each request, in order."""

    @property
    def paths(self) -> list[str]:
        """What was asked for."""
        return [path for path, _ in self.asked]


def sec_files(cik: str, facts: Any, listed: Any, document: bytes) -> dict[str, bytes]:
    """One company's files under the paths that the SEC has them."""
    recent = listed["filings"]["recent"]
    at = recent["form"].index("10-K")
    accession = recent["accessionNumber"][at].replace("-", "")
    return {
        f"/api/xbrl/companyfacts/CIK{cik:0>10}.json": json.dumps(facts).encode(),
        f"/submissions/CIK{cik:0>10}.json": json.dumps(listed).encode(),
        f"/Archives/edgar/data/{cik}/{accession}/{recent['primaryDocument'][at]}": document,
    }


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Service]:
    """The service on a port of its own, while it lasts."""
    service = Service(files)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            agent = self.headers.get("User-Agent", "")
            service.asked.append((self.path, agent))
            if "@" not in agent:
                return self._answer(403, b"Undeclared Automated Tool")
            if service.refusals:
                status, wait = service.refusals.pop(0)
                if status == 0:
                    self.close_connection = True
                    self.connection.shutdown(2)
                    return None
                return self._answer(status, b"Request Rate Threshold Exceeded", wait)
            if self.path not in service.files:
                return self._answer(404, b"NoSuchKey")
            return self._answer(200, service.files[self.path])

        def _answer(self, status: int, body: bytes, wait: str | None = None) -> None:
            packed = "gzip" in self.headers.get("Accept-Encoding", "")
            data = body
            for _ in range(service.layers if packed else 0):
                data = gzip.compress(data)
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            if packed:
                self.send_header("Content-Encoding", ", ".join(["gzip"] * service.layers))
            if wait is not None:
                self.send_header("Retry-After", wait)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
