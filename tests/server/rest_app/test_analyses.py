"""What runs came to, over REST: the records that the pages and the command line show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.evaluation import Curve
from core.run import RunSpec
from databases.catalog import InstalledScenario
from server import curves, exploration, stopping
from server.settings import Settings
from server.standings import standings
from server.store import open_store
from tests.server.dashboard import boards
from tests.server.rest_app.api import Api, kind, served, tokens_in
from tests.support.flights import linked_home

pytestmark = pytest.mark.real


@dataclass(frozen=True)
class Board:
    """A server whose store holds judged runs."""

    api: Api
    runs: dict[str, RunSpec]

    @property
    def able(self) -> str:
        return self.runs["able"].id


@pytest.fixture(scope="module")
def board(
    flights_home: Path, flights: InstalledScenario, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Board]:
    home = linked_home(flights_home, tmp_path_factory.mktemp("analyses") / "home")
    with open_store(home / "store.sqlite3") as store:
        runs = boards.contest(store, flights)
        secrets, ids = tokens_in(store)
        with served(home) as url:
            yield Board(Api(url, home, store, secrets, ids), runs)


def test_the_leaderboard_has_the_rows_of_the_first_page(board: Board) -> None:
    told = board.api.get("reader", "/leaderboard")
    found = standings(board.api.store, Settings(board.api.home))
    assert [
        (each["scenario"], each["group"], each["row"]["competitor"]) for each in told["rows"]
    ] == [
        (b.scenario_id, number, row.competitor)
        for b in found.boards
        for number, group in enumerate(b.groups, start=1)
        for row in group.rows
    ]
    best, *_, apart = told["rows"]
    assert best["row"]["run_id"] == board.runs["<i>clever</i>"].id
    assert best["row"]["novelty"]["rank"] == 1
    assert best["apart"] == [] and any("checker" in why for why in apart["apart"])
    assert told["pending"] == 0


def test_the_leaderboard_comes_in_pages(board: Board) -> None:
    seen: list[str] = []
    after: int | None = 0
    while after is not None:
        page = board.api.get("reader", "/leaderboard", params={"limit": 3, "after": after})
        assert len(page["rows"]) <= 3
        seen += [each["row"]["run_id"] for each in page["rows"]]
        after = page["next"]
    assert seen == [
        each["row"]["run_id"] for each in board.api.get("reader", "/leaderboard")["rows"]
    ]
    assert board.api.get("reader", "/leaderboard", params={"scenario": "nowhere"})["rows"] == []


def test_a_curve_is_the_core_record_whole_or_in_pages(board: Board) -> None:
    told = board.api.get("reader", f"/runs/{board.able}/curves")
    found = curves.of_run(board.runs["able"], board.api.store, Settings(board.api.home))
    assert found is not None
    assert Curve.model_validate(told["curve"]) == found.curve("turn")
    values = {point["x"]: (point["value"], point["n"]) for point in told["curve"]["points"]}
    assert values[2.0][0] > 0 and values[2.0][1] == 4  # each find is of turn 2
    assert all(value == values[2.0] for x, value in values.items() if x > 2)
    assert all(value[0] == 0 for x, value in values.items() if x < 2)
    assert told["label"] == "post-hoc threshold"
    paged = board.api.get("reader", f"/runs/{board.able}/curves", params={"limit": 1})
    assert len(paged["curve"]["points"]) == 1
    assert paged["next"] == (1 if len(told["curve"]["points"]) > 1 else None)


@pytest.mark.parametrize(
    "axis", ["turn", "calls", "billed_tokens", "new_tokens", "cost_usd", "seconds"]
)
def test_every_axis_can_be_asked_for(board: Board, axis: str) -> None:
    told = board.api.get("reader", f"/runs/{board.able}/curves", params={"axis": axis})
    assert told["axis"] == told["curve"]["axis"] == axis
    assert told["curve"]["points"]


def test_stopping_is_what_the_command_tells(board: Board) -> None:
    told = board.api.get("reader", f"/runs/{board.able}/stopping")
    found = stopping.of_run(board.runs["able"], board.api.store, Settings(board.api.home)).as_json()
    assert told["reasons"] == found["reasons"] == {"finished": 4}
    assert told["turns"] == found["turns"]
    assert told["turns"]["own"]["median"] == 3
    assert told["turns_after_last_discovery"]["own"]["median"] == 1
    assert told["valid_insight_ratio"] == 1.0
    assert [stop["entity_id"] for stop in told["stops"]] == list(boards.CARRIERS)


def test_exploration_has_a_point_for_each_trajectory_and_the_map(board: Board) -> None:
    told = board.api.get("reader", f"/runs/{board.able}/exploration", params={"limit": 3})
    found = exploration.of_run(
        board.runs["able"], board.api.store, Settings(board.api.home), with_turns=False
    ).exploration
    assert [point["entity"] for point in told["trajectories"]] == list(boards.CARRIERS[:3])
    assert told["next"] == 3
    assert told["heat"] == found.heat.model_dump(mode="json")
    assert {table["name"] for table in told["heat"]["tables"]} >= {"flights", "airports"}


def test_costs_are_by_role_tool_and_trajectory(board: Board) -> None:
    told = board.api.get("reader", f"/runs/{board.able}/costs")
    assert told["is_seen"] is True
    assert told["cost_usd"] == pytest.approx(0.012)
    (agent,) = told["roles"]
    assert (agent["role"], agent["calls"]) == ("agent", 12)
    assert agent["input_tokens"] == 1200
    (sql,) = told["tools"]
    assert (sql["tool"], sql["calls"], sql["errors"]) == ("execute_query", 12, 0)
    assert sql["total_s"] == pytest.approx(6.0)
    assert [each["entity"] for each in told["trajectories"]] == list(boards.CARRIERS)
    assert all((each["turns"], each["agent_s"]) == (3, 3.0) for each in told["trajectories"])
    paged = board.api.get("reader", f"/runs/{board.able}/costs", params={"limit": 3})
    assert (len(paged["trajectories"]), paged["next"]) == (3, 3)


@pytest.mark.parametrize("what", ["curves", "exploration", "stopping"])
def test_an_evaluation_of_another_run_is_refused_without_its_words(board: Board, what: str) -> None:
    path = f"/runs/{board.able}/{what}"
    answer = board.api.ask("reader", "GET", path, params={"evaluation": "nobody's"})
    assert kind(answer, 422) == "refused"
    assert "nobody's is no evaluation" in answer.text


@pytest.mark.parametrize("what", ["curves", "exploration", "stopping", "costs"])
def test_a_run_that_goes_on_is_a_readers_nowhere(board: Board, what: str) -> None:
    path = f"/runs/{board.runs['open'].id}/{what}"
    assert kind(board.api.ask("reader", "GET", path), 403) == "not-finished"
    assert board.api.ask("admin", "GET", path).status_code in (200, 404)


def test_no_answer_has_a_checklists_words(board: Board) -> None:
    texts = [
        board.api.ask("reader", "GET", f"/runs/{board.able}/{what}").text
        for what in ("curves", "exploration", "stopping", "costs")
    ]
    texts.append(board.api.ask("reader", "GET", "/leaderboard").text)
    for text in texts:
        words: list[Any] = [(item.id, item.question, item.answer) for item in boards.items()]
        assert not any(each in text for group in words for each in group)
