"""A server's address: what may stand in it, whether one of ours answers, how one is started there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from core.errors import UsageError
from server.addresses import checked_base, serve_command, why_silent


class Answers(BaseHTTPRequestHandler):
    """200 at /ours/healthz, 404 elsewhere."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/ours/healthz" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def neighbour() -> Iterator[str]:
    """A server on loopback."""
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://127.0.0.1:8910/", "http://127.0.0.1:8910"),
        (" https://bench.example.org/ddr ", "https://bench.example.org/ddr"),
        ("http://[::1]:8910", "http://[::1]:8910"),
    ],
)
def test_an_address_is_kept_without_the_slash_at_its_end(url: str, base: str) -> None:
    assert checked_base(url) == base


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8910",
        "ftp://h",
        "http://",
        "http://h:x",
        "http://u:p@h",
        "http://h/?a=b",
        "http://h/\nx",
    ],
)
def test_what_is_no_address_of_a_server_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(UsageError, match=r"http://127\.0\.0\.1:8910"):
        checked_base(url)


def test_it_is_told_whether_a_server_of_ours_answers(
    neighbour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # which is not asked
    assert why_silent(f"{neighbour}/ours") is None
    assert why_silent(neighbour) == "it answers 404"
    assert why_silent("http://127.0.0.1:1") == "Connection refused"


@pytest.mark.parametrize(
    ("base", "command"),
    [
        ("http://127.0.0.1:8910", "ddr serve --http"),
        ("http://localhost:99", "ddr serve --http --port 99"),
        ("http://10.0.0.7:8910", "ddr serve --http --host 10.0.0.7"),
    ],
)
def test_the_command_that_starts_one_there_is_told(base: str, command: str) -> None:
    assert serve_command(base) == command
