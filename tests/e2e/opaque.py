"""A copy of a scenario in which every name is a word that means nothing."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from core.checklist import Checklist, ChecklistItem
from core.scenario import Entity, Goal, License, Scenario, Task
from databases.catalog import InstalledScenario
from databases.connection import open_readonly
from databases.schema import read_schema
from databases.target import Target

_REFERENCE = re.compile(r"@(\w+)(?:\.(\w+))?")


@dataclass(frozen=True)
class Names:
    """Old names to new ones."""

    tables: dict[str, str]
    columns: dict[str, dict[str, str]]
    """Per table; the same column name becomes the same word everywhere, as a key must."""
    entities: dict[str, str]

    def reference(self, match: re.Match[str]) -> str:
        """'@table.column' in the new names."""
        table, column = match[1], match[2]
        if column is None:
            return f"@{self.tables[table]}"
        return f"@{self.tables[table]}.{self.columns[table][column]}"


class OpaqueScenario:
    """The scenario as server.runner needs it."""

    def __init__(self, path: Path, entities: list[Entity]) -> None:
        self.database_path, self._entities = path, {e.id: e for e in entities}

    @property
    def target(self) -> Target:
        return Target(dialect="duckdb", location=str(self.database_path))

    @property
    def scenario(self) -> Scenario:
        return Scenario(
            id="opaque",
            title="Opaque",
            version="1",
            database=self.database_path.name,
            fingerprint="opaque",
            entity_noun="subject",
            task_template="Explore the database and report what stands out about subject {entity_id}.",
            license=License(name="CC0-1.0"),
        )

    def check(self) -> None:
        return None

    def stamp(self) -> None:
        return None

    def entities(self) -> tuple[Entity, ...]:
        return tuple(self._entities.values())

    def task(self, entity_id: str, goal: Goal = "none") -> Task:
        return Task(
            scenario_id="opaque",
            entity_id=entity_id,
            entity_label=self._entities[entity_id].label,
            entity_noun="subject",
            text=self.scenario.task_template.format(entity_id=entity_id),
        )


def copy(
    original: InstalledScenario, checklist: Checklist, folder: Path, *, seed: int = 11
) -> tuple[OpaqueScenario, Checklist, Names]:
    """The same rows in the same order under other names, and the checklist that goes with them."""
    words = _words(random.Random(seed))
    names = _names(original, words)
    labels = {old: next(words).capitalize() for old in names.entities}
    path = folder / f"{next(words)}.duckdb"
    _fill(original, path, names, labels)
    entities = [
        Entity(scenario_id="opaque", id=new, label=labels[old])
        for old, new in names.entities.items()
    ]
    items = tuple(_item(item, names) for item in checklist.items)
    mapped = checklist.model_copy(
        update={"scenario_id": "opaque", "items": items, "scenario_fingerprint": None}
    )
    return OpaqueScenario(path, entities), mapped, names


def _words(chance: random.Random) -> Iterator[str]:
    seen: set[str] = set()
    while True:
        word = "".join(chance.choice("bdfgklmprtvz") + chance.choice("aeiou") for _ in range(3))
        if word not in seen:
            seen.add(word)
            yield word


def _names(original: InstalledScenario, words: Iterator[str]) -> Names:
    with open_readonly(original.database_path) as connection:
        tables = read_schema(connection).tables
    by_name = {column.name: next(words) for table in tables for column in table.columns}
    return Names(
        tables={table.name: next(words) for table in tables},
        columns={t.name: {c.name: by_name[c.name] for c in t.columns} for t in tables},
        entities={entity.id: next(words) for entity in original.entities()},
    )


def _fill(original: InstalledScenario, path: Path, names: Names, labels: dict[str, str]) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"ATTACH '{original.database_path}' AS old (READ_ONLY)")
        for table, columns in names.columns.items():
            selected = ", ".join(f"{_value(c, names, labels)} AS {n}" for c, n in columns.items())
            connection.execute(
                f"CREATE TABLE {names.tables[table]} AS SELECT {selected} FROM old.main.{table}"
            )


def _value(column: str, names: Names, labels: dict[str, str]) -> str:
    """An expression for a column's values; the entities' ids and names are exchanged."""
    if column == "carrier_id":
        return f"{_map(names.entities)}[carrier_id]"
    if column == "carrier_name":
        return f"{_map(labels)}[carrier_id]"
    return column


def _map(values: dict[str, str]) -> str:
    return "MAP {" + ", ".join(f"'{old}': '{new}'" for old, new in values.items()) + "}"


def _item(item: ChecklistItem, names: Names) -> ChecklistItem:
    def renamed(value: Any) -> Any:
        if isinstance(value, str):
            return _REFERENCE.sub(names.reference, value)
        if isinstance(value, tuple):
            return tuple(renamed(each) for each in value)
        return value

    signals = item.signals
    if signals is not None:
        fields = ("metric", "scope", "period")
        signals = signals.model_copy(update={f: renamed(getattr(signals, f)) for f in fields})
    return item.model_copy(update={"entity_id": names.entities[item.entity_id], "signals": signals})
