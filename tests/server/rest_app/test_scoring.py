"""Scores over REST: what is found, out of what, and who is told which."""

from __future__ import annotations

from typing import Any

import pytest

from checklists.loader import load
from server.store import RunLock
from tests.server.rest_app.api import Api, Episode, facts, kind, problem

pytestmark = pytest.mark.real


def own(scores: dict[str, Any], level: str = "message") -> dict[str, Any]:
    """The agent's score, averaged over items."""
    found = [
        score
        for score in scores["scores"]
        if (score["competitor"], score["level"], score["averaging"]) == ("tester", level, "item")
    ]
    (score,) = found
    return dict(score)


@pytest.fixture(scope="module")
def half(api: Api) -> dict[str, Any]:
    """A run over two carriers: one was explored and found two facts, one goes on."""
    made = api.make_run(entities=["03", "07"])
    first, second = (api.at(seat) for seat in made["seats"])
    first.play(facts("03", 2))
    second.step("execute_query", query="SELECT 1")
    return made


def test_what_has_ended_is_scored_and_what_goes_on_is_not(api: Api, half: dict[str, Any]) -> None:
    run = half["run"]
    scores = api.post("harness", f"/runs/{run}/score?baselines=none")
    mine = own(scores)
    items = {e: len(load("flights").of(e)) for e in ("03", "07")}
    assert (scores["judged"], scores["still_open"]) == (1, 1)
    assert (mine["items"], mine["supported"]) == (sum(items.values()), 2)
    assert mine["unscored"] == items["07"] and mine["headline"] is None
    assert mine["scored_only"] == pytest.approx(2 / items["03"])
    assert {score["competitor"] for score in scores["scores"]} == {"tester"}


def test_each_scoring_is_kept_and_the_latest_one_is_read(api: Api, half: dict[str, Any]) -> None:
    run = half["run"]
    path = f"/runs/{run}"
    first = api.post("harness", f"{path}/score?baselines=none")
    api.post("harness", f"{path}/close")
    assert api.get("reader", f"{path}/scores")["evaluation"] == first["evaluation"]
    second = api.post("harness", f"{path}/score")
    assert second["evaluation"] != first["evaluation"] and second["still_open"] == 0
    assert own(second)["headline"] is not None
    assert {"blank", "generic"} <= {score["competitor"] for score in second["scores"]}
    assert api.get("reader", f"{path}/scores") == second
    evaluations = {e.id for e in api.store.evaluations(run)}
    assert {first["evaluation"], second["evaluation"]} <= evaluations


def test_verdicts_are_told_item_by_item_a_page_at_a_time(api: Api, half: dict[str, Any]) -> None:
    path = f"/runs/{half['run']}"
    first = api.post("harness", f"{path}/score?baselines=none")
    query = {"evaluation": first["evaluation"], "limit": 10}
    found: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:
        page = api.get("admin", f"{path}/verdicts", params={**query, "after": after})
        assert len(page["verdicts"]) <= 10 and page["evaluation"] == first["evaluation"]
        found += page["verdicts"]
        after = page["next"]
    supported = {v["item"] for v in found if (v["label"], v["level"]) == ("supported", "message")}
    assert supported == {item.id for item in load("flights").of("03")[:2]}
    assert len({(v["item"], v["trajectory"], v["level"]) for v in found}) == len(found)
    assert next(v for v in found if v["label"] == "supported")["evidence"]


def test_no_harness_is_told_which_items_there_are(api: Api, half: dict[str, Any]) -> None:
    run = half["run"]
    answer = api.ask("harness", "POST", f"/runs/{run}/score?baselines=none")
    assert all(item.id not in answer.text for item in load("flights").items)
    assert kind(api.ask("harness", "GET", f"/runs/{run}/verdicts"), 403) == "role"


def test_before_anything_has_ended_there_is_nothing_to_score(api: Api, going_on: Episode) -> None:
    answer = api.ask("harness", "POST", f"/runs/{going_on.run}/score")
    assert "close the run" in problem(answer, 409)["detail"]
    assert api.store.evaluations(going_on.run) == []


def test_before_anything_is_scored_there_are_no_scores(api: Api) -> None:
    episode = api.reset()
    episode.play()
    for who, path in (
        ("reader", "scores"),
        ("admin", "verdicts"),
        ("admin", "verdicts?evaluation=x"),
    ):
        answer = api.ask(who, "GET", f"/runs/{episode.run}/{path}")
        assert kind(answer, 404) == "no-evaluation"
        assert "POST score makes one" in answer.json()["detail"]


def test_one_process_at_a_time_scores_a_run(api: Api, finished: Episode) -> None:
    with RunLock(api.home / "locks", finished.run):
        answer = api.ask("harness", "POST", f"/runs/{finished.run}/score?baselines=none")
    assert kind(answer, 409) == "busy" and answer.headers["retry-after"] == "5"
    assert str(api.home) not in answer.text
    assert (
        api.ask("harness", "POST", f"/runs/{finished.run}/score?baselines=none").status_code == 200
    )


def test_other_baselines_are_refused(api: Api, finished: Episode) -> None:
    answer = api.ask("harness", "POST", f"/runs/{finished.run}/score?baselines=some")
    assert kind(answer, 422) == "invalid"
