"""The health check: yes to a server that says so, over http or https; no to everything else, with the reason."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.deploy.scripts import script
from tests.support.certificates import certificate

healthy = script("healthy")


@contextmanager
def answering(status: int, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address of a server that answers every request with this status."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign] # a client that tries http first
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/healthz"
        server.shutdown()
        thread.join()


def test_a_server_that_is_well() -> None:
    with answering(200) as url:
        assert healthy.main(url) == 0


def test_a_server_with_a_certificate_of_its_own_is_asked_by_https(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path, "bench.example.org")
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(cert, key)
    with answering(200, tls) as url:
        assert healthy.main(url) == 0


@pytest.mark.parametrize("status", [421, 500, 503])
def test_another_status_is_told(status: int, capsys: pytest.CaptureFixture[str]) -> None:
    with answering(status) as url:
        assert healthy.main(url) == 1
    assert f"{url}: status {status}" in capsys.readouterr().err


def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with answering(200) as url:
        assert healthy.main(url) == 0


def test_what_is_no_address_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert healthy.main("nonsense") == 1
    assert "unknown url type" in capsys.readouterr().err
