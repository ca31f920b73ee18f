"""What has been told already, and so how much of a surprise is still news."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agent.profiler.probe import Finding

FAMILY_DECAY = 0.9
COLUMN_DECAY = 0.97
"""What the next finding of the same family, or about the same column, is still worth."""


class Ledger:
    """Counts what was told; each repetition of a kind makes the next one a little less new."""

    def __init__(self) -> None:
        self._families: Counter[str] = Counter()
        self._columns: Counter[str] = Counter()

    def worn(self, family: str, about: Sequence[str]) -> float:
        """The part of its surprise that such a finding keeps, in (0, 1]."""
        told = sum(self._columns[c] for c in about) / len(about) if about else 0.0
        return float(FAMILY_DECAY ** self._families[family] * COLUMN_DECAY**told)

    def news(self, finding: Finding) -> float:
        """Its surprise, less what is worn off."""
        return finding.surprise * self.worn(finding.family, finding.about)

    def note(self, finding: Finding) -> None:
        """It has been told."""
        self._families[finding.family] += 1
        self._columns.update(finding.about)


def choose(findings: Sequence[Finding], room: int) -> list[Finding]:
    """The findings that tell most together, in the order in which they were chosen."""
    ledger = Ledger()
    left = {finding.text: finding for finding in sorted(findings, key=lambda f: f.surprise)}
    waiting = list(reversed(left.values()))
    chosen: list[Finding] = []
    while waiting and len(chosen) < room:
        best = max(waiting, key=ledger.news)
        waiting.remove(best)
        ledger.note(best)
        chosen.append(best)
    return chosen
