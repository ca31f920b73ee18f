"""Ratios: the old median by ours, in turn, never the same work twice, and only of equal results."""

from __future__ import annotations

import asyncio
import operator
import time

import pytest

from bench import side_by_side
from bench.side_by_side import Pair, against, ratio
from tests.bench.labs import silent


class Work:
    """Notes which way did which repetition."""

    def __init__(self, *, wrong_at: int | None = None) -> None:
        self.done: list[tuple[str, int]] = []
        self.wrong_at = wrong_at

    def old(self, number: int) -> int:
        self.done.append(("old", number))
        return number * number

    async def ours(self, number: int) -> int:
        self.done.append(("ours", number))
        return -1 if number == self.wrong_at else number * number

    def pair(self) -> Pair:
        return Pair("squares", self.old, self.ours, operator.eq)


def test_the_ratio_is_of_the_medians_and_the_detail_gives_both() -> None:
    seen = against([1.0, 9.0, 2.0], [0.004, 0.5, 0.001, 0.005], ", 7 rows")
    assert seen.value == pytest.approx(2.0 / 0.0045)
    assert seen.detail == "2000 ms by 4.5 ms, 7 rows"


def test_old_and_new_take_turns_in_every_round() -> None:
    work = Work()
    asyncio.run(ratio(work.pair(), 3, silent))
    ways = [way for way, _ in work.done[side_by_side.WARM_UPS :]]
    assert ways == ["old", "ours", "ours", "ours"] * side_by_side.ROUNDS


def test_no_repetition_does_what_another_did_but_for_the_one_that_is_compared() -> None:
    work = Work()
    asyncio.run(ratio(work.pair(), 3, silent))
    ours = [number for way, number in work.done if way == "ours"]
    assert len(ours) == len(set(ours)) == side_by_side.WARM_UPS + 3 * side_by_side.ROUNDS
    old = [number for way, number in work.done if way == "old"]
    assert set(old) < set(ours)


def test_different_results_give_no_ratio() -> None:
    first = side_by_side.WARM_UPS + 1
    with pytest.raises(RuntimeError, match=f"squares gives -1 in place of {first * first}"):
        asyncio.run(ratio(Work(wrong_at=first).pair(), 3, silent))


def test_a_slow_old_way_gives_a_large_ratio() -> None:
    def slow(number: int) -> int:
        time.sleep(0.01)
        return number

    async def fast(number: int) -> int:
        return number

    seen = asyncio.run(ratio(Pair("waiting", slow, fast, operator.eq), 5, silent, ", a remark"))
    assert seen.value > 5
    assert seen.detail.endswith(" ms, a remark")


def test_each_round_is_told() -> None:
    said: list[str] = []
    asyncio.run(ratio(Work().pair(), 1, said.append))
    rounds = side_by_side.ROUNDS
    assert said == [f"squares, {turn} of {rounds}" for turn in range(1, rounds + 1)]
