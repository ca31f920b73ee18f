"""Open connections to PostgreSQL with everything about a session fixed before the first statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from core.errors import DatabaseError
from databases.target import RoleError
from tools.sql.pg.role import faults
from tools.sql.pg.values import register

if TYPE_CHECKING:
    import psycopg

BELT_S = 120
"""When the server ends a statement by itself. The deadline is the caller's; this is for the case
that we are gone and the server does not notice."""
IDLE_S = 300
LOCK_S = 10
CONNECT_S = 10
OLDEST = 120000
"""Server version 12."""
INSTALL = "pip install 'ddr[postgres]'"


class Opener:
    """Opens connections for one URL. Raises DatabaseError in words, never with the password."""

    def __init__(self, location: str, threads: int) -> None:
        try:
            import psycopg
        except ImportError as exc:
            raise DatabaseError(f"PostgreSQL needs a package that is not here: {INSTALL}") from exc
        self._psycopg = psycopg
        self._given = self._read(location)
        self.place = "{host}:{port}/{dbname}".format_map(
            {"host": "localhost", "port": 5432, "dbname": "", **self._given}
        )
        settings = {
            # A reset (DISCARD ALL) goes back to these, whatever a statement did.
            "default_transaction_read_only": "on",
            "standard_conforming_strings": "on",
            "timezone": "UTC",
            "datestyle": "ISO",
            "intervalstyle": "iso_8601",
            "bytea_output": "hex",
            "extra_float_digits": "1",
            "statement_timeout": f"{BELT_S}s",
            "lock_timeout": f"{LOCK_S}s",
            "idle_in_transaction_session_timeout": f"{IDLE_S}s",
            "max_parallel_workers_per_gather": str(max(threads - 1, 0)),
        }
        given = self._given.pop("options", "")
        said = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self._options = f"{given} {said}".strip()

    def _read(self, location: str) -> dict[str, Any]:
        scheme = urlsplit(location).scheme
        if scheme not in {"postgresql", "postgres", "postgresql+psycopg"}:
            raise DatabaseError(
                f"an URL of PostgreSQL begins with postgresql+psycopg://, and this one with {scheme}:"
            )
        uri = "postgresql" + location[len(scheme) :]
        try:
            return self._psycopg.conninfo.conninfo_to_dict(uri)
        except self._psycopg.ProgrammingError:
            # Its own text may quote the URL, password and all.
            raise DatabaseError("the URL of the database cannot be read") from None

    def open(self) -> psycopg.Connection[Any]:
        """A connection whose transactions can only read."""
        given = {
            "connect_timeout": CONNECT_S,
            "application_name": "ddr",
            **self._given,
            "client_encoding": "utf8",
        }
        try:
            connection = self._psycopg.connect(**given, options=self._options)
        except self._psycopg.Error as exc:
            raise DatabaseError(f"PostgreSQL at {self.place}: {self._masked(exc)}") from None
        connection.prepare_threshold = None
        connection.read_only = True
        register(connection)
        return connection

    def checked(self) -> psycopg.Connection[Any]:
        """The first connection: its server is new enough, and its role can only read."""
        connection = self.open()
        try:
            if connection.info.server_version < OLDEST:
                raise DatabaseError(f"PostgreSQL at {self.place} is older than version 12")
            if found := faults(connection):
                says = "; ".join(fault.says for fault in found)
                remedy = "\n".join(fault.remedy for fault in found)
                raise RoleError(
                    f"PostgreSQL at {self.place}: a role that can do more than read, or cannot"
                    f" read, is refused: {says}",
                    remedy,
                )
            self._let_server_watch(connection)
            connection.rollback()
        except BaseException:
            connection.close()
            raise
        return connection

    def _let_server_watch(self, connection: psycopg.Connection[Any]) -> None:
        """Have the server notice within a second that our process is gone, where it can."""
        if connection.info.server_version < 140000:
            return
        try:
            connection.execute("SET client_connection_check_interval = '1s'")
        except self._psycopg.Error:  # a server on a system that cannot
            connection.rollback()
        else:
            self._options += " -c client_connection_check_interval=1s"

    def _masked(self, exc: Exception) -> str:
        text = " ".join(str(exc).split())
        secret = self._given.get("password")
        return text.replace(str(secret), "***") if secret else text
