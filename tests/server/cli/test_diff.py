"""`ddr diff`: pairs of runs, what forbids a comparison, and what only differs too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from server.store import open_store
from tests.server.cli.conftest import RUN, Ddr
from tests.server.support import START, draft, insight, spec, turn

OTHER = "20260131-flights-zz99"
THIRD = "20260131-flights-zz98"


@pytest.fixture
def two(explored: Path, flights: InstalledScenario, ddr: Ddr) -> Path:
    """Beside RUN, which found nothing, one that hands in the answers on carrier 01, both judged."""
    another(explored, flights, OTHER, agent="better")
    for name in (RUN, OTHER):
        assert ddr("evaluate", name, "--baselines", "none", "--quiet").code == 0
    return explored


def another(home: Path, flights: InstalledScenario, run_id: str, **changes: Any) -> None:
    from checklists.loader import checklist_for

    with open_store(home / "store.sqlite3") as store:
        run = spec(
            run_id,
            scenario_id="flights",
            scenario_fingerprint=flights.scenario.fingerprint,
            **changes,
        )
        store.add_run(run)
        for entity_id in run.entity_ids:
            mine = store.start_trajectory(draft(run, entity_id))
            for number, item in enumerate(checklist_for("flights").of(entity_id), start=1):
                store.add_turn(mine.id, turn(number))
                if entity_id == "01":
                    store.add_insight(insight(mine.id, number, item.answer))
            store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)


def test_a_better_run_is_told_by_its_difference_over_the_same_items(ddr: Ddr, two: Path) -> None:
    told = ddr("diff", OTHER, RUN, "--json").json
    assert [side["name"] for side in told["sides"]] == ["better", "scripted"]
    assert len(told["pairs"]) == 4
    first = told["pairs"][0]
    assert (first["one"], first["other"], first["level"]) == ("better", "scripted", "message")
    assert 0 < first["difference"] < 1
    assert (first["entities"], first["left_out"]) == (2, 0)
    assert first["p_holm"] == first["p"]
    assert told["differences"]["forbidding"] == []
    back = ddr("diff", RUN, OTHER, "--json").json["pairs"][0]
    assert back["difference"] == pytest.approx(-first["difference"])


def test_it_is_told_in_words_and_by_category(ddr: Ddr, two: Path) -> None:
    done = ddr("diff", OTHER, RUN, "--by", "category")
    assert done.code == 0, done.err
    assert "better - scripted" in done.out
    assert "weather: better - scripted" in done.out
    groups = ddr("diff", OTHER, RUN, "--by", "difficulty", "--json").json["groups"]
    assert {each["group"] for each in groups} >= {"easy", "medium"}
    assert all(each["p_holm"] is None or each["p_holm"] >= each["p"] for each in groups)


def test_three_runs_are_corrected_over_three_pairs(
    ddr: Ddr, two: Path, flights: InstalledScenario
) -> None:
    another(two, flights, THIRD, agent="third", trials=2)
    assert ddr("evaluate", THIRD, "--baselines", "none", "--quiet").code == 0
    told = ddr("diff", RUN, OTHER, THIRD, "--json").json
    assert len(told["pairs"]) == 12
    assert [each["what"] for each in told["differences"]["remarks"]] == ["trials"]
    done = ddr("diff", RUN, OTHER, THIRD)
    assert "differs too: trials: 1 (scripted, better) against 2 (third)" in done.out
    assert "Holm's, over the 3 pairs" in done.out


def test_runs_on_other_terms_are_refused_with_what_differs(
    ddr: Ddr, two: Path, flights: InstalledScenario
) -> None:
    another(two, flights, THIRD, agent="third", tools="sql", goal="generic")
    ddr("evaluate", THIRD, "--baselines", "none", "--quiet")
    refused = ddr("diff", RUN, THIRD)
    assert refused.code == 2
    assert "goal: none (scripted) against generic (third)" in refused.err
    assert "tools: both (scripted) against sql (third)" in refused.err
    assert "--although-different" in refused.err
    done = ddr("diff", RUN, THIRD, "--although-different")
    assert done.code == 0
    assert "NOT COMPARABLE, compared all the same: goal" in done.out


def test_the_newest_evaluations_that_rest_on_the_same_things_are_taken(ddr: Ddr, two: Path) -> None:
    with open_store(two / "store.sqlite3") as store:
        (first,) = store.evaluations(RUN)
        store.add_evaluation(
            first.model_copy(update={"id": f"{RUN}.e2", "checker": "llm", "judges_asked": ("m",)})
        )
    told = ddr("diff", RUN, OTHER, "--json").json
    assert told["sides"][0]["evaluation"] == f"{RUN}.e1"
    refused = ddr("diff", RUN, OTHER, "--evaluation", f"{RUN}.e2")
    assert refused.code == 2
    assert "checker: llm (scripted) against matching (better)" in refused.err
    assert "judges asked: m (scripted) against none (better)" in refused.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((RUN,), "two runs at least"),
        ((RUN, RUN), "named twice"),
        ((RUN, OTHER, "--by", "categry"), "did you mean 'category'"),
        ((RUN, OTHER, "--evaluation", "x.e9"), "x.e9 is no evaluation of these runs"),
    ],
)
def test_what_cannot_be_compared_is_said(
    ddr: Ddr, two: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = ddr("diff", *arguments)
    assert done.code == 2
    assert said in done.err


def test_a_run_that_is_not_scored_says_how(ddr: Ddr, two: Path, flights: InstalledScenario) -> None:
    another(two, flights, THIRD, agent="third")
    done = ddr("diff", RUN, THIRD)
    assert done.code == 2
    assert f"evaluate {THIRD}" in done.err
