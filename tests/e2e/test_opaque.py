"""The profiler finds the same facts where no name means anything: it knows the schema alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import duckdb
import pytest

from checklists.loader import checklist_for
from core.checklist import Checklist
from core.run import RunSpec
from databases.catalog import InstalledScenario
from databases.connection import open_readonly
from databases.schema import read_schema
from server.build import make_agent, make_checker, open_tools
from server.evaluate import Judging
from server.judged import Judged
from server.runner import Explored, Setting, explore, utc_now
from server.store import open_store
from tests.e2e import opaque

CARRIERS = ("01", "03", "07", "14")
"""Enough items that one more or less is not yet the 0.05 that is allowed."""
ALLOWED = 0.05


def _judged(
    scenario: InstalledScenario | opaque.OpaqueScenario,
    checklist: Checklist,
    entity_ids: Sequence[str],
    folder: Path,
) -> Judged:
    """The profiler's scores on these entities."""

    explored: Explored = scenario
    spec = RunSpec(
        id=f"run-{scenario.scenario.id}",
        scenario_id=scenario.scenario.id,
        scenario_fingerprint=scenario.scenario.fingerprint or "",
        entity_ids=tuple(entity_ids),
        agent="profiler",
        tools="sql",
        concurrency=2,
        created_at=utc_now(),
    )
    with open_store(folder / f"{scenario.scenario.id}.sqlite3") as store:
        store.add_run(spec)
        setting = Setting(
            scenario=explored,
            store=store,
            locks=folder / "locks",
            make_agent=lambda _key: make_agent("profiler"),
            open_tools=lambda session, _entity: open_tools(
                cast("InstalledScenario", scenario), "sql", None, session
            ),
        )
        asyncio.run(explore(spec, setting))
        checker = make_checker("matching", scenario.entities())
        judging = Judging(spec, store, checklist, checker)
        return asyncio.run(judging.judge(scenario.entities(), utc_now()))


def test_the_opaque_copy_holds_the_same_rows_under_names_that_say_nothing(
    flights: InstalledScenario, tmp_path: Path
) -> None:
    copied, checklist, names = opaque.copy(flights, checklist_for("flights"), tmp_path)
    with duckdb.connect(str(copied.database_path), read_only=True) as connection:
        tables = read_schema(connection).tables
    with open_readonly(flights.database_path) as connection:
        before = {t.name: t for t in read_schema(connection).tables}
    assert {t.name for t in tables} == set(names.tables.values())
    assert all(t.comment is None and all(c.comment is None for c in t.columns) for t in tables)
    by_new_name = {t.name: t for t in tables}
    for old, table in before.items():
        twin = by_new_name[names.tables[old]]
        assert twin.row_count == table.row_count
        assert [c.type for c in twin.columns] == [c.type for c in table.columns]
    text = checklist.model_dump_json(include={"items": {"__all__": {"signals", "entity_id"}}})
    assert not any(f"@{name}" in text for name in before)
    with duckdb.connect(str(copied.database_path), read_only=True) as connection:
        carrier = names.columns["flights"]["carrier_id"]
        query = f"SELECT count(*) FROM {names.tables['flights']} WHERE {carrier} = ?"
        counted = connection.execute(query, [names.entities["01"]]).fetchone()
    with open_readonly(flights.database_path) as connection:
        query = "SELECT count(*) FROM flights WHERE carrier_id = '01'"
        assert connection.execute(query).fetchone() == counted


@pytest.mark.real
def test_the_profiler_scores_the_same_where_no_name_means_anything(
    flights: InstalledScenario, tmp_path: Path
) -> None:
    original = checklist_for("flights")
    copied, mapped, names = opaque.copy(flights, original, tmp_path)
    plain = _judged(flights, original, CARRIERS, tmp_path)
    blind = _judged(copied, mapped, [names.entities[c] for c in CARRIERS], tmp_path)
    here, there = (each.accuracy("profiler")["trajectory"] for each in (plain, blind))
    assert here is not None
    assert there is not None
    assert here > 0.2, "an explorer that finds nothing would pass by doing so twice"
    lost = _supported(plain) ^ _supported(blind)
    assert abs(here - there) <= ALLOWED, (
        f"{here:.3f} and {there:.3f}; they differ in {sorted(lost)}"
    )


def _supported(judged: Judged) -> set[str]:
    return {
        v.item_id for v in judged.verdicts if v.level == "trajectory" and v.label == "supported"
    }
