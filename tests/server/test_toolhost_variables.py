"""Variables live by their session's key: they outlive who asked for them, and end with their session."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.toolhost import ToolHost
from tests.server.hosting import PYTHON, SQL, WebWorker, data, health, held, opening
from tests.support.needs import needs
from tests.support.processes import below, until
from tests.tools.support import make_visits
from tools.host.client import HostTools

pytestmark = [pytest.mark.real, needs("user namespaces")]

NAMED = "import ctypes; ctypes.CDLL(None).prctl(15, b'{}')"
"""Gives the kernel's process a name that is seen from outside."""


def _names(host: ToolHost) -> set[str]:
    assert host.pid is not None
    found = set()
    for pid in below(host.pid):
        with contextlib.suppress(OSError):
            found.add(Path(f"/proc/{pid}/comm").read_text().strip())
    return found


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_visits(tmp_path_factory.mktemp("visits") / "visits.duckdb")


@pytest.fixture(scope="module")
def lasting(visits: Path) -> Iterator[ToolHost]:
    """One for the tests that leave it alive, its workers warm."""
    held = ToolHost()

    async def warm() -> None:
        tools = HostTools(held, opening(visits, "warm"))
        await tools.call(PYTHON, {"code": "1"})
        await tools.close()

    asyncio.run(warm())
    yield held
    held.close()


def test_kill_9_of_a_web_worker_loses_no_variable(lasting: ToolHost, visits: Path) -> None:
    with WebWorker(lasting, opening(visits, "killed")) as first:
        assert first.call(PYTHON, code="x = 41")["error"] is None
        first.kill()
    with WebWorker(lasting, opening(visits, "killed")) as second:
        assert second.call(PYTHON, code="x + 1")["value"] == "42"


def test_kill_9_of_a_web_worker_during_a_cell_loses_no_variable(
    lasting: ToolHost, visits: Path
) -> None:
    with WebWorker(lasting, opening(visits, "in mid-cell")) as first:
        assert first.call(PYTHON, code="x = 41")["error"] is None
        first.ask(PYTHON, code="import time\nfor _ in range(10): time.sleep(0.1)\nx += 1")
        until(lambda: health(lasting)["calls"] == 1, "the cell")
        first.kill()
    with WebWorker(lasting, opening(visits, "in mid-cell")) as second:
        assert second.call(PYTHON, code="x")["value"] == "42"


def test_two_web_workers_fifty_rounds_each_never_meet_the_others_variables(
    lasting: ToolHost, visits: Path
) -> None:
    """F21."""
    with (
        WebWorker(lasting, opening(visits, "a")) as a,
        WebWorker(lasting, opening(visits, "b")) as b,
    ):
        for number in range(50):
            a.ask(PYTHON, code=f"x = 'a{number}'")
            b.ask(PYTHON, code=f"x = 'b{number}'")
            assert a.answer()["error"] is None
            assert b.answer()["error"] is None
            a.ask(PYTHON, code="x")
            b.ask(PYTHON, code="x")
            assert a.answer()["value"] == f"'a{number}'"
            assert b.answer()["value"] == f"'b{number}'"


def test_an_abandoned_session_ends_after_its_time_with_its_kernel(visits: Path) -> None:
    host = ToolHost(idle_s=0.5)
    try:
        host.start()
        with WebWorker(host, opening(visits)) as worker:
            assert worker.call(PYTHON, code="x = 1")["error"] is None
            assert host.pid is not None
        until(lambda: health(host)["sessions"] == 0, "the end of the session")
        with WebWorker(host, opening(visits)) as worker:
            assert "NameError" in worker.call(PYTHON, code="x")["error"]
    finally:
        host.close()


def test_a_closed_sessions_kernel_is_gone_and_the_others_is_not(
    lasting: ToolHost, visits: Path
) -> None:
    async def talk() -> None:
        async with held(lasting, opening(visits, "a")) as stays:
            await stays.call(PYTHON, {"code": f"x = 1\n{NAMED.format('stays')}"})
            async with held(lasting, opening(visits, "b")) as goes:
                await goes.call(PYTHON, {"code": NAMED.format("goes")})
                assert sorted(_names(lasting) & {"goes", "stays"}) == ["goes", "stays"]
            until(lambda: "goes" not in _names(lasting), "the end of its kernel")
            assert "stays" in _names(lasting)
            assert data(await stays.call(PYTHON, {"code": "x"}))["value"] == "1"

    asyncio.run(talk())


def test_eight_sessions_at_once_keep_their_own_variables(lasting: ToolHost, visits: Path) -> None:
    async def explore(number: int) -> None:
        async with held(lasting, opening(visits, f"s{number}")) as tools:
            await tools.call(PYTHON, {"code": f"x = query('SELECT {number} AS n')"})
            for _ in range(3):
                rows = data(await tools.call(SQL, {"query": f"SELECT {number}"}))["rows"]
                assert rows == [[number]]
                value = data(await tools.call(PYTHON, {"code": "int(x.n[0])"}))["value"]
                assert value == str(number)

    async def talk() -> None:
        await asyncio.gather(*(explore(number) for number in range(8)))

    asyncio.run(talk())
