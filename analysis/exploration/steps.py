"""What each turn of a trajectory did: what it read, how it asked, what came back, what it cost in tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.exploration.breadth import Look, looks
from analysis.exploration.complexity import Complexity, Statement, statements
from analysis.exploration.fields import PYTHON_TOOL, SQL_TOOL, Fields, Reading
from analysis.exploration.results import size_of
from analysis.exploration.tokens import NewTokens, new_tokens
from core.trajectory import ToolCall, Trajectory, Turn


@dataclass(frozen=True)
class Step:
    """One turn."""

    turn: int
    calls: int
    """Of any tool."""
    queries: int
    """Calls that ran SQL or Python, failed ones included."""
    python: int
    """Of them, Python."""
    errors: int
    """Calls of any tool that failed."""
    complexities: tuple[Complexity, ...]
    """Of the SQL that could be parsed."""
    unparsed: int
    """Statements that could not."""
    rows: tuple[int, ...]
    """Shown in each answer that is a table."""
    characters: tuple[int, ...]
    """Of each answer to SQL or Python that did not fail."""
    look: Look
    tokens: NewTokens


def steps_of(
    trajectory: Trajectory, read: Sequence[Reading], fields: Fields, dialect: str
) -> list[Step]:
    """One for each turn, in order. `dialect`: sqlglot's name of the database's."""
    turns = sorted(trajectory.turns, key=lambda turn: turn.index)
    seen = {look.turn: look for look in looks(read, fields, [turn.index for turn in turns])}
    tokens = {each.turn: each for each in new_tokens(trajectory)}
    kept: dict[tuple[str, str], list[Statement]] = {}
    return [_step(turn, dialect, seen[turn.index], tokens[turn.index], kept) for turn in turns]


def _step(
    turn: Turn,
    dialect: str,
    look: Look,
    tokens: NewTokens,
    kept: dict[tuple[str, str], list[Statement]],
) -> Step:
    asked = [call for call in turn.tool_calls if call.name in (SQL_TOOL, PYTHON_TOOL)]
    written = [each for call in asked for each in _statements(call, dialect, kept)]
    answers = [
        size_of(result)
        for result in turn.tool_results
        if result.name in (SQL_TOOL, PYTHON_TOOL) and not result.is_error
    ]
    return Step(
        turn=turn.index,
        calls=len(turn.tool_calls),
        queries=len(asked),
        python=sum(call.name == PYTHON_TOOL for call in asked),
        errors=sum(result.is_error for result in turn.tool_results),
        complexities=tuple(each.complexity for each in written if each.complexity),
        unparsed=sum(each.complexity is None for each in written),
        rows=tuple(size.rows for size in answers if size.rows is not None),
        characters=tuple(size.characters for size in answers),
        look=look,
        tokens=tokens,
    )


def _statements(
    call: ToolCall, dialect: str, kept: dict[tuple[str, str], list[Statement]]
) -> list[Statement]:
    """An agent repeats itself; parsing takes milliseconds each time."""
    key = call.name, call.arguments
    if key not in kept:
        kept[key] = statements(call, dialect)
    return kept[key]
