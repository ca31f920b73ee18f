"""Memory is read of the right processes, and shared pages are counted in part."""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bench import memory
from bench.memory import descendants, pss_of
from tests.support.needs import needs

pytestmark = needs("linux")
HOLDER = """
import os, sys
held = b"\\1" * (64 << 20)
for _ in range({children}):
    if os.fork() == 0:
        break
sys.stdout.write(f"{{os.getpid()}}\\n")
sys.stdout.flush()
sys.stdin.read()
"""


@contextmanager
def holder(children: int = 0) -> Iterator[list[int]]:
    """A process with 64 MB and so many forks of it; the ids of all of them."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER.format(children=children)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield [int(process.stdout.readline()) for _ in range(1 + children)]
        finally:
            process.stdin.close()


def test_children_and_their_children_are_found_and_nobody_else() -> None:
    with holder(2) as pids:
        assert set(pids) <= set(descendants())
        assert os.getpid() not in set(descendants())
        assert os.getppid() not in set(descendants())
    assert not set(pids) & set(descendants())


def test_what_a_process_holds_alone_counts_in_full() -> None:
    with holder() as (pid,):
        assert 64e6 < pss_of(pid) < 110e6


def test_what_three_processes_share_counts_a_third_in_each() -> None:
    with holder(2) as pids:
        held = [pss_of(pid) for pid in pids]
    assert max(held) < 50e6
    assert 64e6 < sum(held) < 150e6


def test_processes_have_settled_once_none_has_come_or_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "LOOK_S", 0.05)
    with holder(1) as pids:
        assert set(pids) <= asyncio.run(memory.settled())


def test_processes_that_come_and_go_without_end_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LOOK_S", 0)
    steps = itertools.count()
    monkeypatch.setattr(memory, "descendants", lambda: [next(steps)])
    with pytest.raises(RuntimeError, match="come and go"):
        asyncio.run(memory.settled())


def test_a_process_that_is_gone_has_no_figure() -> None:
    with holder() as (pid,):
        pass
    with pytest.raises((ProcessLookupError, FileNotFoundError)):
        pss_of(pid)
