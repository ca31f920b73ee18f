"""Give every carrier, airport, aircraft and flight number a pseudonym, and every date a shift, from one seed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# Neutral words: plants, stones and birds. None is an airline's name or recalls one.
CARRIER_NAMES = (
    "Basalt", "Bramble", "Cobalt", "Fennel", "Garnet", "Heron", "Juniper", "Larkspur",
    "Marigold", "Ochre", "Plover", "Quartz", "Saffron", "Sorrel", "Tamarack", "Thistle",
)  # fmt: skip

DAYS_PER_YEAR = 365.2425


@dataclass(frozen=True)
class Shift:
    """How far every date is moved: whole weeks, so that weekdays stay what they were."""

    weeks: int

    @property
    def days(self) -> int:
        """The shift in days."""
        return self.weeks * 7

    @property
    def years(self) -> int:
        """The shift of years that stand alone (an aircraft's year of construction)."""
        return round(self.days / DAYS_PER_YEAR)


@dataclass(frozen=True)
class Pseudonyms:
    """Both sides of the mapping. Kept under $DDR_HOME/secrets and nowhere else."""

    carriers: Mapping[str, tuple[str, str]]
    """Code to (id, name)."""
    airports: Mapping[str, str]
    aircraft: Mapping[str, str]
    flight_numbers: Mapping[str, Mapping[int, int]]
    """Carrier code to number to pseudonymous number; one to one inside a carrier."""
    shift: Shift

    def to_json(self) -> dict[str, Any]:
        """The mapping as plain values."""
        return {
            "carriers": {code: list(pair) for code, pair in self.carriers.items()},
            "airports": dict(self.airports),
            "aircraft": dict(self.aircraft),
            "flight_numbers": {
                code: {str(old): new for old, new in numbers.items()}
                for code, numbers in self.flight_numbers.items()
            },
            "shift_weeks": self.shift.weeks,
            "shift_years": self.shift.years,
        }


def draw(
    seed: str,
    *,
    carriers: Collection[str],
    airports: Collection[str],
    aircraft: Collection[str],
    flight_numbers: Mapping[str, Collection[int]],
) -> Pseudonyms:
    """The pseudonyms that a seed gives, the same on every machine and Python version."""
    codes = _shuffled(seed, "carrier", carriers)
    names = _shuffled(seed, "carrier name", CARRIER_NAMES)
    return Pseudonyms(
        carriers={code: (f"{i:02d}", names[i - 1]) for i, code in enumerate(codes, 1)},
        airports=_numbered(_shuffled(seed, "airport", airports), "A"),
        aircraft=_numbered(_shuffled(seed, "aircraft", aircraft), "T"),
        flight_numbers={
            code: _renumbered(seed, code, numbers) for code, numbers in flight_numbers.items()
        },
        shift=_shift(seed),
    )


def _digest(seed: str, kind: str, value: object) -> bytes:
    return hashlib.sha256(f"{seed}|{kind}|{value}".encode()).digest()


def _shuffled(seed: str, kind: str, values: Iterable[str]) -> list[str]:
    # Sorting by a keyed hash is a shuffle that no library's random generator can change.
    return sorted(values, key=lambda value: _digest(seed, kind, value))


def _numbered(values: list[str], letter: str) -> dict[str, str]:
    return {value: f"{letter}{i:04d}" for i, value in enumerate(values, 1)}


def _renumbered(seed: str, code: str, numbers: Collection[int]) -> dict[int, int]:
    ranked = sorted(numbers, key=lambda number: _digest(seed, f"flight {code}", number))
    return {number: 100 + i for i, number in enumerate(ranked, 1)}


def _shift(seed: str) -> Shift:
    """52 k + j weeks with 3 <= k <= 12 and 1 <= |j| <= 3: other years, nearly the same season."""
    years = 3 + _digest(seed, "shift", "years")[0] % 10
    weeks = (-3, -2, -1, 1, 2, 3)[_digest(seed, "shift", "weeks")[0] % 6]
    return Shift(weeks=52 * years + weeks)
