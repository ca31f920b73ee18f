"""`ddr enrol --exec`: real agents against a real server, from one command to a score."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.trajectory import StopReason
from server.executing import own_server
from server.store import open_store
from tests.server.cli.conftest import Ddr, Done
from tests.support.processes import below, is_alive, until
from tests.support.serving import ROOT, Server, serving

pytestmark = pytest.mark.real

AGENT = ROOT / "tests" / "server" / "executing" / "agent.py"
EXPLORES = shlex.join([sys.executable, str(AGENT)])
FALLS_SILENT = shlex.join([sys.executable, str(AGENT), "--stop-after", "1"])


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory, flights_home: Path) -> Path:
    """A DDR_HOME in which flights is built, for all tests of this module."""
    home = tmp_path_factory.mktemp("enrolled") / "home"
    home.mkdir(mode=0o700)
    (home / "scenarios").symlink_to(flights_home / "scenarios")
    return home


@pytest.fixture(scope="module")
def server(shared_home: Path) -> Iterator[Server]:
    """One that runs already."""
    with serving(shared_home) as running:
        yield running


@pytest.fixture
def enrol(ddr: Ddr, server: Server, shared_home: Path, monkeypatch: pytest.MonkeyPatch) -> Ddr:
    """`ddr enrol` with agents that connect to the server that runs already."""
    monkeypatch.setenv("DDR_HOME", str(shared_home))

    def run(*options: str) -> Done:
        named = ("--scenario", "flights", "--agent", "mine", "--trials", "1", "--json")
        return ddr("enrol", *named, "--url", server.url, *options)

    return run


def test_an_agent_explores_every_entity_and_is_scored(enrol: Ddr, ddr: Ddr) -> None:
    done = enrol("--entities", "01,02", "--concurrency", "2", "--exec", EXPLORES)
    assert done.code == 0, done.err
    rows = {row["entity"]: row for row in done.json["explored"]}
    for entity in ("01", "02"):
        row = rows[entity]
        told = (row["exit_code"], row["turns"], row["insights"], row["report"], row["stop_reason"])
        assert told == (0, 1, 1, True, "finished")
        # In an empty folder, without a way to where our data are.
        assert Path(row["log"]).read_text() == "explored ['DDR_ENTITY'] []\n"
    assert done.json["resume"] is None
    scored = ddr("evaluate", done.json["run"], "--json")
    assert scored.code == 0, scored.err
    shown = ddr("show", done.json["run"], "01", "--json")
    assert shown.json["reported_agent"] == "small 1"


def test_one_agent_takes_a_whole_queue(enrol: Ddr) -> None:
    done = enrol("--entities", "01,02,03", "--queue", "--exec", f"{EXPLORES} --queue")
    assert done.code == 0, done.err
    assert [row["stop_reason"] for row in done.json["explored"]] == ["finished"] * 3
    assert len({row["log"] for row in done.json["explored"]}) == 1


def test_an_agent_that_never_came_is_told_with_what_to_check(
    enrol: Ddr, ddr: Ddr, server: Server
) -> None:
    done = enrol("--entities", "01", "--exec", "sh -c 'echo could not connect; exit 0'")
    assert done.code == 1
    (row,) = done.json["explored"]
    assert (row["exit_code"], row["stop_reason"], row["turns"]) == (0, "no_contact", 0)
    again = done.json["resume"]
    assert "--retry" in again
    words = ("enrol", "--resume", done.json["run"], "--retry", "--url", server.url)
    shown = ddr(*words, "--exec", "sh -c 'echo could not connect'")
    assert shown.code == 1
    assert "the agent never came to the server" in shown.out
    assert "| could not connect" in shown.out
    assert "DDR_TOKEN" in shown.out


def test_the_client_that_is_written_for_is_started_by_its_own_command(
    enrol: Ddr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page's own program for the SDK's client asks for the task and finishes nothing."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    done = enrol("--entities", "01", "--write", "mcp", "--exec", "{command}")
    (row,) = done.json["explored"]
    log = Path(row["log"]).read_text()
    assert (row["exit_code"], row["stop_reason"]) == (0, "abandoned"), log
    assert "turns_used" in log


def test_a_server_that_cannot_be_started_leaves_no_run(
    ddr: Ddr, built_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_server, "_SERVE", ("serve", "--http", "--port", "70000"))
    named = ("--scenario", "flights", "--agent", "mine", "--entities", "01", "--trials", "1")
    done = ddr("enrol", *named, "--exec", "true")
    assert done.code == 1
    assert "the server cannot be started" in done.err
    assert "65535" in done.err  # its own words
    with open_store(built_home / "store.sqlite3") as store:
        assert store.runs() == []


def start(home: Path, *options: str) -> subprocess.Popen[str]:
    """`ddr enrol` in a process of its own, with its own server."""
    named = ("--scenario", "flights", "--agent", "mine", "--entities", "01", "--trials", "1")
    return subprocess.Popen(
        [sys.executable, "-m", "server.cli.main", "enrol", *named, *options, "--json"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "DDR_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def seen(home: Path) -> list[Path]:
    """The logs of agents that have made a call and fell silent."""
    logs = (home / "outside").glob("*/01-1.log")
    return [path for path in logs if "silent" in path.read_text()]


def explored_again(ddr: Ddr, home: Path, *options: str) -> None:
    """The latest run goes on to its end; its first attempt was broken off after a call."""
    again = ddr("enrol", "--resume", "last", "--exec", EXPLORES, "--json", *options)
    assert again.code == 0, again.err
    assert [row["stop_reason"] for row in again.json["explored"]] == ["finished"]
    with open_store(home / "store.sqlite3") as store:
        first, second = store.all_attempts(store.run("last").id)
    assert (first.stop_reason, len(first.turns)) == (StopReason.CANCELLED, 1)
    assert (second.stop_reason, len(second.turns)) == (StopReason.FINISHED, 1)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_agents_and_says_how_to_go_on(
    ddr: Ddr,
    server: Server,
    shared_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: signal.Signals,
) -> None:
    before = seen(shared_home)
    process = start(shared_home, "--url", server.url, "--exec", FALLS_SILENT)
    try:
        until(lambda: len(seen(shared_home)) > len(before), "a call")
        agents = below(process.pid)
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130, err
    told: dict[str, Any] = json.loads(out.splitlines()[-1])
    assert told["interrupted"] is True
    assert f"--resume {told['run']}" in told["resume"]
    assert agents
    assert not [pid for pid in agents if is_alive(pid)]
    monkeypatch.setenv("DDR_HOME", str(shared_home))
    explored_again(ddr, shared_home, "--url", server.url)


def test_stopped_before_its_server_was_there_nothing_is_kept(built_home: Path) -> None:
    process = start(built_home, "--exec", EXPLORES)
    try:
        until(lambda: list((built_home / "outside").glob("*/server.log")), "the server's start")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130, err
    assert json.loads(out.splitlines()[-1])["resume"] is None
    with open_store(built_home / "store.sqlite3") as store:
        assert store.runs() == []


def test_a_server_that_dies_ends_the_agents_and_says_how_to_go_on(built_home: Path) -> None:
    process = start(built_home, "--exec", FALLS_SILENT)
    try:
        until(lambda: seen(built_home), "a call")
        started = below(process.pid)
        (served,) = [pid for pid in started if words_of(pid)[3:5] == ["server.cli.main", "serve"]]
        os.kill(served, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 1
    assert "the server has ended" in err
    assert "enrol --resume" in err
    until(lambda: not [pid for pid in started if is_alive(pid)], "the end of all that it started")


def words_of(pid: int) -> list[str]:
    """The command of a process."""
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")


def test_killed_outright_it_leaves_nothing_running_and_goes_on_later(
    ddr: Ddr, built_home: Path
) -> None:
    process = start(built_home, "--exec", FALLS_SILENT)
    try:
        until(lambda: seen(built_home), "a call")
        started = below(process.pid)
        assert len(started) >= 3  # the agent, the server and its worker
    finally:
        process.kill()
        process.wait()
    until(lambda: not [pid for pid in started if is_alive(pid)], "the end of all that it started")
    before = below(os.getpid())
    explored_again(ddr, built_home)
    assert below(os.getpid()) <= before  # its own server too has ended
