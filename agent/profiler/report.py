"""Turn the findings into the report: the most surprising first, grouped by theme."""

from __future__ import annotations

from collections.abc import Sequence

from agent.profiler.ledger import choose
from agent.profiler.probe import Finding, Theme
from agent.profiler.sentences import Voice, sentence

ROOM = 200
"""Sentences of the report, its frame left out."""
LEAST = 0.5
"""What tells less than this is left out even where there is room."""
MESSAGE = 3
"""Sentences of a message-wise insight."""


def message(findings: Sequence[Finding]) -> str | None:
    """The turn's insight: its most telling sentences, None where nothing was found."""
    best = sorted(findings, key=lambda f: -f.surprise)[:MESSAGE]
    return " ".join(f.text for f in best) or None


def render(
    voice: Voice, findings: Sequence[Finding], frame: Sequence[str], *, silent: bool = False
) -> str:
    """The report: `frame` says what was looked at, then the findings under their headings.

    Where there are none it says that nothing stands out, unless it is to be `silent` about that.
    """
    kept = choose([f for f in findings if f.surprise >= LEAST], ROOM)
    if not kept:
        nothing = [] if silent else [sentence(f"nothing stands out about {voice.who}")]
        return "\n".join([*frame, *nothing])
    themes: dict[Theme, list[Finding]] = {}
    for finding in kept:
        themes.setdefault(finding.theme, []).append(finding)
    lines = list(frame)
    for theme, found in themes.items():
        lines += ["", f"## {theme.value}", ""]
        lines += [f"- {finding.text}" for finding in found]
    return "\n".join(lines)
