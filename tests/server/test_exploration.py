"""Runs out of the store become an exploration: fields, facts, accuracy, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.exploration.fields import available
from core.errors import ScenarioError, UsageError
from core.run import Imported, RunSpec
from core.sql import quote
from core.trajectory import StopReason
from databases.build import build
from databases.catalog import InstalledScenario
from databases.connection import open_readonly
from databases.schema import Column, Schema, Table, read_schema
from server.exploration import entity_columns, facts_of, of_run, of_runs
from server.settings import Settings
from server.store import Repository, open_store
from tests.analysis.exploration.making import Read, python, sql, turn
from tests.databases import small
from tests.server.support import START, draft, evaluation, spec, verdict
from tools.sql.access import AccessLog

DELAY = "flights.departure_delay_min"
CARRIER = "flights.carrier_id"


@pytest.fixture
def settings(own_flights_home: Path) -> Settings:
    return Settings(home=own_flights_home)


@pytest.fixture
def kept(settings: Settings) -> Iterator[Repository]:
    with open_store(settings.store_path) as store:
        yield store


def explored(
    store: Repository,
    flights: InstalledScenario,
    *turns: tuple[tuple[str, str, Read], ...],
    name: str = "20260131-flights-ab12",
    stop: StopReason | None = StopReason.FINISHED,
    **changes: Any,
) -> RunSpec:
    """A run of two carriers, each with these turns."""
    values = {
        "scenario_id": "flights",
        "scenario_fingerprint": flights.scenario.fingerprint,
        **changes,
    }
    run = spec(name, **values)
    store.add_run(run)
    for entity in run.entity_ids:
        mine = store.start_trajectory(draft(run, entity))
        for index, calls in enumerate(turns, start=1):
            store.add_turn(mine.id, turn(index, *calls))
        if stop is not None:
            store.end_trajectory(mine.id, stop, ended_at=START)
    return run


def judged(store: Repository, run: RunSpec, name: str, labels: dict[str, list[str | None]]) -> None:
    """An evaluation in which the items of an entity have these labels."""
    store.add_evaluation(evaluation(run, name))
    ids = {t.entity_id: t.id for t in store.trajectories(run.id)}
    store.add_verdicts(
        verdict(
            ids[entity],
            f"{entity}-{place}",
            evaluation_id=name,
            label=label,
            supporting_turns=(1,) if label == "supported" else (),
            unscored_reason=None if label else "no reply",
        )
        for entity, said in labels.items()
        for place, label in enumerate(said)
    )


def test_a_run_is_told_by_what_it_read_of_the_installed_database(
    kept: Repository, flights: InstalledScenario, settings: Settings
) -> None:
    run = explored(kept, flights, (sql(DELAY, CARRIER),), (python(DELAY),))
    found = of_run(run, kept, settings)
    explored_ = found.exploration
    assert len(explored_.fields) == 45
    assert [p.use.coverage for p in explored_.points] == [2 / 45, 2 / 45]
    assert explored_.points[0].use.by_source == {"sql": 2, "python": 1}
    assert explored_.heat.unread_tables == ("aircraft", "airports", "carriers", "weather")
    assert ("flights", "arrival_delay_min") in explored_.heat.unread_columns
    assert (found.evaluations, found.left_out, found.recovered) == ((None,), 0, ())


def test_keys_are_those_called_so_and_the_entitys_own(
    kept: Repository, flights: InstalledScenario, settings: Settings
) -> None:
    run = explored(kept, flights, (sql(DELAY, CARRIER),))
    found = of_run(run, kept, settings, without_keys=True).exploration
    left = {field.name for field in found.fields.each}
    assert len(left) == 45 - 8
    assert CARRIER not in left and DELAY in left
    assert found.points[0].use.coverage == 1 / 37


def test_accuracy_is_the_strict_share_of_the_newest_evaluation_or_of_the_named_one(
    kept: Repository, flights: InstalledScenario, settings: Settings
) -> None:
    run = explored(kept, flights, (sql(DELAY),))
    judged(kept, run, "old", {"01": ["supported"], "02": ["supported"]})
    judged(
        kept,
        run,
        "new",
        {"01": ["supported", "insufficient", None, "contradicted"], "02": [None, None]},
    )
    newest = of_run(run, kept, settings)
    assert [p.accuracy for p in newest.exploration.points] == [0.25, None]
    assert newest.evaluations[0] is not None and newest.evaluations[0].id == "new"
    named = of_run(run, kept, settings, evaluation="old")
    assert [p.accuracy for p in named.exploration.points] == [1.0, 1.0]
    with pytest.raises(UsageError, match="other is no evaluation of these runs"):
        of_run(run, kept, settings, evaluation="other")


def test_what_goes_on_or_broke_by_no_fault_of_the_agent_is_left_out_and_counted(
    kept: Repository, flights: InstalledScenario, settings: Settings
) -> None:
    broken = explored(kept, flights, (sql(DELAY),), stop=StopReason.PROVIDER_ERROR)
    found = of_run(broken, kept, settings)
    assert (found.exploration.points, found.left_out) == ((), 2)
    running = explored(kept, flights, (sql(DELAY),), name="20260131-flights-zz99", stop=None)
    assert of_run(running, kept, settings).left_out == 2


def test_several_runs_are_groups_of_their_own_names(
    kept: Repository, flights: InstalledScenario, settings: Settings
) -> None:
    one = explored(kept, flights, (sql(DELAY),), agent="one")
    two = explored(kept, flights, (sql(CARRIER),), name="20260131-flights-zz99", agent="two")
    three = explored(kept, flights, (sql(CARRIER),), name="20260131-flights-zz98", agent="two")
    found = of_runs([one, two, three], kept, settings)
    assert [group.name for group in found.exploration.groups] == [
        "one",
        f"two ({two.id})",
        f"two ({three.id})",
    ]
    assert found.exploration.heat.trajectories == 6


def test_evaluations_that_rest_on_different_things_are_told(
    kept: Repository, flights: InstalledScenario, settings: Settings
) -> None:
    one = explored(kept, flights, (sql(DELAY),), agent="one")
    two = explored(kept, flights, (sql(DELAY),), name="20260131-flights-zz99", agent="two")
    judged(kept, one, "e1", {"01": ["supported"]})
    kept.add_evaluation(
        evaluation(two, "e2").model_copy(update={"checker": "llm", "judges_asked": ("m",)})
    )
    found = of_runs([one, two], kept, settings)
    assert next(map(str, found.different)).startswith("checker: ")
    assert of_runs([one], kept, settings).different == ()


def test_runs_that_share_no_fields_are_refused(
    kept: Repository, flights: InstalledScenario, settings: Settings
) -> None:
    one = explored(kept, flights, (sql(DELAY),))
    other = one.model_copy(update={"id": "x", "scenario_id": "filings"})
    with pytest.raises(UsageError, match=r"different scenarios \(filings, flights\)"):
        of_runs([one, other], kept, settings)
    older = one.model_copy(update={"id": "y", "scenario_fingerprint": "f00d"})
    with pytest.raises(UsageError, match="different builds"):
        of_runs([one, older], kept, settings)
    with pytest.raises(UsageError, match="named twice"):
        of_runs([one, one], kept, settings)
    with pytest.raises(ScenarioError, match=r"another build of flights.*scenarios build flights"):
        of_run(older, kept, settings)


def test_the_fields_of_an_imported_run_are_worked_out_from_its_sql(
    kept: Repository, flights: InstalledScenario, settings: Settings
) -> None:
    run = explored(
        kept,
        flights,
        (sql(text="SELECT avg(departure_delay_min) FROM flights WHERE carrier_id = '01'"),),
        (sql(text="SELECT FROM WHERE"),),
        imported=Imported(form="ddr-bench", source="logs"),
    )
    found = of_run(run, kept, settings)
    assert found.recovered == (run.id,)
    (first, _) = found.exploration.points
    assert set(first.use.counts) == {DELAY, CARRIER}
    assert (first.use.unfollowed, first.is_followed) == (1, False)


def test_what_imported_python_read_is_not_known(
    kept: Repository, flights: InstalledScenario, settings: Settings
) -> None:
    run = explored(kept, flights, (python(),), imported=Imported(form="ddr-bench", source="logs"))
    found = of_run(run, kept, settings)
    assert [p.is_followed for p in found.exploration.points] == [False, False]


def test_an_imported_run_that_has_a_record_of_fields_keeps_it(
    kept: Repository, flights: InstalledScenario, settings: Settings
) -> None:
    imported = Imported(form="jsonl", source="x")
    run = explored(kept, flights, (sql(DELAY, text="SELECT 1"),), imported=imported)
    found = of_run(run, kept, settings)
    assert found.recovered == ()
    assert set(found.exploration.points[0].use.counts) == {DELAY}


def test_facts_are_read_from_the_database_as_they_stand_there(tmp_path: Path) -> None:
    plain = small.built(tmp_path)
    assert facts_of(plain, plain.schema()) == {}
    facts = {"patients": "name", "no_such": "x", "visits": "no_such"}
    named = replace(plain, manifest=plain.manifest.model_copy(update={"facts": facts}))
    assert facts_of(named, named.schema()) == {"patients": ("name", ["Ash", "Birch", "Cherry"])}


def test_what_the_tools_record_are_names_of_fields_here(tmp_path: Path) -> None:
    plain = small.built(tmp_path)
    facts = {"patients": "name"}
    named = replace(plain, manifest=plain.manifest.model_copy(update={"facts": facts}))
    schema = named.schema()
    known = available(schema, facts=facts_of(named, schema))
    recorded = AccessLog(schema, "duckdb", facts).fields(
        "SELECT p.ID, count(*) FROM Patients p JOIN visits v ON v.patient = p.id "
        "WHERE name IN ('Ash', 'Nobody') GROUP BY ALL"
    )
    assert [name for name in recorded if name in known] == [
        "patients.id",
        "patients.name",
        "patients.name=Ash",
        "visits.patient",
    ]
    assert [name for name in recorded if name not in known] == ["patients.name=Nobody"]


def test_entities_with_databases_of_their_own_are_measured_by_these(
    store: Repository, tmp_path: Path
) -> None:
    """What two wards read in their own databases, where each calls its table beds."""
    home = tmp_path / "home"
    (home / "scenarios" / "visits").mkdir(parents=True)
    text = small.TOML.replace("tests.databases.small:fill", "tests.databases.test_parts:fill")
    small.write_toml(home / "scenarios" / "visits", text)
    wards = build("visits", home)
    run = spec(
        scenario_id="visits",
        scenario_fingerprint=wards.scenario.fingerprint,
        entity_ids=("north", "south", "all"),
    )
    store.add_run(run)
    for entity, table in (("north", "beds"), ("south", "beds"), ("all", '"south/1".beds')):
        with open_readonly(Path(wards.target_for(entity).location)) as connection:
            recorded = AccessLog(read_schema(connection)).fields(f"SELECT id FROM {table}")
        mine = store.start_trajectory(draft(run, entity))
        store.add_turn(mine.id, turn(1, sql(*recorded)))
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    found = of_run(run, store, Settings(home=home)).exploration
    told = {p.entity_id: (p.use.available, tuple(p.use.counts)) for p in found.points}
    assert told == {
        "north": (3, ("north.beds.id",)),
        "south": (3, ("south/1.beds.id",)),
        "all": (5, ("south/1.beds.id",)),
    }
    heat = {table.name: (table.read_by, table.of) for table in found.heat.tables}
    assert heat == {"north.beds": (1, 2), "south/1.beds": (2, 2), "staff": (0, 3)}
    logs = run.model_copy(
        update={"id": f"{run.id}-b", "imported": Imported(form="jsonl", source="x")}
    )
    store.add_run(logs)
    for entity, table in (("north", "beds"), ("south", "beds"), ("all", '"south/1".beds')):
        mine = store.start_trajectory(draft(logs, entity))
        store.add_turn(mine.id, turn(1, sql(text=f"SELECT id FROM {table}")))
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    recovered = of_run(logs, store, Settings(home=home))
    assert recovered.recovered == (logs.id,)
    assert {
        p.entity_id: (p.use.available, tuple(p.use.counts)) for p in recovered.exploration.points
    } == told


@pytest.mark.parametrize("name", ['a "b"', "x.y", "sélect;--", "日本"])
def test_odd_names_are_recorded_as_they_are_known(name: str) -> None:
    column = Column(name=name, type="INTEGER", nullable=True)
    schema = Schema(tables=(Table(name=name, row_count=1, columns=(column,)),))
    # A dot in a table's name is what keeps its schema and its own name apart.
    place = ".".join(quote(part) for part in name.split(".", 1))
    recorded = AccessLog(schema).fields(f"SELECT {quote(name)} FROM {place}")
    assert recorded and all(each in available(schema) for each in recorded)


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT carrier_id AS id, carrier_name AS label FROM carriers", ("carrier_id",)),
        ("SELECT c.cik AS id, max(f.y) FROM c LEFT JOIN f USING (cik) GROUP BY c.cik", ("cik",)),
        ("SELECT id, name AS label FROM patients", ("id",)),
        ("SELECT a AS id FROM t UNION SELECT b AS ID FROM u", ("a", "b")),
        ("SELECT 'x' || n AS id FROM t", ()),
        ("SELECT 1 FROM (", ()),
    ],
)
def test_the_entitys_columns_are_those_that_its_list_takes_ids_from(
    query: str, columns: tuple[str, ...]
) -> None:
    assert entity_columns(query, "duckdb") == columns
