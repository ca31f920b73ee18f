"""Cut a statement into tokens exactly as PostgreSQL's own scanner does, so that nothing hides from the gate.

PostgreSQL cannot be asked for a parse without running one, and another project's tokenizer disagrees
with it in places: nested comments, `--` that ends at a carriage return, `/*+ ' */`, E'' strings that go on
after a line break, dollar quotes behind an identifier. Each such place would let code pose as text.
The rules are those of PostgreSQL's scan.l with standard_conforming_strings on, which each
connection of ours sets. Where a version would end in a syntax error, any answer will do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["word", "quoted", "string", "number", "sign"]


@dataclass(frozen=True)
class Token:
    """One token; comments and white space are none."""

    kind: Kind
    text: str
    """A word folded to lower case, a quoted name without its quotes; a string's text is left out."""
    start: int
    """Where it begins in the statement, in characters."""

    @property
    def is_name(self) -> bool:
        """Whether it can name a function, a table or a column."""
        return self.kind in {"word", "quoted"}


class LexError(ValueError):
    """The text ends inside a string, a comment or a quoted name, or names things in escapes."""


_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_LINE_COMMENT = re.compile(r"--[^\n\r]*")
_WORD = re.compile(r"[A-Za-z_\x80-\U0010ffff][A-Za-z_0-9$\x80-\U0010ffff]*")
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_PARAMETER = re.compile(r"\$\d+")
_DOLLAR = re.compile(r"\$(?:[A-Za-z_\x80-\U0010ffff][A-Za-z_0-9\x80-\U0010ffff]*)?\$")
_PLAIN_END = re.compile(r"'")
_ESCAPED_END = re.compile(r"(?:[^'\\]++|\\.)*+'", re.DOTALL)
_GOES_ON = re.compile(r"[ \t\f\v]*+(?:--[^\n\r]*+)?+[\n\r](?:[ \t\n\r\f\v]++|--[^\n\r]*+[\n\r])*+'")
"""Between two parts of one string: white space with a line break in it, comments among it. Each part
takes all that it can and gives nothing back, or 35 spaces would take an hour."""
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_STRING_PREFIXES = frozenset("eEbBxXnN")
_UPPER = {ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
"""PostgreSQL folds these alone in a multi-byte encoding."""


def tokens(sql: str) -> list[Token]:
    """All tokens of a text. Raises LexError, also on a NUL and on a name in Unicode escapes."""
    if "\0" in sql:
        raise LexError("the text holds a NUL")
    found: list[Token] = []
    at = 0
    while at < len(sql):
        if blank := _SPACE.match(sql, at) or _LINE_COMMENT.match(sql, at):
            at = blank.end()
        elif sql.startswith("/*", at):
            at = _after_comment(sql, at)
        else:
            token, at = _token(sql, at)
            found.append(token)
    return found


def _token(sql: str, at: int) -> tuple[Token, int]:
    """The token that begins here, and where it ends."""
    sign = sql[at]
    after = sql[at + 1 : at + 2]
    if sign == "'" or (sign in _STRING_PREFIXES and after == "'"):
        start = at + 1 if sign == "'" else at + 2
        return Token("string", "", at), _after_string(sql, start, escapes=sign in "eE")
    if sign in "uU" and after == "&" and sql[at + 2 : at + 3] in {"'", '"'}:
        if sql[at + 2] == '"':
            raise LexError('a name in Unicode escapes (U&"...") cannot be judged; write it out')
        return Token("string", "", at), _after_string(sql, at + 3, escapes=False)
    if sign == '"':
        return _quoted(sql, at)
    if word := _WORD.match(sql, at):
        return Token("word", word[0].translate(_UPPER), at), word.end()
    if number := _NUMBER.match(sql, at) or _PARAMETER.match(sql, at):
        return Token("number", number[0], at), number.end()
    if dollar := _DOLLAR.match(sql, at):
        end = sql.find(dollar[0], dollar.end())
        if end < 0:
            raise LexError("a dollar-quoted string does not end")
        return Token("string", "", at), end + len(dollar[0])
    return Token("sign", sign, at), at + 1


def _after_comment(sql: str, at: int) -> int:
    depth = 0
    for edge in _COMMENT_EDGE.finditer(sql, at):
        depth += 1 if edge[0] == "/*" else -1
        if depth == 0:
            return edge.end()
    raise LexError("a comment does not end")


def _after_string(sql: str, at: int, *, escapes: bool) -> int:
    """Behind a string whose opening quote ends at `at`; a part after a line break belongs to it."""
    ending = _ESCAPED_END if escapes else _PLAIN_END
    while True:
        end = ending.match(sql, at) if escapes else ending.search(sql, at)
        if end is None:
            raise LexError("a string does not end")
        at = end.end()
        if sql.startswith("'", at):
            at += 1
        elif more := _GOES_ON.match(sql, at):
            at = more.end()
        else:
            return at


def _quoted(sql: str, at: int) -> tuple[Token, int]:
    start, end = at + 1, at + 1
    while True:
        end = sql.find('"', end)
        if end < 0:
            raise LexError("a quoted name does not end")
        if not sql.startswith('""', end):
            return Token("quoted", sql[start:end].replace('""', '"'), at), end + 1
        end += 2
