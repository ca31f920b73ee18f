"""How well judging uses its judge's time and money: 1,600 questions to an endpoint that fails as real ones do.

A run of 100 stations is judged against 8 items each at both levels by `ddr evaluate`, with 8 requests at a time, by
bench.judge_server: 50 to 150 ms an answer, 5 % of 429s with a Retry-After of one second, 2 % malformed replies, 1 % of
requests that are never answered.

- wall_over_service: from the first request to the end of the process, over the judge's time for all requests divided by
  the concurrency. The judge's time is what each answer took, the timeout (3 s) for each request that hung, and
  the Retry-After for each 429. What litellm's import takes (seconds) lies before the first request.
- input_saving: the input tokens of a judge that is asked each item once, by itself, without a cache, over the tokens
  that this pass paid in full: those that the endpoint's prompt cache did not serve, repeated asks included. The
  endpoint counts both: four characters a token; a prompt is served from the longest beginning that it has in common
  with a finished one, from 1,024 tokens on, in steps of 128, as OpenAI's does. Batches are not used.
- batch_saving: the same with `--batch 8` on an endpoint without a prompt cache.
- stored_twice, repeated_per_kill: the same pass, killed twice with SIGKILL and begun again: verdicts that are
  missing, doubled, or other than in the pass that nobody disturbed; and requests that had been made before, per kill.
- cpu_per_question_ms: CPU time of the process over its questions, from the first request on.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from bench.figures import Bench, Goal, Measured, Probe
from bench.judge_server import Habits
from bench.stations import RUN, Size, furnish

ROOT: Final = Path(__file__).resolve().parents[1]
CONCURRENCY: Final = 8
BATCH: Final = 8
TIMEOUT_S: Final = 3.0
KILLS: Final = 2
TIME_LIMIT_S: Final = 300.0

Labels = dict[tuple[str, str], tuple[str | None, tuple[int, ...], tuple[int, ...]]]
"""By item and level: the label, with the turns that support and contradict it."""


class Served:
    """The judge's process, from the outside."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.url = self.line()

    def line(self) -> str:
        """What it says next. Raises RuntimeError where it has ended."""
        said = self._process.stdout.readline() if self._process.stdout else ""
        if not said:
            raise RuntimeError("the judge's process has ended")
        return said.strip()

    def counted(self) -> dict[str, Any]:
        """What it has counted; it ends with that."""
        if self._process.stdin:
            self._process.stdin.close()
        while not (said := self.line()).startswith("{"):
            pass
        counted: dict[str, Any] = json.loads(said)
        return counted


@contextmanager
def served(habits: Habits) -> Iterator[Served]:
    """A judge in a process of its own, which ends with the block."""
    command = [sys.executable, "-m", "bench.judge_server", json.dumps(asdict(habits))]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=environment, cwd=ROOT, stdin=pipe, stdout=pipe, text=True
    ) as process:
        try:
            yield Served(process)
        finally:
            process.kill()


def arguments(url: str, *more: str) -> list[str]:
    """Of `ddr`: the pass that is measured."""
    judge = ["--judge", "openai/judge", "--base-url", url, "--timeout", str(TIMEOUT_S)]
    asked = ["--concurrency", str(CONCURRENCY), "--baselines", "none", "--uncalibrated"]
    return ["evaluate", RUN, *judge, *asked, "--quiet", "--json", *more]


