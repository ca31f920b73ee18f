"""Cut a folded text into words, numbers, codes, dates, clock times and marks."""

from __future__ import annotations

import re
from itertools import accumulate, chain
from typing import TypeVar

from evaluator.reading.folding import Folded
from evaluator.reading.forms import Form, form

# Every alternative consumes what it looks at and none nests a repetition in a repetition of the
# same characters, so that hostile text costs linear time.
# Plain words come first: they are most of any text.
_KIND = re.compile(
    r"(?P<plain>[a-z]++(?![^\W_])(?!'[^\W\d_]))"
    r"|(?P<date>(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?(?!\d))"
    r"|(?P<clock>(?:[01]?\d|2[0-4]):[0-5]\d(?![\d:]))"
    r"|(?P<span>\d+(?:-\d+)+(?![.,]?\d|[^\W\d_]))"
    r"|(?P<code>[A-Z]{1,4}\d*(?:-[A-Z]*\d[A-Z\d]*)+(?![^\W_]))"
    r"|(?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[^\W\d_][^\W_]*)?)"
    r"|(?P<word>[^\W\d_][^\W_]*(?:'[^\W\d_]+)?)"
    r"|(?P<mark>[.!?;:,()\[\]|/=<>≥≤±~≈+%$€£&°–—-])"
)
_TOKEN = re.compile(rf"(?=\S)({re.sub(r'[(][?]P<[a-z]+>', '(?:', _KIND.pattern)})")
"""The same, its kinds untold: so texts are split at once, and a spelling is told its kind but once."""


T = TypeVar("T")

_REMEMBERED = 50_000
"""Spellings; a text may hold no end of them."""
_LONGEST_REMEMBERED = 64


class Tokens:
    """The words of a stretch of text; where each stands is worked out when asked."""

    __slots__ = ("_bounds", "_glued", "_start", "_text", "forms")

    def __init__(self, text: str, start: int) -> None:
        self._text, self._start = text, start
        # no token holds a space, and none looks behind one: what stands between two is known by itself
        written = text.replace("\n", " ").split(" ")
        self.forms = list(chain.from_iterable(map(_FORMS.__getitem__, written)))
        self._glued = list(chain.from_iterable(map(_GLUED.__getitem__, written)))
        self._bounds: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """The place of each token in the folded text."""
        return self._places()[1:-1:2]

    @property
    def ends(self) -> list[int]:
        """Where each token ends in the folded text."""
        return self._places()[2:-1:2]

    def _places(self) -> list[int]:
        if self._bounds is None:
            pieces = _TOKEN.split(self._text)
            self._bounds = list(accumulate(map(len, pieces), initial=self._start))
        return self._bounds

    def glued(self, i: int) -> bool:
        """Whether the token at `i` follows the one before it without a space."""
        return self._glued[i]

    def __len__(self) -> int:
        return len(self.forms)


def tokenize(folded: Folded, start: int, end: int) -> Tokens:
    """The tokens of one stretch of the folded text."""
    return Tokens(folded.text[start:end], start)


class _Forms(dict[str, tuple[Form, ...]]):
    """The tokens of what was met between two spaces: mostly a word, or a word and a comma.

    A plain dict, for all that a text holds is looked up here; an lru_cache moves it about besides.
    """

    def __missing__(self, written: str) -> tuple[Form, ...]:
        return _remember(self, written, tuple(map(_form, _TOKEN.split(written)[1::2])))


class _Glued(dict[str, tuple[bool, ...]]):
    """Of the same, whether each token follows the one before it at once."""

    def __missing__(self, written: str) -> tuple[bool, ...]:
        pieces = _TOKEN.split(written)
        return _remember(
            self, written, tuple(not gap and i > 0 for i, gap in enumerate(pieces[:-1:2]))
        )


def _remember(known: dict[str, T], written: str, found: T) -> T:
    if len(known) >= _REMEMBERED:
        known.clear()
    if len(written) <= _LONGEST_REMEMBERED:
        known[written] = found
    return found


def _form(spelling: str) -> Form:
    """The form of a token, whose spelling alone tells its kind."""
    match = _KIND.fullmatch(spelling)
    assert match is not None, spelling
    return form("word" if match.lastgroup == "plain" else match.lastgroup, spelling)


_FORMS, _GLUED = _Forms(), _Glued()
