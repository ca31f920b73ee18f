"""Cut a long document into pieces that overlap, so that no fact is lost at an edge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

SIZE: Final = 12_000
"""Characters of a piece, about 3,000 tokens."""
OVERLAP: Final = 800
"""Characters that two neighbours share."""
_EDGES: Final = ("\n\n", "\n", ". ", " ")
"""Where a cut hurts least, first to last."""


def pieces(text: str, size: int = SIZE, overlap: int = OVERLAP) -> Iterator[str]:
    """The text in pieces of at most `size` characters; nothing for an empty one."""
    if not 0 <= overlap < size // 2:
        raise ValueError("an overlap is less than half of a piece")
    start, end = 0, len(text)
    while start < end:
        if end - start <= size:
            piece, after = text[start:], end
        else:
            after = _cut(text, start + size // 2, start + size)
            piece = text[start:after]
        if piece.strip():
            yield piece
        start = after if after >= end else after - overlap


def _cut(text: str, low: int, high: int) -> int:
    """Behind the last good edge between two places; at the second where there is none."""
    for edge in _EDGES:
        found = text.rfind(edge, low, high)
        if found >= 0:
            return found + len(edge)
    return high


def window(text: str, quote: str, size: int = SIZE) -> str:
    """As much around a quote as a piece holds."""
    if len(text) <= size:
        return text
    # The quote's first words: white space may differ from the text's.
    at = text.find(quote)
    if at < 0:
        words = quote.split()
        at = max(0, text.find(" ".join(words[:3])))
    start = max(0, min(at - size // 3, len(text) - size))
    return text[start : start + size]
