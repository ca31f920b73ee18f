"""`ddr serve` as a real process: nothing but JSON-RPC on stdout, for clients of both eras."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import StdioServerParameters

from agent.session import connect
from core.protocols import Observation
from core.run import RunSpec
from core.trajectory import Client, StopReason, Trajectory
from databases.catalog import InstalledScenario
from server.enrolment import enrol
from server.store import open_store
from tests.support.processes import BOUND_S, below, is_alive, until
from tools.python.sandbox import sandbox_available

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
COMMAND = ["-m", "server.cli.main", "serve", "--scenario", "flights", "--entity", "03"]

NOISE = """
import atexit, os, subprocess, sys, warnings

class Banner:
    def find_spec(self, name, path=None, target=None):
        if name == "duckdb":
            print("Welcome to a library!")
            os.write(1, b"straight to the descriptor\\n")
            subprocess.run(["/bin/echo", "from a child"], check=False)
            warnings.warn("this is deprecated")
        return None

sys.meta_path.insert(0, Banner())
atexit.register(print, "good-bye")
"""


def _environment(home: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "DDR_HOME": str(home), "PYTHONPATH": str(ROOT), **more}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_real_client_of_either_era_explores_over_stdio(
    own_flights_home: Path, mode: Literal["auto", "legacy"]
) -> None:
    """F20 over stdio: what the second call needs, the first one left."""

    async def talk() -> list[Observation]:
        parameters = StdioServerParameters(
            command=sys.executable, args=COMMAND, cwd=ROOT, env=_environment(own_flights_home)
        )
        async with connect(parameters, mode=mode, timeout_s=60) as tools:
            offered = {spec.name for spec in await tools.list()}
            assert {"get_database_info", "describe_table", "execute_query"} <= offered
            assert {"get_task", "submit_insight", "finish"} <= offered
            calls: list[tuple[str, dict[str, Any]]] = [
                ("execute_query", {"query": "SELECT count(*) AS n FROM flights"}),
                ("execute_query", {"query": "SELECT nope FROM flights"}),
            ]
            if sandbox_available().name != "off":
                calls.append(("execute_code", {"code": "z = 41\nprint('noise')"}))
                calls.append(("execute_code", {"code": "print(z + 1)"}))
            return [await tools.call(name, arguments) for name, arguments in calls]

    counted, wrong, *python = asyncio.run(talk())
    assert counted.data is not None
    assert counted.data["rows"] == [[336776]]
    assert (wrong.is_error, wrong.error_kind) == (True, "sql")
    if python:
        assert "42" in python[1].text


class Raw:
    """The server as a process, spoken to line by line."""

    def __init__(self, home: Path, extra: Path, *options: str) -> None:
        path = f"{extra}{os.pathsep}{ROOT}"
        self.process = subprocess.Popen(
            [sys.executable, *COMMAND, *options],
            cwd=ROOT,
            env=_environment(home, PYTHONPATH=path, PYTHONWARNINGS="always"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: list[bytes] = []

    def ask(self, method: str, number: int, **params: Any) -> dict[str, Any]:
        """Send a request; the answer of the same number."""
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for line in self._read():
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == number:
                return answer
        raise AssertionError(self.process.communicate()[1].decode())

    def send(self, message: dict[str, Any]) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, raw: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def next(self) -> dict[str, Any]:
        """The next message, whatever it answers."""
        answer: dict[str, Any] = json.loads(next(self._read()))
        return answer

    def _read(self) -> Iterator[bytes]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            yield line

    def hang_up(self) -> str:
        """Close stdin; what came on stderr."""
        rest, noise = self.process.communicate(timeout=60)
        self.lines += rest.splitlines()
        return noise.decode()


def test_every_line_on_stdout_is_json_rpc_whatever_else_is_printed(
    own_flights_home: Path, tmp_path: Path
) -> None:
    """F19: a banner, a warning, a child process, a printing tool, a last word at exit."""
    (tmp_path / "sitecustomize.py").write_text(textwrap.dedent(NOISE), "utf-8")
    server = Raw(own_flights_home, tmp_path)
    version = "2025-06-18"
    info = {"name": "t", "version": "0"}
    said = server.ask("initialize", 1, protocolVersion=version, capabilities={}, clientInfo=info)
    assert said["result"]["serverInfo"]["name"] == "ddr"
    assert "carrier 03" in said["result"]["instructions"]
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    listed = server.ask("tools/list", 2)["result"]["tools"]
    code = {"code": "print('hello from the sandbox')"}
    if "execute_code" in {tool["name"] for tool in listed}:
        answer = server.ask("tools/call", 3, name="execute_code", arguments=code)
        assert "hello from the sandbox" in json.dumps(answer)
    noise = server.hang_up()
    assert server.process.returncode == 0
    for expected in ("Welcome to a library!", "from a child", "descriptor", "good-bye"):
        assert expected in noise
    assert "DeprecationWarning" in noise or "this is deprecated" in noise
    for line in server.lines:
        assert json.loads(line)["jsonrpc"] == "2.0"


def _begun(home: Path, extra: Path, *options: str) -> Raw:
    server = Raw(home, extra, *options)
    info = {"name": "t", "version": "0"}
    server.ask("initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo=info)
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return server


def test_no_line_of_a_client_silences_the_server(own_flights_home: Path, tmp_path: Path) -> None:
    """A character that was cut in half is mended; what cannot be read is answered with an error."""
    server = _begun(own_flights_home, tmp_path)
    query = "SELECT length('a\ud83d') AS n"
    halved = server.ask("tools/call", 2, name="execute_query", arguments={"query": query})
    assert halved["result"]["structuredContent"]["rows"] == [[2]]
    for raw in (b"{broken\n", b"\xff\xfe\n", b"[]\n"):
        server.write(raw)
        assert "error" in server.next()
    server.write(b'{"jsonrpc":"2.0","id":77,"method":7}\n')
    assert server.next()["id"] == 77
    after = server.ask("tools/call", 3, name="execute_query", arguments={"query": "SELECT 7 AS n"})
    assert after["result"]["structuredContent"]["rows"] == [[7]]
    server.hang_up()
    assert server.process.returncode == 0


ENDLESS = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7"


def test_a_cancelled_query_is_stopped_and_the_next_answers_at_once(
    own_flights_home: Path, tmp_path: Path
) -> None:
    """F23."""
    server = _begun(own_flights_home, tmp_path)
    server.ask("tools/call", 2, name="execute_query", arguments={"query": "SELECT 1"})
    began = time.monotonic()
    for number in range(3, 11):
        params = {"name": "execute_query", "arguments": {"query": ENDLESS}}
        server.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": number}}
        server.send({"jsonrpc": "2.0", **cancelled})
    after = server.ask("tools/call", 20, name="execute_query", arguments={"query": "SELECT 7"})
    assert after["result"]["structuredContent"]["rows"] == [[7]]
    assert time.monotonic() - began < 20, "it waited for the queries' own limit of 30 s"
    server.hang_up()


def _files(pid: int) -> set[str]:
    """What a process has open."""
    found = set()
    for handle in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found.add(str(handle.readlink()))
    return found


def test_neither_the_server_nor_the_tool_host_opens_the_database_that_is_explored(
    own_flights_home: Path, tmp_path: Path
) -> None:
    """What an agent sends is run by processes that hold the database and nothing else."""
    server = _begun(own_flights_home, tmp_path)
    for number, query in enumerate(("SELECT 1", "SELECT count(*) FROM flights"), 2):
        server.ask("tools/call", number, name="execute_query", arguments={"query": query})
    processes = {server.process.pid, *below(server.process.pid)}
    holding = {pid for pid in processes if any(n.endswith(".duckdb") for n in _files(pid))}
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in processes}
    (host,) = (pid for pid, command in commands.items() if b"tools.host\0" in command)
    assert server.process.pid not in holding
    assert host not in holding
    assert holding, "somebody must have it open"
    server.hang_up()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_told_to_end_does_not_wait_for_its_client(
    own_flights_home: Path, tmp_path: Path, number: signal.Signals
) -> None:
    server = _begun(own_flights_home, tmp_path)
    server.ask("tools/call", 2, name="execute_query", arguments={"query": "SELECT 1"})
    started = below(server.process.pid)
    server.process.send_signal(number)
    assert server.process.wait(BOUND_S) != 0
    until(lambda: not any(map(is_alive, started)), "the end of its processes")
    server.hang_up()


def test_kill_9_of_the_server_leaves_no_process_of_the_tools(
    own_flights_home: Path, tmp_path: Path
) -> None:
    server = _begun(own_flights_home, tmp_path)
    server.ask("tools/call", 2, name="execute_query", arguments={"query": "SELECT 1"})
    started = below(server.process.pid)
    assert started
    server.process.kill()
    server.process.communicate(timeout=60)
    until(lambda: not any(map(is_alive, started)), "the end of its processes")


def test_a_wrong_name_is_one_line_on_stderr_and_nothing_on_stdout(own_flights_home: Path) -> None:
    done = subprocess.run(
        [sys.executable, *COMMAND, "--entity", "99"],
        cwd=ROOT,
        env=_environment(own_flights_home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: unknown carrier '99'")
    assert done.stderr.count("\n") == 1


def test_the_example_on_the_page_for_agents_works_word_for_word(
    own_flights_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """But for the two paths that a reader has to put in."""
    page = (ROOT / "docs" / "mcp.md").read_text("utf-8")
    (code,) = [block for block in page.split("```python\n")[1:] if "StdioServerParameters" in block]
    assert code.count("/path/to/") == 2
    code = code.replace("/path/to/ddr", str(Path(sys.executable).parent / "ddr"))
    exec(code.replace("/path/to/home", str(own_flights_home)).split("```")[0], {})
    said = capsys.readouterr().out
    assert "carrier 03" in said
    assert "[[336776]]" in said


def test_python_without_a_sandbox_is_asked_for_by_name_and_said_aloud(
    own_flights_home: Path, tmp_path: Path
) -> None:
    server = _begun(own_flights_home, tmp_path, "--unsafe-python-without-sandbox")
    server.ask("tools/call", 2, name="execute_code", arguments={"code": "x = 1"})
    assert "execute_code: unsafe-none (unsafe: no sandbox" in server.hang_up()
    server = _begun(own_flights_home, tmp_path)
    server.ask("tools/list", 2)
    assert "unsafe" not in server.hang_up()


def test_a_scenario_that_is_not_built_says_how_to_build_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *COMMAND],
        cwd=ROOT,
        env=_environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "ddr scenarios build flights" in done.stderr


def _kept(home: Path) -> tuple[RunSpec, Trajectory]:
    with open_store(home / "store.sqlite3") as store:
        (spec,) = store.runs()
        (kept,) = store.trajectories(spec.id)
        return spec, kept


def _said(server: Raw) -> dict[str, Any]:
    (line,) = [line for line in server.hang_up().splitlines() if line.startswith('{"scenario"')]
    said: dict[str, Any] = json.loads(line)
    return said


def test_what_a_client_explores_over_stdio_is_recorded_and_ends_with_it(
    own_flights_home: Path, tmp_path: Path
) -> None:
    server = _begun(own_flights_home, tmp_path, "--agent", "notebook", "--json")
    server.ask("tools/call", 2, name="execute_query", arguments={"query": "SELECT 7 AS n"})
    text = {"text": "There are 7.", "evidence": ["SELECT 7"]}
    handed = server.ask("tools/call", 3, name="submit_insight", arguments=text)["result"]
    assert handed["structuredContent"]["turn"] == 1
    said = _said(server)
    spec, kept = _kept(own_flights_home)
    assert said == {
        "scenario": "flights",
        "entity": "03",
        "trial": 1,
        "run": spec.id,
        "calls": 2,
        "stop_reason": "abandoned",
    }
    assert (spec.agent, spec.outside is not None) == ("notebook", True)
    assert kept.stop_reason is StopReason.ABANDONED
    assert kept.client == Client(name="t", version="0", protocol="2025-06-18")
    assert [turn.tool_calls[0].name for turn in kept.turns] == ["execute_query"]
    assert [insight.text for insight in kept.insights] == ["There are 7."]


def test_a_client_that_finishes_over_stdio_has_chosen_its_end(
    own_flights_home: Path, tmp_path: Path
) -> None:
    server = _begun(own_flights_home, tmp_path, "--json")
    server.ask("tools/call", 2, name="finish", arguments={"report": "All is well."})
    assert _said(server)["stop_reason"] == "finished"
    assert _kept(own_flights_home)[1].stop_reason is StopReason.FINISHED


def test_a_client_that_says_nothing_leaves_no_run(own_flights_home: Path, tmp_path: Path) -> None:
    server = Raw(own_flights_home, tmp_path, "--json")
    said = _said(server)
    assert (said["run"], said["calls"], said["stop_reason"]) == (None, 0, None)
    with open_store(own_flights_home / "store.sqlite3") as store:
        assert store.runs() == []


def test_a_seat_of_a_run_stays_open_for_the_next_client(
    own_flights_home: Path, flights: InstalledScenario, tmp_path: Path
) -> None:
    """Some clients start a process for each call."""
    with open_store(own_flights_home / "store.sqlite3") as store:
        now = datetime.now(UTC)
        spec = enrol(flights, store, agent="mine", now=now, entities=["03"], trials=2).spec
    for trial, last in ((2, "execute_query"), (2, "finish"), (1, "execute_query")):
        server = _begun(own_flights_home, tmp_path, *("--run", spec.id, "--trial", str(trial)))
        arguments = {"report": "All."} if last == "finish" else {"query": "SELECT 1"}
        answer = server.ask("tools/call", 2, name=last, arguments=arguments)
        assert not answer["result"]["isError"], answer
        server.hang_up()
    with open_store(own_flights_home / "store.sqlite3") as store:
        kept = {each.trial: each for each in store.trajectories(spec.id)}
    assert {trial: len(each.turns) for trial, each in kept.items()} == {1: 1, 2: 1}
    assert kept[1].stop_reason is None
    assert kept[2].stop_reason is StopReason.FINISHED


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--run", "last", "--agent", "other"], "what --run began with stays"),
        (["--run", "last", "--entity", "04"], "open are: 03 (1)"),
        (["--run", "nope"], "unknown run 'nope'"),
        (["--trial", "2"], "--trial goes with --run"),
        (["--agent", "react"], "an agent of our own"),
        (["--goal", "fame"], "unknown goal 'fame'"),
        (["--http"], "leave --scenario and --entity out"),
    ],
)
def test_what_cannot_be_served_is_said_before_the_first_message(
    own_flights_home: Path, flights: InstalledScenario, options: list[str], said: str
) -> None:
    with open_store(own_flights_home / "store.sqlite3") as store:
        enrol(flights, store, agent="mine", now=datetime.now(UTC), entities=["03"], trials=1)
    done = subprocess.run(
        [sys.executable, *COMMAND, *options],
        cwd=ROOT,
        env=_environment(own_flights_home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
