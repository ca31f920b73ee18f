"""Runs of agents from outside are listed, shown, scored apart and forgotten like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import text as sql

from core.outside import UNANSWERED
from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.outsiders import Outsider, enrolled, explored
from tests.server.support import spec

RUN = spec().id


@pytest.fixture
def met(home: Path) -> Path:
    """A home with one run from outside, of every kind of ending."""
    with open_store(home / "store.sqlite3") as store:
        explored(store)
    return home


def test_the_list_tells_the_class_and_that_classes_are_not_ranked_together(
    ddr: Ddr, met: Path
) -> None:
    alone = ddr("runs")
    assert "outside with shell" in alone.out
    assert "complete, 1 without contact" in alone.out
    assert "not compared in one ranking" not in alone.out, "there is one class only"
    with open_store(met / "store.sqlite3") as store:
        store.add_run(spec("20260131-small-zz99"))
    both = ddr("runs")
    assert "built-in" in both.out
    assert "runs of different classes are not compared in one ranking" in both.out
    listed = ddr("runs", "--json").json["runs"]
    assert {each["run"]: each["class"] for each in listed} == {
        RUN: "outside with shell",
        "20260131-small-zz99": "built-in",
    }
    assert next(each for each in listed if each["run"] == RUN)["turns"] == 6


def test_a_run_shows_how_far_each_came_who_it_said_it_is_and_what_failed(
    ddr: Ddr, met: Path
) -> None:
    said = ddr("show", "last").out
    assert "class: outside with shell (runs of different classes are not compared" in said
    rows = {line.split()[0]: line for line in said.splitlines() if "claude-code 2.1.332" in line}
    assert "calls" in rows["01"]
    assert "sql 1, client_cancelled 1, ended 1" in rows["01"]
    assert "claude-code 2.1.332 (2026-07-28)" in rows["01"]
    assert "unanswered 1" in rows["02"]
    assert "no contact" in said
    assert (
        "01 says of itself, unmeasured: claude-code 2.1, model claude-x, 1,200 / 30 tokens in / out"
        in said
    )


def test_a_trajectory_shows_its_contact_its_insights_with_evidence_and_what_was_refused(
    ddr: Ddr, met: Path
) -> None:
    said = ddr("show", RUN, "01").out
    assert "11 calls (execute_query 4, submit_insight 3, get_task 1, get_database_info 1, " in said
    assert "1 refused, 1 cancelled, 0 unanswered" in said
    assert "  * Carrier 01 flies 7 times.\n    shown by: SELECT count(*) FROM flights\n" in said
    assert "  * Carrier 01 is one of a kind.\n" in said
    assert "  < error (client_cancelled): the client hung up\n" in said
    assert "call 11, execute_query (ended): this exploration has ended" in said
    told = ddr("show", RUN, "01", "--json").json
    assert told["class"] == "outside with shell"
    assert told["contact"]["stage"] == "calls"
    names = [call["name"] for call in told["calls_beside_turns"]]
    assert names == ["get_task", *["submit_insight"] * 3, "finish", "execute_query"]
    assert told["reported_model"] == "claude-x"
    assert told["model"] is None


def test_calls_that_overlapped_are_one_turn_and_each_is_shown_with_its_own_answer(
    ddr: Ddr, met: Path
) -> None:
    said = ddr("show", RUN, "01", "3").out
    assert "turn 3  (2.50 s, 2 calls)" in said
    query, code = said.split("  > execute_code")
    assert "    7\n" in query
    assert '< {"stdout": "1\\n"}' in code
    told = ddr("show", RUN, "01", "3", "--json").json
    assert [call["name"] for call in told["tool_calls"]] == ["execute_query", "execute_code"]
    assert [r["call_id"] for r in told["tool_results"]] == [
        c["call_id"] for c in told["tool_calls"]
    ]


def test_a_call_without_an_answer_says_that_nothing_was_sent(ddr: Ddr, met: Path) -> None:
    said = ddr("show", RUN, "02", "2").out
    assert f"< error ({UNANSWERED}): nothing was sent; its process ended before" in said


def test_one_that_never_came_is_shown_as_such(ddr: Ddr, met: Path) -> None:
    said = ddr("show", RUN, "03").out
    assert "0 turns, no_contact" in said
    assert "contact: no contact\n" in said


def test_what_an_agent_writes_moves_no_cursor_and_renames_no_window(ddr: Ddr, home: Path) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"
    with open_store(home / "store.sqlite3") as store:
        run = enrolled(store, (("01", 1),))
        agent = Outsider(store, run)
        agent.meet(agent=evil, model=evil)
        agent.query(evil, said={"columns": [evil], "rows": [[evil]]})
        agent.call("execute_query", evil, "sql", query=evil)
        agent.insight(f"Look {evil}", evidence=[evil])
        agent.finish(f"All {evil}")
        agent.query(evil)
    for arguments in (("show", RUN), ("show", RUN, "01"), ("show", RUN, "01", "1"), ("runs",)):
        said = ddr(*arguments)
        assert not set("\x1b\x07\x9b\u202e") & set(said.out + said.err), arguments
    assert "\\x1b[2J" in ddr("show", RUN, "01").out, "it is spelt out, not left out"
    kept = json.loads(ddr("show", RUN, "01", "--json").out)
    assert kept["reported_agent"] == evil, "programs are told what was said"


def test_no_line_that_an_agent_writes_passes_for_one_of_ours(ddr: Ddr, home: Path) -> None:
    evil = "me\nFORGED: supported 100 %"
    with open_store(home / "store.sqlite3") as store:
        agent = Outsider(store, enrolled(store, (("01", 1),)))
        agent.meet(agent=evil, model=evil)
        for _ in range(2):
            agent.call(evil, "no such tool", "unknown_tool", query=evil)
        agent.query("SELECT 1")
        agent.insight(f"Look {evil}", evidence=[evil])
        agent.finish("All of it")
    for arguments in (("show", RUN), ("show", RUN, "01"), ("show", RUN, "01", "1")):
        said = ddr(*arguments).out
        assert "FORGED" in said or arguments[-1] == "1"
        assert not [line for line in said.splitlines() if line.startswith("FORGED")], said


def test_a_deleted_run_takes_its_seats_calls_and_contacts_along(ddr: Ddr, met: Path) -> None:
    with open_store(met / "store.sqlite3") as store:
        Outsider(store, enrolled(store, id="20260131-small-zz99")).meet()
    counts = _counts(met)
    assert counts["calls"] > 10
    assert counts["contacts"] > 3
    assert ddr("delete", RUN, "--yes").code == 0
    left = _counts(met)
    assert left == {
        "runs": 1,
        "seats": 2,
        "trajectories": 1,
        "calls": 1,
        "contacts": 3,
        "insights": 0,
    }
    assert ddr("delete", "20260131-small-zz99", "--yes").code == 0
    assert set(_counts(met).values()) == {0}


def _counts(home: Path) -> dict[str, int]:
    tables = ("runs", "seats", "trajectories", "calls", "contacts", "insights")
    with open_store(home / "store.sqlite3") as store, store.reading() as session:
        return {
            table: session.execute(sql(f"SELECT count(*) FROM {table}")).scalar_one()
            for table in tables
        }


def test_a_run_from_outside_is_not_gone_on_with_by_an_agent_of_ours(ddr: Ddr, met: Path) -> None:
    refused = ddr("run", "--resume", RUN)
    assert refused.code == 2
    assert f"run {RUN} is explored by an agent from outside" in refused.err


def test_what_an_agent_from_outside_said_cannot_be_replayed(ddr: Ddr, met: Path) -> None:
    refused = ddr("run", "--scenario", "flights", "--model", f"replay:{RUN}")
    assert refused.code == 2
    assert "holds no replies of a model" in refused.err
