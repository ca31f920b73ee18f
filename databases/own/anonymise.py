"""The map of what a build changes in somebody's own data: names, ids, dates, and what it leaves out."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError, model_validator

from core.errors import ConfigError
from core.hints import typed
from core.record import Record

NAME = "anonymise.toml"
_TYPES = (
    "BOOLEAN|TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|FLOAT|DOUBLE|"
    r"DECIMAL\(\d+, ?\d+\)|VARCHAR|DATE|TIME|TIMESTAMP|INTERVAL|UUID|BLOB"
)
_IS_TYPE = re.compile(_TYPES)


def is_type(text: str) -> bool:
    """Whether a column may be of this type: what has a text, and is shown by every tool."""
    return _IS_TYPE.fullmatch(text) is not None


def _type(text: str) -> str:
    if not is_type(text):
        raise ValueError(f"no type of a column is called {text!r}")
    return text


def _sql_name(text: str) -> str:
    if not text.strip() or len(text) > 200 or not text.isprintable():
        raise ValueError("a name is 1 to 200 printable characters")
    return text


SqlName = Annotated[str, AfterValidator(_sql_name)]


class ColumnRule(Record):
    """What becomes of one column."""

    name: SqlName
    """As agents see it."""
    type: Annotated[str, AfterValidator(_type)]
    """DuckDB's name of it; a cell that is none stops the build."""
    format: str | None = None
    """Of a date that is a text: %d.%m.%Y."""
    change: Literal["keep", "drop", "id", "shift"] = "keep"
    """drop: left out. id: replaced by an id of ours. shift: moved by whole weeks."""
    kind: str | None = Field(default=None, pattern=r"^[a-z][a-z0-9_]{0,39}$")
    """Whose id it is: columns of one kind are replaced alike, so that they still join."""

    @model_validator(mode="after")
    def _fits(self) -> ColumnRule:
        if self.change == "id" and self.kind is None:
            raise ValueError("change = 'id' needs a kind: whose id it is")
        if self.change == "shift" and self.type not in ("DATE", "TIMESTAMP"):
            raise ValueError("change = 'shift' is for a DATE or TIMESTAMP")
        if self.format is not None and self.type not in ("DATE", "TIMESTAMP"):
            raise ValueError("format is for a DATE or TIMESTAMP")
        return self


class TableRule(Record):
    """What becomes of one table."""

    name: SqlName
    columns: dict[str, ColumnRule] = Field(min_length=1)
    """By their names in the source."""


class AnonymiseMap(Record):
    """The whole file."""

    entity: str | None = None
    """The kind of id that the scenario's entities have."""
    weeks: int | None = Field(default=None, ge=-5200, le=5200)
    """By how many weeks dates are moved; None = drawn from the seed. 0 leaves them."""
    tables: dict[str, TableRule] = Field(min_length=1)
    """By their names in the source: a file's, or a table's."""

    @model_validator(mode="after")
    def _names_differ(self) -> AnonymiseMap:
        # SQL does not tell a from A.
        for name, count in Counter(t.name.lower() for t in self.tables.values()).items():
            if count > 1:
                raise ValueError(f"two tables are called {name!r}")
        for key, table in self.tables.items():
            kept = Counter(c.name.lower() for c in table.columns.values() if c.change != "drop")
            for name, count in kept.items():
                if count > 1:
                    raise ValueError(f"tables.{key}: two columns are called {name!r}")
            if not kept:
                raise ValueError(f"tables.{key}: every column is dropped; leave the table out")
        return self

    def kinds(self) -> dict[str, list[tuple[str, str]]]:
        """Each kind of id that is replaced, with the columns that hold it: (table, column) as in the source."""
        found: dict[str, list[tuple[str, str]]] = {}
        for key, column, rule in self._rules():
            if rule.change == "id" and rule.kind is not None:
                found.setdefault(rule.kind, []).append((key, column))
        return found

    def holders(self, kind: str) -> list[tuple[str, str]]:
        """The columns that hold a kind of id, replaced or not: (table, column) as agents see them."""
        return [
            (self.tables[key].name, rule.name)
            for key, _, rule in self._rules()
            if rule.kind == kind and rule.change != "drop"
        ]

    def _rules(self) -> Iterator[tuple[str, str, ColumnRule]]:
        for key, table in self.tables.items():
            for column, rule in table.columns.items():
                yield key, column, rule


def read_map(path: Path) -> AnonymiseMap:
    """Read it. Raises ConfigError with file and key, or line."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as exc:
        raise ConfigError(
            f"{path}: there is no such file; {typed('scenarios new')} writes it"
        ) from exc
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise ConfigError(f"{path}: cannot be read as TOML: {exc}") from exc
    try:
        return AnonymiseMap.model_validate(values)
    except ValidationError as exc:
        told = []
        for error in exc.errors(include_url=False):
            key = ".".join(map(str, error["loc"]))
            told.append(f"key {key!r}: {error['msg']}" if key else error["msg"])
        raise ConfigError(f"{path}: {'; '.join(told[:5])}") from exc
