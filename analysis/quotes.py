"""Find a checker's quote in a text word for word, and mark it there; and the numbers of a text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from markupsafe import Markup, escape


@dataclass(frozen=True)
class Span:
    """A quote's place in a text."""

    start: int
    end: int
    item: str
    """The key of the checklist item that it decided, in `data-item`; of a number its own fragment."""
    id: str | None = None
    """The fragment that links name; only the quote's first piece carries it."""
    tone: str = "supported"
    kind: Literal["quote", "number"] = "quote"
    """A number is a link to itself: whoever follows it asks where it comes from."""


def locate(text: str, quote: str | None) -> tuple[int, int] | None:
    """Where the quote stands word for word; differing white space alone is forgiven.

    None where there is no quote, or the text does not hold it: nothing is marked then, rather
    than a passage that merely resembles it.
    """
    if not quote or not quote.strip():
        return None
    if (start := text.find(quote)) >= 0:
        return start, start + len(quote)
    places = [i for i, char in enumerate(text) if not char.isspace()]
    bare = "".join(text[i] for i in places)
    wanted = "".join(quote.split())
    start = bare.find(wanted)
    while start >= 0:
        first, last = places[start], places[start + len(wanted) - 1]
        if text[first : last + 1].split() == quote.split():
            return first, last + 1
        start = bare.find(wanted, start + 1)
    return None


def mark(text: str, spans: Iterable[Span]) -> Markup:
    """The text, escaped, with each span inside `<mark>` elements that carry its item, numbers in `<a>`.

    Spans may nest or overlap: a span that sticks out of another is cut into pieces, which
    joined in order give the quote. Empty spans and spans beyond the text are left out.
    """
    inside = [s for s in spans if 0 <= s.start < s.end <= len(text)]
    return _emit(text, 0, len(text), inside)


def _emit(text: str, low: int, high: int, spans: list[Span]) -> Markup:
    out, at = Markup(), low
    waiting = sorted(spans, key=lambda s: (s.start, -s.end))
    while waiting:
        outer = waiting.pop(0)
        within = [s for s in waiting if s.start < outer.end]
        rest = [s for s in waiting if s.start >= outer.end]
        # What sticks out goes on behind the outer span, without the id that its head carries.
        rest += [replace(s, start=outer.end, id=None) for s in within if s.end > outer.end]
        heads = [replace(s, end=min(s.end, outer.end)) for s in within]
        out += escape(text[at : outer.start]) + _open(outer)
        out += _emit(text, outer.start, outer.end, heads) + _close(outer)
        at, waiting = outer.end, sorted(rest, key=lambda s: (s.start, -s.end))
    return out + escape(text[at:high])


def _open(span: Span) -> Markup:
    name = Markup(' id="{}"').format(span.id) if span.id else Markup()
    if span.kind == "number":
        return Markup('<a class="claim"{} href="#{}">').format(name, span.item)
    return Markup('<mark{} data-item="{}" data-tone="{}">').format(name, span.item, span.tone)


def _close(span: Span) -> Markup:
    return Markup("</a>") if span.kind == "number" else Markup("</mark>")
