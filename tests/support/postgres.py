"""A PostgreSQL server of the tests' own: a fresh cluster on a socket and a loopback port, gone afterwards."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import psycopg

ADMIN = "owner"
READER = "reader"
PASSWORD = "a pass:word/with@signs"
"""Needs escaping in a URL, and is looked for in every text that must not hold it."""
START_S = 60.0
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "autovacuum": "off",
    "log_min_messages": "warning",
}

VISITS = """
    CREATE TABLE visits AS SELECT
        i AS id,
        1 + i % 10 AS patient,
        TIMESTAMP '2024-01-01' + i * INTERVAL '1 hour' AS created_at,
        TIMESTAMP '2024-02-01' AS last_updated,
        i * 0.5::float8 AS dose,
        CASE i % 3 WHEN 0 THEN 'dropped out' WHEN 1 THEN 'delete; update' ELSE 'a note' END AS note
    FROM generate_series(1, 150) AS t(i);
    COMMENT ON TABLE visits IS 'One row per visit.';
    COMMENT ON COLUMN visits.dose IS 'In mg.';
"""
"""150 rows, ids 1 to 150: the fixture of the field cases."""


def programs() -> Path | None:
    """The folder with initdb and postgres; Debian keeps them off the path."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    places = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(places, key=lambda p: [int(n) for n in p.parts[4].split(".")], default=None)
    return newest.parent if newest else None


@dataclass(frozen=True)
class Cluster:
    """A running server. `owner` is its superuser, over the socket, without a password."""

    folder: Path
    port: int

    def admin(self, database: str = "postgres") -> psycopg.Connection[Any]:
        """A superuser's connection, autocommit."""
        import psycopg

        return psycopg.connect(
            host=str(self.folder), port=self.port, user=ADMIN, dbname=database, autocommit=True
        )

    def run(self, *statements: str, database: str = "postgres") -> None:
        """Run statements as the superuser."""
        with self.admin(database) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def url(self, database: str, role: str = READER, password: str | None = PASSWORD) -> str:
        """The SQLAlchemy URL of a role's way in, over loopback."""
        from urllib.parse import quote

        secret = "" if password is None else f":{quote(password, safe='')}"
        return f"postgresql+psycopg://{role}{secret}@127.0.0.1:{self.port}/{database}"

    def make(self, name: str, *statements: str) -> str:
        """A database that `reader` can read and nothing else; returns its reader's URL."""
        self.run(f'CREATE DATABASE "{name}"')
        self.run(
            *statements,
            f'REVOKE TEMPORARY ON DATABASE "{name}" FROM PUBLIC',
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
            f"GRANT USAGE ON SCHEMA public TO {READER}",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER}",
            database=name,
        )
        return self.url(name)


@contextlib.contextmanager
def cluster() -> Iterator[Cluster]:
    """Make a cluster, start it, and remove it; ends with this process however that ends.

    It lives outside tmp_path: the server is never root, whose folders it could not enter, and
    the name of a socket is short.
    """
    bin_ = programs()
    assert bin_ is not None, "needs('postgresql') stands before this"
    with tempfile.TemporaryDirectory(prefix="ddr-pg-") as name:
        folder = Path(name)
        as_user = _unprivileged(folder)
        data = folder / "data"
        made = [str(bin_ / "initdb"), "-D", str(data), "-U", ADMIN, "--no-sync", "-E", "UTF8"]
        made += ["--locale=C.UTF-8", "--auth-local=trust", "--auth-host=scram-sha-256"]
        subprocess.run([*as_user, *made], check=True, capture_output=True, cwd=folder)
        port = _free_port()
        options = {
            **SETTINGS,
            "port": str(port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": name,
        }
        said = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [*as_user, str(bin_ / "postgres"), "-D", str(data), *said],
                stdout=log,
                stderr=log,
                cwd=folder,
            )
        running = Cluster(folder, port)
        try:
            _await(running, server)
            running.run(f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'")
            yield running
        finally:
            server.send_signal(signal.SIGQUIT)  # at once: its data goes as well
            server.wait(START_S)


def _unprivileged(folder: Path) -> list[str]:
    """What stands before a command: the server refuses to run as root, and dies with us."""
    command = ["setpriv", "--pdeathsig", "QUIT"]
    if os.geteuid() != 0:
        return command
    try:
        who = pwd.getpwnam("postgres")
    except KeyError:
        who = pwd.getpwnam("nobody")
    os.chown(folder, who.pw_uid, who.pw_gid)
    return [*command, f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await(running: Cluster, server: subprocess.Popen[bytes]) -> None:
    import psycopg

    last = time.monotonic() + START_S
    while True:
        try:
            running.admin().close()
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > last:
                said = (running.folder / "log").read_text(encoding="utf-8", errors="replace")
                raise AssertionError(f"the server did not start:\n{said}") from None
            time.sleep(0.05)
        else:
            return


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """One server for all tests of this process; each test makes databases of its own."""
    with cluster() as running:
        yield running


@pytest.fixture(scope="session")
def pg_visits(postgres: Cluster) -> str:
    """The URL of a database with the field cases' visits, for tests that only read."""
    return postgres.make("visits", VISITS)
