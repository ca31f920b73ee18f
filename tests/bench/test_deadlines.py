"""Overshoot: counted from the limit, of queries that really outlive it, with honest ones beside."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from bench import deadlines
from bench.deadlines import ENDLESS
from bench.figures import Bench
from core.protocols import Observation, ToolSpec
from tests.bench.labs import bench, lab

__all__ = ["bench", "lab"]


class Answers:
    """Tools that answer one thing after a while."""

    def __init__(self, answer: Observation, after_s: float) -> None:
        self.answer = answer
        self.after_s = after_s

    async def list(self) -> Sequence[ToolSpec]:
        return ()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        await asyncio.sleep(self.after_s)
        return self.answer


def test_overshoot_counts_from_the_limit_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "LIMIT_S", 0.05)
    stopped = Observation(text="stopped", is_error=True, error_kind="timeout")
    late = asyncio.run(deadlines._late_ms(Answers(stopped, 0.1), 1))
    assert 49 < late < 1000


@pytest.mark.parametrize("kind", [None, "sql", "limit"])
def test_an_answer_before_the_limit_is_no_overshoot(kind: str | None) -> None:
    seen = Observation(text="an answer", is_error=kind is not None, error_kind=kind)
    with pytest.raises(RuntimeError, match="an answer"):
        asyncio.run(deadlines._late_ms(Answers(seen, 0), 1))


def test_the_95th_percentile_of_a_hundred_steps_is_where_it_should_be() -> None:
    seen = deadlines._p95([float(late) for late in range(101)])
    assert seen.value == pytest.approx(95)
    assert seen.detail == "p95 of 101, median 50, at most 100 ms"


def test_no_two_numbers_ask_the_same_text() -> None:
    texts = {ENDLESS[number % len(ENDLESS)].format(number=number) for number in range(40)}
    assert len(texts) == 40


@pytest.mark.real
def test_overshoot_is_measured_of_real_queries_each_of_which_outlives_its_limit(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, fewer in (("ALONE", 4), ("BUSY", 2), ("BUSY_SESSIONS", 4)):
        monkeypatch.setattr(deadlines, name, fewer)
    alone, busy = deadlines.overshoot_alone(bench), deadlines.overshoot_busy(bench)
    assert alone["deadline_overshoot_p95_ms"].value > 0
    assert busy["deadline_overshoot_busy_ms"].value > 0
