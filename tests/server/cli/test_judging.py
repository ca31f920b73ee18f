"""`ddr evaluate --checker llm`: who judged is kept, resumed where it broke, and what it cost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.scenario import License
from core.trajectory import Insight, StopReason
from databases import catalog
from databases.catalog import InstalledScenario
from server import beginning
from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.support import START, draft, insight, spec, turn

pytestmark = pytest.mark.real  # whole runs, judged

RUN = "20260131-flights-ab12"
NO = {"label": "insufficient", "supporting_turns": [], "contradicting_turns": [], "quote": ""}
YES = {**NO, "label": "supported", "supporting_turns": [1], "quote": "Carrier 01 exists."}


def judge(folder: Path, *replies: Any, repeat: bool = True) -> str:
    lines = [
        {
            "text": json.dumps({**r, "reason": "so"}),
            "usage": {"input_tokens": 100, "output_tokens": 10},
        }
        if "label" in r
        else r
        for r in replies
    ]
    lines[-1] = {**lines[-1], "repeat": repeat}
    path = folder / "judge.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return f"scripted:{path}"


@pytest.fixture
def explored(built_home: Path, flights: InstalledScenario) -> Path:
    """Two carriers, one insight each; the second's report was forced."""
    with open_store(built_home / "store.sqlite3") as store:
        run = spec(RUN, scenario_id="flights", scenario_fingerprint=flights.scenario.fingerprint)
        store.add_run(run)
        for entity_id in run.entity_ids:
            mine = store.start_trajectory(draft(run, entity_id))
            store.add_turn(mine.id, turn(1))
            store.add_insight(insight(mine.id, 1, f"Carrier {entity_id} exists."))
        report = Insight(
            id="r", trajectory_id=mine.id, level="trajectory", text="It flies.", author="m"
        )
        store.add_insight(report)
        first = f"{run.id}.01.1.1"
        store.end_trajectory(first, StopReason.FINISHED, ended_at=START)
        store.end_trajectory(mine.id, StopReason.MAX_TURNS, ended_at=START, report_forced=True)
    return built_home


def test_a_judge_scores_a_run_and_is_kept_with_its_cost(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."scripted/*"]\ninput = 1.0\noutput = 10.0\n', "utf-8")
    (folder := tmp_path / "my, own").mkdir()  # a comma in a name makes no two judges of it
    name = judge(folder, YES, NO)
    asked = ("evaluate", "last", "--judge", name, "--prices", str(prices), "--concurrency", "1")
    told = ddr(*asked, "--json").json
    with open_store(explored / "store.sqlite3") as store:
        own, *others = store.evaluations(RUN)
        verdicts = store.verdicts(own.id)
    assert (own.checker, own.judges_asked, own.judges_served) == ("llm", (name,), (name,))
    assert own.prompt_hash
    assert own.criteria == "strict"
    assert [e.parameters.get("baseline") for e in others] == ["blank"]
    calls = [v.call for v in verdicts if v.call]
    assert told["calls"] == len(calls) > 10
    assert {c.role for c in calls} == {"checker"}
    assert told["usage"]["cost_usd"] == pytest.approx(len(calls) * 200 / 1e6, abs=1e-9)
    assert sum(v.label == "supported" for v in verdicts) == 1
    assert "--baselines all" in told["no_shuffle"]


