"""execute_code against a fresh `python` per call, and what a session costs."""

from __future__ import annotations

import asyncio
import operator
import statistics
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from bench import old_ways
from bench.figures import Bench, Measured
from bench.hands import Opener, printed, sessions, timed
from bench.lab import Lab, prepare
from bench.memory import pss_of, settled
from bench.side_by_side import Pair, ratio

OURS_PER_ROUND = 20
SIDE_BY_SIDE = 32
CALLS_EACH = 40
STARTS = 15
PRINT = "print(2 * {number})"
GROUPBY = """
import numpy as np
import pandas as pd

steps = np.arange(100_000)
frame = pd.DataFrame({{"key": steps % 100, "value": 0.5 * steps + {number}}})
print(round(frame.groupby("key")["value"].mean().sum(), 3))
"""


def python_ratios(bench: Bench) -> Mapping[str, Measured]:
    """Old way by ours, the medians of calls that alternate."""
    lab = prepare(bench.home, bench.say)

    async def measured() -> Mapping[str, Measured]:
        async with sessions(lab, python=True) as opener:
            return {
                name: await _ratio(bench, opener, code, name)
                for name, code in (("python_print_ratio", PRINT), ("python_groupby_ratio", GROUPBY))
            }

    return asyncio.run(measured())


async def _ratio(bench: Bench, opener: Opener, code: str, name: str) -> Measured:
    tools = await opener()
    pair = Pair(
        name,
        lambda number: old_ways.run_python(code.format(number=number)),
        lambda number: printed(tools, code.format(number=number)),
        operator.eq,
    )
    return await ratio(pair, OURS_PER_ROUND, bench.say)


def calls_ratio(bench: Bench) -> Mapping[str, Measured]:
    """Calls a second of 32 sessions side by side, ours by the old way's."""
    lab = prepare(bench.home, bench.say)
    bench.say(f"{SIDE_BY_SIDE} sessions side by side")
    ours = asyncio.run(_calls_per_second(lab))
    bench.say(f"{SIDE_BY_SIDE} fresh interpreters side by side")
    cells = [PRINT.format(number=number) for number in range(SIDE_BY_SIDE)]
    began = time.perf_counter()
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        list(pool.map(old_ways.run_python, cells))
    old = SIDE_BY_SIDE / (time.perf_counter() - began)
    detail = f"{ours:.4g} by {old:.4g} calls a second"
    return {"python_calls_ratio_32": Measured(ours / old, detail)}


async def _calls_per_second(lab: Lab) -> float:
    async with sessions(lab, python=True) as opener:
        opened = [await opener() for _ in range(SIDE_BY_SIDE)]
        await asyncio.gather(*(printed(tools, PRINT.format(number=0)) for tools in opened))

        async def work(number: int) -> None:
            for call in range(CALLS_EACH):
                await printed(opened[number], PRINT.format(number=number + call))

        began = time.perf_counter()
        await asyncio.gather(*(work(number) for number in range(SIDE_BY_SIDE)))
        return SIDE_BY_SIDE * CALLS_EACH / (time.perf_counter() - began)


def session_costs(bench: Bench) -> Mapping[str, Measured]:
    """How long a session takes to its first answer, and what it holds in memory while it idles."""
    lab = prepare(bench.home, bench.say)

    async def measured() -> Mapping[str, Measured]:
        async with sessions(lab, python=True) as opener:
            bench.say(f"{STARTS} sessions, one after another")
            await _start(opener, 0)
            starts = [1000 * await _start(opener, number) for number in range(STARTS)]
        bench.say(f"the memory of {SIDE_BY_SIDE} sessions")
        async with sessions(lab, python=True) as opener:
            await _start(opener, 0)
            before = await settled()  # workers that are still being started are no sessions
            for number in range(SIDE_BY_SIDE):
                await printed(await opener(), GROUPBY.format(number=number))
            kernels = await settled() - before
            held = sum(pss_of(pid) for pid in kernels) / SIDE_BY_SIDE / 1e6
        first, last = min(starts), max(starts)
        return {
            "session_start_ms": Measured(
                statistics.median(starts), f"{first:.3g} to {last:.3g} ms in {STARTS} starts"
            ),
            "session_pss_mb": Measured(
                held, f"{len(kernels)} processes of {SIDE_BY_SIDE} sessions after a groupby each"
            ),
        }

    return asyncio.run(measured())


async def _start(opener: Opener, number: int) -> float:
    """Seconds from nothing to the first answer of a new session."""

    async def first_answer() -> str:
        return await printed(await opener(), PRINT.format(number=number))

    said, took = await timed(first_answer())
    if said != f"{2 * number}\n":
        raise RuntimeError(f"a new session said {said!r}")
    return took
