"""Another run is judged as one was: by the same checker, judges, criteria and rules, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checklists.loader import load
from core.checklist import Checklist, ChecklistItem
from core.errors import ChecklistError
from core.evaluation import LEVELS, Evaluation
from core.run import RunSpec
from core.scenario import License
from core.trajectory import StopReason
from evaluator.asking import Criteria
from server.competitors import set_of
from server.judged_again import asked_again, checklist_of, is_whole, judged_alike
from server.store import Repository
from tests.server.support import START, draft, evaluation, spec, verdict


def judged(run: RunSpec, number: int = 1, **changes: Any) -> Evaluation:
    fields: dict[str, Any] = {
        "checker": "llm",
        "judges_asked": ("openai/a", "openai/b"),
        "prompt_hash": "p" * 64,
        "parameters": {},
        **changes,
    }
    return evaluation(run, f"{run.id}.e{number}").model_copy(update=fields)


def test_all_that_a_verdict_depends_on_is_asked_for_again() -> None:
    told = {
        "base_url": "http://127.0.0.1:8000/v1",
        "sampling": {"temperature": 0},
        "structured": ["openai/a", "openai/b"],
        "batch": 4,
        "uncalibrated": ["openai/a"],
        "endpoint_allowed": "agreed",
    }
    like = judged(spec(), parameters=told, criteria="lenient", protocol="ddr")
    asked = asked_again(like, prices=Path("p.toml"), budget_usd=2.0)
    assert (asked.checker, asked.criteria, asked.protocol) == ("llm", "lenient", "ddr")
    assert (asked.batch, asked.uncalibrated, asked.baselines) == (4, True, "none")
    judging = asked.judging
    assert judging.judges == ("openai/a", "openai/b")
    assert (judging.base_url, judging.sampling) == (told["base_url"], {"temperature": 0})
    assert (judging.structured, judging.endpoint_allowed) == (True, "agreed")
    assert (judging.prices, judging.budget_usd) == (Path("p.toml"), 2.0)


def test_criteria_of_ones_own_are_taken_from_the_record_and_not_from_a_file() -> None:
    like = judged(
        spec(), criteria="mine.txt#12ab", parameters={"criteria_text": "In so many words."}
    )
    assert asked_again(like).criteria == Criteria("mine.txt#12ab", "In so many words.")


@pytest.mark.parametrize(
    ("structured", "asked"), [(None, False), (["openai/a"], None), (["openai/a", "openai/b"], True)]
)
def test_forms_are_asked_for_where_they_were(structured: Any, asked: bool | None) -> None:
    told = {"structured": structured} if structured else {}
    assert asked_again(judged(spec(), parameters=told)).judging.structured is asked


def test_a_checker_without_a_model_is_asked_for_nothing_more() -> None:
    asked = asked_again(evaluation(spec()))
    assert (asked.checker, asked.judging.judges, asked.judging.structured) == ("matching", (), None)


@pytest.mark.parametrize(
    "changes",
    [
        {"checker": "matching"},
        {"judges_asked": ("openai/a",)},
        {"criteria": "lenient"},
        {"protocol": "ddr"},
        {"prompt_hash": "q" * 64},
        {"checklist_hash": "other"},
        {"parameters": {"batch": 4}},
        {"parameters": {"sampling": {"temperature": 1}}},
    ],
)
def test_one_that_asked_anything_else_speaks_for_no_comparison(
    store: Repository, changes: dict[str, Any]
) -> None:
    run, other = spec(), spec("20260131-small-zz99")
    store.add_run(other)
    like = judged(run)
    store.add_evaluation(judged(other, 1))
    store.add_evaluation(judged(other, 2))
    found = judged_alike(other, like, store)
    assert found is not None and found.id == f"{other.id}.e2", "the newest that is alike"
    assert judged_alike(other, like.model_copy(update=changes), store) is None


def test_baselines_speak_for_no_agent(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    store.add_evaluation(judged(run, parameters={"baseline": "blank"}))
    assert judged_alike(run, judged(run), store) is None


def item(name: str) -> ChecklistItem:
    return ChecklistItem(
        id=name,
        entity_id="01",
        question="?",
        answer="A.",
        category="c",
        difficulty="easy",
        source="t",
    )


CHECKLIST = Checklist(
    id="small", version="1", scenario_id="small", hash="c0de", license=License(name="CC0-1.0"),
    items=(item("q1"), item("q2")),
)  # fmt: skip


def test_it_is_whole_once_each_item_of_each_trajectory_has_both_its_verdicts(
    store: Repository,
) -> None:
    run = spec(entity_ids=("01",))
    store.add_run(run)
    mine = store.start_trajectory(draft(run))
    store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    told = {"trajectories": set_of(store.trajectories(run.id))}
    own = judged(run, parameters=told)
    store.add_evaluation(own)
    pairs = [(name, level) for name in ("q1", "q2") for level in LEVELS]
    for name, level in pairs[:-1]:
        store.add_verdicts([verdict(mine.id, name, evaluation_id=own.id, level=level)])
        assert not is_whole(own, run, CHECKLIST, store)
    name, level = pairs[-1]
    store.add_verdicts([verdict(mine.id, name, evaluation_id=own.id, level=level)])
    assert is_whole(own, run, CHECKLIST, store)
    again = store.start_trajectory(draft(run))
    store.end_trajectory(again.id, StopReason.FINISHED, ended_at=START)
    assert not is_whole(own, run, CHECKLIST, store), "another attempt counts now"


def test_a_checklist_that_is_another_one_now_is_told(tmp_path: Path) -> None:
    own = evaluation(spec()).model_copy(update={"checklist_id": "flights"})
    with pytest.raises(ChecklistError, match=r"is not the one that e1 was judged by"):
        checklist_of(own, tmp_path)
    right = own.model_copy(update={"checklist_hash": load("flights", tmp_path).hash})
    assert checklist_of(right, tmp_path).id == "flights"
