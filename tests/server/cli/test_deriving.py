"""`ddr checklists derive`: facts become items, what failed goes on, nothing is asked twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checklists.canonical import items_hash
from checklists.loader import load
from core.checklist import Decision
from server import settings as places
from server.authoring import keep_checklist
from tests.checklists.derive import ward
from tests.server.cli.conftest import Ddr, Done
from tests.server.support import START
from tests.support.endpoint import Request, Say, ScriptedEndpoint, Status, say

SERVER_DOWN = {"error": {"kind": "server", "status_code": 500, "text": "down"}}
REFUSED = {"error": {"kind": "auth", "status_code": 401, "text": "no key"}}
PRICES = '[models."scripted/*"]\ninput = 2.0\noutput = 10.0\n'


@pytest.fixture
def ward_home(home: Path) -> Path:
    home.mkdir(mode=0o700)
    ward.built(home)
    return home


def two_facts(path: Path) -> str:
    """A model that finds one fact in each of the first two notes and none in the third."""
    first = "\n".join(json.dumps(ward.fact("P1", **c)) for c in ({}, {"answerable": False}))
    return ward.script(path, first, ward.fact("P2"), "NO FACTS")


def derive(ddr: Ddr, model: str, *more: str) -> Done:
    given = ("--scenario", "ward", "--model", model, "--concurrency", "1", "--json", *more)
    return ddr("checklists", "derive", *given)


def test_what_is_proved_is_accepted_and_the_rest_waits_for_people(
    ddr: Ddr, ward_home: Path, tmp_path: Path
) -> None:
    model = two_facts(tmp_path / "m.jsonl")
    rulings = (ward.ruling(ward.MEAN, "5.5"), ward.ruling(None, None))
    verifier = ward.script(tmp_path / "v.jsonl", *rulings)
    done = derive(ddr, model, "--verifier", verifier)
    assert done.code == 0, done.err
    told = {
        k: done.json[k] for k in ("documents", "facts", "kept", "proved", "accepted", "proposed")
    }
    assert told == {
        "documents": 3,
        "facts": 3,
        "kept": 2,
        "proved": 1,
        "accepted": 1,
        "proposed": 1,
    }
    assert done.json["dropped"] == {"not answerable": 1}
    assert (done.json["asked"], done.json["calls"]) == (5, 5)
    checklist = load("ward-derived", ward_home / "checklists")
    mean, missing = checklist.items
    assert (mean.evidence_sql, mean.status, mean.difficulty) == (ward.MEAN, "accepted", "easy")
    assert mean.perturbation == "outcome: visits(dose_mg)"
    assert (missing.evidence_sql, missing.status) == (None, "proposed")
    assert missing.source == 'document note-P2: "On 3 of the visits the dose was missing."'
    assert checklist.of("P1") == (mean,)
    assert checklist.of("P2") == ()
    kept = ward_home / "checklists" / "ward-derived.json"
    ledger = ward_home / "derived" / "ward-derived.jsonl"
    assert (kept.stat().st_mode & 0o777, ledger.stat().st_mode & 0o777) == (0o600, 0o600)


def test_what_was_accepted_passes_the_proof_that_every_checklist_has_to(
    ddr: Ddr, ward_home: Path, tmp_path: Path
) -> None:
    model = two_facts(tmp_path / "m.jsonl")
    rulings = (ward.ruling(ward.MEAN, "5.5"), ward.ruling(ward.MISSING, "3"))
    done = derive(ddr, model, "--verifier", ward.script(tmp_path / "v.jsonl", *rulings))
    assert (done.json["accepted"], done.json["proposed"]) == (2, 0)
    proof = ddr("checklists", "verify", "ward-derived", "--json", "--quiet")
    assert proof.code == 0, proof.out
    assert (proof.json["hold"], proof.json["fail_when_perturbed"]) == (2, 2)


def test_asked_again_it_asks_nothing_and_keeps_what_people_decided(
    ddr: Ddr, ward_home: Path, tmp_path: Path
) -> None:
    model = two_facts(tmp_path / "m.jsonl")
    verifier = ward.script(tmp_path / "v.jsonl", *[ward.ruling(None, None)] * 2)
    assert derive(ddr, model, "--verifier", verifier).code == 0
    settings = places.load()
    before = load("ward-derived", settings.checklists)
    said = Decision(who="Ada", when=START, status="rejected", why="trivial")
    items = (
        before.items[0].model_copy(update={"status": "rejected", "decisions": (said,)}),
        *before.items[1:],
    )
    keep_checklist(before.model_copy(update={"items": items, "hash": items_hash(items)}), settings)
    again = derive(ddr, model, "--verifier", verifier)
    assert (again.json["asked"], again.json["calls"]) == (0, 5)
    assert load("ward-derived", settings.checklists).items == items


def test_a_failure_leaves_its_document_and_the_next_call_goes_on(
    ddr: Ddr, ward_home: Path, tmp_path: Path
) -> None:
    model = ward.script(tmp_path / "m.jsonl", ward.fact("P1"), SERVER_DOWN, "NO FACTS")
    verifier = ward.script(tmp_path / "v.jsonl", ward.ruling(ward.MEAN, "5.5"))
    first = derive(ddr, model, "--verifier", verifier)
    assert first.code == 1
    assert (first.json["left"], first.json["items"]) == (["note-P2"], 1)
    assert "1 document not done" in first.err
    ward.script(tmp_path / "m.jsonl", ward.fact("P2"))
    ward.script(tmp_path / "v.jsonl", ward.ruling(ward.MISSING, "3"))
    second = derive(ddr, model, "--verifier", verifier)
    assert second.code == 0, second.err
    assert (second.json["asked"], second.json["left"], second.json["accepted"]) == (2, [], 2)


def test_a_refused_key_ends_it_at_once_and_so_does_the_third_failure(
    ddr: Ddr, ward_home: Path, tmp_path: Path
) -> None:
    refused = derive(ddr, ward.script(tmp_path / "m.jsonl", REFUSED, "NO FACTS", "NO FACTS"))
    assert (refused.code, refused.json["asked"]) == (1, 1)
    assert "no key" in refused.json["stopped"]
    assert refused.json["checklist"] is None
    down = derive(ddr, ward.script(tmp_path / "d.jsonl", *[SERVER_DOWN] * 3), "--id", "other")
    assert "3 times in a row" in down.json["stopped"]


def test_an_unusable_reply_is_asked_once_more_paid_for_and_not_kept(
    ddr: Ddr, ward_home: Path, tmp_path: Path
) -> None:
    replies = ("I will not.", ward.fact("P1"), "No.", "Never.", "NO FACTS")
    model = ward.script(tmp_path / "m.jsonl", *replies)
    verifier = ward.script(tmp_path / "v.jsonl", ward.ruling(None, None, supported=False))
    done = derive(ddr, model, "--verifier", verifier)
    assert done.json["left"] == ["note-P2"]
    assert (done.json["calls"], done.json["items"]) == (6, 0)
    assert done.json["dropped"] == {"not supported by the text": 1}
    ward.script(tmp_path / "m.jsonl", "NO FACTS")
    assert derive(ddr, model, "--verifier", verifier).json["asked"] == 1


def test_a_budget_is_kept_and_the_next_call_goes_on_with_new_money(
    ddr: Ddr, ward_home: Path, tmp_path: Path
) -> None:
    (tmp_path / "prices.toml").write_text(PRICES, "utf-8")
    model = two_facts(tmp_path / "m.jsonl")
    money = ("--prices", str(tmp_path / "prices.toml"), "--budget-usd", "0.0003")
    done = derive(ddr, model, *money)
    assert done.code == 1
    assert "budget" in done.json["stopped"]
    assert done.json["asked"] == 1
    assert done.json["usage"]["cost_usd"] == pytest.approx(0.0003)
    assert "cannot be kept" in derive(ddr, model, "--budget-usd", "1").err


def test_an_estimate_asks_nothing_and_tells_what_is_open(
    ddr: Ddr, ward_home: Path, tmp_path: Path
) -> None:
    (tmp_path / "prices.toml").write_text(PRICES, "utf-8")
    model = two_facts(tmp_path / "m.jsonl")
    money = ("--prices", str(tmp_path / "prices.toml"), "--estimate")
    done = derive(ddr, model, *money)
    assert done.code == 0
    found = done.json["estimate"]
    assert (found["extractions"], found["verifications"]) == (3, 18)
    assert found["cost_usd"] > 0.01
    assert not (ward_home / "derived").exists()
    verifier = ward.script(tmp_path / "v.jsonl", *[ward.ruling(None, None)] * 2)
    assert derive(ddr, model, "--verifier", verifier).code == 0
    again = derive(ddr, model, "--verifier", verifier, *money).json["estimate"]
    assert (again["extractions"], again["cost_usd"]) == (0, 0)


def test_restricted_documents_do_not_leave_the_machine_without_a_reason(
    ddr: Ddr, home: Path
) -> None:
    home.mkdir(mode=0o700)
    ward.built(home, restricted=True)
    for more in ((), ("--endpoint-allowed", "  ")):
        done = derive(ddr, "openai/gpt-x", *more)
        assert done.code == 2
        assert "the data of ward are restricted" in done.err
    second = derive(ddr, "openai/gpt-x", "--verifier", "openai/gpt-y", "--base-url", "http://h/v1")
    assert "restricted" in second.err
    assert not (home / "derived").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--id", "flights"), "is a shipped checklist"),
        (("--id", "../x"), "letters, digits"),
        (("--entities", "P9"), "unknown patient 'P9'"),
    ],
)
def test_what_cannot_be_done_is_told_before_anything_is_asked(
    ddr: Ddr, ward_home: Path, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    done = derive(ddr, two_facts(tmp_path / "m.jsonl"), *more)
    assert done.code == 2, done.err
    assert said in done.err


def test_a_checklist_that_was_not_derived_is_not_written_over(
    ddr: Ddr, ward_home: Path, tmp_path: Path
) -> None:
    model = two_facts(tmp_path / "m.jsonl")
    verifier = ward.script(tmp_path / "v.jsonl", *[ward.ruling(None, None)] * 2)
    assert derive(ddr, model, "--verifier", verifier).code == 0
    settings = places.load()
    made = load("ward-derived", settings.checklists)
    items = tuple(item.model_copy(update={"source": "a person"}) for item in made.items)
    keep_checklist(made.model_copy(update={"items": items, "hash": items_hash(items)}), settings)
    done = derive(ddr, model, "--verifier", verifier)
    assert (done.code, "another checklist" in done.err) == (2, True)


def test_a_ledger_that_a_kill_cut_short_goes_on_and_a_broken_one_is_named(
    ddr: Ddr, ward_home: Path, tmp_path: Path
) -> None:
    model = two_facts(tmp_path / "m.jsonl")
    verifier = ward.script(tmp_path / "v.jsonl", *[ward.ruling(None, None)] * 2)
    assert derive(ddr, model, "--verifier", verifier).code == 0
    ledger = ward_home / "derived" / "ward-derived.jsonl"
    whole = ledger.read_bytes()
    ledger.write_bytes(whole[:-30])
    ward.script(tmp_path / "v.jsonl", ward.ruling(None, None))
    assert derive(ddr, model, "--verifier", verifier).json["asked"] == 1
    lines = ledger.read_bytes().split(b"\n")
    ledger.write_bytes(b"\n".join([lines[0], b"{broken", *lines[1:]]))
    done = derive(ddr, model, "--verifier", verifier)
    assert (done.code, "line 2 is no answer" in done.err) == (1, True)


@pytest.mark.real
def test_a_real_endpoint_is_asked_side_by_side_and_its_failures_are_told(
    ddr: Ddr, ward_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    refused: list[str] = []

    def answer(request: Request) -> Say | Status:
        text = request.messages[-1].text or ""
        asked: Any
        if "The answer:" in text:
            own = "P1" if "P1" in text.partition("The question:")[2] else "P2"
            known = {"P1": (ward.MEAN, "5.5"), "P2": (ward.MISSING, "3")}
            asked = ward.ruling(*known[own])
        elif "average" in text:
            asked = ward.fact("P1")
        elif "Quiet" in text and not refused:
            refused.append(text)
            return Status(400, text="not this one")
        elif "Quiet" in text:
            asked = ward.fact("P2")
        else:
            return say("NO FACTS")
        return say(json.dumps(asked))

    with ScriptedEndpoint(answer) as endpoint:
        at = ("--base-url", endpoint.openai_url, "--concurrency", "3")
        first = ddr(
            *("checklists", "derive", "--scenario", "ward", "--model", "openai/m", *at, "--json")
        )
        assert (first.code, first.json["left"]) == (1, ["note-P2"])
        second = ddr(
            *("checklists", "derive", "--scenario", "ward", "--model", "openai/m", *at, "--json")
        )
        assert second.code == 0, second.err
    assert (second.json["accepted"], second.json["asked"]) == (2, 2)
    assert [i.entity_id for i in load("ward-derived", ward_home / "checklists").items] == [
        "P1",
        "P2",
    ]
