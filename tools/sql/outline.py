"""A statement but for the values that it compares with: what two of them share that mean the same."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

LONGEST = 4000
"""Characters beyond which a statement is not taken apart: to do so takes as long as it is long."""
_UNCLEAR = re.compile(r"[\\$`\[#]|--|/\*|[^\x00-\x7f]")
"""With none of these in a text every dialect finds the same strings and names in it: nothing is escaped,
nothing is quoted in another way, nothing is a comment, and no space is a letter."""
_PIECES = re.compile(
    r"""(?P<before>(?:[=<>]|\bI?LIKE\b)\s*)(?:(?P<text>(?:'[^']*')+)|(?P<number>\d+(?:\.\d+)?)(?![\w.]))
    |'[^']*'|"[^"]*"|(?P<open>['"])""",
    re.IGNORECASE | re.VERBOSE,
)
_TEXT, _NUMBER = "\0text", "\0number"
"""Stand for a value. No statement that is looked at further holds a NUL."""


def outline(sql: str) -> str | None:
    """The text with a mark for each string and number that stands behind a comparison.

    Texts of one outline are the same tokens to a parser, but for those values. None for a text that
    might be divided in more than one way, and for a long one.
    """
    if len(sql) > LONGEST or "\0" in sql or _UNCLEAR.search(sql):
        return None
    parts: list[str] = []
    place = 0
    for piece in _PIECES.finditer(sql):
        if piece["open"]:
            return None
        if piece["before"]:
            parts += (sql[place : piece.end("before")], _TEXT if piece["text"] else _NUMBER)
            place = piece.end()
    parts.append(sql[place:])
    return "".join(parts)


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The latest things that were found out. Safe to be asked from several threads."""

    def __init__(self, most: int) -> None:
        """`most`: of them; 0 remembers none."""
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """What was kept; None where nothing is remembered."""
        with self._lock:
            if (found := self._known.get(key)) is not None:
                self._known.move_to_end(key)
            return found

    def keep(self, key: K, value: V) -> None:
        """Remember it, and forget what was not asked for the longest."""
        with self._lock:
            self._known[key] = value
            self._known.move_to_end(key)
            if len(self._known) > self._most:
                self._known.popitem(last=False)
