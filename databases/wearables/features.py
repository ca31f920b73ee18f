"""Give every sensing feature a readable column name, a unit and a comment: by patterns, or by a plain rule."""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from string import Formatter
from typing import Final

from pydantic import Field

from core.record import Record

Piece = tuple[str, str] | tuple[str, str, str]
"""What an alternative adds to the name and to the note, and perhaps the unit."""

WHOLE_UNITS: Final = frozenset({
    "steps", "stretches", "sleeps", "spells", "unlocks", "calls", "contacts", "scans", "devices",
    "access points", "places", "changes",
})  # fmt: skip
"""Units of things that are counted."""
_FRACTIONS = ("mean_", "median_", "sd_")
_DAY = re.compile(r"(f_\w+):(\w+):allday")
_CHANGED = ("_norm", "_dis")
"""How features end that the owners normalised or cut into low, medium and high."""


class Pattern(Record):
    """One [[features]] table of features.toml."""

    table: str
    code: str
    name: str
    note: str
    unit: str = ""
    key: bool = False
    """Whether a file of this kind always has it."""
    words: dict[str, dict[str, Piece]] = Field(default_factory=dict)


class TableWords(Record):
    """One entry of [tables]."""

    prefix: str
    """What stands before the first colon in the owners' column names."""
    row: str
    """What a row tells of a day."""
    file: str = ""
    """The owners' file, where it is not named as the table."""


class _Page(Record):
    tables: dict[str, TableWords]
    features: tuple[Pattern, ...]


@dataclass(frozen=True)
class Feature:
    """One feature of a day, as a column."""

    table: str
    code: str
    """As RAPIDS spells it, without prefix and time segment."""
    column: str
    unit: str = ""
    note: str = ""
    key: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether its values are counts."""
        return self.unit in WHOLE_UNITS and not self.column.startswith(_FRACTIONS)

    @property
    def source(self) -> str:
        """The name of its column in the owners' files."""
        return f"{tables()[self.table].prefix}:{self.code}:allday"

    @property
    def comment(self) -> str:
        """What an agent is told of the column."""
        if not self.note:
            return (
                f"Feature {self.code} (RAPIDS), no description known. NULL = not sensed that day."
            )
        unit = f" Unit: {self.unit}." if self.unit else ""
        return f"{self.note}.{unit} NULL = not sensed that day, or nothing to take it of."


def tables() -> Mapping[str, TableWords]:
    """The tables of features, in the order in which they are built."""
    return _page().tables


def raw_code(header: str, table: str) -> str | None:
    """The feature that a column of the owners' file holds raw and for the whole day; None = another."""
    match = _DAY.fullmatch(header)
    if match is None or match[1] != tables()[table].prefix or match[2].endswith(_CHANGED):
        return None
    return match[2]


def named(table: str, codes: Iterable[str]) -> tuple[Feature, ...]:
    """The features of one table, each with a name of its own, in the order given."""
    found: list[Feature] = []
    taken = {"participant_id", "day"}
    for code in codes:
        feature = _by_pattern(table, code)
        if feature is None or feature.column in taken:
            feature = Feature(table, code, _plain(code, taken))
        taken.add(feature.column)
        found.append(feature)
    return tuple(found)


@functools.cache
def known(table: str) -> tuple[Feature, ...]:
    """Every feature of a table that the patterns spell out; what the generated twin has."""
    codes = (code for p in _page().features if p.table == table for code in _spellings(p))
    return named(table, codes)


@functools.cache
def _page() -> _Page:
    text = resources.files(__package__).joinpath("features.toml").read_text(encoding="utf-8")
    return _Page.model_validate(tomllib.loads(text))


@functools.cache
def _compiled(table: str) -> tuple[tuple[re.Pattern[str], Pattern], ...]:
    return tuple((_regex(p), p) for p in _page().features if p.table == table)


def _regex(pattern: Pattern) -> re.Pattern[str]:
    parts = []
    for text, slot, _, _ in Formatter().parse(pattern.code):
        parts.append(re.escape(text))
        if slot is not None:
            # The longest first: an empty alternative must not win over one that is there.
            spellings = sorted(pattern.words[slot], key=len, reverse=True)
            parts.append(f"(?P<{slot}>{'|'.join(map(re.escape, spellings))})")
    return re.compile("".join(parts))


def _by_pattern(table: str, code: str) -> Feature | None:
    for regex, pattern in _compiled(table):
        if match := regex.fullmatch(code):
            pieces = {s: pattern.words[s][chosen] for s, chosen in match.groupdict().items()}
            units = [piece[2] for piece in pieces.values() if len(piece) == 3]
            note = pattern.note.format(**{slot: piece[1] for slot, piece in pieces.items()})
            return Feature(
                table=table,
                code=code,
                column=pattern.name.format(**{slot: piece[0] for slot, piece in pieces.items()}),
                unit=units[0] if units else pattern.unit,
                note=note[0].upper() + note[1:],
                key=pattern.key,
            )
    return None


def _spellings(pattern: Pattern) -> Iterator[str]:
    slots = list(pattern.words)
    for chosen in itertools.product(*(pattern.words[slot] for slot in slots)):
        yield pattern.code.format(**dict(zip(slots, chosen, strict=True)))


def _plain(code: str, taken: set[str]) -> str:
    """The code itself as a name, numbered where that is taken."""
    name = re.sub(r"\W+", "_", code.lower()).strip("_")[:60] or "feature"
    numbered = (f"{name}_{number}" for number in itertools.count(2))
    return name if name not in taken else next(n for n in numbered if n not in taken)
