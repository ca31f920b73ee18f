"""Scenarios and checklists can be listed, looked at, built and proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.loader import checklist_for
from checklists.verify import Failure, Verification
from databases.catalog import InstalledScenario
from server import proofs, settings
from tests.server.cli.conftest import Ddr

PROVED = Verification(
    items=3,
    hold=3,
    fail_when_perturbed=3,
    categories={"volume": 2, "fleet": 1},
    by_entity={"01": 3},
    failures=(),
)


def test_scenarios_are_listed_whether_built_or_not(ddr: Ddr, home: Path) -> None:
    listed = ddr("scenarios", "list", "--json").json["scenarios"]
    (flights,) = (scenario for scenario in listed if scenario["id"] == "flights")
    assert (flights["id"], flights["state"], flights["entities"]) == ("flights", "not built", None)
    assert "not built" in ddr("scenarios", "list").out
    assert not home.exists()


def test_a_built_scenario_shows_its_tables_entities_and_fingerprint(
    ddr: Ddr, built_home: Path, flights: InstalledScenario
) -> None:
    told = ddr("scenarios", "show", "flights", "--json").json
    assert told["fingerprint"] == flights.scenario.fingerprint
    assert {t["name"]: t["row_count"] for t in told["tables"]}["flights"] == 336776
    assert len(told["entities"]) == 16
    shown = ddr("scenarios", "show", "flights").out
    assert "336,776" in shown
    assert "CC0-1.0" in shown


def test_an_unbuilt_scenario_shows_how_to_build_it(ddr: Ddr) -> None:
    assert "ddr scenarios build flights" in ddr("scenarios", "show", "flights").out


def test_building_what_is_built_changes_nothing(ddr: Ddr, built_home: Path) -> None:
    path = built_home / "scenarios" / "flights" / "flights.duckdb"
    before = path.stat().st_mtime_ns
    told = ddr("scenarios", "build", "flights", "--json")
    assert told.code == 0
    assert told.json["state"] == "built"
    assert path.stat().st_mtime_ns == before


def test_checklists_are_listed_with_their_size(ddr: Ddr) -> None:
    (flights,) = ddr("checklists", "list", "--json").json["checklists"]
    assert flights["scenario"] == "flights"
    assert flights["items"] >= 120
    assert str(flights["items"]) in ddr("checklists", "list").out


@pytest.fixture
def quick(flights: InstalledScenario, monkeypatch: pytest.MonkeyPatch) -> list[Verification]:
    """The proof and the hash of every row have their own tests: here, what is told of them."""
    told = [PROVED]
    fingerprint = flights.scenario.fingerprint
    monkeypatch.setattr(InstalledScenario, "verify_content", lambda _self: fingerprint)
    monkeypatch.setattr("checklists.verify.verify", lambda *_args, **_options: told[0])
    return told


@pytest.mark.parametrize("command", ["scenarios", "checklists"])
def test_a_proof_is_told_and_kept_for_the_reports(
    ddr: Ddr,
    built_home: Path,
    flights: InstalledScenario,
    quick: list[Verification],
    command: str,
) -> None:
    done = ddr(command, "verify", "flights", "--json")
    assert done.code == 0, done.err
    expected = PROVED.model_dump(mode="json")
    assert {key: done.json[key] for key in expected} == expected
    kept = proofs.kept(
        settings.load(), checklist_for("flights").hash, flights.scenario.fingerprint or ""
    )
    assert kept == proofs.Proof(items=3, hold=3, fail_when_perturbed=3)


def test_an_item_that_fails_its_proof_fails_the_command(
    ddr: Ddr, built_home: Path, quick: list[Verification]
) -> None:
    failure = Failure(item_id="q7", check="hold", reason="the evidence gives 1, expected is 2")
    quick[0] = PROVED.model_copy(update={"hold": 2, "failures": (failure,)})
    done = ddr("scenarios", "verify", "flights")
    assert done.code == 1
    assert "2 hold on the database, 3 fail when it is perturbed" in done.out
    assert "q7 (hold): the evidence gives 1" in done.out


def test_a_checklist_of_another_content_is_refused(
    ddr: Ddr, built_home: Path, monkeypatch: pytest.MonkeyPatch, quick: list[Verification]
) -> None:
    other = checklist_for("flights").model_copy(update={"scenario_fingerprint": "0" * 64})
    monkeypatch.setattr("checklists.loader.checklist_for", lambda *_: other)
    done = ddr("scenarios", "verify", "flights")
    assert done.code == 1
    assert "was proved on another content of flights" in done.err


def test_there_is_no_proof_where_none_was_made_or_it_cannot_be_read(tmp_path: Path) -> None:
    places = settings.load(tmp_path)
    assert proofs.kept(places, "a" * 64, "b" * 64) is None
    proofs.keep(places, "a" * 64, "b" * 64, PROVED)
    (kept,) = (tmp_path / "proofs").iterdir()
    kept.write_text("{", "utf-8")
    assert proofs.kept(places, "a" * 64, "b" * 64) is None


def test_half_a_proof_is_none(tmp_path: Path) -> None:
    places = settings.load(tmp_path)
    half = PROVED.model_copy(update={"fail_when_perturbed": None})
    proofs.keep(places, "a" * 64, "b" * 64, half)
    assert proofs.kept(places, "a" * 64, "b" * 64) is None
