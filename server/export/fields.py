"""Tables of records: a field is a column, what it means, and how it is read off a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from analysis.table import Cell, Column, Kind
from core.trajectory import Usage

T = TypeVar("T")


@dataclass(frozen=True)
class Field(Generic[T]):
    """One column of records of one kind."""

    name: str
    kind: Kind
    told: str
    of: Callable[[T], Cell]
    is_answer: bool = False
    """Whether it may quote a checklist: left out unless answers are asked for."""

    @property
    def column(self) -> Column:
        """It as a column of a file."""
        return Column(self.name, self.kind, self.told)


@dataclass(frozen=True)
class Layout(Generic[T]):
    """A table of records of one kind, a row each."""

    name: str
    told: str
    """What a row is."""
    fields: tuple[Field[T], ...]
    holds_data: bool = True
    """Whether it names entities or holds what was read of them: nothing of it leaves a restricted
    scenario unless that is asked for."""
    holds_answers: bool = False
    """Whether it is the checklist's own text: there only where answers are asked for."""

    def shown(self, *, with_answers: bool) -> Layout[T]:
        """Without the columns that may quote a checklist, unless they are wanted."""
        kept = tuple(field for field in self.fields if with_answers or not field.is_answer)
        return Layout(self.name, self.told, kept, self.holds_data, self.holds_answers)

    @property
    def columns(self) -> tuple[Column, ...]:
        """As they stand in a file."""
        return tuple(field.column for field in self.fields)

    def rows(self, records: Iterable[T]) -> list[tuple[Cell, ...]]:
        """A row for each."""
        return [tuple(field.of(each) for field in self.fields) for each in records]


def moment(time: datetime | None) -> str | None:
    """ISO 8601, UTC."""
    return None if time is None else time.isoformat().replace("+00:00", "Z")


def listed(parts: Sequence[Any]) -> str | None:
    """Several values in one cell, with a space between; None where there is none."""
    return " ".join(str(part) for part in parts) or None


def usage_fields(of: Callable[[T], Usage | None], prefix: str = "") -> tuple[Field[T], ...]:
    """Columns for tokens and money; unknown stays unknown."""

    def field(name: str, kind: Kind, told: str) -> Field[T]:
        def value(record: T) -> Cell:
            usage = of(record)
            found: Cell = None if usage is None else getattr(usage, name)
            return found

        return Field(f"{prefix}{name}", kind, told, value)

    return (
        field("input_tokens", "integer", "All input tokens, cached ones included."),
        field("output_tokens", "integer", "All output tokens, reasoning included."),
        field("cached_input_tokens", "integer", "Of the input, read from the endpoint's cache."),
        field("cache_write_tokens", "integer", "Of the input, written to the endpoint's cache."),
        field("reasoning_tokens", "integer", "Of the output, reasoning."),
        field("cost_usd", "number", "Dollars; empty where no price is known."),
    )
