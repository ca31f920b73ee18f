"""Serve over HTTP: the listening sockets, the workers with one each, and the tool host that they share."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import UsageError
from server.http import HOST, PORT
from server.http.hosts import EVERY_ADDRESS, AllowedHosts, allowed_for, is_loopback
from server.http.options import ServeOptions
from server.http.supervisor import Supervisor, listen
from server.runner import utc_now
from server.settings import Settings
from server.store import open_store
from server.tokens import once
from server.toolhost import ToolHost


@dataclass(frozen=True)
class Listening:
    """A server that takes requests."""

    url: str
    pid: int
    workers: int
    worker_pids: list[int]
    tool_host_pid: int | None
    dashboard: str | None = None
    """The address that lets a browser in as an admin, once; None unless one was asked for and nobody on
    another machine reaches the port."""

    def to_json(self) -> dict[str, Any]:
        """For programs that started it."""
        return asdict(self)


def serve_http(
    settings: Settings,
    on_ready: Callable[[Listening], None],
    *,
    host: str = HOST,
    port: int = PORT,
    workers: int = 1,
    allow_hosts: Sequence[str] = (),
    stateful: bool = False,
    conformance: bool = False,
    fsync: bool = False,
    tls_cert: Path | None = None,
    tls_key: Path | None = None,
    invites: bool = False,
) -> None:
    """Serve until SIGINT or SIGTERM. `invites`: make a one-time link to the dashboard.

    Raises UsageError for what cannot be served like that, StoreError, and WorkersError.
    """
    if workers < 1:
        raise UsageError(f"--workers is 1 or more, not {workers}")
    if stateful and workers > 1:
        raise UsageError("--stateful keeps sessions in one process: leave --workers at 1")
    if (tls_cert is None) != (tls_key is None):
        raise UsageError("--tls-cert and --tls-key go together")
    if tls_cert is not None and tls_key is not None:
        tls_cert, tls_key = _checked(tls_cert, tls_key)
    hosts = allowed_for(host, allow_hosts)
    AllowedHosts(hosts)
    # It is there and up to date before any worker opens it.
    with open_store(settings.prepare().store_path) as store:
        secret = once(store, "admin", utc_now()) if invites and is_loopback(host) else None
    tools = ToolHost()
    with ExitStack() as stack:
        sockets = [stack.enter_context(each) for each in listen(host, port, workers)]
        try:
            tools.start()
            options = ServeOptions(
                home=settings.home,
                tools=tools.path,
                allowed_hosts=hosts,
                stateful=stateful,
                conformance=conformance,
                fsync=fsync,
                tls_cert=tls_cert,
                tls_key=tls_key,
            )
            supervisor = Supervisor(options, sockets)
            scheme = "http" if tls_cert is None else "https"
            url = f"{scheme}://{_named(host)}:{sockets[0].getsockname()[1]}"

            def ready() -> None:
                pids = supervisor.pids
                door = f"{url}/enter?once={secret}" if secret else None
                on_ready(Listening(url, os.getpid(), workers, pids, tools.pid, door))

            asyncio.run(supervisor.run(ready))
        finally:
            tools.close()


def _named(host: str) -> str:
    """How the server is called in its own URL; every address is called by the loopback one."""
    if host in EVERY_ADDRESS:
        return HOST
    return f"[{host}]" if ":" in host else host


def _checked(cert: Path, key: Path) -> tuple[Path, Path]:
    """The two as full paths. Raises UsageError where no server could use them."""
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key)
    except (OSError, ssl.SSLError) as exc:
        raise UsageError(f"--tls-cert {cert} and --tls-key {key} cannot be used: {exc}") from exc
    return cert.absolute(), key.absolute()
