"""Which question comes next, and when there is none worth asking.

The rule of stopping. A probe *tells something* when one of its findings has a surprise of at least
TELLS (half of what stands out), less what has worn off because its kind was told before
(ledger.py). When fewer than LEAST of the last WINDOW probes told something, the exploration is
over; and so it is when no probe is left. Nothing of it depends on time, chance or a number of turns.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence

from agent.profiler.ledger import Ledger
from agent.profiler.probe import Finding, Probe

TELLS = 1.0
WINDOW = 30
LEAST = 8
_PRIOR_WEIGHT = 5.0
"""How many answers the expectation before the first one is worth."""
_TURN, _TURNS = 0.05, 10
"""Tables take turns: each question about one makes the next about it worth so much less, so many times."""


class _Yield:
    """The mean of what came per unit of what was expected."""

    def __init__(self) -> None:
        self._sum, self._weight = _PRIOR_WEIGHT, _PRIOR_WEIGHT

    def add(self, ratio: float) -> None:
        self._sum += ratio
        self._weight += 1

    @property
    def mean(self) -> float:
        return self._sum / self._weight


class Agenda:
    """A queue of probes by expected surprise, which learns by family and by column."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], Probe] = {}
        self._seen: set[tuple[str, str]] = set()
        self._families: dict[tuple[str, str], _Yield] = {}
        self._columns: dict[str, _Yield] = {}
        self._ledger = Ledger()
        self._tables: Counter[str] = Counter()
        self._told: deque[bool] = deque(maxlen=WINDOW)

    def add(self, probes: Iterable[Probe]) -> None:
        """Put probes on the agenda; one that was there before is passed over."""
        for probe in probes:
            key = (probe.family, probe.key)
            if key not in self._seen:
                self._seen.add(key)
                self._waiting[key] = probe

    @property
    def over(self) -> bool:
        """Whether new queries have stopped telling anything."""
        tired = len(self._told) == WINDOW and sum(self._told) < LEAST
        return tired or not self._waiting

    def take(self) -> Probe:
        """The probe of the highest expected surprise; the earlier of two equal ones."""
        key, probe = max(self._waiting.items(), key=lambda item: self.expected(item[1]))
        del self._waiting[key]
        self._tables[probe.table] += 1
        return probe

    def expected(self, probe: Probe) -> float:
        """Its prior, times how its family and its columns have answered, less what has worn off."""
        family = self._families.get((probe.table, probe.family))
        columns = [self._columns[c].mean for c in probe.about if c in self._columns]
        about = sum(columns) / len(columns) if columns else 1.0
        worn = self._ledger.worn(probe.family, probe.about)
        turn = 1 - _TURN * min(_TURNS, self._tables[probe.table])
        return probe.prior * (family.mean if family else 1.0) * about * worn * turn

    def learn(self, probe: Probe, findings: Sequence[Finding]) -> None:
        """Note what a probe told, for the order of the others and for the rule of stopping."""
        best = max((f.surprise for f in findings), default=0.0)
        ratio = min(2.0, best / probe.prior)
        self._families.setdefault((probe.table, probe.family), _Yield()).add(ratio)
        for column in probe.about:
            self._columns.setdefault(column, _Yield()).add(ratio)
        told = [f for f in findings if self._ledger.news(f) >= TELLS]
        self._told.append(bool(told))
        for finding in told:
            self._ledger.note(finding)
