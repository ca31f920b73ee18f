"""Episodes over REST: reset, step and reward, at the same desk as over MCP."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx
import pytest

from checklists.loader import load
from core.outside import CANCELLED
from core.trajectory import RUN_LIMIT, StopReason
from server.store.callbook import CallBook
from tests.server.rest_app.api import PATIENCE_S, Api, Episode, facts, kind, problem

pytestmark = pytest.mark.real

LONG = "SELECT count(*) FROM range(100000000000) a"


# Reset


def test_a_reset_tells_the_task_the_tools_and_a_token_of_its_own(api: Api) -> None:
    told = api.reset(policy="p 1").told
    assert "carrier 03" in told["task"] and told["instructions"].startswith(told["task"])
    names = [tool["name"] for tool in told["tools"]]
    assert names == [
        "get_database_info",
        "describe_table",
        "execute_query",
        "get_task",
        "submit_insight",
        "finish",
    ]
    assert all(tool["input_schema"]["type"] == "object" for tool in told["tools"])
    spec = api.store.run(told["run"])
    assert (spec.agent, spec.entity_ids, spec.trials) == ("p 1", ("03",), 1)
    assert spec.outside is not None
    assert (spec.outside.has_shell, spec.outside.has_web) == (False, False)
    assert api.store.trajectories(told["run"]) == []  # it begins with the first step


def test_a_seed_draws_the_same_entity_again_and_others_with_others(api: Api) -> None:
    drawn = [api.reset(entity=None, seed=seed).told["entity"] for seed in (1, 1, 2, 3, 4)]
    assert drawn[0] == drawn[1] and len(set(drawn)) > 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"entity": "99"}, "unknown-name"),
        ({"entity": ""}, "invalid"),
        ({"seed": "x"}, "invalid"),
        ({"policy": "profiler"}, "refused"),
        ({"scenario": "patients"}, "not-built"),
        ({"reward": 1}, "invalid"),
    ],
)
def test_what_cannot_begin_is_refused(api: Api, body: dict[str, Any], said: str) -> None:
    asked = {"scenario": "flights", "entity": "03", **body}
    answer = api.ask("harness", "POST", "/episodes", json=asked)
    assert kind(answer, 409 if said == "not-built" else 422) == said


# Step


def test_an_episode_goes_from_the_first_look_to_the_end(api: Api) -> None:
    episode = api.reset()
    first = episode.step("get_task", agent="a", model="m")
    assert (first["turn"], first["is_error"], first["done"]) == (0, False, False)
    look = episode.step("execute_query", query="SELECT 41 + 1 AS x")
    assert json.loads(look["observation"])["rows"] == [[42]] and look["turn"] == 1
    wrong = episode.step("execute_query", query="SELECT nope FROM flights")
    assert (wrong["is_error"], wrong["error_kind"], wrong["turn"]) == (True, "sql", 2)
    for duplicate in (False, True):
        said = episode.step("submit_insight", text="Forty-two.")
        assert json.loads(said["observation"])["duplicate"] is duplicate
    unknown = episode.step("drop_table", name="flights")
    assert unknown["is_error"] and not unknown["done"]
    end = episode.step("finish", report="42")
    assert end["done"] and not end["is_error"]
    late = episode.step("execute_query", query="SELECT 1")
    assert late["is_error"] and late["error_kind"] == "ended" and late["done"]
    (trajectory,) = api.store.trajectories(episode.run)
    assert trajectory.stop_reason is StopReason.FINISHED
    assert (trajectory.reported_agent, trajectory.reported_model) == ("a", "m")
    assert trajectory.client is not None and trajectory.client.name == "python-httpx"
    calls = CallBook(api.store).calls(trajectory.id)
    assert [call.name for call in calls] == [
        "get_task",
        "execute_query",
        "execute_query",
        "submit_insight",
        "submit_insight",
        "drop_table",
        "finish",
        "execute_query",
    ]
    assert calls[1].result is not None and calls[1].result.text == look["observation"]


def test_a_limit_refuses_and_the_report_may_still_be_handed_in(api: Api) -> None:
    episode = api.reset(limits={"max_turns": 2})
    for _ in range(2):
        assert not episode.step("execute_query", query="SELECT 1")["is_error"]
    refused = episode.step("execute_query", query="SELECT 1")
    assert (refused["error_kind"], refused["done"]) == (RUN_LIMIT, False)
    assert episode.step("finish", report="That was all.")["done"]
    assert episode.reward()["stop_reason"] == "max_turns"


def test_what_a_policy_sends_is_kept_as_it_came(api: Api) -> None:
    episode = api.reset()
    odd = "SELECT '\u202e\x00\x1b[31m\ud800' AS \U0001f600"
    body = json.dumps({"tool": "execute_query", "arguments": {"query": odd}})  # \ud800 escaped
    headers = {"Content-Type": "application/json"}
    path = f"/episodes/{episode.path}/step"
    answer = api.ask(episode.told["token"], "POST", path, content=body, headers=headers)
    assert answer.status_code == 200 and "observation" in answer.json()
    (call,) = CallBook(api.store).calls(api.store.trajectories(episode.run)[0].id)
    assert json.loads(call.arguments)["query"].startswith("SELECT '\u202e\x00\x1b[31m")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tool": ""},
        {"tool": "x" * 129},
        {"tool": 5},
        {"tool": "get_task", "arguments": []},
        {"tool": "get_task", "arguments": None},
        {"tool": "get_task", "entity": "07"},
        [],
        "get_task",
    ],
)
def test_a_step_that_is_none_leaves_no_call(api: Api, going_on: Episode, body: Any) -> None:
    path = f"/episodes/{going_on.path}/step"
    answer = api.ask(going_on.told["token"], "POST", path, json=body)
    assert kind(answer, 422) == "invalid"
    assert len(CallBook(api.store).calls(api.store.trajectories(going_on.run)[0].id)) == 1


def test_who_hangs_up_has_the_work_stopped_and_the_call_written_down(api: Api) -> None:
    episode = api.reset()
    episode.step("get_task")
    headers = {"Authorization": f"Bearer {episode.told['token']}"}
    body = {"tool": "execute_query", "arguments": {"query": LONG}}
    path = f"{api.url}/api/episodes/{episode.path}/step"
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(path, json=body, headers=headers, timeout=httpx.Timeout(PATIENCE_S, read=1.0))
    (trajectory,) = api.store.trajectories(episode.run)
    deadline = time.monotonic() + PATIENCE_S
    while (call := CallBook(api.store).calls(trajectory.id)[-1]).result is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert (call.result.error_kind, call.turn) == (CANCELLED, 1)
    again = episode.step("execute_query", query="SELECT 1")
    assert not again["is_error"] and again["turn"] == 2


# Reward


def test_a_reward_is_the_share_of_items_that_the_insights_support(api: Api) -> None:
    episode = api.reset()
    episode.step("get_database_info")
    for text in facts("03", 3):
        episode.step("submit_insight", text=text)
    episode.step("finish", report=facts("03", 1)[0])
    told = episode.reward()
    total = len([item for item in load("flights").of("03") if item.status == "accepted"])
    assert (told["message"]["supported"], told["message"]["out_of"]) == (3, total)
    assert told["reward"] == told["message"]["reward"] == pytest.approx(3 / total)
    assert told["trajectory"]["supported"] == 1
    assert (told["stop_reason"], told["why_none"], told["turns"]) == ("finished", None, 1)
    for level in ("message", "trajectory"):
        parts = ("supported", "contradicted", "insufficient", "unscored")
        assert sum(told[level][part] for part in parts) == total


def test_a_reward_with_its_guards_counts_what_nothing_showed(api: Api) -> None:
    episode = api.reset()
    episode.step("get_database_info")
    for text in facts("03", 3):
        episode.step("submit_insight", text=text)
    episode.step("finish", report=facts("03", 1)[0])
    told = episode.reward()
    # Nothing but the schema was looked at: the figures are right, and where they are from nobody saw.
    assert told["untraced"] >= 3 and told["contradictions"] == 0
    assert told["guarded"] == pytest.approx(told["reward"] - 0.02 * told["untraced"])


def test_a_reward_is_the_same_however_often_it_is_asked_for_and_leaves_nothing(
    api: Api, finished: Episode
) -> None:
    before = api.store.evaluations(finished.run)
    assert finished.reward() == finished.reward() == finished.reward("admin")
    assert api.store.evaluations(finished.run) == before


def test_the_same_run_is_scored_alike(api: Api, finished: Episode) -> None:
    scores = api.post("harness", f"/runs/{finished.run}/score?baselines=none")["scores"]
    (strict,) = [
        score["strict"]
        for score in scores
        if (score["level"], score["averaging"]) == ("message", "item")
    ]
    assert finished.reward()["reward"] == pytest.approx(strict)


def test_before_the_end_there_is_no_reward(api: Api, going_on: Episode) -> None:
    path = f"/episodes/{going_on.path}/reward"
    assert kind(api.ask("harness", "POST", path), 409) == "not-finished"
    untouched = api.reset()
    answer = api.ask("harness", "POST", f"/episodes/{untouched.path}/reward")
    assert "finish" in problem(answer, 409)["detail"]


def test_no_token_of_an_agents_opens_a_reward(
    api: Api, finished: Episode, going_on: Episode
) -> None:
    for episode in (finished, going_on):
        answer = api.ask(episode.told["token"], "POST", f"/episodes/{episode.path}/reward")
        assert kind(answer, 401) == "token"


def test_no_observation_tells_of_what_is_looked_for(api: Api, finished: Episode) -> None:
    (trajectory,) = api.store.trajectories(finished.run)
    seen = [call.result.text for call in CallBook(api.store).calls(trajectory.id) if call.result]
    assert seen and not any(
        word in text
        for text in seen
        for word in ("reward", "checklist", "supported", "flights-03-")
    )


def test_an_episode_that_nobody_played_is_worth_nothing_and_not_zero(api: Api) -> None:
    episode = api.reset()
    api.post("harness", f"/runs/{episode.run}/close")
    told = episode.reward()
    assert (told["stop_reason"], told["reward"]) == ("no_contact", None)
    assert told["why_none"] and told["message"]["unscored"] == told["message"]["out_of"]


def test_an_episode_in_which_nothing_was_handed_in_is_worth_zero(
    api: Api, going_on: Episode
) -> None:
    api.post("harness", f"/runs/{going_on.run}/close")
    told = going_on.reward()
    assert (told["stop_reason"], told["reward"], told["why_none"]) == ("abandoned", 0.0, None)


def test_a_seat_of_a_run_can_be_stepped_and_rewarded_like_an_episode(api: Api) -> None:
    made = api.make_run(entities=["03", "07"], queue=True)
    seat = api.at(made["seats"][0])
    seat.step("get_database_info")
    first = seat.step("finish", report=facts("03", 1)[0])
    assert not first["done"] and seat.reward()["trajectory"]["supported"] == 1
    told = seat.step("get_task")
    assert json.loads(told["observation"])["carrier"] == "07"
    assert kind(api.ask("harness", "POST", f"/episodes/{seat.path}/reward"), 409) == "not-finished"
    seat.step("get_database_info")
    assert seat.step("finish", report="r")["done"]
    assert seat.reward()["entity"] == "07"


def test_an_unknown_episode_has_no_reward(api: Api) -> None:
    assert kind(api.ask("harness", "POST", "/episodes/x/reward"), 404) == "no-such-episode"
