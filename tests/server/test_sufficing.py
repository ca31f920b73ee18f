"""Prefixes are judged as the whole was: another judge, prompt, sampling or criterion is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import UsageError
from core.evaluation import Evaluation
from databases.catalog import InstalledScenario
from evaluator.llm import LLMChecker
from evaluator.matching import MatchingChecker
from server.asking import JudgeOptions, judges_for
from server.judges import criteria_of, make_judge, traits_of
from server.store import Repository
from server.sufficing import same_checker
from tests.server.support import evaluation, spec
from tests.support.flights import flights, flights_home

__all__ = ["flights", "flights_home"]


@pytest.fixture
def judge(tmp_path: Path) -> str:
    """A judge that always says the same."""
    path = tmp_path / "judge.jsonl"
    path.write_text(json.dumps({"text": "no", "repeat": True}) + "\n", "utf-8")
    return f"scripted:{path}"


def by_model(store: Repository, judge: str, criteria: str = "strict", **changes: Any) -> Evaluation:
    """An evaluation as `ddr evaluate --judge` keeps it."""
    options = JudgeOptions(judges=(judge,), sampling=changes.pop("sampling", {}))
    judges = judges_for(options, None, store)
    wanted = criteria_of(criteria)
    batch = changes.pop("batch", 1)
    protocol = changes.get("protocol", "default")
    traits = traits_of(make_judge(judges, criteria=wanted, batch=batch, protocol=protocol))
    parameters = {**traits.parameters, **judges.parameters}
    if wanted.name != criteria:
        parameters["criteria_text"] = wanted.text
    fields = {
        "checker": "llm",
        "judges_asked": traits.judges_asked,
        "prompt_hash": traits.prompt_hash,
        "criteria": traits.criteria,
        "parameters": parameters,
        **changes,
    }
    return evaluation(spec()).model_copy(update=fields)


def test_what_rules_judged_is_judged_by_rules(
    store: Repository, flights: InstalledScenario
) -> None:
    again = same_checker(evaluation(spec()), JudgeOptions(), store, flights)
    assert isinstance(again.checker, MatchingChecker)
    assert again.judges.specs == ()


def test_the_same_judge_is_taken(store: Repository, flights: InstalledScenario, judge: str) -> None:
    own = by_model(store, judge)
    again = same_checker(own, JudgeOptions(judges=(judge,)), store, flights)
    assert isinstance(again.checker, LLMChecker)
    assert again.checker.prompt_hash == own.prompt_hash
    assert again.checker.judges_asked == (judge,)


@pytest.mark.parametrize("changes", [{"criteria": "lenient"}, {"protocol": "ddr"}, {"batch": 4}])
def test_criteria_protocol_and_batches_are_those_of_the_evaluation_without_being_asked_for(
    store: Repository, flights: InstalledScenario, judge: str, changes: dict[str, Any]
) -> None:
    own = by_model(store, judge, **changes)
    again = same_checker(own, JudgeOptions(judges=(judge,)), store, flights)
    assert traits_of(again.checker).prompt_hash == own.prompt_hash
    assert traits_of(again.checker).criteria == own.criteria


def test_criteria_of_a_file_are_those_that_were_kept_with_it(
    store: Repository, flights: InstalledScenario, judge: str, tmp_path: Path
) -> None:
    own_words = tmp_path / "mine.txt"
    own_words.write_text("Supported is what a child would say is supported.", "utf-8")
    own = by_model(store, judge, criteria=str(own_words))
    own_words.unlink()
    again = same_checker(own, JudgeOptions(judges=(judge,)), store, flights)
    assert traits_of(again.checker).prompt_hash == own.prompt_hash
    assert own.criteria.startswith("mine.txt#")


def test_a_model_is_named_again_for_it_is_paid(
    store: Repository, flights: InstalledScenario, judge: str
) -> None:
    with pytest.raises(UsageError, match=r"give --judge scripted:.*--estimate says"):
        same_checker(by_model(store, judge), JudgeOptions(), store, flights)


def test_another_judge_other_prompts_and_other_sampling_are_refused(
    store: Repository, flights: InstalledScenario, judge: str
) -> None:
    def refused(own: Evaluation, **options: Any) -> str:
        with pytest.raises(UsageError) as caught:
            same_checker(own, JudgeOptions(judges=(judge,), **options), store, flights)
        return str(caught.value)

    own = by_model(store, judge)
    other = own.model_copy(update={"judges_asked": ("openai/gpt-x",)})
    assert "these differ: judges. It was judged with --judge openai/gpt-x" in refused(other)
    edited = own.model_copy(update={"prompt_hash": "of another day"})
    assert "these differ: prompts" in refused(edited)
    assert "these differ: sampling" in refused(own, sampling={"temperature": 1})
    assert "these differ: structured" in refused(own, structured=True)


def test_a_judge_is_of_no_use_where_rules_judged(
    store: Repository, flights: InstalledScenario, judge: str
) -> None:
    with pytest.raises(UsageError, match="leave --judge out"):
        same_checker(evaluation(spec()), JudgeOptions(judges=(judge,)), store, flights)
