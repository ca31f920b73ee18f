"""What an agent did in vain: queries that it had asked before, and loops of calls that keep failing."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from core.trajectory import RUN_LIMIT, ToolCall, ToolResult, Trajectory

ARGUMENTS: Final = {"execute_query": "query", "execute_code": "code"}
"""Tool -> the argument that holds what it is to run."""
SQL_TOOL: Final = "execute_query"
LOOP: Final = 3
"""Calls that make a loop, at least."""
ALIKE: Final = 0.6
"""From this share of common tokens on two codes are alike."""
_LONGEST: Final = 20_000
"""Characters beyond which SQL is not parsed, and of a code only so many are compared."""
_MOST_TOKENS: Final = 1_500
_TOKEN: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\w+|[^\w\s]")
_COMMENT: Final = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_IDLE: Final = frozenset({"as", "asc", "inner", "outer", "(", ")", ";", ","})
"""Tokens that two spellings of one query may differ in."""


class Asked(NamedTuple):
    """One call with its answer."""

    turn: int
    call: ToolCall
    result: ToolResult | None

    @property
    def code(self) -> str | None:
        """What was to be run; None of a tool that runs nothing, or of arguments that are no JSON object."""
        name = ARGUMENTS.get(self.call.name)
        if name is None:
            return None
        try:
            told = json.loads(self.call.arguments or "{}")
        except (ValueError, RecursionError):
            return self.call.arguments
        value = told.get(name) if isinstance(told, dict) else None
        return value if isinstance(value, str) else None

    @property
    def has_failed(self) -> bool:
        """Whether the tool answered with an error; what a limit of the run refused did not fail."""
        return bool(self.result and self.result.is_error and self.result.error_kind != RUN_LIMIT)


@dataclass(frozen=True)
class Repeats:
    """The SQL of one trajectory."""

    queries: int
    repeated: int
    """Those that say the same as an earlier one of the trajectory, however it is spelt."""
    after_error: int
    """Of them, those whose earlier one had failed each time."""


@dataclass(frozen=True)
class Loop:
    """Calls of one tool in a row that all failed, each like the one before it."""

    tool: str
    turns: tuple[int, ...]
    """Of the calls, in order; a turn with two of them stands twice."""
    got_out: bool | None
    """Whether the next call of the tool succeeded; None where there was none."""

    @property
    def calls(self) -> int:
        """How many failed."""
        return len(self.turns)


def asked(trajectory: Trajectory) -> list[Asked]:
    """Its calls in order; what a limit of the run refused is left out, for nothing was run."""
    found = []
    for turn in sorted(trajectory.turns, key=lambda turn: turn.index):
        answers = {result.call_id: result for result in turn.tool_results}
        for call in turn.tool_calls:
            result = answers.get(call.call_id)
            if result is None or result.error_kind != RUN_LIMIT:
                found.append(Asked(turn.index, call, result))
    return found


def repeats(calls: Sequence[Asked], dialect: str) -> Repeats:
    """Of one trajectory's calls. `dialect`: sqlglot's name of the database's.

    Two queries are the same where sqlglot writes them alike: case of keywords and names, blanks,
    comments and a last semicolon do not matter; what stands in quotes does.
    """
    known = [(each, each.code) for each in calls if each.call.name == SQL_TOOL]
    spelt = [(each, sql, _cheap(sql)) for each, sql in known if sql is not None]
    often = Counter(key for _, _, key in spelt)
    before: dict[str, bool] = {}
    repeated = after_error = 0
    for each, sql, key in spelt:
        # Nothing else can be equal to it: it need not be parsed.
        if often[key] < 2:
            continue
        same = _normal(sql, dialect)
        if same in before:
            repeated += 1
            after_error += before[same]
        before[same] = before.get(same, True) and each.has_failed
    return Repeats(len(spelt), repeated, after_error)


def loops(calls: Sequence[Asked]) -> list[Loop]:
    """The longest stretches of at least LOOP calls of one tool, all failed, each like the one before.

    Alike: difflib's share of common tokens is ALIKE at least. A call of another tool, one that succeeds and
    one that is unlike ends a stretch.
    """
    found: list[Loop] = []
    row: list[Asked] = []
    for place, each in enumerate(calls):
        goes_on = each.has_failed and each.code is not None
        if row and not (goes_on and _goes_on(row[-1], each)):
            found += _loop(row, calls[place:])
            row = []
        if goes_on:
            row.append(each)
    return [*found, *_loop(row, ())]


def _loop(row: Sequence[Asked], after: Sequence[Asked]) -> Iterator[Loop]:
    if len(row) >= LOOP:
        tool = row[0].call.name
        following = next((each for each in after if each.call.name == tool), None)
        yield Loop(
            tool,
            tuple(each.turn for each in row),
            None if following is None else not following.has_failed,
        )


def _goes_on(before: Asked, now: Asked) -> bool:
    return before.call.name == now.call.name and alike(before.code or "", now.code or "")


def alike(one: str, other: str) -> bool:
    """Whether two codes have most of their tokens in common, in their order."""
    mine, theirs = (_TOKEN.findall(code[:_LONGEST])[:_MOST_TOKENS] for code in (one, other))
    if mine == theirs:
        return True
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    return matcher.real_quick_ratio() >= ALIKE and (
        matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE
    )


def _cheap(sql: str) -> tuple[str, ...]:
    """The same of queries that are the same, and of some that are not; quick to be had."""
    tokens = _TOKEN.findall(_COMMENT.sub(" ", sql[:_LONGEST]))
    plain = (token if token.startswith("'") else token.strip('"').casefold() for token in tokens)
    return tuple(token for token in plain if token not in _IDLE)


def _normal(sql: str, dialect: str) -> str:
    """As sqlglot writes it; as it stands, without blanks at its ends, where it cannot be parsed."""
    import sqlglot
    from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

    bare = sql.strip().rstrip(";").strip()
    if len(bare) > _LONGEST:
        return bare
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    try:
        tree = normalize_identifiers(sqlglot.parse_one(bare, read=dialect), dialect=dialect)
        # All names in quotes: "a" and a are one.
        return tree.sql(dialect=dialect, comments=False, identify=True, normalize_functions="upper")
    except Exception:  # noqa: BLE001 - a gap in sqlglot costs one measure, not the analysis
        return bare
