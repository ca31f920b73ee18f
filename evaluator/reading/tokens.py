"""Cut a folded text into words, numbers, codes, dates, clock times and marks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluator.reading.folding import Folded
from evaluator.reading.forms import Form, form

# Every alternative consumes what it looks at and none nests a repetition in a repetition of the
# same characters, so that hostile text costs linear time.
_TOKEN = re.compile(
    r"(?P<date>(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?(?!\d))"
    r"|(?P<clock>(?:[01]?\d|2[0-4]):[0-5]\d(?![\d:]))"
    r"|(?P<span>\d+(?:-\d+)+(?![.,]?\d|[^\W\d_]))"
    r"|(?P<code>[A-Z]{1,4}\d*(?:-[A-Z]*\d[A-Z\d]*)+(?![^\W_]))"
    r"|(?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[^\W\d_][^\W_]*)?)"
    r"|(?P<word>[^\W\d_][^\W_]*(?:'[^\W\d_]+)?)"
    r"|(?P<mark>[.!?;:,()\[\]|/=<>≥≤±~≈+%$€£&°–—-])"
)


@dataclass(slots=True)
class Tokens:
    """The words of a text, each with its place; parallel lists, one entry a token."""

    forms: list[Form]
    starts: list[int]
    """Places in the folded text."""
    ends: list[int]

    def __len__(self) -> int:
        return len(self.forms)


def tokenize(folded: Folded, start: int, end: int, into: Tokens) -> None:
    """Append the tokens of one stretch of the folded text."""
    forms, starts, ends = into.forms, into.starts, into.ends
    for match in _TOKEN.finditer(folded.text, start, end):
        forms.append(form(match.lastgroup, match.group()))
        low, high = match.span()
        starts.append(low)
        ends.append(high)
