"""What an analysis gives out for files: a named table of plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Cell = str | int | float | bool | None
"""None = unknown: an empty cell in CSV, null elsewhere."""

BEYOND: Final = 2**63
"""What no integer of a file's format holds any more."""

Kind = Literal["text", "integer", "number", "truth"]
"""What a column holds. An integer may stand in a column of numbers."""


@dataclass(frozen=True)
class Column:
    """One column of a table whose rows come one after the other."""

    name: str
    """A unit stands in it: `cost_usd`, `duration_s`."""
    kind: Kind
    told: str = ""
    """What it means, in a line."""


@dataclass(frozen=True)
class Table:
    """Rows of one kind; a unit stands in its column's name (`cost_usd`, `duration_s`)."""

    name: str
    """One word with underscores: of a file, or of a part of one."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        """Raises ValueError for a row of another length."""
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name}: {len(row)} cells for {len(self.columns)} columns")

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Of each column, by what is known in it: text where nothing is, or where kinds are mixed."""
        return tuple(
            kind_of([row[place] for row in self.rows]) for place in range(len(self.columns))
        )


def table(name: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    """A table of any sequences."""
    return Table(name, tuple(columns), tuple(tuple(row) for row in rows))


def kind_of(cells: Sequence[Cell]) -> Kind:
    """What all cells that are known can be held as."""
    known = {type(cell) for cell in cells if cell is not None}
    if known == {bool}:
        return "truth"
    if known == {int} and all(cell is None or abs(cell) < BEYOND for cell in cells):  # type: ignore[arg-type]
        return "integer"
    return "number" if known and known <= {int, float} else "text"
