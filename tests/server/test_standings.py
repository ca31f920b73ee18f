"""The leaderboard: figures worked out by hand, what is comparable, what a row costs, what the public sees."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.outside import Outside
from core.run import Imported, ModelSpec
from core.trajectory import StopReason
from server.settings import Settings
from server.standings import Standings, standings
from server.standings_row import public_name
from server.standings_summary import NOT_EVALUATED, NOT_FINISHED, NOT_WHOLE
from server.store import Repository
from tests.server.judged_runs import call, checklist, explore, judge, kept, model_run, turn
from tests.server.support import START, draft, spec


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path)


def shown(store: Repository, settings: Settings) -> Standings:
    return standings(store, settings, patience_s=0)


def test_a_row_holds_the_four_accuracies_of_its_newest_evaluation(
    store: Repository, settings: Settings
) -> None:
    run = explore(store, model_run(1, "one"))
    judge(store, run, message={"01-a"}, report={"01-a", "01-b", "02-a"})
    kept(store, run)
    (row,) = shown(store, settings).boards[0].main.rows
    assert (row.competitor, row.run_id, row.evaluation_id) == (
        "openai/one",
        run.id,
        f"{run.id}.e1",
    )
    found = {
        (level, averaging): score.strict
        for level in ("message", "trajectory")
        for averaging in ("item", "sample")
        if (score := row.score(level, averaging))
    }
    assert found == {
        ("message", "item"): pytest.approx(1 / 3),
        ("message", "sample"): pytest.approx(1 / 4),
        ("trajectory", "item"): 1.0,
        ("trajectory", "sample"): 1.0,
    }
    low, high = row.score("message").low, row.score("message").high  # type: ignore[union-attr]
    assert low is not None and high is not None and low <= 1 / 3 <= high


def test_baselines_of_the_same_evaluation_stand_beside_it_and_as_lines(
    store: Repository, settings: Settings
) -> None:
    for number, hits in ((1, {"01-a"}), (2, set[str]())):
        run = explore(store, model_run(number, f"m{number}"))
        own = judge(store, run, message={"01-a", "01-b"})
        beside = {"baseline": "generic", "of": own.id}
        judge(store, run, message=hits, name=f"{own.id}.generic", parameters=beside)
        # Of another evaluation, so no baseline of this one.
        other = {"baseline": "blank", "of": "another"}
        judge(store, run, name=f"{own.id}.blank", parameters=other)
        kept(store, run)
    main = shown(store, settings).boards[0].main
    assert [list(row.baselines) for row in main.rows] == [["generic"], ["generic"]]
    line = main.lines("message")["generic"]
    assert (line.rows, line.least) == (2, 0.0)
    assert line.most == pytest.approx(1 / 3)
    assert line.value == pytest.approx(1 / 6)
    assert main.lines("trajectory")["generic"].most == 0.0


def test_the_best_final_report_comes_first_and_what_has_no_headline_last(
    store: Repository, settings: Settings
) -> None:
    for number, report in ((1, {"01-a"}), (2, {"01-a", "01-b"}), (3, {"01-a", "01-b", "02-a"})):
        run = explore(store, model_run(number, f"m{number}"))
        judge(store, run, report=report, unscored={"02-a"} if number == 3 else ())
        kept(store, run)
    rows = shown(store, settings).boards[0].main.rows
    assert [row.competitor for row in rows] == ["openai/m2", "openai/m1", "openai/m3"]
    last = rows[-1].score("trajectory")
    assert last is not None and last.headline is None
    assert last.coverage == pytest.approx(2 / 3)


def test_other_judges_are_a_group_of_their_own_and_it_is_said_why(
    store: Repository, settings: Settings
) -> None:
    for number in (1, 2, 3):
        run = explore(store, model_run(number, f"m{number}"))
        judge(store, run, criteria="lenient" if number == 3 else "strict")
        kept(store, run)
    board = shown(store, settings).boards[0]
    assert [len(group.rows) for group in board.groups] == [2, 1]
    assert board.main.apart == ()
    assert board.groups[1].apart == ("criteria: lenient, there strict",)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"protocol": "ddr"}, "protocol of exploration: ddr, there default"),
        ({"scenario_fingerprint": "beef"}, "data (fingerprint): beef, there f00d"),
        ({"tools": "sql"}, "tools: sql, there both"),
        (
            {"model": None, "agent": "theirs", "outside": Outside(has_shell=True, has_web=False)},
            "class of agent: outside with shell, there built-in",
        ),
    ],
)
def test_what_was_explored_otherwise_is_never_ranked_with_the_rest(
    store: Repository, settings: Settings, changes: dict[str, object], what: str
) -> None:
    for number in (1, 2, 3):
        run = model_run(number, f"m{number}")
        run = run.model_copy(update=changes) if number == 3 else run
        judge(store, explore(store, run))
        kept(store, run)
    board = shown(store, settings).boards[0]
    assert [len(group.rows) for group in board.groups] == [2, 1]
    assert board.groups[1].apart == (what,)


def test_of_groups_of_one_size_the_most_recently_judged_is_the_main_one(
    store: Repository, settings: Settings
) -> None:
    for number, criteria in ((1, "strict"), (2, "lenient")):
        run = explore(store, model_run(number, f"m{number}"))
        judge(store, run, criteria=criteria, created_at=START + timedelta(hours=3 - number))
        kept(store, run)
    assert shown(store, settings).boards[0].main.rows[0].competitor == "openai/m1"


def test_what_only_differs_too_is_remarked(store: Repository, settings: Settings) -> None:
    for number, trials in ((1, 1), (2, 2)):
        run = explore(store, model_run(number, f"m{number}", trials=trials))
        judge(store, run)
        kept(store, run)
    main = shown(store, settings).boards[0].main
    assert main.remarks == ("trials: 1 (openai/m1) against 2 (openai/m2)",)


def test_the_newest_run_speaks_for_a_competitor_and_older_ones_are_counted(
    store: Repository, settings: Settings
) -> None:
    for number in (2, 1, 3):
        run = explore(store, model_run(number, "one"))
        judge(store, run, message={"01-a"} if number == 3 else ())
        kept(store, run)
    (row,) = shown(store, settings).boards[0].main.rows
    assert (row.run_id, row.older) == (model_run(3, "one").id, 2)
    assert row.headline("message") == pytest.approx(1 / 3)


def test_a_whole_evaluation_speaks_where_a_newer_one_was_broken_off(
    store: Repository, settings: Settings
) -> None:
    run = explore(store, model_run(1, "one"))
    judge(store, run, message={"01-a"}, name=f"{run.id}.e1")
    judge(store, run, message={"01-a", "01-b"}, name=f"{run.id}.e2", without={"02-a"})
    kept(store, run)
    (row,) = shown(store, settings).boards[0].main.rows
    assert row.evaluation_id == f"{run.id}.e1"
    assert row.newer == NOT_WHOLE


def test_runs_without_a_place_are_told_with_the_reason(
    store: Repository, settings: Settings
) -> None:
    unjudged = explore(store, model_run(1, "one"))
    broken = explore(store, model_run(2, "two"))
    judge(store, broken, without={"01-b"})
    going = model_run(3, "three")
    store.add_run(going)
    store.start_trajectory(draft(going, "01"))
    for run in (unjudged, broken, going):
        kept(store, run)
    found = shown(store, settings)
    assert found.boards == ()
    assert found.left_out == {
        unjudged.id: NOT_EVALUATED,
        broken.id: NOT_WHOLE,
        going.id: NOT_FINISHED,
    }


def test_a_cost_is_per_explored_entity_over_all_roles_with_the_agents_own_beside(
    store: Repository, settings: Settings
) -> None:
    run = explore(store, model_run(1, "one"), turns={"01": 3, "02": 1})
    judge(store, run)
    kept(store, run)
    (row,) = shown(store, settings).boards[0].main.rows
    # Four turns of two cents, four insights of one; two entities.
    assert row.price.cost_usd == pytest.approx((4 * 0.02 + 4 * 0.01) / 2)
    assert row.price.agent_usd == pytest.approx(4 * 0.02 / 2)
    assert (row.price.input_tokens, row.price.output_tokens) == (200.0, 20.0)
    assert (row.turns, row.self_terminated) == (2.0, 1.0)


def test_an_unknown_price_makes_the_cost_unknown_and_what_is_known_a_lower_bound(
    store: Repository, settings: Settings
) -> None:
    run = explore(store, model_run(1, "one"), cost=None)
    judge(store, run)
    kept(store, run)
    price = shown(store, settings).boards[0].main.rows[0].price
    assert (price.cost_usd, price.reason, price.agent_usd) == (None, "no price", None)
    assert price.least_usd == pytest.approx(2 * 0.01 / 2)
    assert price.input_tokens == 100.0


def test_an_agent_without_a_model_is_known_to_cost_nothing(
    store: Repository, settings: Settings
) -> None:
    run = explore(store, spec(agent="profiler"))
    judge(store, run)
    kept(store, run)
    price = shown(store, settings).boards[0].main.rows[0].price
    assert (price.cost_usd, price.reason) == (0.0, None)


@pytest.mark.parametrize(
    "changes",
    [
        {"outside": Outside(has_shell=False, has_web=False)},
        {"imported": Imported(form="jsonl", source="x")},
    ],
)
def test_what_an_agent_out_of_sight_costs_is_not_known(
    store: Repository, settings: Settings, changes: dict[str, Any]
) -> None:
    run = explore(store, spec(agent="theirs", **changes))
    judge(store, run)
    kept(store, run)
    price = shown(store, settings).boards[0].main.rows[0].price
    assert price.cost_usd is None
    assert price.reason == "its model calls do not pass us"


def test_broken_attempts_are_no_part_of_a_rows_cost(store: Repository, settings: Settings) -> None:
    run = model_run(1, "one")
    store.add_run(run)
    first = store.start_trajectory(draft(run, "01"))
    store.add_turn(first.id, turn(1, call(cost=99.0)))
    store.end_trajectory(first.id, StopReason.PROVIDER_ERROR, ended_at=START)
    for entity_id in run.entity_ids:
        mine = store.start_trajectory(draft(run, entity_id))
        store.add_turn(mine.id, turn(1, call()))
        store.end_trajectory(mine.id, StopReason.MAX_TURNS, ended_at=START)
    judge(store, run)
    kept(store, run)
    (row,) = shown(store, settings).boards[0].main.rows
    assert row.price.cost_usd == pytest.approx(0.02)
    assert (row.explored, row.self_terminated) == (2, 0.0)


def test_overall_is_the_mean_over_the_columns_of_both_scenarios(
    store: Repository, settings: Settings
) -> None:
    for number, scenario in ((1, "small"), (2, "other")):
        run = explore(store, model_run(number, "one", scenario_id=scenario))
        judge(store, run, message={"01-a"}, report={"02-a"}, checklist_id=scenario)
        kept(store, run, id=scenario, scenario_id=scenario)
    lone = explore(store, model_run(3, "two"))
    judge(store, lone, report=("01-a", "01-b", "02-a"))
    kept(store, lone)
    found = shown(store, settings)
    assert [board.scenario_id for board in found.boards] == ["other", "small"]
    both, alone = found.totals
    assert (both.competitor, both.scenarios) == ("openai/one", ("other", "small"))
    # Per scenario: message 1/3 and (1/2 + 0)/2, report 1/3 and (0 + 1)/2.
    assert both.overall.value == pytest.approx((1 / 3 + 1 / 4 + 1 / 3 + 1 / 2) / 4)
    assert set(both.overall.weights.values()) == {0.125}
    # Better, but over one scenario alone: never before one that has both.
    assert (alone.competitor, alone.scenarios) == ("openai/two", ("small",))


def test_the_public_sees_no_id_no_path_and_no_word_of_a_judge(
    store: Repository, settings: Settings
) -> None:
    scripted = ModelSpec(provider="scripted", name="/home/ann/answers.json")
    run = explore(store, model_run(1, "one").model_copy(update={"model": scripted}))
    judge(
        store,
        run,
        unscored={"01-a"},
        judges_asked=("scripted:/home/ann/judge.json",),
        parameters={"sampling": {"secret": "s3cr3t"}},
    )
    other = explore(store, model_run(2, "two"))
    judge(store, other, criteria="ann's own")
    explore(store, model_run(3, "three"))
    for each in (run, other):
        kept(store, each)
    whole = shown(store, settings)
    assert whole.pending == 1
    assert run.id in whole.model_dump_json()
    text = whole.public().model_dump_json()
    for word in ("20260131-small", "/home", "/srv", "s3cr3t", "ann's own", "said: hm", "Fact"):
        assert word not in text, word
    rows = whole.public().rows()
    assert {row.competitor for row in rows} == {"scripted:answers.json", "openai/two"}
    assert public_name("replay:20260131-small-r001") == "replay"
    assert public_name("vllm/scripted:5000/org/model") == "vllm/scripted:5000/org/model"
    assert [row.headline("message") for row in rows] == [
        row.headline("message") for row in whole.rows()
    ]


def test_a_judge_with_a_comma_in_its_name_is_one_judge(
    store: Repository, settings: Settings
) -> None:
    asked = ("scripted:/home/zoe, kurt/my, judge.json", "openai/b")
    for number, judges in ((1, asked), (2, asked[::-1]), (3, ("openai/b", *asked[0].split(", ")))):
        run = explore(store, model_run(number, f"m{number}"))
        judge(store, run, judges_asked=judges)
        kept(store, run)
    whole = shown(store, settings)
    main, other = whole.boards[0].groups
    assert (len(main.rows), main.judges) == (2, ("openai/b", asked[0]))
    assert len(other.judges) == 4
    shown_to_all = whole.public().boards[0].main
    assert shown_to_all.judges == ("openai/b", "scripted:my, judge.json")
    assert shown_to_all.ruling["judges asked"] == 'openai/b, "scripted:my, judge.json"'
    for word in ("zoe", "kurt", "/home"):
        assert word not in shown_to_all.model_dump_json()


def test_one_scenario_can_be_asked_for(store: Repository, settings: Settings) -> None:
    for number, scenario in ((1, "small"), (2, "other")):
        run = explore(store, model_run(number, "one", scenario_id=scenario))
        judge(store, run)
        kept(store, run, scenario_id=scenario)
    found = standings(store, settings, scenarios=["other"], patience_s=0)
    assert [board.scenario_id for board in found.boards] == ["other"]
    assert checklist().hash == "c0de"
