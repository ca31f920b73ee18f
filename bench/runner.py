"""How well a run with a model uses its time: 64 entities, 16 side by side, 200 ms an answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Bench, Goal, Probe

ROOT = Path(__file__).resolve().parents[1]
LATENCY_S = 0.2
CONCURRENCY = 16
TURNS = 20
FROM, TO = 20, 64
"""Memory is compared from the 20th finished entity on, to the last one."""
TIME_LIMIT_S = 420.0


@dataclass(frozen=True)
class Seen:
    """One run, as its endpoint and the system saw it."""

    calls: int
    wall_s: float
    """From the first request to the end of the process; before it lies what is paid once."""
    memory: tuple[int, ...]
    """The process's RSS as each entity is finished; bytes."""
    cpu_s: float
    """CPU time of the process alone, from the first request to the last entity's end."""

    def figures(self) -> Mapping[str, float]:
        """The three figures."""
        ideal = self.calls * LATENCY_S / CONCURRENCY
        late = self.memory[FROM - 1 : TO]
        return {
            "wall_over_ideal": self.wall_s / ideal,
            "rss_growth": max(late) / late[0] - 1,
            "cpu_per_call_ms": 1000 * self.cpu_s / self.calls,
        }


def job(bench: Bench) -> Mapping[str, float]:
    """Run the job by the command that a user types, and check what it stored before measuring."""
    from bench.sensors.builder import SENSORS

    home = bench.home / "runner"
    environment = prepare(bench, home)
    calls = SENSORS * (2 * TURNS + 1)
    bench.say(f"{SENSORS} entities, {calls} calls, at best {calls * LATENCY_S / CONCURRENCY:.0f} s")
    seen = run(home, environment)
    check(home, seen, calls)
    return seen.figures()


def prepare(bench: Bench, home: Path) -> dict[str, str]:
    """The scenario built once, an empty store, and the environment of the run."""
    from bench.sensors.builder import register
    from databases.build import build_manifest
    from databases.manifest import read_manifest

    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in home.glob("store.sqlite3*"):
        left.unlink()
    bench.say("the sensors' database (built once)")
    build_manifest(read_manifest(ROOT / "bench" / "sensors" / "scenario.toml"), home)
    plugins = register(home / "plugins")
    return {
        **os.environ,
        "DDR_HOME": str(home),
        "PYTHONPATH": os.pathsep.join([str(plugins), str(ROOT)]),
    }


def run(home: Path, environment: Mapping[str, str]) -> Seen:
    """The whole run against an endpoint in a process of its own."""
    with endpoint(environment) as served:
        url = _line(served)
        command = [sys.executable, "-m", "server.cli.main", "run", "--scenario", "sensors"]
        asked = ["--model", "openai/bench", "--base-url", url, "--tools", "sql"]
        beside = ["--concurrency", str(CONCURRENCY), "--quiet", "--json"]
        deadline = time.monotonic() + TIME_LIMIT_S
        log = home / "run.log"
        with (
            log.open("w") as told,
            subprocess.Popen(
                [*command, *asked, *beside], env=environment, cwd=home, stdout=told, stderr=told
            ) as process,
        ):
            try:
                memory, cpu_s = _watch(served, process, deadline)
                code = process.wait(max(1.0, deadline - time.monotonic()))
                ended = time.monotonic()
            except (RuntimeError, OSError) as exc:
                raise RuntimeError(f"{exc}: {log.read_text('utf-8')[-400:]}") from exc
            finally:
                process.kill()
        if code != 0:
            raise RuntimeError(f"the run ended with {code}: {log.read_text('utf-8')[-400:]}")
        if served.stdin is None:
            raise AssertionError("the endpoint was started with a pipe")
        served.stdin.close()
        told_last = json.loads(_line(served))
    return Seen(told_last["calls"], ended - told_last["first_at"], memory, cpu_s)


@contextmanager
def endpoint(environment: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    """The endpoint's process; it ends with the block."""
    arguments = [str(LATENCY_S), str(TURNS)]
    with subprocess.Popen(
        [sys.executable, "-m", "bench.endpoint", *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _watch(
    served: subprocess.Popen[str], process: subprocess.Popen[bytes], deadline: float
) -> tuple[tuple[int, ...], float]:
    """The runner's memory as each entity is finished, and its CPU time from the first request on.

    Ends early where the runner does.
    """

    # A runner that dies finishes nothing more: then, and past the deadline, the endpoint is ended.
    def guard() -> None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        if len(seen) < TO:
            served.kill()

    seen: list[int] = []
    threading.Thread(target=guard, daemon=True).start()
    _line(served)
    before = cpu_of(process.pid)
    while len(seen) < TO:
        _line(served)
        seen.append(memory_of(process.pid))
    return tuple(seen), cpu_of(process.pid) - before


def _line(served: subprocess.Popen[str]) -> str:
    line = served.stdout.readline() if served.stdout else ""
    if not line:
        raise RuntimeError("it ended before its work was done")
    return line.strip()


def memory_of(pid: int) -> int:
    """A process's resident memory in bytes, from /proc."""
    pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def cpu_of(pid: int) -> float:
    """A process's CPU time in seconds, its threads' included and its children's not, from /proc."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check(home: Path, seen: Seen, calls: int) -> None:
    """Raise unless every entity was explored to its own end, with every turn stored."""
    from core.trajectory import StopReason
    from server.store import open_store

    with open_store(home / "store.sqlite3") as store:
        stored = store.all_attempts(store.run("last").id)
    whole = [t for t in stored if t.stop_reason is StopReason.FINISHED and len(t.turns) == TURNS]
    if len(whole) != TO or len(stored) != TO:
        raise RuntimeError(f"{len(whole)} of {TO} entities were explored whole")
    if seen.calls != calls:
        raise RuntimeError(f"{seen.calls} calls were made in place of {calls}")


PROBES = (
    Probe(
        (
            Goal("wall_over_ideal", 1.3, "ratio", "lower"),
            Goal("rss_growth", 0.05, "ratio", "lower"),
            Goal("cpu_per_call_ms", 8, "ms", "lower"),
        ),
        job,
    ),
)
