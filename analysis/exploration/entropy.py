"""How much of what there is was read, and how evenly: coverage and normalised entropy (DDR-16, DDR-17)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from analysis.exploration.fields import Reading, Source


@dataclass(frozen=True)
class Use:
    """What one trajectory read of what it could have read."""

    available: int
    """Fields that it could have read."""
    counts: Mapping[str, int]
    """Accesses of each field that was read, in the order of first sight."""
    by_source: Mapping[Source, int]
    """Accesses through SQL, and through query() in Python."""
    calls: int
    """That ran SQL or Python."""
    unfollowed: int
    """Of them, those that sqlglot could not follow: what was read is a lower bound then."""

    @property
    def accesses(self) -> int:
        """One for each field of each call."""
        return sum(self.counts.values())

    @property
    def coverage(self) -> float | None:
        """Distinct fields read / all fields; None where there is none."""
        return len(self.counts) / self.available if self.available else None

    @property
    def entropy(self) -> float | None:
        """Normalised entropy of the accesses."""
        return normalised(list(self.counts.values()))

    @property
    def python_share(self) -> float | None:
        """Accesses through Python / all accesses; None without any."""
        return self.by_source["python"] / self.accesses if self.accesses else None


def use_of(read: Sequence[Reading], available: int) -> Use:
    """The accesses of a trajectory, counted."""
    counts = Counter(name for reading in read for name in reading.fields)
    sources: dict[Source, int] = {"sql": 0, "python": 0}
    for reading in read:
        sources[reading.source] += len(reading.fields)
    return Use(
        available=available,
        counts=counts,
        by_source=sources,
        calls=len(read),
        unfollowed=sum(not reading.is_followed for reading in read),
    )


def bits(counts: Collection[int]) -> float:
    """Entropy of the accesses, in bits: -sum p log2 p; 0 of one field, and of none."""
    total = sum(counts)
    return -sum(c / total * log2(c / total) for c in counts if c) + 0.0


def normalised(counts: Collection[int]) -> float | None:
    """Entropy / log2 of the number of fields that were read, from 0 to 1 (the paper's Eq. 1).

    1 = each of them equally often. One field alone is 0, where the paper's quotient is undefined;
    None where none was read.
    """
    read = [count for count in counts if count]
    if len(read) < 2:
        return 0.0 if read else None
    return min(bits(read) / log2(len(read)), 1.0)
