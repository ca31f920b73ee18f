"""Authoring is repeatable, keeps only what is proved, and says what it chose."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.authoring.__main__ import main, report
from checklists.authoring.author import author
from checklists.canonical import items_hash, to_json
from checklists.loader import load
from databases.catalog import InstalledScenario
from tests.checklists.authoring.bazaar import TOP_WARE, VACUOUS, bazaar, brief, template


def test_the_same_database_and_brief_give_the_same_bytes() -> None:
    texts = {
        to_json(
            author(
                brief(template(), TOP_WARE), bazaar(), fingerprint="f00d", seeds=range(3)
            ).checklist
        )
        for _ in range(2)
    }
    assert len(texts) == 1


def test_a_checklist_says_what_it_was_proved_on() -> None:
    found = author(
        brief(template(), TOP_WARE), bazaar(), fingerprint="f00d", seeds=range(3)
    ).checklist
    assert (found.id, found.scenario_id, found.version) == ("bazaar", "bazaar", "1")
    assert found.scenario_fingerprint == "f00d"
    assert found.hash == items_hash(found.items)
    assert [i.entity_id for i in found.items] == sorted(i.entity_id for i in found.items)


def test_what_cannot_be_broken_by_disorder_is_replaced_by_what_can() -> None:
    # Both are of one theme, and the vacuous one stands out more.
    rival = template(name="dear", theme="size")
    found = author(brief(VACUOUS, rival, wanted=1), bazaar(), fingerprint=None, seeds=range(3))
    assert found.verification.proved
    assert {item.source for item in found.checklist.items} == {"template:dear"}


def test_a_question_that_holds_its_answer_by_chance_is_not_asked() -> None:
    # The mean price of stall 4 is 40.
    telling = template(question="What does a trade of {entity} cost on average, of those below 40?")
    found = author(brief(telling, wanted=1), bazaar(), fingerprint=None, seeds=range(3))
    asked = {item.entity_id for item in found.checklist.items}
    assert "s3" in asked and "s4" not in asked


def test_nothing_is_kept_where_nothing_can_be_proved() -> None:
    found = author(brief(VACUOUS), bazaar(), fingerprint=None, seeds=range(3))
    assert found.checklist.items == ()
    assert found.considered == 8


def test_the_report_counts_items_and_what_others_would_pass() -> None:
    text = report(author(brief(template(), TOP_WARE), bazaar(), fingerprint=None, seeds=range(3)))
    assert "16 candidates, " in text and " fail when perturbed" in text
    assert "by category: prices" in text
    assert "another entity's own figure would pass: " in text


def test_an_unknown_scenario_lists_those_that_can_be_authored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["boats", "--database", str(tmp_path / "x"), "--out", str(tmp_path / "y")])
    assert code == 2
    assert (
        "unknown scenario to author 'boats'; known: destinations, flights"
        in capsys.readouterr().err
    )
    assert list(tmp_path.iterdir()) == []


def test_a_missing_database_is_one_clear_line_and_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(
        ["flights", "--database", str(tmp_path / "no.duckdb"), "--out", str(tmp_path / "y")]
    )
    assert code == 1
    told = capsys.readouterr().err
    assert "no.duckdb" in told and len(told.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.real
def test_authoring_flights_anew_gives_the_committed_file_byte_for_byte(
    flights: InstalledScenario, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "flights.json"
    assert main(["flights", "--database", str(flights.database_path), "--out", str(out)]) == 0
    assert load(out).hash == load("flights").hash
    shipped = Path(__file__).parents[3] / "checklists" / "flights.json"
    assert out.read_bytes() == shipped.read_bytes()
    told = capsys.readouterr().out
    items = len(load("flights").items)
    assert f"{items} items chosen: {items} hold, {items} fail when perturbed" in told
