"""A benchmark for the tests: one figure reached, one not, one left out, one that breaks."""

from __future__ import annotations

from collections.abc import Mapping

from bench.figures import Bench, Goal, Probe


def good(bench: Bench) -> Mapping[str, float]:
    bench.say("the good one")
    return {"quick_s": 0.123456, "many_per_s": 5.0}


def incomplete(bench: Bench) -> Mapping[str, float]:
    return {}


def broken(bench: Bench) -> Mapping[str, float]:
    raise RuntimeError("no such server")


PROBES = (
    Probe((Goal("quick_s", 0.5, "s", "lower"), Goal("many_per_s", 200, "1/s", "higher")), good),
    Probe((Goal("forgotten_s", 1, "s", "lower"),), incomplete),
    Probe((Goal("broken_s", 1, "s", "lower"),), broken),
)
