"""Admit one reading statement of PostgreSQL, judged on its tokens as the server would cut them.

What can be read and that nothing is written is a matter of the role and of the transaction
(tools/sql/engines/postgresql.py). The gate adds what those leave open: functions and views that show
the server or other sessions, that wait, lock, or run SQL out of a string; and clear words for all
that the transaction would refuse. It never changes the text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import ToolError
from tools.sql.engine import Admitted
from tools.sql.engines.text import EMPTY, refuse_no_text, several
from tools.sql.pg.lexer import LexError, Token, tokens
from tools.sql.pg.reach import (
    HINTS,
    INFORMATION_SCHEMA,
    LOOKING_ELSEWHERE,
    OUT_OF_REACH,
    PG_NAMES,
    STATEMENTS,
    VOLATILE,
)

if TYPE_CHECKING:
    from sqlglot import exp

READS = frozenset({"select", "with", "values", "table"})
FOLLOWED = 20_000
"""Characters beyond which sqlglot is not asked for the tables: its time grows with their square."""


@dataclass(frozen=True)
class Function:
    """A function of the database, as far as the gate must know it."""

    name: str
    in_catalog: bool
    """Whether it is PostgreSQL's own."""
    is_volatile: bool
    as_owner: bool = False
    """SECURITY DEFINER: it runs with its owner's rights."""


@dataclass(frozen=True)
class Explained:
    """An EXPLAIN taken apart."""

    inner: str
    runs: bool
    """EXPLAIN ANALYZE runs what it explains."""


class Gate:
    """Judges statements for one database. Holds no state that changes."""

    def __init__(self, functions: Iterable[Function], columns: Iterable[str]) -> None:
        """`columns` are the names of the tables' own columns, which no rule may refuse."""
        functions = list(functions)
        own = {f.name for f in functions if f.in_catalog and not f.is_volatile}
        refused = {f.name for f in functions if f.is_volatile}
        refused |= {f.name for f in functions if f.as_owner}
        owners = {f.name for f in functions if not f.in_catalog} & own
        # A name that PostgreSQL has itself (lower, date) stays, whatever else is called so.
        self._refused = (refused - VOLATILE - owners) | OUT_OF_REACH
        self._columns = frozenset(columns)

    def admit(self, sql: str) -> Admitted:
        """The statement, if it may run. Raises ToolError `refused`, or `sql` on bad syntax."""
        refuse_no_text(sql)
        found = _tokens(sql)
        count = _statements(found)
        if count == 0:
            raise ToolError(EMPTY, kind="sql")
        if count > 1:
            raise several(count)
        first = _first_word(found)
        if first not in {*READS, "explain"}:
            raise _refusal(first)
        self._check_names(found)
        if first == "explain":
            explained = explained_by(sql)
            tables = _followed(explained.inner)
            return Admitted(reads=explained.inner if explained.runs else None, tables=tables)
        return Admitted(reads=sql, tables=_followed(sql))

    def _check_names(self, found: Sequence[Token]) -> None:
        hidden = [
            token.text
            for place, token in enumerate(found)
            if token.is_name and self._is_hidden(found, place)
        ]
        if hidden:
            named = list(dict.fromkeys(hidden))
            raise ToolError(
                f"{named[0]} is out of reach: {HINTS['hidden']}",
                kind="refused",
                violations=tuple(f"sql: {name}" for name in named),
            )

    def _is_hidden(self, found: Sequence[Token], place: int) -> bool:
        name = found[place].text
        follows_dot = _follows_dot(found, place)
        if follows_dot and found[place - 2].text == "information_schema":
            return name not in INFORMATION_SCHEMA
        if _is_called(found, place):
            return self._is_refused(name)
        if name in self._columns:
            return False
        # `(row).name` calls name(row).
        return self._is_refused(name) if follows_dot else is_servers_own(name)

    def _is_refused(self, name: str) -> bool:
        return is_servers_own(name) or name in self._refused


