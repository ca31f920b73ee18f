"""Trajectories over REST: listed, fetched some turns at a time, and what is reported of them."""

from __future__ import annotations

from typing import Any

import pytest

from core.trajectory import StopReason, Trajectory
from server.store import open_store
from tests.server.rest_app.api import Api, Episode, facts, kind, problem
from tests.server.support import draft, insight, spec, turn

pytestmark = pytest.mark.real


def test_a_trajectory_comes_whole(api: Api, finished: Episode) -> None:
    told = api.get("reader", f"/runs/{finished.run}/trajectories/03")
    (stored,) = api.store.trajectories(finished.run)
    found = Trajectory.model_validate(told["trajectory"])
    assert found.turns == stored.turns and found.insights == stored.insights
    assert [call.name for each in found.turns for call in each.tool_calls] == [
        "get_database_info",
        "execute_query",
        "execute_query",
    ]
    assert found.turns[1].tool_results[0].is_error and found.report == " ".join(facts("03"))
    assert told["next_turn"] is None
    assert (told["contact"]["stage"], told["contact"]["explored"]) == ("calls", 3)
    assert told["contact"]["tools"]["submit_insight"] == 3


def test_turns_come_some_at_a_time(api: Api, finished: Episode) -> None:
    path = f"/runs/{finished.run}/trajectories/03"
    first = api.get("reader", path, params={"turns": 2})
    rest = api.get("reader", path, params={"turns": 2, "first_turn": first["next_turn"]})
    assert [t["index"] for t in first["trajectory"]["turns"]] == [1, 2]
    assert [t["index"] for t in rest["trajectory"]["turns"]] == [3] and rest["next_turn"] is None
    assert len(first["trajectory"]["insights"]) == len(rest["trajectory"]["insights"]) == 4


def test_trajectories_are_listed_a_page_at_a_time(api: Api) -> None:
    made = api.make_run(entities=["03", "07"], trials=2)
    for seat in made["seats"]:
        api.at(seat).step("execute_query", query="SELECT 1")
    path = f"/runs/{made['run']}/trajectories?limit=3"
    first = api.get("harness", path)
    rest = api.get("harness", path, params={"limit": 3, "after": first["next"]})
    listed = [(t["entity"], t["trial"]) for t in (*first["trajectories"], *rest["trajectories"])]
    assert listed == [("03", 1), ("03", 2), ("07", 1), ("07", 2)] and rest["next"] is None
    assert {t["stop_reason"] for t in first["trajectories"]} == {None}
    assert first["trajectories"][0]["client"].startswith("python-httpx ")


def test_what_nobody_has_begun_is_not_there(api: Api, finished: Episode) -> None:
    for path in ("07", "03?trial=2", "%27", "0" * 300):
        answer = api.ask("reader", "GET", f"/runs/{finished.run}/trajectories/{path}")
        assert kind(answer, 404) == "no-such-trajectory"


def test_a_run_of_an_agent_of_the_servers_own_can_be_read_but_for_its_places(api: Api) -> None:
    own = spec("20260131-flights-own1", scenario_id="flights", entity_ids=("03",))
    with open_store(api.home / "store.sqlite3") as store:
        store.add_run(own)
        mine = store.start_trajectory(draft(own, "03"))
        for index in (1, 2, 3):
            store.add_turn(mine.id, turn(index, f"thought {index}", tokens=10))
        store.add_insight(insight(mine.id, 1))
        store.end_trajectory(
            mine.id,
            StopReason.TOOL_UNAVAILABLE,
            ended_at=own.created_at,
            error="cannot open /home/me/.ddr/scenarios/x.duckdb: gone",
        )
    told = api.get("reader", f"/runs/{own.id}/trajectories/03?turns=2&first_turn=2")
    assert [t["text"] for t in told["trajectory"]["turns"]] == ["thought 2", "thought 3"]
    assert told["contact"] is None and told["next_turn"] is None
    assert told["trajectory"]["error"] == "cannot open <path> ..."
    assert api.get("reader", f"/runs/{own.id}")["from_outside"] is False
    body = {"reports": [{"entity": "03", "usage": {"input_tokens": 1}}]}
    assert kind(api.ask("harness", "POST", f"/runs/{own.id}/usage", json=body), 403) == "not-yours"
    assert kind(api.ask("admin", "POST", f"/runs/{own.id}/usage", json=body), 409) == "measured"
    assert kind(api.ask("admin", "POST", f"/runs/{own.id}/close"), 422) == "refused"


# What is reported


def reported(api: Api, run: str, entity: str) -> Trajectory:
    (found,) = [t for t in api.store.trajectories(run) if t.entity_id == entity]
    return found


def test_reported_usage_is_kept_beside_what_was_measured(api: Api) -> None:
    made = api.make_run(entities=["03", "07"])
    for seat in made["seats"]:
        api.at(seat).play()
    body = {
        "reports": [
            {"entity": "03", "usage": {"input_tokens": 81_200, "cost_usd": 0.31}, "model": "m/1"},
            {"entity": "07", "agent": "tester 2"},
        ]
    }
    assert api.post("harness", f"/runs/{made['run']}/usage", body) == {"kept": 2}
    first = reported(api, made["run"], "03")
    assert first.reported_usage is not None and first.usage().input_tokens == 0
    assert (first.reported_usage.input_tokens, first.reported_usage.cost_usd) == (81_200, 0.31)
    assert first.reported_usage.output_tokens is None and first.reported_model == "m/1"
    second = reported(api, made["run"], "07")
    assert (second.reported_agent, second.reported_usage) == ("tester 2", None)
    page = api.get("reader", f"/runs/{made['run']}/trajectories")
    assert page["trajectories"][0]["reported_usage"]["input_tokens"] == 81_200


def test_a_later_report_takes_the_place_of_an_earlier_one(api: Api) -> None:
    episode = api.reset()
    episode.step("execute_query", query="SELECT 1")
    episode.step("finish", report="r", usage={"input_tokens": 1})
    for count in (5, 6):
        body = {"reports": [{"entity": "03", "usage": {"input_tokens": count}}]}
        api.post("harness", f"/runs/{episode.run}/usage", body)
    usage = reported(api, episode.run, "03").reported_usage
    assert usage is not None and usage.input_tokens == 6


def test_of_several_reports_all_are_kept_or_none(api: Api, going_on: Episode) -> None:
    good = {"entity": "03", "usage": {"input_tokens": 5}}
    body = {"reports": [good, {"entity": "04", "usage": {"input_tokens": 5}}]}
    answer = api.ask("harness", "POST", f"/runs/{going_on.run}/usage", json=body)
    assert kind(answer, 404) == "no-such-trajectory"
    assert reported(api, going_on.run, "03").reported_usage is None


@pytest.mark.parametrize(
    "report",
    [
        {},
        {"usage": None},
        {"usage": {}},
        {"usage": {"input_tokens": -1}},
        {"usage": {"input_tokens": 1.5}},
        {"usage": {"input_tokens": "many"}},
        {"usage": {"tokens": 5}},
        {"usage": {"cost_usd": -0.1}},
        {"usage": {"cost_reason": "x"}},
        {"usage": [5]},
        {"model": ""},
        {"model": "m" * 201},
    ],
)
def test_a_report_that_says_nothing_or_nonsense_is_refused(
    api: Api, going_on: Episode, report: dict[str, Any]
) -> None:
    body = {"reports": [{"entity": "03", **report}]}
    answer = api.ask("harness", "POST", f"/runs/{going_on.run}/usage", json=body)
    assert "invalid" in problem(answer, 422)["type"]
    assert reported(api, going_on.run, "03").reported_usage is None
