"""A role that can do more than read is refused with what to run, and no error shows a password."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from core.errors import DatabaseError
from databases.target import RoleError
from tests.support.needs import needs
from tests.support.postgres import PASSWORD, READER, VISITS, Cluster
from tests.tools.sql.engines.statements import rows
from tools.sql.engine import EngineLimits
from tools.sql.engines.postgresql import PostgresEngine

pytestmark = [pytest.mark.real, needs("postgresql")]


# The role


@pytest.mark.parametrize(
    ("make", "says", "remedy"),
    [
        ("ALTER ROLE {r} CREATEDB", "role {r} is CREATEDB", 'ALTER ROLE "{r}" NOCREATEDB;'),
        ("ALTER ROLE {r} CREATEROLE", "is CREATEROLE", 'ALTER ROLE "{r}" NOCREATEROLE;'),
        ("ALTER ROLE {r} SUPERUSER", "is SUPERUSER", 'ALTER ROLE "{r}" NOSUPERUSER;'),
        ("ALTER ROLE {r} REPLICATION", "is REPLICATION", 'ALTER ROLE "{r}" NOREPLICATION;'),
        ("ALTER ROLE {r} BYPASSRLS", "is BYPASSRLS", 'ALTER ROLE "{r}" NOBYPASSRLS;'),
        ("GRANT pg_read_server_files TO {r}", "pg_read_server_files", 'REVOKE pg_read_server_files FROM "{r}";'),
        ("GRANT pg_write_all_data TO {r}", "pg_write_all_data", 'REVOKE pg_write_all_data FROM "{r}";'),
        ("GRANT pg_execute_server_program TO {r}", "server_program", 'REVOKE pg_execute_server_program FROM "{r}";'),
        ("GRANT pg_signal_backend TO {r}", "signal", 'REVOKE pg_signal_backend FROM "{r}";'),
        ("GRANT pg_monitor TO {r}", "member of pg_monitor", 'REVOKE pg_monitor FROM "{r}";'),
        ("GRANT INSERT ON visits TO {r}", "INSERT on visits", 'REVOKE INSERT ON visits FROM PUBLIC, "{r}";'),
        ("GRANT UPDATE (note) ON visits TO {r}", "UPDATE on visits", "REVOKE UPDATE ON visits"),
        ("GRANT TRUNCATE ON visits TO PUBLIC", "TRUNCATE on visits", "REVOKE TRUNCATE ON visits"),
        ("GRANT USAGE ON SEQUENCE numbers TO {r}", "USAGE on numbers", "REVOKE USAGE ON SEQUENCE numbers"),
        ("GRANT CREATE ON SCHEMA public TO {r}", "CREATE on schema public", "REVOKE CREATE ON SCHEMA public"),
        ("GRANT TEMPORARY ON DATABASE roles TO PUBLIC", "TEMPORARY on database", "REVOKE TEMPORARY ON DATABASE roles"),
        ("ALTER TABLE visits OWNER TO {r}", "owns table visits", "ALTER TABLE visits OWNER TO another_role;"),
        ("CREATE SCHEMA his AUTHORIZATION {r}", "owns schema his", "ALTER SCHEMA his OWNER TO"),
        ("GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {r}", "pg_read_file", "REVOKE EXECUTE ON FUNCTION"),
        ("CREATE ROLE {r}_more NOINHERIT IN ROLE pg_write_all_data; GRANT {r}_more TO {r}", "pg_write", "REVOKE"),
        ("REVOKE SELECT ON ALL TABLES IN SCHEMA public FROM {r}", "can read no table", "GRANT SELECT ON ALL TABLES"),
    ],
)  # fmt: skip
def test_a_role_that_can_do_more_than_read_is_refused_with_what_to_run(
    role: Callable[[str], Cluster],
    request: pytest.FixtureRequest,
    make: str,
    says: str,
    remedy: str,
) -> None:
    name = f"r{abs(hash(request.node.name)) % 10**8}"
    cluster = role(name)
    with cluster.admin("roles") as connection:
        connection.autocommit = False
        connection.execute(make.format(r=name).encode())
        connection.commit()
        try:
            with pytest.raises(RoleError) as caught:
                PostgresEngine(cluster.url("roles", name), EngineLimits())
        finally:
            _undo(cluster, name)
    assert says.format(r=name) in str(caught.value)
    assert remedy.format(r=name) in caught.value.remedy
    assert PASSWORD not in str(caught.value)


@pytest.fixture
def role(postgres: Cluster) -> Callable[[str], Cluster]:
    """Makes a role that can only read the database `roles`."""

    def make(name: str) -> Cluster:
        with postgres.admin() as connection:
            there = connection.execute("SELECT FROM pg_database WHERE datname = 'roles'").fetchone()
        if there is None:
            postgres.make("roles", VISITS, "CREATE SEQUENCE numbers")
        postgres.run(
            f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'",
            f"GRANT SELECT ON visits TO {name}",
            f"GRANT USAGE ON SCHEMA public TO {name}",
            database="roles",
        )
        PostgresEngine(postgres.url("roles", name), EngineLimits()).close()
        return postgres

    return make


def _undo(cluster: Cluster, name: str) -> None:
    cluster.run(
        f"REASSIGN OWNED BY {name} TO owner",
        f"DROP OWNED BY {name}",
        f"DROP ROLE IF EXISTS {name}_more",
        f"DROP ROLE {name}",
        "REVOKE TRUNCATE ON visits FROM PUBLIC",
        "REVOKE TEMPORARY ON DATABASE roles FROM PUBLIC",
        database="roles",
    )


def test_a_fresh_database_gives_every_role_more_than_reading(postgres: Cluster) -> None:
    postgres.run("CREATE DATABASE fresh")
    with pytest.raises(RoleError, match="TEMPORARY on database fresh"):
        PostgresEngine(postgres.url("fresh"), EngineLimits())


# Connecting


@pytest.mark.usefixtures("pg_visits")
def test_a_wrong_password_is_told_without_the_password(postgres: Cluster) -> None:
    with pytest.raises(DatabaseError, match="password authentication failed") as caught:
        PostgresEngine(postgres.url("visits", password="not:the@right/one"), EngineLimits())
    assert "right" not in str(caught.value)
    assert caught.value.__cause__ is None, "the driver's own error may quote the URL"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://reader@host/db", "begins with postgresql"),
        (f"postgresql+psycopg://{READER}:secret@127.0.0.1:notaport/db", "invalid integer"),
        (f"postgresql+psycopg://{READER}:secret@127.0.0.1:1/db", "127.0.0.1:1/db"),
    ],
)
def test_an_url_that_leads_nowhere_is_told_in_words(url: str, says: str) -> None:
    with pytest.raises(DatabaseError, match=says) as caught:
        PostgresEngine(url, EngineLimits())
    assert "secret" not in str(caught.value)


def test_without_the_driver_the_error_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, pg_visits: str
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DatabaseError, match=r"pip install 'ddr\[postgres\]'"):
        PostgresEngine(pg_visits, EngineLimits())


@pytest.mark.usefixtures("pg_visits")
def test_the_servers_socket_is_a_way_in_too(postgres: Cluster) -> None:
    postgres.run(f"GRANT SELECT ON visits TO {READER}", database="visits")
    url = f"postgresql+psycopg://{READER}@/visits?host={postgres.folder}&port={postgres.port}"
    opened = PostgresEngine(url, EngineLimits())
    assert rows(opened, "SELECT count(*) FROM visits") == [(150,)]
    opened.close()
