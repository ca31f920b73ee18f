"""nginx and Caddy with the configurations of docs/deploy.md, on ports of loopback."""

from __future__ import annotations

import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.deploy.dockerfile import ROOT
from tests.deploy.programs import CADDY, NGINX
from tests.deploy.running import free_port
from tests.support.certificates import certificate
from tests.support.processes import until

HOST = "bench.example.org"
PAGE = ROOT / "docs" / "deploy.md"


def block(language: str) -> str:
    """The page's one block in this language."""
    (found,) = re.findall(
        rf"^```{language}\n(.*?)^```$",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    return str(found)


@dataclass(frozen=True)
class Proxy:
    """One that listens on https, for HOST."""

    url: str
    trust: ssl.SSLContext


@contextmanager
def nginx(folder: Path, upstream: int, *changes: tuple[str, str]) -> Iterator[Proxy]:
    """The page's server block, with ports and files of the test's own, and `changes` where given."""
    port = free_port()
    cert, key = certificate(folder, HOST)
    text = _replaced(
        block("nginx"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        (f"/etc/ssl/{HOST}.pem", str(cert)),
        (f"/etc/ssl/{HOST}.key", str(key)),
        ("127.0.0.1:8910", f"127.0.0.1:{upstream}"),
        *changes,
    )
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr;"
        f"events {{}} http {{ access_log off; {temporary}"
        f" uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;\n{text}}}",
        encoding="utf-8",
    )
    program = folder / "nginx"
    shutil.copy2(NGINX.install(), program)
    program.chmod(0o755)  # which the wheel does not say
    command: list[str | Path] = [program, "-p", folder, "-c", folder / "nginx.conf"]
    with _started(command, port, {}):
        yield Proxy(f"https://127.0.0.1:{port}", ssl.create_default_context(cafile=cert))


@contextmanager
def caddy(folder: Path, upstream: int) -> Iterator[Proxy]:
    """The page's file, with ports of the test's own and Caddy's own authority in place of a public one."""
    port = free_port()
    text = _replaced(block("caddy"), ("127.0.0.1:8910", f"127.0.0.1:{upstream}"))
    own = f"{{\nadmin off\nlocal_certs\nskip_install_trust\nauto_https disable_redirects\nhttps_port {port}\nhttp_port {free_port()}\n}}\n"
    (folder / "Caddyfile").write_text(own + text, encoding="utf-8")
    words: tuple[str | Path, ...] = (
        "run",
        "--config",
        folder / "Caddyfile",
        "--adapter",
        "caddyfile",
    )
    command: list[str | Path] = [CADDY.install(), *words]
    environment = {
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
    }
    root = folder / "caddy/pki/authorities/local/root.crt"
    with _started(command, port, environment):
        until(root.exists, "Caddy's own authority")
        trust = ssl.create_default_context(cafile=root)
        until(lambda: _has_certificate(port, trust), "Caddy's certificate")
        yield Proxy(f"https://127.0.0.1:{port}", trust)


def _replaced(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text, f"the page's configuration has no {old!r} any more"
        text = text.replace(old, new)
    return text


@contextmanager
def _started(
    command: Sequence[str | Path], port: int, environment: dict[str, str]
) -> Iterator[None]:
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            until(lambda: _listens(port) or process.poll() is not None, "the proxy")
            assert process.poll() is None, process.communicate()[1]
            yield
        finally:
            process.kill()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _has_certificate(port: int, trust: ssl.SSLContext) -> bool:
    try:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=1) as plain,
            trust.wrap_socket(plain, server_hostname=HOST),
        ):
            return True
    except OSError:
        return False
