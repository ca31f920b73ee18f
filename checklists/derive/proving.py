"""Prove a fact by the statement that a model proposed: it reads, it holds, and it hangs on the entity."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from checklists.derive.facts import Fact, Ruling
from checklists.derive.rules import figures
from checklists.evidence import Value, in_time, value_of
from checklists.statement import faults_of
from core.checklist import Expected
from core.errors import ChecklistError

if TYPE_CHECKING:
    import duckdb

SECONDS: Final = 20.0
"""A statement that takes longer proves nothing to an agent either."""
OTHERS: Final = 5
"""Entities whose value is looked at beside."""
_FIGURE: Final = re.compile(r"[-+]?\d[\d,]*(?:\.(\d+))?")


@dataclass(frozen=True)
class Proof:
    """What stands with a proved item."""

    sql: str
    expected: Expected
    difficulty: Literal["easy", "medium", "hard"]


@dataclass(frozen=True)
class EvidenceProver:
    """Runs evidence read-only, on what the agents of its entity see."""

    connection: duckdb.DuckDBPyConnection
    schema: Mapping[str, Collection[str]]
    entity_ids: Sequence[str]
    tables: Mapping[str, Collection[str]] = field(default_factory=dict)
    """What entities with tables of their own see; all others see the whole."""
    seconds: float = SECONDS

    def prove(self, fact: Fact, ruling: Ruling, entity_id: str) -> Proof | str:
        """The proof, or why there is none. Raises nothing: what cannot be proved waits for people."""
        if not ruling.sql or not ruling.figure:
            return "no statement was proposed"
        sql = ruling.sql.strip().rstrip(";")
        expected = expected_of(ruling.figure, fact.answer)
        if expected is None:
            return "the figure does not stand in the answer"
        try:
            if faults := faults_of(sql, self._seen(entity_id)):
                return f"the statement {faults[0]}"
            if reason := _unsound(sql, entity_id, expected):
                return reason
            with in_time(self.connection, self.seconds):
                value = value_of(self.connection, sql)
                if not expected.holds(value):
                    return f"the statement gives {_shown(value)}, the answer says {expected.value}"
                if not self._hangs_on(sql, entity_id, value):
                    return "the statement gives the same for every entity"
        except ChecklistError as exc:
            return str(exc)
        except RecursionError:
            return "the statement is nested without end"
        return Proof(sql, expected, _difficulty(sql))

    def _seen(self, entity_id: str) -> Mapping[str, Collection[str]]:
        own = self.tables.get(entity_id, self.schema)
        return {name: columns for name, columns in self.schema.items() if name in own}

    def _hangs_on(self, sql: str, entity_id: str, value: Value) -> bool:
        """Whether another entity has another value: what all have alike says nothing of this one."""
        others = [each for each in self.entity_ids if each != entity_id][:OTHERS]
        for other in others:
            try:
                if value_of(self.connection, _swapped(sql, entity_id, other)) != value:
                    return True
            except ChecklistError as exc:
                if str(exc).startswith("the evidence gives"):
                    return True  # no row of it, which is another answer as well
        return not others


def expected_of(figure: str, answer: str) -> Expected | None:
    """The value that evidence must give, by a figure of the answer; None where the answer lacks it.

    It may be off by half a unit of its last digit: '3.8' by 0.05.
    """
    found = _FIGURE.search(figure)
    if found is None:
        return None
    value = float(found[0].replace(",", ""))
    if value not in figures(answer):
        return None
    decimals = len(found[1] or "")
    return Expected(value=value, tolerance=0.5 * 10.0**-decimals + 1e-9)


def _unsound(sql: str, entity_id: str, expected: Expected) -> str | None:
    """Why a statement would prove nothing though it held: it does not look, or it knows the answer."""
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(sql, dialect="duckdb")
    literals = list(tree.find_all(exp.Literal))
    if not list(tree.find_all(exp.Table)):
        return "the statement reads no table"
    if not any(literal.this == entity_id for literal in literals):
        return "the statement does not select the entity"
    for literal in literals:
        if (
            literal.this != entity_id
            and not literal.is_string
            and expected.holds(float(literal.this))
        ):
            return "the statement holds the figure itself"
    return None


def _swapped(sql: str, entity_id: str, other: str) -> str:
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(sql, dialect="duckdb")
    for literal in list(tree.find_all(exp.Literal)):
        if literal.this == entity_id:
            # An id that is no number stays a text: what it says is never SQL.
            is_text = literal.is_string or not other.isdecimal()
            literal.replace(exp.Literal(this=other, is_string=is_text))
    return tree.sql(dialect="duckdb")


def _difficulty(sql: str) -> Literal["easy", "medium", "hard"]:
    """By the tables that are read and the SELECTs that it takes."""
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(sql, dialect="duckdb")
    made = {cte.alias_or_name.lower() for cte in tree.find_all(exp.CTE)}
    read = {table.name.lower() for table in tree.find_all(exp.Table)} - made
    steps = max(len(read), len(list(tree.find_all(exp.Select))))
    return "easy" if steps <= 1 else "medium" if steps == 2 else "hard"


def _shown(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)[:60]
