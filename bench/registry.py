"""The benchmarks by name, each a module with its probes."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Bench, Figure, Probe, Say, take
from core.errors import UnknownNameError

BENCHES: dict[str, str] = {
    "build": "bench.build",
    "dashboard": "bench.dashboard",
    "curves": "bench.curves",
    "evaluate": "bench.evaluate",
    "first-run": "bench.first_run",
    "matching": "bench.matching",
    "ranks": "bench.ranks_rightly",
    "ratings": "bench.ratings",
    "runner": "bench.runner",
    "server": "bench.server",
    "tools": "bench.tools",
}
"""Name -> module with `PROBES`; imported only when it is asked for."""


def probes(name: str) -> tuple[Probe, ...]:
    """The probes of one benchmark. Raises UnknownNameError with the names that exist."""
    if name not in BENCHES:
        raise UnknownNameError("benchmark", name, BENCHES)
    found: tuple[Probe, ...] = importlib.import_module(BENCHES[name]).PROBES
    return found


def measure(name: str, home: Path, say: Say, rows: int | None = None) -> Iterator[Figure]:
    """Every figure of one benchmark, each as it is known. `home` is $DDR_HOME/bench."""
    listed = probes(name)
    home.mkdir(parents=True, exist_ok=True)
    for probe in listed:
        yield from take(probe, Bench(home, say, rows))
