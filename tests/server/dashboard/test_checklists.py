"""Checklists on pages: browsed, filtered, proved and decided on, by admins alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from checklists.loader import load
from server.dashboard.shelf import taken
from server.settings import Settings
from server.store import RunLock
from tests.server.dashboard.conftest import Visit

ITEM = "flights-01-mean-age"
OWN = "/checklists/flights-mine"


@pytest.fixture
def admin(visit: Visit) -> TestClient:
    return visit("admin")


@pytest.fixture
def own(admin: TestClient) -> TestClient:
    """With a copy to decide on."""
    made = admin.post("/checklists/flights/copy", data={"new_id": "flights-mine"})
    assert (made.status_code, made.headers["location"]) == (303, OWN)
    return admin


def seen(client: TestClient, item: str = ITEM) -> str:
    page = client.get(f"{OWN}/items/{item}").text
    found = re.search(r'name="seen" value="([0-9a-f]+)"', page)
    assert found is not None, page
    return found[1]


def decide(client: TestClient, decision: str, **more: str) -> int:
    form = {"seen": seen(client), "decision": decision, "by": "ann", "why": "", **more}
    return client.post(f"{OWN}/items/{ITEM}/decide", data=form).status_code


@pytest.mark.parametrize("role", [None, "reader", "harness"])
@pytest.mark.parametrize(
    "path",
    [
        "/checklists",
        "/checklists/flights",
        f"/checklists/flights/items/{ITEM}",
        f"/checklists/flights/items/{ITEM}/proof",
        "/checklists/nothing",
        "/labels/last",
    ],
)
def test_nobody_but_an_admin_sees_any_of_it(visit: Visit, role: str | None, path: str) -> None:
    answer = visit(role).get(path)  # type: ignore[arg-type]
    assert answer.status_code == (303 if role is None else 403)
    facts = load("flights").items[0]
    assert facts.question not in answer.text
    assert facts.answer not in answer.text


def test_a_checklist_is_browsed_and_filtered(admin: TestClient) -> None:
    every = admin.get("/checklists/flights").text
    assert "186 items, page 1 of 4" in every
    mine = admin.get("/checklists/flights", params={"entity": "01", "q": "mean-age"}).text
    assert re.search(r'role="status">1 item\s*<', mine)
    assert ITEM in mine
    last = admin.get("/checklists/flights", params={"at": "99"}).text
    assert "page 4 of 4" in last
    assert 'rel="next"' not in last


def test_an_item_shows_its_evidence_and_the_proof_is_made_on_the_database(
    flights_home: Path, visit: Visit, settings: Settings
) -> None:
    (settings.home / "scenarios").symlink_to(flights_home / "scenarios")
    client = visit("admin")
    facts = next(item for item in load("flights").items if item.id == ITEM)
    page = client.get(f"/checklists/flights/items/{ITEM}").text
    assert facts.expected is not None
    assert f'<b class="data">{facts.expected.value}</b>' in page
    proof = client.get(f"/checklists/flights/items/{ITEM}/proof").text
    told = re.findall(r'<b class="data">([^<]+)</b> <small>([^<]+)</small>', proof)
    assert [how for _, how in told] == ["as expected", "not as expected"]
    own, perturbed = (float(value) for value, _ in told)
    assert facts.expected.holds(own)
    assert not facts.expected.holds(perturbed)
    assert "proved" in proof


def test_without_the_database_the_proof_says_how_to_have_it(admin: TestClient) -> None:
    proof = admin.get(f"/checklists/flights/items/{ITEM}/proof").text
    assert "scenarios build flights" in proof
    assert str(Path.home()) not in proof


def test_what_is_shipped_is_decided_on_in_a_copy_alone(admin: TestClient) -> None:
    page = admin.get(f"/checklists/flights/items/{ITEM}").text
    assert "keep a copy" in page
    assert "/decide" not in page
    form = {"seen": "x", "decision": "accepted", "by": "ann"}
    refused = admin.post(f"/checklists/flights/items/{ITEM}/decide", data=form)
    assert refused.status_code == 409
    assert "is a shipped checklist" in refused.text


def test_decisions_are_kept_by_name_with_their_reason(own: TestClient, settings: Settings) -> None:
    assert decide(own, "rejected", why="ambiguous") == 303
    (item,) = (each for each in taken("flights-mine", settings).items if each.id == ITEM)
    assert item.status == "rejected"
    assert [(d.who, d.status, d.why) for d in item.decisions] == [("ann", "rejected", "ambiguous")]
    assert decide(own, "accepted", by="bob") == 303
    page = own.get(OWN).text
    assert "Some accept and others reject 1 item" in page
    assert "ambiguous" in own.get(f"{OWN}/items/{ITEM}").text
    (item,) = (each for each in taken("flights-mine", settings).items if each.id == ITEM)
    assert item.status == "proposed"


def test_a_rejection_without_a_reason_and_a_word_that_decides_nothing_are_refused(
    own: TestClient, settings: Settings
) -> None:
    assert decide(own, "rejected", why=" ") == 422
    assert decide(own, "perhaps") == 422
    assert decide(own, "accepted", by="\x07") == 422
    (item,) = (each for each in taken("flights-mine", settings).items if each.id == ITEM)
    assert item.decisions == ()


def test_a_decision_on_what_has_changed_meanwhile_is_refused(own: TestClient) -> None:
    before = seen(own)
    assert decide(own, "accepted", by="bob") == 303
    assert decide(own, "accepted", seen=before) == 409


def test_while_another_process_holds_the_checklist_nothing_is_lost(
    own: TestClient, settings: Settings
) -> None:
    mark = seen(own)
    with RunLock(settings.locks, "checklist-flights-mine"):
        assert decide(own, "accepted", seen=mark) == 409
    assert decide(own, "accepted", seen=mark) == 303


def test_other_words_are_proposed_anew_and_the_old_ones_stay(
    own: TestClient, settings: Settings
) -> None:
    assert decide(own, "accepted") == 303
    words = {
        "question": "How old\n are its <b>aircraft</b>?",
        "answer": "4.5 years",
        "category": "fleet",
    }
    form = {"seen": seen(own), "by": "ann", "why": "clearer", **words}
    assert own.post(f"{OWN}/items/{ITEM}/edit", data=form).status_code == 303
    (item,) = (each for each in taken("flights-mine", settings).items if each.id == ITEM)
    before = next(each for each in load("flights").items if each.id == ITEM)
    assert (item.question, item.status) == ("How old are its <b>aircraft</b>?", "proposed")
    assert item.expected == before.expected
    (edit,) = item.edits
    assert (edit.question, edit.answer, edit.who, edit.why) == (
        before.question,
        before.answer,
        "ann",
        "clearer",
    )
    assert [d.who for d in edit.decisions] == ["ann"]
    page = own.get(f"{OWN}/items/{ITEM}").text
    assert "&lt;b&gt;aircraft&lt;/b&gt;" in page
    assert "<b>aircraft</b>" not in page


@pytest.mark.parametrize("name", ["../store.sqlite3", ".hidden", "..%2f..%2fetc", "nothing"])
def test_no_file_is_read_by_its_path(admin: TestClient, name: str) -> None:
    assert admin.get(f"/checklists/{name}").status_code == 404


def test_a_file_that_is_no_checklist_is_listed_with_its_fault(
    admin: TestClient, settings: Settings
) -> None:
    settings.checklists.mkdir()
    (settings.checklists / "broken.json").write_text(json.dumps([1]))
    page = admin.get("/checklists").text
    assert "a checklist is one JSON object" in page
    assert str(settings.home) not in page
