"""Give a raw table the columns and types of the map, or say in which file and line it does not fit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ScenarioError, UnknownNameError
from core.sql import quote
from databases.own.anonymise import ColumnRule, TableRule
from databases.own.csv_file import line_of
from databases.own.sharpen import Form, read_as
from databases.own.sources import SourceTable

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Fitting:
    """One raw table, and where it comes from."""

    connection: duckdb.DuckDBPyConnection
    name: str
    table: SourceTable
    map_path: Path
    encoding: str

    def fit(self, rule: TableRule) -> None:
        """Raise ScenarioError for a column too few or too many, and for a cell of another type."""
        described = self.connection.execute(f"DESCRIBE {quote(self.name)}").fetchall()
        types = {column: kind for column, kind, *_ in described}
        self._refuse_other_columns(rule, types)
        cells = []
        for column, each in rule.columns.items():
            if each.change == "drop" or types[column] == each.type:
                continue
            read = read_as(quote(column), Form(each.type, each.format))
            self._refuse_unreadable(column, read, each)
            cells.append(f"{read} AS {quote(column)}")
        if cells:
            place = quote(self.name)
            self.connection.execute(
                f"CREATE OR REPLACE TABLE {place} AS SELECT * REPLACE ({', '.join(cells)}) FROM {place}"
            )

    def _refuse_other_columns(self, rule: TableRule, types: dict[str, str]) -> None:
        where = f"{self.table.path}: {'line 1: ' if self.table.kind == 'csv' else ''}"
        for column in rule.columns:
            if column not in types:
                raise ScenarioError(
                    f"{where}{UnknownNameError('column', column, types)}; {self.map_path} names it "
                    f"(key 'tables.{self.table.key}.columns.{column}')"
                )
        for column in types:
            if column not in rule.columns:
                raise ScenarioError(
                    f"{where}the column {column!r} is not in {self.map_path}, so nobody has said whether "
                    f"agents may see it; add it to 'tables.{self.table.key}.columns', with "
                    "change = 'drop' to leave it out"
                )

    def _refuse_unreadable(self, column: str, read: str, rule: ColumnRule) -> None:
        odd = self.connection.execute(
            f"SELECT rowid FROM {quote(self.name)} WHERE {quote(column)} IS NOT NULL "
            f"AND ({read}) IS NULL ORDER BY rowid LIMIT 1"
        ).fetchone()
        if odd is None:
            return
        row = int(odd[0]) + 1
        where = f"row {row}"
        if self.table.kind == "csv":
            where = f"line {line_of(self.table.path, row, self.encoding)}"
        form = f" as {rule.format}" if rule.format else ""
        # Not the cell itself: an error may end in a log, and the cell is somebody's.
        raise ScenarioError(
            f"{self.table.path}: {where}, column {column!r}: is no {rule.type}{form}"
        )
