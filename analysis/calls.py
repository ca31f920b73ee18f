"""Show one tool call: what was asked, in colour, and what came back."""

from __future__ import annotations

import json
from dataclasses import dataclass

from markupsafe import Markup

from analysis.highlight import highlight
from analysis.results import ResultView, view
from core.trajectory import ToolCall, ToolResult, Turn

_LANGUAGES = {"query": "sql", "sql": "sql", "code": "python"}
"""The arguments that hold source text, by name."""
GIST_CHARS = 120


@dataclass(frozen=True)
class Budget:
    """How many characters of one text a page may show."""

    source: int = 8000
    result: int = 8000
    prose: int = 8000
    turns: int = 8000
    """Turns of one trajectory; those that decided an item are shown beside these."""
    skipped: int = 0
    """Turns before these, where a page goes on with a long one."""
    shown: bool = True
    """Whether cells may be shown at all."""


@dataclass(frozen=True)
class CallView:
    """One call as shown."""

    name: str
    gist: str
    """What was asked in one line."""
    source: Markup | None
    """SQL or Python, coloured; None where the call had none."""
    cut: int
    """Characters of the source that are left out."""
    arguments: tuple[tuple[str, str], ...]
    """The other arguments."""
    result: ResultView | None
    """None = no answer was stored."""
    duration_s: float | None
    is_error: bool
    error_kind: str | None
    truncated: bool
    """Whether the tool itself cut its answer, and said so to the agent."""
    violations: tuple[str, ...]
    figures: tuple[str, ...] = ()
    """Where the pictures are that it drew."""


def calls(turn: Turn, budget: Budget) -> list[CallView]:
    """The calls of a turn with their results, then results whose call is not stored."""
    results = {result.call_id: result for result in turn.tool_results}
    views = [_call(call, results.pop(call.call_id, None), budget) for call in turn.tool_calls]
    orphans = [
        _call(ToolCall(call_id=r.call_id, name=r.name, arguments="{}"), r, budget)
        for r in results.values()
    ]
    return views + orphans


def _call(call: ToolCall, result: ToolResult | None, budget: Budget) -> CallView:
    named = _arguments(call.arguments)
    name, source = next(((n, v) for n, v in named if n in _LANGUAGES), (None, None))
    text = (source or "")[: budget.source]
    return CallView(
        name=call.name,
        gist=_gist(source if source is not None else ", ".join(v for _, v in named)),
        source=None if name is None else highlight(text, _LANGUAGES[name]),
        cut=len(source or "") - len(text),
        arguments=tuple((n, v[: budget.source]) for n, v in named if n != name),
        result=view(result, budget=budget.result, shown=budget.shown) if result else None,
        duration_s=result.duration_s if result else None,
        is_error=bool(result and result.is_error),
        error_kind=result.error_kind if result else None,
        truncated=bool(result and result.truncated),
        violations=result.violations if result else (),
    )


def _arguments(emitted: str) -> list[tuple[str, str]]:
    """Argument names and values; a text that is no JSON object stands whole, without a name."""
    try:
        body = json.loads(emitted or "{}")
    except (ValueError, RecursionError):
        return [("", emitted)]
    if not isinstance(body, dict):
        return [("", emitted)]
    return [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in body.items()
    ]


def _gist(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= GIST_CHARS else line[: GIST_CHARS - 1] + "…"
