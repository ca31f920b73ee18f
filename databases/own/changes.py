"""Carry out the map in SQL: ids replaced alike everywhere, dates moved by whole weeks, columns left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from core.sql import quote
from databases.own.anonymise import AnonymiseMap, ColumnRule

if TYPE_CHECKING:
    import duckdb

KEPT: Final = 200_000
"""Ids of one kind of which it is written down which is which; of more, the seed alone tells."""
_REAL: Final = ("1000-01-01", "9000-01-01")
"""Dates outside stand for 'never' or 'unknown', and are left where they are."""


class Changes:
    """What becomes of the raw tables."""

    def __init__(
        self, rules: AnonymiseMap, raw: Mapping[str, str], *, seed: str, weeks: int
    ) -> None:
        """`raw` is where each table of the source was loaded, as it stands in SQL."""
        self._rules, self._raw, self._seed, self._weeks = rules, raw, seed, weeks
        self._prefixes = prefixes(list(rules.kinds()))

    def name_ids(self, connection: duckdb.DuckDBPyConnection) -> None:
        """One table per kind: each id with its new name, in an order that tells nothing.

        The order is that of keyed sha-256 hashes, so that it is the same on every machine.
        """
        for kind, columns in self._rules.kinds().items():
            ids = " UNION ".join(
                f"SELECT {self._as_text(key, column)} AS id FROM {self._raw[key]} "
                f"WHERE {quote(column)} IS NOT NULL"
                for key, column in columns
            )
            connection.execute(
                f"CREATE TEMP TABLE {self._ids(kind)} AS SELECT id, $prefix || "
                "lpad(CAST(place AS VARCHAR), CAST(strlen(CAST(count(*) OVER () AS VARCHAR)) AS INTEGER), '0') AS name "
                "FROM (SELECT id, row_number() OVER (ORDER BY sha256($key || id), id) AS place "
                f"FROM ({ids}))",
                {"prefix": self._prefixes[kind], "key": f"{self._seed}\x1f{kind}\x1f"},
            )

    def replaced(self) -> dict[str, str]:
        """Each kind with the table that holds its true ids in the column `id`."""
        return {kind: self._ids(kind) for kind in self._rules.kinds()}

    def table(self, key: str) -> str:
        """The statement that makes one table as agents see it, sorted by its ids and times."""
        rule = self._rules.tables[key]
        cells, joins, order = [], [], []
        for number, (column, each) in enumerate(rule.columns.items()):
            if each.change == "drop":
                continue
            shown = self._cell(column, each, number)
            if each.change == "id" and each.kind is not None:
                joins.append(
                    f"LEFT JOIN {self._ids(each.kind)} i{number} "
                    f"ON i{number}.id = {self._as_text(key, column, 't.')}"
                )
            cells.append(f"{shown} AS {quote(each.name)}")
            rank = (
                0
                if each.kind == self._rules.entity and each.kind
                else 1
                if each.change == "id"
                else 2
            )
            if each.change in ("id", "shift"):
                order.append((rank, number, quote(each.name)))
        sorting = ", ".join(name for *_, name in sorted(order)[:4])
        return (
            f"CREATE TABLE {quote(rule.name)} AS SELECT {', '.join(cells)} "
            f"FROM {self._raw[key]} t {' '.join(joins)}{f' ORDER BY {sorting}' if sorting else ''}"
        )

    def secrets(self, connection: duckdb.DuckDBPyConnection) -> dict[str, Any]:
        """What undoes the changes, for $DDR_HOME/secrets; None for a kind with very many ids."""
        ids: dict[str, dict[str, str] | None] = {}
        for kind in self._rules.kinds():
            rows = connection.execute(
                f"SELECT id, name FROM {self._ids(kind)} LIMIT {KEPT + 1}"
            ).fetchall()
            ids[kind] = None if len(rows) > KEPT else dict(rows)
        return {"seed": self._seed, "weeks": self._weeks, "ids": ids}

    def _cell(self, column: str, rule: ColumnRule, number: int) -> str:
        name = f"t.{quote(column)}"
        if rule.change == "id":
            return f"i{number}.name"
        if rule.change == "shift" and self._weeks:
            low, high = _REAL
            moved = f"CAST({name} + INTERVAL ({7 * self._weeks}) DAY AS {rule.type})"
            is_real = f"{name} BETWEEN DATE '{low}' AND DATE '{high}'"
            return f"CASE WHEN {is_real} THEN {moved} ELSE {name} END"
        return name

    def _as_text(self, key: str, column: str, table: str = "") -> str:
        """One spelling for one id, whether a file has it as 7 or as 7.0."""
        name = f"{table}{quote(column)}"
        if self._rules.tables[key].columns[column].type in ("DOUBLE", "FLOAT"):
            whole = f"{name} = trunc({name}) AND abs({name}) < 1e15"
            return (
                f"CASE WHEN {whole} THEN CAST(CAST({name} AS BIGINT) AS VARCHAR) "
                f"ELSE CAST({name} AS VARCHAR) END"
            )
        return f"CAST({name} AS VARCHAR)"

    @staticmethod
    def _ids(kind: str) -> str:
        return quote(f"_ids_{kind}")


def prefixes(kinds: list[str]) -> dict[str, str]:
    """The shortest beginning, in capitals, by which each kind is told from the others."""
    made: dict[str, str] = {}
    for kind in kinds:
        letters = kind.replace("_", "").upper()
        starts = (letters[:n] for n in range(1, len(letters) + 1))
        free = (start for start in starts if start not in made.values())
        made[kind] = next(free, f"{letters}X{len(made)}X")
    return made