def is_servers_own(name: str) -> bool:
    """Whether a name is PostgreSQL's own, and does not describe the database's tables."""
    return name.startswith("pg_") and name not in PG_NAMES


def explained_by(sql: str) -> Explained:
    """What an EXPLAIN explains. Raises ToolError where that is not a read."""
    found = _tokens(sql)
    words = [token.text for token in found]
    place = 1
    if _is_options(found):
        while place < len(found) and (words[place] != ")" or found[place].kind != "sign"):
            place += 1
        place += 1
    else:
        while words[place : place + 1] and words[place] in {"analyze", "analyse", "verbose"}:
            place += 1
    inner = found[place:]
    if not inner or _first_word(inner) not in READS:
        raise ToolError(
            f"this EXPLAIN is refused: {HINTS['explain']}; {HINTS['write']}", kind="refused"
        )
    runs = bool({"analyze", "analyse"} & set(words[1:place]))
    return Explained(inner=sql[inner[0].start :], runs=runs)


def is_explain(sql: str) -> bool:
    """Whether an admitted statement is an EXPLAIN."""
    return _tokens(sql)[0].text == "explain"


def _is_options(found: Sequence[Token]) -> bool:
    """Whether a bracket behind EXPLAIN holds options: that of a query begins with another word."""
    opens = [token.kind == "sign" and token.text == "(" for token in found[1:2]] == [True]
    return opens and len(found) > 2 and found[2].is_name and found[2].text not in READS


def _tokens(sql: str) -> list[Token]:
    try:
        return tokens(sql)
    except LexError as exc:
        raise ToolError(f"the query cannot be read: {exc}", kind="sql") from exc


def _statements(found: Sequence[Token]) -> int:
    """How many statements there are; an empty one between semicolons counts for nothing."""
    count, inside = 0, False
    for token in found:
        if token.kind == "sign" and token.text == ";":
            inside = False
        elif not inside:
            count, inside = count + 1, True
    return count


def _first_word(found: Sequence[Token]) -> str:
    for token in found:
        if token.kind != "sign" or token.text != "(":
            return token.text or "a string"
    return "("


def _is_called(found: Sequence[Token], place: int) -> bool:
    return place + 1 < len(found) and found[place + 1].text == "(" and not found[place + 1].is_name


def _follows_dot(found: Sequence[Token], place: int) -> bool:
    return place > 1 and found[place - 1].kind == "sign" and found[place - 1].text == "."


def _refusal(first: str) -> ToolError:
    if first not in STATEMENTS:
        return ToolError(
            f'syntax error at "{first}": a query begins with SELECT, WITH, VALUES, TABLE or EXPLAIN',
            kind="sql",
        )
    said = HINTS.get(first, HINTS["write"])
    violations = (f"sql: {first.upper()}",) if first in LOOKING_ELSEWHERE else ()
    return ToolError(f"{first.upper()} is refused: {said}", kind="refused", violations=violations)


def _followed(sql: str) -> tuple[str, ...]:
    """The names in FROM, as far as sqlglot can follow; a write that it sees is refused at once.

    A gap in sqlglot costs a friendlier word and no safety: the transaction can only read.
    """
    if len(sql) > FOLLOWED:
        return ()
    from sqlglot import exp

    tree = _parsed(sql)
    if tree is None:
        return ()
    if tree.find(exp.DML, exp.DDL, exp.Into):
        raise ToolError(f"a write is refused: {HINTS['write']}", kind="refused")
    if tree.find(exp.Lock):
        raise ToolError(
            "FOR UPDATE and FOR SHARE are refused: rows cannot be locked here", kind="refused"
        )
    names = (table.name for table in tree.find_all(exp.Table) if table.name)
    return tuple(dict.fromkeys(names))


def _parsed(sql: str) -> exp.Expr | None:
    import sqlglot
    from sqlglot.errors import SqlglotError

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    parse: Callable[..., list[exp.Expr | None]] = sqlglot.parse
    try:
        trees = parse(sql, read="postgres")
    except (SqlglotError, RecursionError):
        return None
    return trees[0] if trees else None
