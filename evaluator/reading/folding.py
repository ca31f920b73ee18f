"""Bring a text to plain NFKC while every character keeps its place in the original."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

MAX_CHARS = 100_000
"""What is read of one insight: some 15 000 words. The rest is left unread."""

_PLAIN = {
    "\u2018": "'",
    "\u2019": "'",
    "\u2032": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2212": "-",
    "\u2010": "-",
    "\u2011": "-",
    "\u00a0": " ",
    "\u2009": " ",
    "\u202f": " ",
    "\u2007": " ",
    "\u00d7": "x",
    "\u2022": "*",
    "\u00b7": "*",
    "\r": "\n",
}
"""Signs with one plain equivalent of one character, so that places stay the same."""

_INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it is read, beside the text as it was written."""

    raw: str
    text: str
    """NFKC, quotes and dashes made plain, case kept."""
    offsets: list[int] | None
    """Place in `raw` of each character of `text`; None where they are the same."""

    def place(self, index: int) -> int:
        """Where in `raw` a character of `text` (or its end) stands."""
        if self.offsets is None:
            return index
        return self.offsets[index] if index < len(self.offsets) else len(self.raw)


def fold(raw: str) -> Folded:
    """NFKC of the first MAX_CHARS characters, sign by sign, in linear time."""
    raw = raw[:MAX_CHARS]
    plain = raw
    for sign, alike in _PLAIN.items():
        if sign in plain:
            plain = plain.replace(sign, alike)
    if plain.isascii() or (
        unicodedata.is_normalized("NFKC", plain) and not _INVISIBLE.intersection(plain)
    ):
        return Folded(raw, plain, None)
    pieces: list[str] = []
    offsets: list[int] = []
    done = 0
    for match in _NOT_ASCII.finditer(plain):
        place = match.start()
        sign = match.group()
        folded = "" if sign in _INVISIBLE else unicodedata.normalize("NFKC", sign)
        pieces += (plain[done:place], folded)
        offsets.extend(range(done, place))
        offsets.extend([place] * len(folded))
        done = place + 1
    pieces.append(plain[done:])
    offsets.extend(range(done, len(plain)))
    return Folded(raw, "".join(pieces), offsets)
