"""Run one leg of the conformance suite against a server, and read what it found, check by check."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support import node, npm

BASELINES: Final = Path(__file__).parent / "baselines"
OLD: Final = npm.Package("@modelcontextprotocol/conformance", "0.1.16", "conformance")
NEW: Final = npm.Package("@modelcontextprotocol/conformance", "0.2.0-alpha.11", "conformance")
LEG_S: Final = 300
NOT_PASSING: Final = frozenset({"FAILURE", "WARNING"})
"""What a baseline must excuse."""

_ENTRY = re.compile(r"^  - (?P<entry>[\w.:-]+)  # (?P<reason>\S.*)$", re.MULTILINE)
_FOLDER = re.compile(r"^server-(?P<scenario>.+?)-\d{4}-\d\d-\d\dT[\d-]+Z$")


@dataclass(frozen=True)
class Check:
    """One thing that the suite looked at."""

    scenario: str
    id: str
    status: str
    """SUCCESS, FAILURE, WARNING, INFO or SKIPPED, as the suite says it."""
    message: str = ""

    def is_excused_by(self, entry: str) -> bool:
        """Whether a line of a baseline speaks of this check, or of the whole scenario."""
        return entry in (self.scenario, f"{self.scenario}:{self.id}")


@dataclass(frozen=True)
class Excuse:
    """A line of a baseline: what may fail, and why that is no fault."""

    entry: str
    reason: str


@dataclass(frozen=True)
class Leg:
    """The suite in one version, about one revision of the protocol, met in one way."""

    name: str
    package: npm.Package
    options: tuple[str, ...]
    baselines: tuple[str, ...]
    """Names of files in baselines/; together they excuse what does not pass."""
    least: int
    """How many checks pass at least."""

    def excuses(self) -> list[Excuse]:
        """What may fail here."""
        return [excuse for name in self.baselines for excuse in read_baseline(BASELINES / name)]


_2025: Final = ("--suite", "all", "--spec-version", "2025-11-25")
_2026: Final = ("--suite", "all", "--spec-version", "2026-07-28")

STATELESS: Final = (
    Leg("0.1.16", OLD, ("--suite", "all"), ("0.1.16.yml", "0.1.16-stateless.yml"), 18),
    Leg("2025-11-25", NEW, _2025, ("2025-11-25.yml", "2025-11-25-stateless.yml"), 48),
    Leg("2026-07-28", NEW, _2026, ("2026-07-28.yml",), 109),
)
"""The legs against the server as it is deployed."""

STATEFUL: Final = (
    Leg("0.1.16 --stateful", OLD, ("--suite", "all"), ("0.1.16.yml",), 20),
    Leg("2025-11-25 --stateful", NEW, _2025, ("2025-11-25.yml",), 54),
    Leg("2026-07-28 --stateful", NEW, _2026, ("2026-07-28.yml",), 109),
)
"""The same with `--stateful`: what sessions add, and that they take nothing away."""


@dataclass(frozen=True)
class Outcome:
    """What one leg found."""

    leg: Leg
    code: int
    """The suite's own exit code: 0 when the baseline excuses all that failed, and nothing else."""
    checks: tuple[Check, ...]
    said: str
    """What the suite wrote, for whoever must mend a failure."""

    @property
    def passed(self) -> int:
        return Counter(check.status for check in self.checks)["SUCCESS"]

    @property
    def failed(self) -> int:
        return Counter(check.status for check in self.checks)["FAILURE"]

    def unexcused(self) -> list[Check]:
        """What does not pass, and no baseline speaks of."""
        excuses = self.leg.excuses()
        return [
            check
            for check in self.checks
            if check.status in NOT_PASSING
            and not any(check.is_excused_by(excuse.entry) for excuse in excuses)
        ]

    def idle_excuses(self) -> list[str]:
        """Lines of the baseline that excuse nothing: misspelt, or about what passes by now.

        The suite itself overlooks a line about a scenario that it did not run.
        """
        lacking = [check for check in self.checks if check.status in NOT_PASSING]
        return [
            excuse.entry
            for excuse in self.leg.excuses()
            if not any(check.is_excused_by(excuse.entry) for check in lacking)
        ]

    def report(self) -> str:
        """The figures, and all that is wrong; the suite's own words follow where something is."""
        lines = [f"{self.leg.name}: {self.passed} passed, {self.failed} failed, exit {self.code}"]
        lines += [
            f"  unexcused {check.status}: {check.scenario}:{check.id} {check.message}"
            for check in self.unexcused()
        ]
        lines += [f"  excuses nothing: {entry}" for entry in self.idle_excuses()]
        return "\n".join([*lines, self.said] if self.code else lines)


def run(leg: Leg, url: str, folder: Path, *more: str) -> Outcome:
    """Run a leg; `folder` is made, and takes its results. Raises TimeoutExpired or OSError."""
    folder.mkdir(parents=True)
    baseline = folder / "baseline.yml"
    baseline.write_text(as_baseline([excuse.entry for excuse in leg.excuses()]), encoding="utf-8")
    program: list[str] = [str(leg.package.install()), "server", "--url", url, *leg.options, *more]
    done = subprocess.run(
        [*program, "--expected-failures", str(baseline), "--output-dir", str(folder / "results")],
        cwd=folder,
        env=node.environment(),
        check=False,
        capture_output=True,
        text=True,
        timeout=LEG_S,
    )
    checks = read_results(folder / "results")
    summary = done.stdout.partition("=== SUMMARY")[2]
    return Outcome(leg, done.returncode, checks, (summary or done.stdout)[-8_000:] + done.stderr)


def read_results(folder: Path) -> tuple[Check, ...]:
    """All checks of a run, from the file that the suite leaves for each scenario."""
    found = []
    for path in sorted(folder.glob("*/checks.json")):
        named = _FOLDER.match(path.parent.name)
        assert named, f"the suite names its folders differently: {path.parent.name}"
        for raw in json.loads(path.read_text(encoding="utf-8")):
            message = raw.get("errorMessage") or ""
            found.append(Check(named["scenario"], raw["id"], raw["status"], message))
    return tuple(found)


def read_baseline(path: Path) -> list[Excuse]:
    """The lines of one of our baselines, each with its reason."""
    text = path.read_text(encoding="utf-8")
    found = [Excuse(line["entry"], line["reason"]) for line in _ENTRY.finditer(text)]
    lines = sum(line.lstrip().startswith("- ") for line in text.splitlines())
    assert len(found) == lines, f"{path.name}: a line is not '  - entry  # reason'"
    return found


def as_baseline(entries: Sequence[str]) -> str:
    """A baseline as the suite reads it."""
    return "server:\n" + "".join(f"  - {entry}\n" for entry in entries)
