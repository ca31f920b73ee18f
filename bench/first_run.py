"""What a first run feels like: help, tool calls, the store, one entity from start to report."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from bench.figures import Bench, Goal, Probe
from bench.sessions import entity_seconds, mcp_latency
from bench.storing import turns_stored

ROOT = Path(__file__).resolve().parents[1]
HELP_CALLS = 5


def help_seconds(bench: Bench) -> Mapping[str, float]:
    """Wall time of `ddr --help`, the launcher included where there is one; seconds, median."""
    launcher = ROOT / "ddr"
    program = launcher if launcher.is_file() else Path(sys.executable).with_name("ddr")
    bench.say("ddr --help")
    times = []
    for _ in range(HELP_CALLS + 1):
        began = time.perf_counter()
        subprocess.run([program, "--help"], stdout=subprocess.DEVNULL, check=True, timeout=60)
        times.append(time.perf_counter() - began)
    return {"help_s": statistics.median(times[1:])}  # the first one fills the disk's cache


PROBES = (
    Probe((Goal("help_s", 0.5, "s", "lower"),), help_seconds),
    Probe(
        (Goal("mcp_p50_ms", 10, "ms", "lower"), Goal("mcp_p95_ms", 25, "ms", "lower")), mcp_latency
    ),
    Probe((Goal("turns_stored_per_s", 200, "1/s", "higher"),), turns_stored),
    Probe((Goal("entity_s", 5, "s", "lower"),), entity_seconds),
)
