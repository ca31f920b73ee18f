"""Scenarios, entities, limits and runs: what may be asked for, and what is meant by silence."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from core.run import Continuation, Continued, Limits
from core.scenario import Entity
from tests.core.builders import run_spec, scenario


def test_a_scenario_offers_the_four_tools_of_the_paper_unless_it_says_otherwise() -> None:
    assert scenario().tools == (
        "get_database_info",
        "describe_table",
        "execute_query",
        "execute_code",
    )
    assert scenario(tools=("execute_query",)).tools == ("execute_query",)


def test_a_tool_that_nobody_made_is_refused() -> None:
    with pytest.raises(ValidationError, match="tools"):
        scenario(tools=("execute_shell",))


def test_a_scenario_that_is_not_built_has_no_fingerprint() -> None:
    assert scenario().fingerprint is None


def test_data_is_free_unless_its_licence_says_restricted() -> None:
    assert scenario().license.restricted is False


def test_errors_cluster_by_the_entity_unless_it_belongs_to_something_larger() -> None:
    alone = Entity(scenario_id="flights", id="03", label="Amber")
    assert alone.cluster == "03"
    assert alone.model_copy(update={"cluster_id": "north"}).cluster == "north"


def test_nothing_is_limited_by_default_but_turns_without_a_deed() -> None:
    set_by_default = {k: v for k, v in Limits().model_dump().items() if v is not None}
    assert set_by_default == {"max_idle_turns": 3}


@pytest.mark.parametrize(
    "limit",
    [
        {"max_turns": 0},
        {"max_tokens": 0},
        {"max_cost_usd": 0},
        {"max_seconds": 0},
        {"max_idle_turns": 0},
        {"max_turns": 1.5},
    ],
    ids=str,
)
def test_a_limit_that_allows_nothing_is_refused(limit: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(limit))):
        Limits(**limit)


def test_a_run_of_no_entity_is_refused() -> None:
    with pytest.raises(ValidationError, match="entity_ids"):
        run_spec(entity_ids=())


@pytest.mark.parametrize("field", ["trials", "concurrency"])
def test_a_run_makes_at_least_one_trial_one_at_a_time(field: str) -> None:
    assert getattr(run_spec(), field) == 1
    with pytest.raises(ValidationError, match=field):
        run_spec(**{field: 0})


def test_a_run_without_a_model_and_without_a_budget_is_a_run() -> None:
    assert run_spec().model is None
    assert run_spec().budget_usd is None
    assert run_spec().insight_model is None


@pytest.mark.parametrize("field", ["tools", "protocol"])
def test_a_run_refuses_a_word_outside_the_vocabulary(field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        run_spec(**{field: "everything"})


def test_what_is_explored_is_each_entity_in_each_trial_or_what_is_gone_on_from() -> None:
    whole = run_spec(entity_ids=("01", "02"), trials=2)
    assert whole.keys == (("01", 1), ("02", 1), ("01", 2), ("02", 2))
    some = Continuation(
        run_id="r0",
        trajectories=(
            Continued(entity_id="02", trial=1, trajectory_id="a"),
            Continued(entity_id="01", trial=2, trajectory_id="b"),
        ),
    )
    onward = run_spec(entity_ids=("02", "01"), trials=2, continues=some)
    assert onward.keys == (("02", 1), ("01", 2))
