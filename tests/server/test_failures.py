"""What a run's failures are told by: its newest evaluation, the fields that evidence reads, and chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.trajectory import Trajectory
from databases.build import build_manifest
from databases.catalog import InstalledScenario
from evaluator.missed import Missed, computed
from server.failures import grounded, needed_fields
from tests.databases.test_parts import manifest
from tests.evaluator.records import item, verdict
from tests.evaluator.tracing.records import explored, rows, turn


def at(entity_id: str, number: float, text: str, trial: int = 1) -> Trajectory:
    return explored({1: rows(["v"], [number])}, [(1, text)], entity_id=entity_id, trial=trial)


MINE = [
    at("01", 12.6, "It is 12.6 there."),
    at("01", 12.6, "It is 12.6 there, not 99.5.", trial=2),
    at("02", 77.3, "It is 77.3 there."),
]


def test_a_run_of_one_entity_has_nobody_elses_observations() -> None:
    assert grounded(MINE[:2], {}, None).another == []
    assert len(grounded(MINE, {}, None).another) == 3


def test_the_other_is_of_another_entity() -> None:
    for found in grounded(MINE, {}, None).another:
        assert all(number.state == "not found" for i in found.insights for number in i.numbers)


def test_precision_needs_verdicts() -> None:
    without = grounded(MINE, {}, None)
    assert without.contradicted is None
    assert without.untraced_right is None
    assert without.untraced.value == pytest.approx(1 / 3)
    right = verdict("a", "supported", trajectory_id=MINE[1].id)
    wrong = verdict("b", "contradicted", trajectory_id=MINE[2].id)
    told = grounded(
        MINE,
        {},
        [
            right.model_copy(update={"supporting_turns": (1,)}),
            wrong.model_copy(update={"contradicting_turns": (1,)}),
        ],
    )
    assert told.contradicted is not None
    assert (told.contradicted.hits, told.contradicted.out_of) == (1, 3)
    assert told.untraced_right is not None
    assert (told.untraced_right.hits, told.untraced_right.out_of) == (1, 1)


def test_intervals_are_by_cluster() -> None:
    alone = grounded(MINE, {"01": "all", "02": "all"}, None).untraced
    assert alone.value == pytest.approx(1 / 3)
    assert alone.low is None


def test_the_fields_of_evidence_are_those_of_the_access_log(flights: InstalledScenario) -> None:
    sql = {
        "mean": "SELECT avg(departure_delay_min) FROM flights WHERE carrier_id = '01'",
        "join": "SELECT count(*) FROM flights f JOIN aircraft a USING (aircraft_id) "
        "WHERE a.manufacturer = 'BOEING'",
        "broken": "SELEC",
    }
    items = {
        name: item(name).model_copy(update={"evidence_sql": text}) for name, text in sql.items()
    }
    items["none"] = item("none")
    found = needed_fields(items, flights)
    assert found["mean"] == {"flights.carrier_id", "flights.departure_delay_min"}
    assert found["join"] >= {"aircraft.manufacturer", "aircraft.aircraft_id", "flights.aircraft_id"}
    assert found["broken"] == {"?"}
    assert "none" not in found
    assert needed_fields({"none": items["none"]}, flights) == {}


@pytest.mark.parametrize("table", ["beds", '"south/1".beds'])
def test_what_an_entity_with_tables_of_its_own_reads_is_held_against_these(
    tmp_path: Path, table: str
) -> None:
    """Each ward calls its table beds, and the whole database has both."""
    wards = build_manifest(manifest(tmp_path), tmp_path / "home")
    evidence = f"SELECT count(id) FROM {table} WHERE ward = 'south/1'"
    asked = item("a", "south").model_copy(update={"evidence_sql": evidence})
    needed = needed_fields({"a": asked}, wards)["a"]
    assert needed == {"beds.id", "beds.ward"}

    def why(*fields: tuple[str, ...]) -> str | None:
        turns = tuple(turn(n, "1", fields=each) for n, each in enumerate(fields, start=1))
        went = explored({}, entity_id="south").model_copy(update={"turns": turns})
        return computed(Missed(asked, went, noted=False), needed).failure

    assert why(("beds.id", "beds.ward", "staff.name")) is None
    assert why(("beds.id",), ("beds.ward",)) == "exploration depth"
    assert why(("beds.id",)) == "exploration breadth"