def test_scores_with_and_without_forced_reports_stand_side_by_side(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    said = {**YES, "supporting_turns": [], "quote": ""}
    done = ddr("evaluate", "last", "--judge", judge(tmp_path, said), "--json")
    assert done.code == 0, done.err
    both = [
        next(s for s in done.json[key] if s["level"] == "trajectory" and s["averaging"] == "item")
        for key in ("scores", "without_forced_reports")
    ]
    assert both[0]["supported"] > 5
    assert (both[1]["supported"], both[1]["items"]) == (0, both[0]["items"])
    assert "scripted without forced reports" in ddr("evaluate", "last").out


def test_the_baselines_of_a_judge_are_a_choice(ddr: Ddr, explored: Path, tmp_path: Path) -> None:
    name = judge(tmp_path, NO)
    none = ddr("evaluate", "last", "--judge", name, "--baselines", "none", "--json").json
    assert {s["competitor"] for s in none["scores"]} == {"scripted"}
    every = ddr("evaluate", "last", "--judge", name, "--baselines", "all", "--json").json
    assert every["evaluation"] == none["evaluation"], "what was judged already is not paid twice"
    names = {s["competitor"] for s in every["scores"]}
    assert names == {"scripted", "blank", "generic", "population", "shuffled_entity"}
    rules = ddr("evaluate", "last", "--baselines", "none", "--json").json
    assert {s["competitor"] for s in rules["scores"]} == {"scripted"}


def test_judging_that_broke_off_goes_on_at_the_first_item_without_a_verdict(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    refused = {"error": {"kind": "auth", "status_code": 401, "text": "no such key"}}
    name = judge(tmp_path, NO, NO, NO, refused)
    asked = ("evaluate", "last", "--judge", name, "--concurrency", "1", "--json")
    broken = ddr(*asked)
    assert broken.code == 1
    assert "no such key" in broken.err
    with open_store(explored / "store.sqlite3") as store:
        before = [v for v in store.verdicts(f"{RUN}.e1") if v.call]
    assert len(before) == 3
    judge(tmp_path, NO)
    whole = ddr(*asked).json
    assert whole["evaluation"] == f"{RUN}.e1"
    with open_store(explored / "store.sqlite3") as store:
        after = store.verdicts(f"{RUN}.e1")
    assert all(verdict in after for verdict in before)
    assert all(verdict.label is not None for verdict in after if verdict.call)


def test_a_spent_budget_ends_the_judging_and_the_same_command_goes_on(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."scripted/*"]\ninput = 1.0\noutput = 10.0\n', "utf-8")
    asked = ("evaluate", "last", "--judge", judge(tmp_path, NO), "--prices", str(prices),
             "--concurrency", "1", "--json")  # fmt: skip
    one = 200 / 1e6
    stopped = ddr(*asked, "--budget-usd", str(2.5 * one))
    assert stopped.code == 1
    assert "is spent" in stopped.json["stopped"]
    assert "the same command goes on" in stopped.err
    with open_store(explored / "store.sqlite3") as store:
        before = [v for v in store.verdicts(f"{RUN}.e1") if v.call]
    assert len(before) == 3
    whole = ddr(*asked)
    assert (whole.code, whole.json["evaluation"]) == (0, f"{RUN}.e1")
    with open_store(explored / "store.sqlite3") as store:
        after = store.verdicts(f"{RUN}.e1")
    assert all(verdict in after for verdict in before)
    refused = ddr("evaluate", "last", "--judge", judge(tmp_path, NO), "--budget-usd", "1")
    assert refused.code == 2
    assert "there is no price for scripted:" in refused.err


def test_an_estimate_of_judging_counts_the_open_questions_and_asks_none(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."scripted/*"]\ninput = 1.0\noutput = 10.0\n', "utf-8")
    name = judge(tmp_path, NO)
    asked = ("evaluate", "last", "--judge", name, "--json")
    first = ddr(*asked, "--prices", str(prices), "--estimate").json["estimate"]
    assert (first["basis"], first["seconds"]) == ("assumed", None)
    assert first["input_tokens"] > 100 * first["calls"]
    assert first["cost_usd"] > 0
    with open_store(explored / "store.sqlite3") as store:
        assert store.evaluations(RUN) == []
    made = ddr(*asked).json
    assert made["calls"] == first["calls"]
    every = ddr(*asked, "--estimate", "--baselines", "all")
    told = every.json["estimate"]
    assert (told["basis"], told["from_calls"]) == ("measured", made["calls"])
    assert told["calls"] > made["calls"], "of the baselines alone: the own ones are judged"
    assert told["input_tokens"] == 100 * told["calls"]
    assert (told["cost_usd"], told["cost_reason"]) == (None, "no price")
    again = ddr(*asked[:-1], "--estimate").out
    assert f"{made['calls']} calls, about" in again
    assert f"by {made['calls']} stored calls of this judge" in again
    rules = ddr("evaluate", "last", "--estimate")
    assert (rules.code, "asks no judge" in rules.err) == (2, True)


def test_an_item_at_which_the_judge_failed_is_asked_again_and_both_calls_count(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    failure = {"error": {"kind": "server", "status_code": 500, "text": "broken"}}
    name = judge(tmp_path, NO, failure, NO)
    asked = ("evaluate", "last", "--judge", name, "--concurrency", "1", "--json")
    first = ddr(*asked)
    assert first.code == 0, first.err
    with open_store(explored / "store.sqlite3") as store:
        before = store.verdicts(f"{RUN}.e1")
    # The script begins anew with each command, so the failure is the last one's of this.
    (failed,) = [v for v in before if (v.unscored_reason or "").startswith("judge failed: ")]
    assert first.json["calls_without_cost"] == first.json["calls"]
    judge(tmp_path, YES)
    again = ddr(*asked)
    assert again.json["evaluation"] == f"{RUN}.e1"
    with open_store(explored / "store.sqlite3") as store:
        after = store.verdicts(f"{RUN}.e1")
    key = (failed.item_id, failed.trajectory_id, failed.level)
    changed = [v for v in after if v not in before]
    assert [(v.item_id, v.trajectory_id, v.level) for v in changed] == [key]
    assert changed[0].label is not None or changed[0].unscored_reason
    assert changed[0].call is not None
    assert failed.call is not None
    assert changed[0].call.started_at == failed.call.started_at
    assert len(after) == len(before)
    fresh = ddr(*asked)
    assert fresh.json["evaluation"] == f"{RUN}.e2", "nothing is left to make good"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--checker", "llm"), "give --judge"),
        (("--checker", "matching", "--judge", "openai/x"), "leave --judge out"),
        (("--checker", "lmm", "--judge", "openai/x"), "leave --judge out"),
        (("--checker", "lmm"), "did you mean 'llm'?"),
        (("--judge", "openai/x", "--criteria", "kind"), "known: lenient, strict"),
        (("--judge", "openai/x", "--baselines", "some"), "known: all, blank, closed-book, free"),
        (("--judge", "openai/x", "--concurrency", "0"), "give 1 or more"),
        (("--judge", "replay:last"), "not a judge's questions"),
    ],
)
def test_a_wrong_choice_of_judge_is_refused(
    ddr: Ddr, explored: Path, asked: tuple[str, ...], said: str
) -> None:
    done = ddr("evaluate", "last", *asked)
    assert done.code == 2, done.err
    assert said in done.err


@pytest.fixture
def restricted(explored: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same home, with data that may not leave the machine."""

    def opened(scenario_id: str, home: Path) -> InstalledScenario:
        found = real(scenario_id, home)
        terms = License(name="DUA", restricted=True)
        return replace(found, scenario=found.scenario.model_copy(update={"license": terms}))

    real = catalog.open_scenario
    for module in (catalog, beginning):
        monkeypatch.setattr(module, "open_scenario", opened)
    return explored


@pytest.mark.parametrize(
    "model",
    [
        ("openai/x",),
        ("openai/x", "--base-url", "http://192.168.1.9:8000/v1"),
        ("openai/x", "--base-url", "https://localhost.example.org/v1"),
    ],
)
def test_restricted_data_are_not_sent_off_this_machine(
    ddr: Ddr, restricted: Path, model: tuple[str, ...]
) -> None:
    for command in (
        ("run", "--scenario", "flights", "--model", *model),
        ("run", "--scenario", "flights", "--model", *model, "--endpoint-allowed", " "),
        ("evaluate", "last", "--judge", *model),
    ):
        done = ddr(*command)
        assert done.code == 2, done.out
        assert "off this machine" in done.err
    with open_store(restricted / "store.sqlite3") as store:
        assert len(store.runs()) == 1
        assert store.evaluations(RUN) == []


def test_an_insight_model_off_this_machine_is_refused_too(
    ddr: Ddr, restricted: Path, tmp_path: Path
) -> None:
    name = judge(tmp_path, NO)
    done = ddr("run", "--scenario", "flights", "--model", name, "--insight-model", "openai/x")
    assert done.code == 2
    assert "openai/x is an endpoint off this machine" in done.err


def test_scripts_may_see_restricted_data_and_a_reason_is_kept(
    ddr: Ddr, restricted: Path, tmp_path: Path
) -> None:
    name = judge(tmp_path, NO)
    assert ddr("evaluate", "last", "--judge", name).code == 0
    run = ("run", "--scenario", "flights", "--model", name, "--entities", "01", "--tools", "sql")
    why = ("--endpoint-allowed", "agreement 7")
    assert ddr(*run, *why).code == 0
    assert ddr("evaluate", RUN, "--judge", name, *why).code == 0
    with open_store(restricted / "store.sqlite3") as store:
        assert store.run("last").endpoint_allowed == "agreement 7"
        (latest,) = [e for e in store.evaluations(RUN) if e.id == f"{RUN}.e2"]
    assert latest.parameters["endpoint_allowed"] == "agreement 7"
