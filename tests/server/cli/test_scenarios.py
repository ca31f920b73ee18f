"""Scenarios and checklists can be listed, looked at, built and proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.canonical import items_hash
from checklists.loader import checklist_for, load
from checklists.verify import Failure, Tally, Verification
from databases.catalog import InstalledScenario
from server import proofs, settings
from server.authoring import keep_checklist
from tests.server.cli.conftest import Ddr

PROVED = Verification(
    items=3,
    hold=3,
    fail_when_perturbed=3,
    categories={"volume": 2, "fleet": 1},
    by_entity={"01": 3},
    failures=(),
    checks={"hold": Tally(passed=3, failed=0), "second": Tally(passed=1, failed=0, unknown=2)},
    unknown={"second: SQLite has no words for it: intervals": 2},
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


def test_who_downloads_is_not_shown(ddr: Ddr, home: Path) -> None:
    folder = home / "scenarios" / "mine"
    folder.mkdir(parents=True)
    told = '{"base": "filings", "options": {"contact": "Ada ada@wombat.example", "rate": 3.0}}'
    (folder / "variant.json").write_text(told)
    for form in ((), ("--json",)):
        shown = ddr("scenarios", "show", "mine", *form).out
        assert "rate" in shown
        assert "ada@" not in shown


def test_building_what_is_built_changes_nothing(ddr: Ddr, built_home: Path) -> None:
    path = built_home / "scenarios" / "flights" / "flights.duckdb"
    before = path.stat().st_mtime_ns
    told = ddr("scenarios", "build", "flights", "--json")
    assert told.code == 0
    assert told.json["state"] == "built"
    assert path.stat().st_mtime_ns == before


def test_checklists_are_listed_with_their_size(ddr: Ddr) -> None:
    listed = ddr("checklists", "list", "--json").json["checklists"]
    (flights,) = (each for each in listed if each["id"] == "flights")
    assert flights["scenario"] == "flights"
    assert flights["items"] >= 120
    assert str(flights["items"]) in ddr("checklists", "list").out


@pytest.fixture
def quick(flights: InstalledScenario, monkeypatch: pytest.MonkeyPatch) -> list[Verification]:
    """The proof and the hash of every row have their own tests: here, what is told of them."""
    told = [PROVED]
    fingerprint = flights.scenario.fingerprint
    monkeypatch.setattr(InstalledScenario, "verify_content", lambda _self: fingerprint)
    monkeypatch.setattr(proofs, "verified", lambda *_args, **_options: told[0])
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
    assert "hold on the database" in done.out
    assert "q7 (hold): the evidence gives 1" in done.out


def test_a_proof_is_told_check_by_check(
    ddr: Ddr, built_home: Path, quick: list[Verification]
) -> None:
    told = ddr("checklists", "verify", "flights").out
    assert [line.split()[-3:] for line in told.splitlines() if "another engine" in line] == [
        ["1", "0", "2"]
    ]
    assert "unknown of 2 items: second: SQLite has no words for it: intervals" in told


@pytest.fixture
def drifted(built_home: Path, flights: InstalledScenario, quick: list[Verification]) -> str:
    """A checklist of this home that was proved on another content; one of its items no longer holds."""
    items = checklist_for("flights").items[:3]
    checklist = checklist_for("flights").model_copy(
        update={
            "id": "mine",
            "items": items,
            "hash": items_hash(items),
            "scenario_fingerprint": "0" * 64,
        }
    )
    keep_checklist(checklist, settings.load())
    failure = Failure(item_id=items[1].id, check="hold", reason="the evidence gives 1")
    quick[0] = PROVED.model_copy(update={"hold": 2, "failures": (failure,)})
    return items[1].id


def test_another_content_is_told_and_what_no_longer_holds_is_named(
    ddr: Ddr, drifted: str, flights: InstalledScenario
) -> None:
    done = ddr("checklists", "verify", "mine")
    assert done.code == 1
    assert "was proved on another content of flights" in done.out
    assert f"{drifted} (hold): the evidence gives 1" in done.out
    answer = ddr("checklists", "verify", "mine", "--json").json
    assert (answer["drifted"], answer["stale"], answer["kept"]) == (True, [drifted], None)


def test_stale_items_are_kept_as_such_and_scored_no_more(
    ddr: Ddr, drifted: str, flights: InstalledScenario
) -> None:
    done = ddr("checklists", "verify", "mine", "--mark-stale", "--json")
    own = settings.load().checklists
    assert done.json["kept"] == str(own / "mine.json")
    kept = load("mine", own)
    assert kept.scenario_fingerprint == flights.scenario.fingerprint
    assert {item.id for item in kept.items if item.status == "stale"} == {drifted}
    scored = {item.id for entity in {i.entity_id for i in kept.items} for item in kept.of(entity)}
    assert scored == {item.id for item in kept.items} - {drifted}
    listed = {c["id"]: c for c in ddr("checklists", "list", "--json").json["checklists"]}
    assert (listed["mine"]["items"], listed["mine"]["stale"]) == (3, 1)


def test_content_that_drifted_under_no_item_needs_no_more_than_a_note_of_it(
    ddr: Ddr, drifted: str, quick: list[Verification]
) -> None:
    quick[0] = PROVED
    assert ddr("checklists", "verify", "mine").code == 1
    assert ddr("checklists", "verify", "mine", "--mark-stale").code == 0
    assert ddr("checklists", "verify", "mine").code == 0


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
