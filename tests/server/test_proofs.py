"""A checklist is proved item by item on the database that the agents of the item's entity explore."""

from __future__ import annotations

from pathlib import Path

from checklists.proof import Check
from checklists.verify import Verification, outcomes_of
from core.checklist import Checklist
from databases.connection import open_readonly
from databases.installed import InstalledScenario
from server import proofs
from tests.checklists.authoring.bazaar import brief, template
from tests.server import wards

STAFF = wards.item("all", 20.5, wards.HOURS, "outcome: staff(hours)")


def proved(home: Path, *items: object) -> Verification:
    checklist = wards.checklist(*items)  # type: ignore[arg-type]
    return proofs.verified(checklist, wards.built(home), book=None, progress=lambda *_: None)


def test_items_of_several_databases_pass_every_check_that_one_database_is_asked(
    tmp_path: Path,
) -> None:
    items = (wards.item("north", 41.0), STAFF, wards.item("south", 71.0))
    found = proved(tmp_path, *items)
    assert found.proved, found.failures
    assert (found.items, found.hold, found.fail_when_perturbed) == (3, 3, 3)
    assert found.by_entity == {"all": 1, "north": 1, "south": 1}
    checks = {name: (each.passed, each.unknown) for name, each in found.checks.items()}
    assert checks.pop("population") == (0, 3)
    assert set(checks.values()) == {(3, 0)}
    order: list[Check] = ["hold", "reach", "fit", "population", "perturbation", "resampling"]
    assert list(found.checks) == [*order, "second"]


def test_what_holds_for_another_entity_alone_does_not_hold(tmp_path: Path) -> None:
    items = (wards.item("north", 71.0), wards.item("south", 71.0), wards.item("all", 41.0))
    found = proved(tmp_path, *items)
    why = {each.item_id: each.reason for each in found.failures if each.check == "hold"}
    assert set(why) == {"north-71", "all-41"}
    assert "the evidence gives 41.0, expected is 71.0" in why["north-71"]
    assert "beds does not exist" in why["all-41"]
    assert proofs.no_longer_held(found) == {"north-71", "all-41"}


def test_evidence_on_a_table_that_its_agents_do_not_see_does_not_hold(tmp_path: Path) -> None:
    seen = wards.item("north", 20.5, wards.HOURS, "outcome: staff(hours)")
    unseen = wards.item("south", 20.5, wards.HOURS, "outcome: staff(hours)")
    found = proved(tmp_path, seen, unseen)
    assert {each.item_id for each in found.failures} == {"south-20.5"}
    assert found.hold == 1


def test_templates_speak_of_all_entities_and_so_of_the_whole_alone(tmp_path: Path) -> None:
    scenario = wards.built(tmp_path)
    made = {"source": f"template:{template().name}"}
    checklist = wards.checklist(wards.item("north", 41.0).model_copy(update=made))
    book = brief(template())
    found = proofs.verified(checklist, scenario, book=book, progress=lambda *_: None)
    assert found.proved, found.failures


def test_without_an_accepted_item_there_is_nothing_to_prove(tmp_path: Path) -> None:
    stale = wards.item("north", 41.0).model_copy(update={"status": "stale"})
    found = proved(tmp_path, stale)
    assert (found.items, found.hold, found.proved) == (0, 0, True)


def test_with_one_database_it_is_the_proof_of_that_database_and_tells_how_far_it_is(
    tmp_path: Path,
) -> None:
    scenario, checklist = wards.built(tmp_path), wards.checklist(STAFF)
    shares: list[float] = []
    found = proofs.verified(
        checklist, scenario, book=None, progress=lambda _, share: shares.append(share)
    )
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert found == _on_the_whole(scenario, checklist)


def _on_the_whole(scenario: InstalledScenario, checklist: Checklist) -> Verification:
    from checklists.proof import summed_up

    with open_readonly(scenario.database_path) as connection:
        return summed_up(checklist.items, outcomes_of(checklist.items, connection))
