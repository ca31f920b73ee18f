"""A table seen as rows of entities: how SQL finds the entity's rows and what may be joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agent.profiler import quoting
from agent.profiler.columns import value_of
from agent.profiler.roles import Column, Role
from agent.profiler.schema import Field, Kind, Table


@dataclass(frozen=True)
class Join:
    """A way from a table to at most one row of another."""

    origin: str
    target: Table
    pairs: tuple[tuple[Field, Field], ...]
    """(column of the origin, column of the target), all of which must be equal."""
    exact: bool = True
    """False where a few keys occur twice in the target; those are left out of the join."""
    coverage: float = 1.0
    """Share of the origin's rows that find a row."""
    shared: frozenset[str] = frozenset()
    """Columns of the target that say what the origin says already, keys or not."""

    @property
    def composite(self) -> bool:
        """Whether several columns make the key."""
        return len(self.pairs) > 1

    def clause(self, alias: str, origin_alias: str = "f") -> str:
        """SQL for the LEFT JOIN."""
        target = quoting.name(self.target.name)
        if not self.exact:
            keys = ", ".join(quoting.name(there.name) for _, there in self.pairs)
            target = f"(SELECT * FROM {target} QUALIFY count(*) OVER (PARTITION BY {keys}) = 1)"
        equal = " AND ".join(
            f"{_as(here, there, origin_alias)} = {value_of(there, alias)}"
            for here, there in self.pairs
        )
        return f"LEFT JOIN {target} AS {alias} ON {equal}"

    def found(self, alias: str) -> str:
        """SQL that is true where the join found a row."""
        return f"{alias}.{quoting.name(self.pairs[0][1].name)} IS NOT NULL"


def _as(here: Field, there: Field, alias: str) -> str:
    value = value_of(here, alias)
    same = here.kind is there.kind or there.kind is not Kind.DATE
    return value if same else f"CAST({value} AS DATE)"


@dataclass(frozen=True)
class Relation:
    """Rows, some of which are the entity's."""

    table: Table
    words: str
    source: str
    """What stands after FROM; the table's own alias is f."""
    key: str
    """SQL for the entity that a row belongs to."""
    literal: str
    """SQL for this entity."""
    rows: int
    own: int
    columns: tuple[Column, ...]
    alone: bool = True
    """False where the entity is found only by way of another table."""
    joined: tuple[tuple[Join, str, tuple[Column, ...]], ...] = field(default=())
    """(join, alias, columns of the target under that alias)."""

    @property
    def apart(self) -> bool:
        """Whether no row is anybody else's."""
        return self.own == self.rows

    @property
    def mine(self) -> str:
        """SQL that is true for the entity's rows and never NULL."""
        return f"({self.key} IS NOT DISTINCT FROM {self.literal})"

    @property
    def where(self) -> str:
        """SQL that selects the entity's rows (plain equality, so that storage can be pruned)."""
        return f"{self.key} = {self.literal}"

    def reach(self, columns: Sequence[Column]) -> str:
        """What stands after FROM when these columns are read, joins included."""
        aliases = {column.alias for column in columns}
        needed = [join.clause(alias) for join, alias, _ in self.joined if alias in aliases]
        return " ".join([self.source, *needed])

    def of_role(self, *roles: Role) -> tuple[Column, ...]:
        """Own columns of these roles."""
        return tuple(c for c in self.columns if c.role in roles)

    @property
    def floor(self) -> int:
        """Of fewer rows nothing is said when two parts of the entity are compared."""
        return 30 if self.own >= 600 else max(3, self.own // 20)

    def with_joins(self, joined: Sequence[tuple[Join, str, tuple[Column, ...]]]) -> Relation:
        """The same rows with more to read."""
        return replace(self, joined=tuple(joined))
