"""Where the numbers of a trajectory's insights come from: the turn, the call and the cell, in words and as places."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from analysis.keys import below, turn_key
from analysis.quotes import Span
from analysis.results import Cell, cells
from analysis.rulings import insight_place
from core.trajectory import Trajectory, Turn
from evaluator.grounding import claims_of, grounding_of
from evaluator.tracing.claimed import Window
from evaluator.tracing.tracing import Traced

_DIGITS: Final = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
_KINDS: Final = {"execute_query": "query", "execute_code": "Python cell"}
_HAIR: Final = 1e-9
_MOST_TEXT: Final = 300_000
"""Characters of one result that are searched, as many as were read when the number was traced."""


@dataclass(frozen=True)
class Shown:
    """Where a number stands on the page, for the script that lights it up."""

    call: int
    """Of the turn, from 1."""
    table: int | None = None
    """Of the call's result, from 0; None where it stands in text."""
    row: int = 0
    column: int = 0
    literal: str | None = None
    """As the text spells it; None in a table, or where it is not spelt there."""


@dataclass(frozen=True)
class Source:
    """What is said of one number."""

    said: str
    state: str
    """observed, derived, unclear, asked or not found."""
    href: str | None
    """The fragment of the turn that it comes from."""
    turn: int | None
    places: tuple[Shown, ...] = ()


def number_spans(
    trajectory: Trajectory, key: str = "", only: Container[int | None] | None = None
) -> dict[str, list[Span]]:
    """By insight: its numbers, each a link to itself. Untraced, which is what takes time.

    `only`: insights of these turns; None among them stands for the report.
    """
    found: dict[str, list[Span]] = {}
    for insight, names, claims in _named(trajectory, key, only):
        found[insight] = [
            Span(number.start, number.end, name, name, kind="number")
            for name, number in zip(names, claims, strict=True)
        ]
    return found


def sources(trajectory: Trajectory, key: str = "") -> dict[str, Source]:
    """By the fragment of each number of `number_spans`."""
    traced = {each.insight_id: each.numbers for each in grounding_of(trajectory).insights}
    turns = {turn.index: turn for turn in trajectory.turns}
    return {
        name: _source(number, turns, key)
        for insight, names, _ in _named(trajectory, key)
        for name, number in zip(names, traced[insight], strict=True)
    }


def as_json(found: dict[str, Source]) -> dict[str, Any]:
    """For the script of the page."""
    return {name: asdict(source) for name, source in found.items()}


def _named(
    trajectory: Trajectory, key: str, only: Container[int | None] | None = None
) -> Iterator[tuple[str, list[str], Sequence[Any]]]:
    """(insight, the fragments of its numbers, the numbers)."""
    counted: dict[str, int] = {}
    for insight, claims in claims_of(trajectory, only):
        place = insight_place(trajectory, insight, key)
        before = counted.get(place, 0)
        numbers = claims.numbers
        names = [below(place, f"number-{before + k}") for k in range(1, len(numbers) + 1)]
        counted[place] = before + len(numbers)
        yield insight.id, names, numbers


def _source(number: Traced, turns: dict[int, Turn], key: str) -> Source:
    turn = turns.get(number.turn) if number.turn is not None else None
    if number.state == "not found":
        return Source("no source found in what it was shown up to here", number.state, None, None)
    places = list(_places(number.sought, turn)) if turn is not None else []
    if turn is None or (number.is_beside and len(places) < len(number.sought)):
        return Source(f"{number.how}, which stand beside it", number.state, None, None)
    href = f"#{turn_key(key, turn.index)}"
    if number.state == "asked":
        text = f"turn {turn.index}: stands in its own query; no result shows it"
        return Source(text, number.state, href, turn.index)
    shown = tuple(place for place, _ in places)
    where = f"turn {turn.index}{_where(places, turn)}"
    how = number.how.partition(": ")[2] if number.how.startswith("noted at") else number.how
    told = where if how == "as shown" else f"{where}: {how}"
    if number.state == "unclear":
        told += "; so many figures lead near it that this may be chance"
    return Source(told, number.state, href, turn.index, shown)


def _where(places: Sequence[tuple[Shown, str]], turn: Turn) -> str:
    """', result of query 1, column mean_delay'; for operands of two places the result alone."""
    calls = list(dict.fromkeys(place.call for place, _ in places))
    if len(calls) != 1:
        return ""
    name = turn.tool_calls[calls[0] - 1].name if calls[0] <= len(turn.tool_calls) else ""
    same = [each for each in turn.tool_calls if each.name == name]
    kind = _KINDS.get(name, name)
    number = (
        f" {[c.name for c in turn.tool_calls[: calls[0]]].count(name)}" if len(same) > 1 else ""
    )
    columns = list(dict.fromkeys(column for _, column in places if column))
    told = f", column{'s' if len(columns) > 1 else ''} {' and '.join(columns)}" if columns else ""
    return f", result of {'the ' if not number else ''}{kind}{number}{told}"


def _places(windows: Sequence[Window], turn: Turn) -> Iterator[tuple[Shown, str]]:
    """The first place of each window in the turn's results, all in one call where one has all."""
    listed = [(number, result) for number, result in turn.answers if not result.is_error]
    best = [(call, r) for call, r in listed if all(_in(w, r.text) for w in windows)]
    for window in windows:
        for call, result in best[:1] or listed:
            if (found := _in(window, result.text)) is not None:
                cell, literal = found
                if cell.table is None:
                    yield Shown(call, literal=literal), ""
                else:
                    yield Shown(call, cell.table, cell.row, cell.column), cell.name
                break


def _in(window: Window, text: str) -> tuple[Cell, str | None] | None:
    """The first value in a window of sizes: a cell's own, else one in a text."""
    low, high = sorted((abs(window[0]), abs(window[1])))
    if window[0] <= 0 <= window[1]:
        low = 0.0

    def fits(value: float) -> bool:
        return low - _HAIR * high <= abs(value) <= high + _HAIR * high

    loose: tuple[Cell, str | None] | None = None
    for cell in cells(text[:_MOST_TEXT]):
        value = cell.value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if fits(value):
                if cell.table is not None:
                    return cell, None
                loose = loose or (cell, str(value))
        elif isinstance(value, str) and (spelt := _spelt(value, fits)) is not None:
            if cell.table is not None:
                return cell, spelt
            loose = loose or (cell, spelt)
    return loose


def _spelt(text: str, fits: Any) -> str | None:
    for found in _DIGITS.finditer(text):
        try:
            if fits(float(found[0].replace(",", ""))):
                return found[0]
        except (ValueError, OverflowError):
            continue
    return None
