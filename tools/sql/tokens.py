"""A statement's words by DuckDB's own tokenizer: how deep they nest, and what an EXPLAIN wraps."""

from __future__ import annotations

import re
from collections.abc import Iterator

import duckdb

DEEPEST = 200
"""Levels of brackets, or signs in a row. Where DuckDB's parser fails in the end, it takes time and
memory with the square of them, and cannot be interrupted."""
MOST_DOUBLING = 6
"""PIVOTs, and WITHs and lambdas inside one another. Each level of WITH takes the parser seven times
as long (six 0.1 s, nine 20 s), each level of the others the binder twice."""
_DOUBLING = frozenset({"with", "lambda", "->"})
_PIVOTS = frozenset({"pivot", "pivot_wider"})
_NAMES = (duckdb.token_type.identifier, duckdb.token_type.keyword)
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_SPACES = re.compile("[\u00a0\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]")
"""White space to DuckDB's parser, and parts of names to its tokenizer."""
_NO_PREFIX = bytes(set(range(128)) - set(b"!#$%&@^`|~+-?:\\"))
"""ASCII characters that never stand in front of one another without end in what may be parsed."""


def is_too_deep(sql: str) -> bool:
    """Whether the parser might take seconds, or all memory, before anyone could stop it."""
    raw = sql.encode().lower()
    brackets = sum(map(raw.count, (b"(", b"[", b"{")))
    doubling = sum(map(raw.count, (b"with", b"lambda", b"->", b"pivot")))
    signs = len(raw.translate(None, _NO_PREFIX))
    if brackets <= DEEPEST and signs <= DEEPEST and doubling <= MOST_DOUBLING:
        return False  # nothing can be nested deeper than it occurs; spares the walk below
    return Tokens(sql).are_too_deep()


class Tokens:
    """The words of one text, in lower case and without its comments."""

    def __init__(self, sql: str) -> None:
        comment = duckdb.token_type.comment
        operator = duckdb.token_type.operator
        self._raw = sql.encode()
        if not sql.isascii():
            sql = _SPACES.sub(lambda space: " " * len(space[0].encode()), sql)
        words = sql.encode()
        tokens = duckdb.tokenize(sql)
        ends = [start for start, _ in tokens[1:]]
        ends.append(len(self._raw))
        self.words: list[str] = []
        self._starts: list[int] = []
        self._are_signs: list[bool] = []
        self._are_names: list[bool] = []
        for (start, kind), end in zip(tokens, ends, strict=True):
            if kind is not comment:
                self.words.append(words[start:end].decode(errors="replace").strip().lower())
                self._starts.append(start)
                self._are_signs.append(kind is operator)
                self._are_names.append(kind in _NAMES)

    def are_too_deep(self) -> bool:
        """Whether they are nested beyond DEEPEST or MOST_DOUBLING."""
        opened: list[bool] = []  # per open bracket, whether a word that doubles stands in it
        row = pivots = doubled = 0
        for word, is_sign in zip(self.words, self._are_signs, strict=True):
            row = row + 1 if is_sign else 0
            if word in _OPENING:
                opened.append(False)
            elif word in _CLOSING:
                doubled -= opened.pop() if opened else 0
            elif word in _DOUBLING and opened and not opened[-1]:
                opened[-1] = True
                doubled += 1
            elif word in _PIVOTS:
                pivots += 1
            if row > DEEPEST or len(opened) > DEEPEST or pivots + doubled > MOST_DOUBLING:
                return True
        return False

    @property
    def names(self) -> list[str]:
        """Every identifier and keyword, without quotes."""
        return [self._name(place) for place, is_name in enumerate(self._are_names) if is_name]

    def calls(self) -> Iterator[tuple[str, bool]]:
        """Every name with a bracket after it, and whether a comma stands in that bracket."""
        several = self._with_commas()
        for place, word in enumerate(self.words[1:]):
            if word == "(" and self._are_names[place]:
                yield self._name(place), place + 1 in several

    def shown(self) -> Iterator[str]:
        """Every name that follows a SHOW."""
        for place, word in enumerate(self.words[:-1]):
            if word == "show" and self._are_names[place + 1]:
                yield self._name(place + 1)

    def body(self) -> str:
        """The text without the semicolons and comments at its end."""
        place = len(self.words)
        while place and self.words[place - 1] == ";":
            place -= 1
        end = self._starts[place] if place < len(self._starts) else len(self._raw)
        return self._raw[:end].decode()

    def explained(self) -> Iterator[tuple[str, bool]]:
        """What an EXPLAIN may wrap, and whether that is run: first all that follows, then what
        follows options in brackets (EXPLAIN [ANALYZE] [(option, ...)] statement)."""
        runs = self.words[1:2] in (["analyze"], ["analyse"])
        place = 2 if runs else 1
        yield self._from(place), runs
        if self.words[place : place + 1] == ["("] and ")" in self.words[place:]:
            end = self.words.index(")", place)
            yield self._from(end + 1), runs or "analyze" in self.words[place:end]

    def _name(self, place: int) -> str:
        word = self.words[place]
        return word[1:-1].replace('""', '"') if word.startswith('"') else word

    def _with_commas(self) -> set[int]:
        """The places of the brackets in which a comma stands, but not in a bracket in between."""
        found: set[int] = set()
        opened: list[int] = []
        for place, word in enumerate(self.words):
            if word in _OPENING:
                opened.append(place)
            elif word in _CLOSING and opened:
                opened.pop()
            elif word == "," and opened:
                found.add(opened[-1])
        return found

    def _from(self, place: int) -> str:
        if place >= len(self._starts):
            return ""
        return self._raw[self._starts[place] :].decode()
