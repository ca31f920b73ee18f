"""Remember what statements of one shape read: those that differ only in what a column is compared with."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from tools.sql.access import dialect_named
from tools.sql.outline import LONGEST, Recent, outline

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

Fields = tuple[str, ...]


class Shapes:
    """The fields of the latest statements, by shape. Safe to be asked from several threads."""

    def __init__(self, dialect: str, most: int, *, exact: bool) -> None:
        """`exact`: the values themselves count, as where facts are asked for by name."""
        self._dialect = dialect_named(dialect)
        self._exact = exact
        self._known: Recent[Hashable, Fields] = Recent(most)

    def of(self, sql: str) -> Hashable:
        """What two statements have in common that read the same fields; the text where it is long."""
        if self._exact or len(sql) > LONGEST:
            return sql
        if (plain := outline(sql)) is not None:
            return plain
        try:
            tokens = self._dialect.tokenize(sql)
        except Exception:  # noqa: BLE001 - what sqlglot cannot follow stands for itself
            return sql
        return _shape(tokens)

    def fields(self, shape: Hashable) -> Fields | None:
        """What a statement of this shape read; None where none is remembered."""
        return self._known.get(shape)

    def keep(self, shape: Hashable, read: Callable[[], Fields]) -> Fields:
        """Find out what it reads, and remember it."""
        fields = read()
        self._known.keep(shape, fields)
        return fields


def _shape(tokens: list[Token]) -> Hashable:
    from sqlglot.tokenizer_core import TokenType

    compared = {
        *(TokenType.EQ, TokenType.NEQ, TokenType.GT, TokenType.GTE, TokenType.LT, TokenType.LTE),
        *(TokenType.LIKE, TokenType.ILIKE),
    }
    shape: list[object] = []
    before = None
    for token in tokens:
        kind = token.token_type
        is_value = before in compared and kind in (TokenType.STRING, TokenType.NUMBER)
        shape.append(kind if is_value else (kind, token.text))
        before = kind
    return tuple(shape)
