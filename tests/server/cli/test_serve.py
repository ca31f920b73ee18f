"""`ddr serve --http` as a command: what it says, what it refuses, and HTTPS."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from server.http.hosts import is_loopback
from server.store import open_store
from server.store.tokens import Tokens
from tests.server.cli.conftest import Ddr
from tests.support.certificates import certificate
from tests.support.pages import ROOT
from tests.support.serving import serving


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "--allow-host bench.example.org"),
        (["--host", "::"], "--allow-host"),
        (["--allow-host", "*"], "to admit any is not offered"),
        (["--workers", "0"], "--workers is 1 or more"),
        (["--stateful", "--workers", "2"], "leave --workers at 1"),
        (["--tls-cert", "x.pem"], "go together"),
        (["--tls-cert", "x.pem", "--tls-key", "y.pem"], "cannot be used"),
        (["--scenario", "flights"], "leave --scenario and --entity out"),
        (["--entity", "03"], "leave --scenario and --entity out"),
    ],
)
def test_what_cannot_be_served_is_said_with_the_way_out(
    options: list[str], said: str, ddr: Ddr, home: Path
) -> None:
    done = ddr("serve", "--http", "--port", "0", *options)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_port_that_is_taken_is_named(workers: str, shared: bool, ddr: Ddr, home: Path) -> None:
    """By another server of ours too, whose workers share it among them."""
    with socket.create_server(("127.0.0.1", 0), reuse_port=shared) as taken:
        port = str(taken.getsockname()[1])
        done = ddr("serve", "--http", "--workers", workers, "--port", port)
    assert done.code == 2
    assert "choose another --port" in done.err


def test_neither_http_nor_an_entity_is_a_usage_error(ddr: Ddr, home: Path) -> None:
    done = ddr("serve", "--scenario", "flights")
    assert done.code == 2
    assert "--http" in done.err


@pytest.mark.real
def test_with_a_certificate_it_speaks_https_and_nothing_else(tmp_path: Path) -> None:
    cert, key = map(str, certificate(tmp_path, "localhost"))
    options = ("--tls-cert", cert, "--tls-key", key, "--fsync")
    with serving(tmp_path / "home", *options) as server:
        assert server.url.startswith("https://127.0.0.1:")
        trusted = ssl.create_default_context(cafile=cert)
        health = httpx.get(f"{server.url}/healthz", verify=trusted)
        assert health.json() == {"status": "ok"}
        with pytest.raises(httpx.HTTPError):
            httpx.get(server.url.replace("https", "http") + "/healthz")


@pytest.mark.real
def test_people_are_told_the_url_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "server.cli.main", "serve", "--http", "--port", "0"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DDR_HOME": str(tmp_path)}
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert httpx.get(f"{url}/healthz").status_code == 200
    said, _, link = process.stdout.readline().strip().partition(": ")
    assert said == "dashboard, lets you in once"
    assert link.startswith(f"{url}/enter?once=")
    with httpx.Client(follow_redirects=True) as browser:
        assert ", admin" in browser.get(link).text
    assert httpx.get(link).status_code == 403
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert "Traceback" not in err


@pytest.mark.real
@pytest.mark.parametrize(
    ("options", "offers"),
    [
        ((), True),
        (("--host", "localhost"), True),
        (("--host", "0.0.0.0", "--allow-host", "ddr"), False),
        (("--quiet",), False),
    ],
)
def test_a_link_is_made_where_only_this_machine_reaches_the_port_and_somebody_reads_it(
    options: tuple[str, ...], offers: bool, tmp_path: Path
) -> None:
    with serving(tmp_path / "home", *options) as server:
        assert (server.said["dashboard"] is not None) == offers
    with open_store(tmp_path / "home" / "store.sqlite3") as store:
        assert len(Tokens(store).all()) == offers


@pytest.mark.parametrize(
    ("host", "is_alone"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.0.7", False),
        ("localhost.example.org", False),
    ],
)
def test_which_addresses_nobody_else_reaches(host: str, is_alone: bool) -> None:
    assert is_loopback(host) == is_alone
