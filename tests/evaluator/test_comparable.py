"""What forbids one column is named, with whose it is; what only deserves a remark is kept apart."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from core.errors import UsageError
from core.evaluation import Evaluation
from core.outside import Outside
from core.run import Limits, ModelSpec, RunSpec
from evaluator.comparable import Basis, basis, differences, listed

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def spec(**changed: Any) -> RunSpec:
    fields: dict[str, Any] = {
        "id": "r1",
        "scenario_id": "flights",
        "scenario_fingerprint": "f" * 64,
        "entity_ids": ("01", "02"),
        "agent": "react",
        "created_at": NOW,
    }
    return RunSpec(**{**fields, **changed})


def evaluation(**changed: Any) -> Evaluation:
    fields: dict[str, Any] = {
        "id": "r1.e1",
        "run_id": "r1",
        "checker": "llm",
        "judges_asked": ("openai/a",),
        "judges_served": ("a-2026",),
        "prompt_hash": "p" * 64,
        "parameters": {"asks": 2, "trajectories": "abc", "sampling": {"temperature": 0}},
        "checklist_id": "flights",
        "checklist_version": "1",
        "checklist_hash": "c" * 64,
        "created_at": NOW,
    }
    return Evaluation(**{**fields, **changed})


def test_two_of_the_same_kind_do_not_differ() -> None:
    other = spec(id="r2", model=ModelSpec(provider="openai", name="x"), seed=4)
    parameters = {"asks": 2, "trajectories": "xyz", "sampling": {"temperature": 0}}
    found = differences(
        [
            basis("A", spec(), evaluation()),
            basis("B", other, evaluation(id="r2.e1", run_id="r2", parameters=parameters)),
        ]
    )
    assert found.forbidding == ()
    assert found.remarks == ()
    found.refuse("one ranking")


@pytest.mark.parametrize(
    ("field", "what"),
    [
        ("judges_asked", "judges asked"),
        ("judges_served", "judges served"),
        ("parameters", "judge's stop"),
    ],
)
def test_a_name_with_a_comma_is_not_two_names(field: str, what: str) -> None:
    told = []
    for who, names in (("A", ("a, b",)), ("B", ("a", "b"))):
        value: object = {"stop": names} if field == "parameters" else names
        told.append(basis(who, spec(), evaluation(**{field: value})))
    (found,) = differences(told).forbidding
    assert str(found) == f'{what}: "a, b" (A) against a, b (B)'
    assert (listed(["b", "a"]), listed([])) == ("a, b", "none")


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"checker": "matching"}, "checker"),
        ({"judges_asked": ("openai/b",)}, "judges asked"),
        ({"judges_served": ("a-2027",)}, "judges served"),
        ({"judges_asked": ("openai/a", "openai/b")}, "judges asked"),
        ({"criteria": "lenient"}, "criteria"),
        ({"prompt_hash": "q" * 64}, "prompts of the judge"),
        ({"protocol": "ddr"}, "protocol of judging"),
        ({"checklist_hash": "d" * 64}, "checklist"),
        ({"parameters": {"asks": 2, "sampling": {"temperature": 1}}}, "judge's sampling"),
        (
            {"parameters": {"asks": 2, "batch": 8, "sampling": {"temperature": 0}}},
            "judge's batch",
        ),
    ],
)
def test_whatever_a_verdict_depends_on_forbids_one_column(
    changed: dict[str, Any], what: str
) -> None:
    found = differences(
        [basis("A", spec(), evaluation()), basis("B", spec(), evaluation(**changed))]
    )
    assert [each.what for each in found.forbidding] == [what]
    with pytest.raises(UsageError, match=what) as caught:
        found.refuse("one ranking")
    assert "A" in str(caught.value)
    assert "B" in str(caught.value)
    assert "--although-different" in str(caught.value)
    found.refuse("one ranking", although_different=True)


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"scenario_id": "incidents"}, "scenario"),
        ({"scenario_fingerprint": "g" * 64}, "data (fingerprint)"),
        ({"protocol": "ddr"}, "protocol of exploration"),
        ({"goal": "dataset"}, "goal"),
        ({"tools": "sql"}, "tools"),
        ({"outside": Outside(has_shell=True, has_web=False)}, "class of agent"),
    ],
)
def test_what_an_agent_was_given_forbids_one_column(changed: dict[str, Any], what: str) -> None:
    found = differences(
        [basis("A", spec(), evaluation()), basis("B", spec(**changed), evaluation())]
    )
    assert [each.what for each in found.forbidding] == [what]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"trials": 3}, "trials"),
        ({"entity_ids": ("01",)}, "entities"),
        ({"limits": Limits(max_turns=5)}, "limits"),
        ({"prompts_hash": "x" * 64}, "prompts of the agent"),
        ({"insight_model": ModelSpec(provider="openai", name="i")}, "message-wise insights"),
    ],
)
def test_what_is_remarked_does_not_forbid(changed: dict[str, Any], what: str) -> None:
    found = differences(
        [basis("A", spec(), evaluation()), basis("B", spec(**changed), evaluation())]
    )
    assert found.forbidding == ()
    assert [each.what for each in found.remarks] == [what]


def test_a_judge_that_was_not_calibrated_is_remarked() -> None:
    parameters = {"asks": 2, "sampling": {"temperature": 0}}
    found = differences(
        [
            basis("A", spec(), evaluation(parameters={**parameters, "calibrations": ["c1"]})),
            basis("B", spec(), evaluation(parameters={**parameters, "uncalibrated": True})),
        ]
    )
    assert found.forbidding == ()
    assert [each.what for each in found.remarks] == ["judge was calibrated"]


def test_an_agent_that_may_look_at_nothing_is_of_a_class_of_its_own() -> None:
    found = differences(
        [basis("A", spec(), evaluation()), basis("B", spec(agent="closed-book"), evaluation())]
    )
    assert [str(each) for each in found.forbidding] == [
        "class of agent: built-in (A) against closed-book (B)"
    ]


def test_a_difference_names_each_value_with_those_whose_it_is() -> None:
    found = differences(
        [Basis("A", {"tools": "sql"}), Basis("B", {"tools": "both"}), Basis("C", {"tools": "sql"})]
    )
    assert [str(each) for each in found.forbidding] == ["tools: sql (A, C) against both (B)"]
    assert found.as_json()["forbidding"][0]["values"] == {"sql": ["A", "C"], "both": ["B"]}


def test_runs_of_different_judging_without_an_evaluation_differ_in_what_they_explored_alone() -> (
    None
):
    found = differences([basis("A", spec(), None), basis("B", spec(tools="sql"), None)])
    assert [each.what for each in found.forbidding] == ["tools"]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"announced_budget": True}, "told what is left of its budget: no (a) against yes (b)"),
        (
            {
                "continues": {
                    "run_id": "r0",
                    "trajectories": ({"entity_id": "01", "trial": 1, "trajectory_id": "t"},),
                }
            },
            "goes on from another run: no (a) against r0 (b)",
        ),
    ],
)
def test_another_kind_of_exploration_stands_in_no_column(
    changes: dict[str, Any], what: str
) -> None:
    found = differences([basis("a", spec(), None), basis("b", spec(**changes), None)])
    assert [str(each) for each in found.forbidding] == [what]
