"""How fast a large scenario is made: 50 M generated rows, and owners' files read into the database."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Bench, Goal, Measured, Probe

ROOT = Path(__file__).resolve().parents[1]
ROWS = 50_000_000
"""Of the generated twin; a fiftieth (1 M) and a tenth (5 M) are imported, and their memory compared."""
ROWS_PER_PERSON = 50_000
IMPORT_MEMORY_MB = 256
"""What the import lets its database have; the rest is Python, pandas and the readers."""
TIME_LIMIT_S = 840.0

# VmHWM is this program's alone; getrusage would hold whatever the process held that started it.
_CHILD = """
import json, sys, time
from pathlib import Path
from databases.build import build
options, home = json.loads(sys.argv[1]), Path(sys.argv[2])
begun = time.monotonic()
built = build("patients", home, options=options, rebuild=True)
seconds = time.monotonic() - begun
status = Path("/proc/self/status").read_text()
peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
rows = sum(table.row_count for table in built.schema().tables)
print(json.dumps({"seconds": seconds, "peak": peak, "rows": rows,
                  "fingerprint": built.scenario.fingerprint}))
"""


@dataclass(frozen=True)
class Made:
    """One build in a process of its own, from its first step to the file in place."""

    seconds: float
    peak: int
    """The most memory that the process held, bytes (RSS)."""
    rows: int
    fingerprint: str

    @property
    def speed(self) -> float:
        """Rows a second."""
        return self.rows / self.seconds

    @property
    def gigabytes(self) -> float:
        """The peak in GB."""
        return self.peak / 1e9


def make(options: Mapping[str, object], home: Path) -> Made:
    """Build and measure. Raises RuntimeError with the process's last words where it fails."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, json.dumps(options), str(home)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIME_LIMIT_S,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the build failed: {done.stderr.strip()[-400:]}")
    return Made(**json.loads(done.stdout.splitlines()[-1]))


def generated(bench: Bench) -> Mapping[str, Measured]:
    """The twin, its fingerprint included."""
    rows, home = bench.rows or ROWS, bench.home / "build"
    people = max(2, rows // ROWS_PER_PERSON)
    bench.say(f"generating {rows:,} rows of {people:,} patients")
    asked = {"synthetic": True, "entities": str(people), "rows": rows, "seed": "7"}
    try:
        made = make(asked, home)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    if abs(made.rows - rows) > 0.02 * rows:
        raise RuntimeError(f"{made.rows:,} rows were made in place of {rows:,}")
    told = f"{made.rows:,} rows in {made.seconds:.0f} s, fingerprint included"
    return {
        "rows_per_s": Measured(made.speed, told),
        "build_s": Measured(made.seconds, told),
        "peak_memory_gb": Measured(made.gigabytes, "the process's resident memory at its highest"),
    }


def imported(bench: Bench) -> Mapping[str, Measured]:
    """Two twins written in their owners' layout, and read back: the content must be the same."""
    rows_asked, home = bench.rows or ROWS, bench.home / "build"
    small, large = rows_asked // 50, rows_asked // 10
    read: dict[int, Made] = {}
    try:
        for rows in (small, large):
            layout = home / f"layout-{rows}"
            people = max(2, rows // ROWS_PER_PERSON)
            bench.say(f"writing {rows:,} rows in the owners' layout")
            asked = {"synthetic": True, "entities": str(people), "rows": rows, "seed": "7"}
            twin = make({**asked, "export_layout": str(layout)}, home)
            bench.say(f"importing {rows:,} rows")
            source = {"from": str(layout), "notes": str(layout / "note")}
            read[rows] = make({**source, "memory_mb": IMPORT_MEMORY_MB}, home)
            if read[rows].fingerprint != twin.fingerprint:
                raise RuntimeError(f"what was imported of {rows:,} rows is not what was written")
    finally:
        shutil.rmtree(home, ignore_errors=True)
    first, second = read[small], read[large]
    grown = second.gigabytes - first.gigabytes
    told = f"{first.gigabytes:.2f} GB for {small:,} rows, {second.gigabytes:.2f} GB for {large:,}"
    return {
        "import_rows_per_s": Measured(second.speed, f"{second.seconds:.0f} s, from csv.gz"),
        "import_memory_gb": Measured(max(first.gigabytes, second.gigabytes), told),
        "import_memory_growth_gb": Measured(max(grown, 0.0), told),
    }


PROBES = (
    Probe(
        (
            Goal("rows_per_s", 100_000, "rows/s", "higher"),
            Goal("build_s", 480, "s", "lower"),
            Goal("peak_memory_gb", 4, "GB", "lower"),
        ),
        generated,
    ),
    Probe(
        (
            Goal("import_rows_per_s", 100_000, "rows/s", "higher"),
            Goal("import_memory_gb", 1.5, "GB", "lower"),
            Goal("import_memory_growth_gb", 0.25, "GB", "lower"),
        ),
        imported,
    ),
)
