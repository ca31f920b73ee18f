"""Which patients are explored: a list in a file, or a sample stratified by the number of their notes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ScenarioError, UsageError
from core.reading import read_text

if TYPE_CHECKING:
    import duckdb

SIZE = 100
"""As in the paper."""
STRATA = 10
"""Patients in order of their number of notes are cut into so many parts of equal size."""
_LARGEST = 20_000_000
"""Bytes of a list: more than all patients that there are."""


def read_ids(path: Path) -> dict[int, int]:
    """subject_id to its line, one a line. Raises ScenarioError with file and line."""
    found: dict[int, int] = {}
    text = read_text(path, error=ScenarioError, largest=_LARGEST, shown=str(path))
    for number, line in enumerate(text.splitlines(), 1):
        text = line.strip()
        if not text or (number == 1 and text == "subject_id"):
            continue
        if not (text.isascii() and text.isdecimal() and len(text) < 10):
            raise ScenarioError(f"{path}: line {number}: {text[:40]!r} is no subject_id")
        if int(text) in found:
            raise ScenarioError(
                f"{path}: line {number}: {text} stands twice (first on line {found[int(text)]})"
            )
        found[int(text)] = number
    if not found:
        raise ScenarioError(f"{path} names no patient")
    return found


def refuse_unknown(
    path: Path, ids: Mapping[int, int], connection: duckdb.DuckDBPyConnection
) -> None:
    """Raise ScenarioError with file and line for a patient without rows: there is nothing to explore."""
    for table in ("patients", "admissions"):
        with_rows = _known(connection, table)
        if strange := [(line, i) for i, line in ids.items() if i not in with_rows]:
            number, subject_id = min(strange)
            raise ScenarioError(f"{path}: line {number}: {subject_id} has no row in {table}")


def sample(counts: Mapping[int, int], size: int, seed: str) -> list[int]:
    """So many patients, as many from each part of the order by number of notes; the same for a seed."""
    ranked = sorted(counts, key=lambda i: (counts[i], _lot(seed, i)))
    parts = min(STRATA, max(1, size))
    cuts = [len(ranked) * part // parts for part in range(parts + 1)]
    shares = [size * (part + 1) // parts - size * part // parts for part in range(parts)]
    taken: list[int] = []
    for part, share in enumerate(shares):
        drawn = sorted(ranked[cuts[part] : cuts[part + 1]], key=lambda i: _lot(seed, i))
        taken += drawn[:share]
    return sorted(taken)


def size_of(given: str) -> int:
    """The number in `--entities`; the paper's where nothing is said."""
    if not given:
        return SIZE
    if not (given.isdecimal() and 0 < int(given) < 10_000_000):
        raise UsageError(f"--entities is a number or a file with one subject_id a line: {given!r}")
    return int(given)


def eligible(connection: duckdb.DuckDBPyConnection, counts: Mapping[int, int]) -> dict[int, int]:
    """Those of whom there are notes and a stay in hospital."""
    with_rows = _known(connection, "admissions") & _known(connection, "patients")
    return {subject_id: number for subject_id, number in counts.items() if subject_id in with_rows}


def _known(connection: duckdb.DuckDBPyConnection, table: str) -> set[int]:
    rows: Iterable[Sequence[int]] = connection.execute(
        f"SELECT DISTINCT subject_id FROM {table}"
    ).fetchall()
    return {row[0] for row in rows}


def _lot(seed: str, subject_id: int) -> bytes:
    return hashlib.sha256(f"{seed}|cohort|{subject_id}".encode()).digest()
