"""Insights after the fact are those that the run would have had at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.trajectory import RUN_LIMIT, Insight, StopReason, Trajectory
from databases import catalog
from databases.catalog import InstalledScenario
from server.store import RunLock, open_store
from tests.server.cli.conftest import Ddr
from tests.server.cli.test_run_models import DONE, QUERY, explore, script
from tests.server.support import START, draft, spec, turn

pytestmark = pytest.mark.real  # whole runs with models

TOLD = {"role": "insight", "text": "It has many.", "usage": {"input_tokens": 7, "output_tokens": 3}}
NONE = {"role": "insight", "text": "NO INSIGHT"}
FAILS = {"role": "insight", "error": {"kind": "server", "status_code": 500, "text": "broken"}}
REFUSED = {"role": "insight", "error": {"kind": "auth", "status_code": 401, "text": "no key"}}
PRICES = '[models."scripted/*"]\ninput = 2.0\noutput = 10.0\n'


def stored(home: Path) -> list[Trajectory]:
    with open_store(home / "store.sqlite3") as store:
        return store.trajectories(store.run("last").id)


def plain(insight: Insight) -> dict[str, Any]:
    """All but ids and times."""
    told = insight.model_dump(exclude={"id", "trajectory_id"})
    call = told["call"]
    return {**told, "call": call and {**call, "started_at": 0, "duration_s": 0}}


@pytest.mark.parametrize("how", ["none", "later"])
def test_they_are_the_same_records_as_those_that_are_asked_for_at_once(
    ddr: Ddr, built_home: Path, tmp_path: Path, how: str
) -> None:
    model = script(tmp_path, QUERY, QUERY, DONE, TOLD, NONE)
    assert explore(ddr, "--model", model).code == 0
    (at_once,) = stored(built_home)
    assert explore(ddr, "--model", model, "--insights", how).code == 0
    assert stored(built_home)[0].message_insights == ()
    done = ddr("insights", "last", "--json")
    assert done.code == 0, done.err
    told = {key: done.json[key] for key in ("turns", "missing", "asked", "told", "failed", "left")}
    assert told == {"turns": 2, "missing": 2, "asked": 2, "told": 1, "failed": 0, "left": 0}
    (later,) = stored(built_home)
    assert [plain(i) for i in later.message_insights] == [
        plain(i) for i in at_once.message_insights
    ]
    assert [i.text for i in later.message_insights] == ["It has many.", None]
    assert later.report == at_once.report
    assert len({i.id for i in later.insights}) == 3


def test_asked_again_it_asks_nothing_more(ddr: Ddr, built_home: Path, tmp_path: Path) -> None:
    model = script(tmp_path, QUERY, DONE, TOLD)
    assert explore(ddr, "--model", model, "--insights", "later").code == 0
    assert ddr("insights", "last").code == 0
    before = stored(built_home)
    again = ddr("insights", "last", "--json")
    assert again.code == 0
    assert (again.json["missing"], again.json["asked"]) == (0, 0)
    assert stored(built_home) == before
    assert "all of its 1 turn have their insight" in ddr("insights", "last").out


def test_another_model_may_write_them_and_what_it_cost_is_kept(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES, "utf-8")
    model = script(tmp_path, QUERY, DONE)
    assert explore(ddr, "--model", model, "--insights", "none", entities="01,02").code == 0
    other = script(tmp_path, TOLD, name="other.jsonl")
    done = ddr("insights", "last", "--model", other, "--prices", str(prices), "--json")
    assert done.code == 0, done.err
    assert done.json["calls"] == 2
    assert done.json["usage"]["cost_usd"] == pytest.approx(2 * (7 * 2 + 3 * 10) / 1e6, abs=1e-12)
    for trajectory in stored(built_home):
        (only,) = trajectory.message_insights
        assert only.author == other
        assert [c.role for c in trajectory.calls].count("insight") == 1
    assert "insight" not in ddr("show", "last").err


def test_a_run_of_an_agent_without_a_model_needs_one_named(
    ddr: Ddr, built_home: Path, tmp_path: Path, flights: InstalledScenario
) -> None:
    _outside(built_home, flights)
    lacking = ddr("insights", "last")
    assert lacking.code == 2
    assert "give --model" in lacking.err
    done = ddr("insights", "last", "--model", script(tmp_path, TOLD))
    assert done.code == 0, done.err
    assert [i.text for i in stored(built_home)[0].message_insights] == ["It has many."]


def _outside(home: Path, flights: InstalledScenario) -> None:
    """A run of an agent that connected by itself and handed no insight in."""
    with open_store(home / "store.sqlite3") as store:
        run = spec(
            scenario_id="flights",
            scenario_fingerprint=flights.scenario.fingerprint,
            entity_ids=("01",),
        )
        store.add_run(run)
        mine = store.start_trajectory(draft(run))
        store.add_turn(mine.id, turn(1))
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)


def test_a_failed_call_is_kept_and_asked_again_next_time(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, QUERY, QUERY, DONE, FAILS, TOLD)
    assert explore(ddr, "--model", model, "--insights", "later").code == 0
    done = ddr("insights", "last", "--json")
    assert done.code == 1
    assert (done.json["failed"], done.json["left"]) == (1, 1)
    assert f"go on with: DDR_HOME={built_home} ddr insights " in done.err
    assert done.json["calls_without_cost"] == 2, "what a failed call cost nobody knows"
    script(tmp_path, TOLD)
    again = ddr("insights", "last", "--json")
    assert again.code == 0, again.err
    assert (again.json["missing"], again.json["told"]) == (1, 1)
    (only,) = stored(built_home)
    assert [(i.turn, i.text) for i in only.message_insights] == [
        (1, "It has many."),
        (2, "It has many."),
    ]
    assert len([c for c in only.calls if c.role == "insight"]) == 3


@pytest.mark.parametrize(("reply", "calls"), [(REFUSED, 1), (FAILS, 3)])
def test_an_endpoint_that_is_not_there_is_asked_no_further(
    ddr: Ddr, built_home: Path, tmp_path: Path, reply: dict[str, Any], calls: int
) -> None:
    model = script(tmp_path, *[QUERY] * 5, DONE, *[reply] * 5)
    assert explore(ddr, "--model", model, "--insights", "later").code == 0
    done = ddr("insights", "last", "--json")
    assert done.code == 1
    assert (done.json["calls"], done.json["left"]) == (calls, 5)
    assert "failed" in done.json["stopped"]


def test_a_spent_budget_ends_it_and_the_rest_is_for_the_next_time(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES, "utf-8")
    model = script(tmp_path, *[QUERY] * 4, DONE, *[TOLD] * 4)
    assert explore(ddr, "--model", model, "--insights", "none").code == 0
    budget = ("--prices", str(prices), "--budget-usd", "0.00006", "--json")
    done = ddr("insights", "last", *budget)
    assert done.code == 1
    assert (done.json["asked"], done.json["left"]) == (2, 2)
    assert "the budget of $6e-05 is spent" in done.json["stopped"]
    rest = ddr("insights", "last", *budget[:2], "--json")
    assert (rest.code, rest.json["asked"], rest.json["left"]) == (0, 2, 0)


def test_a_turn_whose_calls_a_limit_refused_is_not_asked_about(
    ddr: Ddr, built_home: Path, tmp_path: Path, flights: InstalledScenario
) -> None:
    with open_store(built_home / "store.sqlite3") as store:
        run = spec(
            scenario_id="flights",
            scenario_fingerprint=flights.scenario.fingerprint,
            entity_ids=("01",),
        )
        store.add_run(run)
        mine = store.start_trajectory(draft(run))
        store.add_turn(mine.id, turn(1))
        (answer,) = turn(2).tool_results
        refused = answer.model_copy(update={"is_error": True, "error_kind": RUN_LIMIT})
        store.add_turn(mine.id, turn(2).model_copy(update={"tool_results": (refused,)}))
        store.end_trajectory(mine.id, StopReason.MAX_SECONDS, ended_at=START)
    assert ddr("insights", "last", "--model", script(tmp_path, TOLD, TOLD)).code == 0
    one, two = stored(built_home)[0].message_insights
    assert (one.text, two.text, two.call) == ("It has many.", None, None)


def test_scores_made_before_and_after_stand_side_by_side(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, QUERY, DONE, TOLD)
    assert explore(ddr, "--model", model, "--insights", "later").code == 0
    first = ddr("evaluate", "last", "--baselines", "none", "--json").json["evaluation"]
    assert ddr("insights", "last").code == 0
    second = ddr("evaluate", "last", "--baselines", "none", "--json").json["evaluation"]
    assert first != second


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--base-url", "http://127.0.0.1:1/v1"), "go with --model"),
        (("--model", "opnai/x"), "did you mean 'openai'?"),
        (("--model", "replay:last"), "answers an exploration"),
        (("--budget-usd", "1"), "there is no price for scripted:"),
        (("--concurrency", "0"), "--concurrency"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_asked(
    ddr: Ddr, built_home: Path, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    model = script(tmp_path, QUERY, DONE, TOLD)
    assert explore(ddr, "--model", model, "--insights", "later").code == 0
    done = ddr("insights", "last", *more)
    assert done.code == 2
    assert said in done.err
    assert stored(built_home)[0].message_insights == ()


def test_restricted_data_go_off_this_machine_only_with_a_reason_that_is_kept(
    ddr: Ddr,
    built_home: Path,
    tmp_path: Path,
    flights: InstalledScenario,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _outside(built_home, flights)
    real = catalog.open_scenario
    restricted = flights.scenario.license.model_copy(update={"restricted": True})

    def opened(name: str, home: Path) -> InstalledScenario:
        found = real(name, home)
        changed = found.scenario.model_copy(update={"license": restricted})
        return InstalledScenario(**{**vars(found), "scenario": changed})

    monkeypatch.setattr("server.insights.open_scenario", opened)
    refused = ddr("insights", "last", "--model", "openai/gpt-x")
    assert refused.code == 2
    assert "--endpoint-allowed REASON" in refused.err
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    done = ddr(
        "insights", "last", "--model", script(tmp_path, TOLD), "--endpoint-allowed", "agreed"
    )
    assert done.code == 0, done.err
    with open_store(built_home / "store.sqlite3") as store:
        assert store.run("last").endpoint_allowed == "agreed"


def test_a_run_that_is_being_explored_is_left_alone(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, QUERY, DONE, TOLD)
    run = explore(ddr, "--model", model, "--insights", "later").json["run"]
    with RunLock(built_home / "locks", run):
        assert ddr("insights", "last").code == 1
    assert json.loads(ddr("show", "last", "01", "--json").out)["insights"][0]["level"] != "message"