@contextmanager
def begun(home: Path, url: str, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A pass that goes on; killed when the block is left before its end."""
    environment = {**os.environ, "DDR_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "server.cli.main", *arguments(url, *more)]
    with (
        (home / "log").open("w") as log,
        subprocess.Popen(command, env=environment, cwd=ROOT, stdout=log, stderr=log) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def ended(home: Path, process: subprocess.Popen[bytes]) -> float:
    """Wait for its end and say when it was. Raises RuntimeError where it failed."""
    code = process.wait(TIME_LIMIT_S)
    at = time.monotonic()
    if code != 0:
        said = (home / "log").read_text("utf-8", "replace")
        raise RuntimeError(f"the evaluation ended with {code}: {said[-600:]}")
    return at


def labels(home: Path) -> Labels:
    """Every verdict of the one evaluation. Raises RuntimeError where there are more of them."""
    from server.store import open_store

    with open_store(home / "store.sqlite3") as store:
        (evaluation,) = store.evaluations(RUN)
        return {
            (v.item_id, v.level): (v.label, v.supporting_turns, v.contradicting_turns)
            for v in store.verdicts(evaluation.id)
        }


def furnished(bench: Bench, name: str, size: Size) -> Path:
    """A new home of that name with everything to judge."""
    home = bench.home / "evaluate" / name
    shutil.rmtree(home, ignore_errors=True)
    home.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    furnish(home, size)
    return home


@dataclass(frozen=True)
class Whole:
    """A pass that nobody disturbed."""

    labels: Labels
    counted: dict[str, Any]
    wall_s: float
    cpu_s: float


def undisturbed(bench: Bench, size: Size) -> Whole:
    """Judge it all. Raises RuntimeError as `checked` does."""
    home = furnished(bench, "whole", size)
    with (
        served(Habits(timeout_s=TIMEOUT_S, moments=(1,))) as judge,
        begun(home, judge.url) as process,
    ):
        judge.line()
        cpu = before = _cpu(process.pid)
        while process.poll() is None:  # what it used is gone with it
            cpu = max(cpu, _cpu(process.pid))
            time.sleep(0.02)
        at = ended(home, process)
        counted = judge.counted()
    found = checked(labels(home), counted, size)
    return Whole(found, counted, at - counted["first_at"], cpu - before)


def checked(found: Labels, counted: Mapping[str, Any], size: Size) -> Labels:
    """The verdicts. Raises RuntimeError where an item was left out, left unscored, or asked twice."""
    if len(found) != size.questions or counted["questions"] != size.questions:
        raise RuntimeError(f"{len(found)} verdicts on {size.questions} questions: {counted}")
    if any(label is None for label, _, _ in found.values()) or counted["asked_again"]:
        raise RuntimeError(f"something was left unscored, or asked twice: {counted}")
    return found


def whole(bench: Bench) -> Mapping[str, float | Measured]:
    """The pass that nobody disturbs, then the one that is killed."""
    size = Size()
    bench.say(f"{size.questions} questions, {CONCURRENCY} at a time")
    calm = undisturbed(bench, size)
    told = calm.counted
    ideal = told["service_s"] / CONCURRENCY
    paid = told["input_tokens"] - told["cached_tokens"]
    bench.say(f"the same, killed {KILLS} times")
    faults, repeated, detail = killed(bench, size, calm)
    return {
        "wall_over_service": Measured(
            calm.wall_s / ideal,
            f"{calm.wall_s:.1f} s, at best {ideal:.1f} s for {told['requests']} requests: {told['fates']}, "
            f"{told['most_at_once']} at once",
        ),
        "input_saving": Measured(
            told["single_tokens"] / paid,
            f"{told['single_tokens']} tokens singly, {told['input_tokens']} sent, "
            f"{told['cached_tokens']} of them from the cache",
        ),
        "cpu_per_question_ms": 1000 * calm.cpu_s / size.questions,
        "stored_wrongly": faults,
        "repeated_per_kill": Measured(repeated, detail),
    }


def killed(bench: Bench, size: Size, calm: Whole) -> tuple[float, float, str]:
    """Verdicts that are missing or differ from the calm pass, repeated requests per kill, and both in words."""
    home = furnished(bench, "killed", size)
    requests = calm.counted["requests"]
    moments = tuple(round(requests * share) for share in (0.27, 0.71))
    with served(Habits(timeout_s=TIMEOUT_S, moments=moments)) as judge:
        for _ in moments:
            with begun(home, judge.url) as process:
                judge.line()
                process.kill()
                process.wait()
        with begun(home, judge.url) as process:
            ended(home, process)
        counted = judge.counted()
    found = labels(home)
    faults = len(calm.labels.keys() ^ found.keys())
    faults += sum(found[key] != calm.labels[key] for key in found.keys() & calm.labels.keys())
    detail = f"killed at requests {moments}; {counted['asked_again']} of {counted['requests']} had been made before"
    return faults, counted["asked_again"] / KILLS, detail


def batches(bench: Bench) -> Mapping[str, float | Measured]:
    """The input of a pass in batches, beside that of one that asks singly, without any cache."""
    size = Size(entities=20)
    bench.say(f"{size.questions} questions, {BATCH} in a batch")
    tokens = []
    for batch in (1, BATCH):
        home = furnished(bench, f"batch{batch}", size)
        with served(Habits(timeout_s=TIMEOUT_S, service_s=(0.01, 0.02))) as judge:
            with begun(home, judge.url, *([] if batch == 1 else _batched(batch))) as process:
                ended(home, process)
            tokens.append(judge.counted())
        if len(found := labels(home)) != size.questions or any(
            v[0] is None for v in found.values()
        ):
            raise RuntimeError(f"{len(found)} verdicts on {size.questions} questions")
    singly, together = tokens
    return {
        "batch_saving": Measured(
            singly["single_tokens"] / together["input_tokens"],
            f"{singly['single_tokens']} tokens singly, {together['input_tokens']} in batches",
        )
    }


def _batched(batch: int) -> list[str]:
    return ["--batch", str(batch)]


def _cpu(pid: int) -> float:
    from bench.runner import cpu_of

    try:
        return cpu_of(pid)
    except OSError:
        return 0.0


PROBES = (
    Probe(
        (
            Goal("wall_over_service", 1.3, "ratio", "lower"),
            Goal("input_saving", 4, "ratio", "higher"),
            Goal("cpu_per_question_ms", 10, "ms", "lower"),
            Goal("stored_wrongly", 0, "verdicts", "lower"),
            Goal("repeated_per_kill", CONCURRENCY, "requests", "lower"),
        ),
        whole,
    ),
    Probe((Goal("batch_saving", 4, "ratio", "higher"),), batches),
)
