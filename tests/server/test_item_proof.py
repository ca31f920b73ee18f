"""One item's proof while somebody waits: what its evidence gives here, and where its relation is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.loader import load
from core.checklist import ChecklistItem
from core.errors import ChecklistError, DdrError
from server import item_proof
from server.item_proof import ItemProof, Side, prove
from server.settings import Settings
from tests.server import wards


@pytest.fixture(scope="module")
def settings(flights_home: Path) -> Settings:
    """Of a home in which flights are built; nothing is written there."""
    return Settings(flights_home)


def item(item_id: str = "flights-01-mean-age", **changes: object) -> ChecklistItem:
    (found,) = (each for each in load("flights").items if each.id == item_id)
    return found.model_copy(update=changes)


def proved(settings: Settings, **changes: object) -> ItemProof:
    return prove(item(**changes), "flights", settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("place", range(0, 186, 31))
def test_shipped_items_of_every_kind_stand(settings: Settings, place: int) -> None:
    facts = load("flights").items[place]
    found = prove(facts, "flights", settings)
    assert facts.expected is not None
    assert facts.expected.holds(found.own.value)
    assert found.perturbed is not None
    assert found.perturbed.value != found.own.value
    assert found.stands


def test_a_wrong_expectation_does_not_hold(settings: Settings) -> None:
    wrong = item().expected
    assert wrong is not None
    found = proved(settings, expected=wrong.model_copy(update={"value": 99.0}))
    assert found.own.holds is False
    assert not found.stands


def test_an_item_that_survives_its_disorder_does_not_stand(settings: Settings) -> None:
    # The number of its flights does not depend on which aircraft flew them.
    sql = "SELECT count(*) FROM flights WHERE carrier_id = '01'"
    found = proved(settings, evidence_sql=sql)
    assert found.perturbed is not None
    assert found.own.value == found.perturbed.value


def test_without_a_perturbation_nothing_is_said_of_a_copy(settings: Settings) -> None:
    found = proved(settings, perturbation=None)
    assert found.own.holds is True
    assert found.perturbed is None
    assert not found.stands


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT 1, 2", "2 columns"),
        ("SELECT nothing FROM flights", "the evidence fails"),
        ("DELETE FROM flights", "not one SELECT"),
        ("SELECT 1; SELECT 2", "not one SELECT"),
        ("SELECT flight_date FROM flights", "more than one row"),
        ("SELECT * FROM read_text('/etc/hostname')", "the evidence fails"),
    ],
)
def test_evidence_that_is_none_says_why_on_both_sides(
    settings: Settings, sql: str, why: str
) -> None:
    found = proved(settings, evidence_sql=sql)
    assert found.own.fault is not None
    assert why in found.own.fault
    assert found.own.value is None
    assert not found.stands


def test_a_perturbation_that_cannot_be_read_is_a_fault_of_the_copy_alone(
    settings: Settings,
) -> None:
    for text, why in (
        ("shaken", "cannot read"),
        ("melt: flights(aircraft_id)", "kind of perturbation"),
        ("join: nothing(aircraft_id)", "nothing"),
    ):
        found = proved(settings, perturbation=text)
        assert found.own.holds is True
        assert found.perturbed is not None
        assert found.perturbed.fault is not None
        assert why in found.perturbed.fault


@pytest.mark.parametrize(("ward", "nights"), [("north", 41.0), ("south", 71.0)])
def test_evidence_is_run_on_what_the_agents_of_its_entity_see(
    tmp_path: Path, ward: str, nights: float
) -> None:
    wards.built(tmp_path)
    found = prove(wards.item(ward, nights), "visits", Settings(tmp_path))
    assert found.stands
    assert found.own.value == nights
    others = prove(wards.item(ward, nights, wards.HOURS), "visits", Settings(tmp_path))
    assert (others.own.fault is None) is (ward == "north")


@pytest.mark.parametrize("entity", ["all", "nobody"])
def test_who_has_no_tables_of_their_own_is_proved_on_the_whole(tmp_path: Path, entity: str) -> None:
    wards.built(tmp_path)
    fact = wards.item(entity, 20.5, wards.HOURS, "outcome: staff(hours)")
    assert prove(fact, "visits", Settings(tmp_path)).stands
    fact = wards.item(entity, 41.0)
    assert prove(fact, "visits", Settings(tmp_path)).own.fault is not None


def test_an_item_without_evidence_has_no_proof(settings: Settings) -> None:
    with pytest.raises(ChecklistError, match="no evidence in SQL"):
        proved(settings, evidence_sql=None)


def test_a_scenario_that_is_not_built_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(DdrError, match="scenarios build flights"):
        prove(item(), "flights", Settings(tmp_path))


def test_a_statement_that_does_not_end_is_ended(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_proof, "SECONDS", 0.2)
    endless = "SELECT count(*) FROM range(100000000000) AS a"
    found = proved(settings, evidence_sql=endless, perturbation=None)
    assert found.own.fault is not None
    assert "the evidence fails" in found.own.fault


def test_a_proof_stands_where_it_holds_here_and_fails_there() -> None:
    holds, fails = Side(1.0, True), Side(2.0, False)
    assert ItemProof(holds, fails).stands
    assert not ItemProof(holds, holds).stands
    assert not ItemProof(fails, fails).stands
    assert not ItemProof(holds, Side(None, None, "no row")).stands
