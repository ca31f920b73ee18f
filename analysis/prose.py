"""Set an agent's text in lines: headings and list entries look so, and every letter stays."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from markupsafe import Markup

from analysis.quotes import Span, mark

_HEADING = re.compile(r"\s*#{1,6}\s+(?=\S)")
_ENTRY = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")


def typeset(text: str, spans: Iterable[Span] = ()) -> Markup:
    """The text line by line, each span marked wherever its quote runs through lines.

    Agents write their reports in a plain kind of Markdown. Only what is safe to know from a line
    alone is shown: a heading's sign is put aside in an element of its own, a list entry gets a
    hanging indent. The text of the result is the text that was given, letter for letter.
    """
    waiting = list(spans)
    out, at = Markup(), 0
    for line in text.splitlines(keepends=True):
        end = at + len(line)
        kind, sign = "line", 0
        if found := _HEADING.match(line):
            kind, sign = "line heading", found.end()
        elif _ENTRY.match(line):
            kind = "line entry"
        elif not line.strip():
            kind = "line gap"
        body = _piece(text, at + sign, end, waiting)
        if sign:
            aside = _piece(text, at, at + sign, waiting)
            body = Markup('<span class="sign">{}</span>').format(aside) + body
        out += Markup('<span class="{}">{}</span>').format(kind, body)
        at = end
    return out


def _piece(text: str, low: int, high: int, spans: list[Span]) -> Markup:
    """A part of the text with the parts of the spans that fall into it."""
    inside = [
        replace(
            span,
            start=max(span.start, low) - low,
            end=min(span.end, high) - low,
            # The fragment leads to where the quote begins.
            id=span.id if span.start >= low else None,
        )
        for span in spans
        if span.start < high and span.end > low
    ]
    return mark(text[low:high], inside)
