"""`ddr failures`: grounding, attached SQL, why items were missed, and what judges and people say."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from core.trajectory import Insight, StopReason, ToolResult
from databases.catalog import InstalledScenario
from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.support import START, draft, spec, turn

RUN = "20260131-flights-ab12"


def said(trajectory_id: str, number: int, text: str, *evidence: str) -> Insight:
    return Insight(
        id=f"{trajectory_id}.i{number}",
        trajectory_id=trajectory_id,
        level="message",
        turn=1,
        text=text,
        author="mine",
        evidence=evidence,
    )


@pytest.fixture
def explored(built_home: Path, flights: InstalledScenario) -> Path:
    """Carrier 01 hands in four insights with and without evidence, carrier 02 one."""
    with open_store(built_home / "store.sqlite3") as store:
        run = spec(RUN, scenario_id="flights", scenario_fingerprint=flights.scenario.fingerprint)
        store.add_run(run)
        for entity_id in run.entity_ids:
            mine = store.start_trajectory(draft(run, entity_id))
            seen = turn(1, result='{"rows": [[5162, 16.1]]}')
            read = ToolResult.model_validate(
                {**seen.tool_results[0].model_dump(), "accessed_fields": ("flights.carrier_id",)}
            )
            store.add_turn(mine.id, seen.model_copy(update={"tool_results": (read,)}))
            count = "SELECT count(*) FROM flights WHERE carrier_id = '01'"
            told: list[tuple[str, tuple[str, ...]]] = [("It has 5,162 rows.", (count,))]
            if entity_id == "01":
                told += [
                    ("It has 5,163 rows.", (count,)),
                    ("It has 5,162 rows still.", ("SELECT count(*) FROM nowhere",)),
                    ("A mean of 16.1 rows.", ("turn 1",)),
                    ("It has 4,711 rows.", ()),
                ]
            for number, (text, evidence) in enumerate(told, 1):
                store.add_insight(said(mine.id, number, text, *evidence))
            store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    return built_home


def test_attached_sql_is_run_again_and_compared(ddr: Ddr, explored: Path) -> None:
    done = ddr("failures", "last", "--json", "--quiet")
    assert done.code == 0, done.err
    (run,) = done.json["runs"]
    states = [(each["state"], each["reason"]) for each in run["claims"]["insights"]]
    assert [state for state, _ in states] == [
        "grounded",
        "wrong",
        "unsupported",
        "grounded",
        "unsupported",
        "grounded",
    ]
    assert states[1][1] == "the evidence does not give 5,163"
    assert states[2][1].startswith("its SQL does not run: ")
    assert run["claims"]["grounded"]["value"] == 0.5
    assert run["missed"] is None, "nobody has judged it"
    lost = [each["number"] for each in run["grounding"]["not_found"]]
    assert lost == ["5,163", "4,711"]
    assert run["hallucination"]["untraced"]["hits"] == 2
    assert run["hallucination"]["untraced"]["out_of"] == 6


@pytest.mark.real
def test_breadth_is_computed_by_what_the_evidence_reads(ddr: Ddr, explored: Path) -> None:
    assert ddr("evaluate", "last", "--quiet").code == 0
    (run,) = ddr("failures", "last", "--json", "--quiet").json["runs"]
    assert run["missed"]["computed"]["counts"]["exploration breadth"] == run["missed"]["items"] > 10
    reasons = {each["computed"]["reason"] for each in run["missed"]["cases"]}
    assert all(reason.startswith("never read: ") for reason in reasons)
    told = ddr("failures", "last").out
    assert "exploration breadth" in told
    assert "per category, computed" in told


def script(folder: Path, *replies: dict[str, Any]) -> str:
    lines = [{"text": json.dumps({"reason": "so", **reply})} for reply in replies]
    path = folder / "judge.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return f"scripted:{path}"


DEEP = {"class": "exploration depth", "supporting_turns": [1], "quote": "5162"}


@pytest.mark.real
def test_what_a_judge_proposes_and_people_confirm_is_kept_apart(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    assert ddr("evaluate", "last", "--quiet").code == 0
    name = script(tmp_path, DEEP, DEEP, DEEP)
    asked = ("failures", "last", "--judge", name, "--sample", "3", "--json", "--quiet")
    would = ddr(*asked, "--estimate").json["estimates"][0]["estimates"][0]
    assert would["calls"] == 3
    done = ddr(*asked)
    assert done.code == 0, done.err
    found = done.json["runs"][0]["missed"]
    assert found["proposed"]["out_of"] == 3
    assert found["proposed"]["counts"]["exploration depth"] == 3
    assert ddr(*asked).code == 0, "what was said is not asked for again: the script has ended"
    assert ddr(*asked, "--estimate").json["estimates"][0]["estimates"][0]["calls"] == 0

    sheet = tmp_path / "sheet.csv"
    assert ddr("failures", "last", "--export", str(sheet)).code == 0
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == found["items"]
    assert sum(row["proposed"] == "exploration depth" for row in rows) == 3
    rows[0]["class"], rows[1]["class"], rows[1]["who"] = "Superficial", "debug loop", "Bob"
    filled = tmp_path / "filled.jsonl"
    filled.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    taken = ddr("failures", "last", "--import", str(filled), "--who", "Ada", "--json", "--quiet")
    assert taken.code == 0, taken.err
    confirmed = taken.json["runs"][0]["missed"]["confirmed"]
    assert confirmed["out_of"] == 2
    assert confirmed["counts"]["superficial"] == confirmed["counts"]["debug loop"] == 1
    assert taken.json["runs"][0]["missed"]["proposed"]["out_of"] == 3

    rows[2]["class"] = "laziness"
    filled.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    wrong = ddr("failures", "last", "--import", str(filled), "--who", "Ada")
    assert wrong.code == 2
    assert "row 3: no class 'laziness'" in wrong.err


@pytest.mark.real
def test_a_person_confirms_at_the_terminal(
    ddr: Ddr, explored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert ddr("evaluate", "last", "--quiet").code == 0
    monkeypatch.setattr("sys.stdin", Terminal("\nx\n3\ns\nu\nq\n"))
    done = ddr("failures", "last", "--confirm", "--who", "Ada")
    assert done.code == 0, done.err
    monkeypatch.undo()
    monkeypatch.setenv("DDR_HOME", str(explored))
    found = ddr("failures", "last", "--json", "--quiet").json["runs"][0]["missed"]["confirmed"]
    assert found["out_of"] == 3
    assert found["counts"]["exploration breadth"] == 1, "Enter takes what the records say"
    assert found["counts"]["superficial"] == 1
    assert found["counts"]["not known"] == 1


def test_without_a_terminal_nobody_can_confirm(ddr: Ddr, explored: Path) -> None:
    for arguments, told in (
        (("--confirm",), "--who NAME"),
        (("--who", "Ada"), "--who goes with"),
        (("--estimate",), "--judge MODEL"),
        (("--judge", "scripted:x"), "evaluate"),
        (("--export", "x.csv"), "evaluate"),
    ):
        done = ddr("failures", "last", *arguments)
        assert done.code == 2, arguments
        assert told in done.err


def test_the_judged_rate_of_hallucination_is_kept_and_resumed(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    yes = {"answer": "derivable", "supporting_turns": [1], "quote": "5162"}
    no = {"answer": "not derivable", "quote": "4,711"}
    broken = {"answer": "derivable", "supporting_turns": [1], "quote": "nowhere"}
    cannot = {"answer": "cannot tell", "quote": ""}
    name = script(tmp_path, yes, broken, broken, yes, yes, no, cannot, yes)
    asked = ("failures", "last", "--hallucination", "--judge", name, "--concurrency", "1")
    done = ddr(*asked, "--json", "--quiet")
    assert done.code == 0, done.err
    (judged,) = done.json["runs"][0]["hallucination"]["judged"]
    assert judged["judge"] == name
    assert (judged["rate"]["hits"], judged["rate"]["out_of"]) == (0, 4)
    assert (judged["not_derivable"]["hits"], judged["not_derivable"]["out_of"]) == (1, 5)
    assert judged["unknown"] == 2
    again = ddr(*asked, "--json", "--quiet")
    assert again.code == 0, "all have their word: nothing is asked"
    assert again.json["runs"][0]["hallucination"]["judged"] == [judged]
    assert f"hallucination by {name}" in ddr("failures", "last").out
