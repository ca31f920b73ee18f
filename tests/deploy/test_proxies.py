"""Behind nginx and Caddy as docs/deploy.md configures them: names are kept, nothing is held back."""

from __future__ import annotations

import json
import re
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.deploy.dockerfile import ROOT
from tests.deploy.proxies import HOST, Proxy, block, caddy, nginx
from tests.support.certificates import certificate
from tests.support.needs import needs
from tests.support.serving import Server, serving

pytestmark = [pytest.mark.real, needs("linux", "package index")]

Starts = Callable[[Path, int], AbstractContextManager[Proxy]]
HELD_S = 3.0
"""After which what has not come is taken to be held back."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The real server, called by the name of the page."""
    home = tmp_path_factory.mktemp("home")
    with serving(home, "--allow-host", HOST, "--conformance") as server:
        yield server


@contextmanager
def asking(proxy: Proxy, host: str = HOST) -> Iterator[httpx.Client]:
    """A client that believes loopback to be the host."""
    with httpx.Client(
        base_url=proxy.url, verify=proxy.trust, trust_env=False, headers={"Host": host}, timeout=60
    ) as client:
        yield client


SNI = {"sni_hostname": HOST}
SPEAKING = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


@pytest.mark.parametrize("start", [nginx, caddy])
def test_the_name_that_the_client_called_reaches_the_server(
    start: Starts, served: Server, tmp_path: Path
) -> None:
    upstream = urlsplit(served.url).port
    assert upstream
    with start(tmp_path, upstream) as proxy, asking(proxy) as client:
        answer = client.get("/healthz", extensions=SNI)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_name_that_is_not_allowed_is_refused_behind_nginx_too(
    served: Server, tmp_path: Path
) -> None:
    upstream = urlsplit(served.url).port
    assert upstream
    with nginx(tmp_path, upstream) as proxy, asking(proxy, "evil.example") as client:
        assert client.get("/healthz", extensions=SNI).status_code == 421


@pytest.mark.parametrize("start", [nginx, caddy])
def test_a_tool_is_called_with_its_progress(start: Starts, served: Server, tmp_path: Path) -> None:
    upstream = urlsplit(served.url).port
    assert upstream
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "test_tool_with_progress",
            "arguments": {},
            "_meta": {"progressToken": 7},
        },
    }
    with start(tmp_path, upstream) as proxy, asking(proxy) as client:
        answer = client.post("/conformance/mcp", json=call, headers=SPEAKING, extensions=SNI)
    assert answer.status_code == 200, answer.text
    messages = [
        json.loads(line) for line in re.findall(r"^data: (\{.*)$", answer.text, re.MULTILINE)
    ]
    assert [each.get("method") for each in messages[:-1]] == ["notifications/progress"] * 3
    assert messages[-1]["id"] == 1


def test_what_is_enrolled_through_a_proxy_is_reached_through_it(
    flights_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "scenarios").symlink_to(flights_home / "scenarios")
    monkeypatch.setenv("DDR_HOME", str(home))
    made = subprocess.check_output(
        [sys.executable, "-m", "server.cli.main", "token", "create", "--role", "harness", "--json"],
        text=True,
        cwd=ROOT,
    )
    harness = {"Authorization": f"Bearer {json.loads(made)['token']}"}
    wanted = {"scenario": "flights", "agent": "mine", "entities": ["01"]}
    with serving(home, "--allow-host", HOST) as server:
        upstream = urlsplit(server.url).port
        assert upstream
        with nginx(tmp_path, upstream) as proxy, asking(proxy) as client:
            run = client.post("/api/runs", json=wanted, headers=harness, extensions=SNI)
            assert run.status_code < 300, run.text
            (seat, *_) = run.json()["seats"]
            assert seat["url"].startswith(f"https://{HOST}/r/"), (
                "by the name and scheme of the proxy"
            )
            call = {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "get_task", "arguments": {}},
            }
            headers = {**SPEAKING, "Authorization": f"Bearer {seat['token']}"}
            path = urlsplit(seat["url"]).path
            answer = client.post(path, json=call, headers=headers, extensions=SNI)
            assert answer.status_code == 200, answer.text
            assert "carrier" in answer.text


# Nothing is held back


class Stream:
    """A server that says its second word only once its first has been heard."""

    def __init__(self) -> None:
        heard = self.heard = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.wfile.write(b"data: first\n\n")
                heard.wait(HELD_S)
                self.wfile.write(b"data: heard\n\n" if heard.is_set() else b"data: held back\n\n")

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)


@pytest.fixture
def stream() -> Iterator[Stream]:
    made = Stream()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def heard_through(proxy: Proxy, stream: Stream) -> list[str]:
    """The words of a stream, each acknowledged as it comes."""
    said = []
    with asking(proxy) as client, client.stream("GET", "/stream", extensions=SNI) as answer:
        for line in answer.iter_lines():
            if line:
                said.append(line)
                stream.heard.set()
    return said


@pytest.mark.parametrize("start", [nginx, caddy])
def test_each_event_comes_as_it_is_sent(start: Starts, stream: Stream, tmp_path: Path) -> None:
    with start(tmp_path, stream.server.server_port) as proxy:
        assert heard_through(proxy, stream) == ["data: first", "data: heard"]


def test_without_the_pages_line_nginx_would_hold_events_back(
    stream: Stream, tmp_path: Path
) -> None:
    change = ("proxy_buffering off;", "proxy_buffering on;")
    with nginx(tmp_path, stream.server.server_port, change) as proxy:
        assert heard_through(proxy, stream) == ["data: first", "data: held back"]


def test_nginx_waits_longer_than_a_silent_call_lasts_and_takes_every_request_that_we_take() -> None:
    from server.http.options import MOST_BODY

    said = block("nginx")
    (wait_s,) = re.findall(r"proxy_read_timeout (\d+)s;", said)
    (most_mb,) = re.findall(r"client_max_body_size (\d+)m;", said)
    assert int(wait_s) > 60
    assert int(most_mb) << 20 >= MOST_BODY


# Without a proxy


def test_the_server_has_a_certificate_of_its_own_where_it_is_told_of_one(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path, HOST)
    home = tmp_path / "home"
    options = ("--allow-host", HOST, "--tls-cert", str(cert), "--tls-key", str(key))
    with serving(home, *options) as server:
        trust = ssl.create_default_context(cafile=cert)
        with asking(Proxy(server.url, trust)) as client:
            assert client.get("/healthz", extensions=SNI).json() == {"status": "ok"}
