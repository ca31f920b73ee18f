"""The benchmark of the dashboard: the promised goals at the promised size, on records that are real."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import dashboard, registry
from bench.dashboard import View
from bench.figures import Bench, Measured
from bench.large_store import Large, Size, large_store
from checklists.loader import load
from core.trajectory import StopReason
from databases.catalog import open_scenario
from server.judged import read
from server.standings import standings
from server.store import open_store

SMALL = Size(models=2, entities=6, turns=4, rows=3_000)
GOALS = {
    "first_page_ms": (300, "lower"),
    "first_page_kb": (300, "lower"),
    "trajectory_ms": (300, "lower"),
    "queries_per_page": (10, "lower"),
}


def test_the_goals_are_those_that_were_promised() -> None:
    goals = [goal for probe in registry.probes("dashboard") for goal in probe.goals]
    assert {goal.name: (goal.goal, goal.better) for goal in goals} == GOALS


def test_the_size_is_the_one_that_was_promised() -> None:
    size = Size()
    assert (size.models, size.entities, size.turns) == (22, 291, 30)
    assert size.models * size.entities * size.turns == 192_060


def test_a_first_view_has_all_files_that_the_page_names() -> None:
    page = (
        '<link rel="stylesheet" href="/static/abc/a.css"><script src="/static/def/b.js"></script>'
    )
    assert dashboard._FILE.findall(page) == ["/static/abc/a.css", "/static/def/b.js"]


def test_the_first_visit_and_the_worst_stand_beside_the_median() -> None:
    views = [View(ms, 30.0, 7, 200) for ms in (120.0, 40.0, 50.0)]
    told = dashboard._time(views)
    assert told.value == 50.0
    assert told.detail == "median of 3; the first after the start 120, worst 120"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Large:
    return large_store(Bench(tmp_path_factory.mktemp("bench"), lambda _: None), SMALL)


@pytest.mark.real
def test_what_is_put_into_the_store_is_what_a_run_stores(made: Large) -> None:
    facts = load("incidents", made.settings.checklists)
    entities = open_scenario("incidents", made.settings.home).entities()
    with open_store(made.settings.store_path) as store:
        assert [spec.id for spec in store.runs()] == list(made.runs)
        for run_id in made.runs:
            spec = store.run(run_id)
            explored = store.trajectories(run_id)
            assert len(explored) == SMALL.entities
            for each in explored:
                assert [turn.index for turn in each.turns] == [1, 2, 3, 4]
                assert each.stop_reason is StopReason.FINISHED
                assert len(each.message_insights) == SMALL.turns
                assert each.report
                assert each.usage("agent").cost_usd
            own, baseline = store.evaluations(run_id)
            assert baseline.parameters == {"baseline": "shuffled_entity", "of": own.id}
            judged = read(spec, store, facts, entities, own.id)
            assert {score.coverage for score in judged.scores} == {1.0}
            assert len(judged.verdicts) == 2 * len(facts.items)


@pytest.mark.real
def test_both_models_stand_on_the_leaderboard_and_nothing_is_pending(made: Large) -> None:
    with open_store(made.settings.store_path) as store:
        found = standings(store, made.settings, patience_s=0.0)
    (board,) = found.boards
    assert len(board.main.rows) == SMALL.models
    assert found.pending == 0


@pytest.mark.real
def test_it_is_made_once(made: Large) -> None:
    before = made.settings.store_path.stat()
    again = large_store(Bench(made.settings.home.parent, lambda _: None), SMALL)
    assert again == made
    assert made.settings.store_path.stat().st_ino == before.st_ino


@pytest.mark.real
def test_every_figure_is_taken_by_the_real_server(
    made: Large, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dashboard, "large_store", lambda _bench: made)
    monkeypatch.setattr(dashboard, "VISITS", 2)
    found: dict[str, float] = {}
    for probe in dashboard.PROBES:
        measured = probe.measure(Bench(Path(made.settings.home.parent), lambda _: None))
        found |= {
            name: value.value if isinstance(value, Measured) else value
            for name, value in measured.items()
        }
    assert set(found) == set(GOALS)
    assert all(value > 0 for value in found.values())
    assert found["queries_per_page"] <= 10
    assert found["first_page_kb"] <= 300
