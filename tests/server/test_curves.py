"""Curves of stored runs: the evaluation that speaks, what is refused, and real runs beside thresholds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from analysis.axes import Axis
from analysis.growth import Growth
from core.evaluation import Evaluation
from core.run import Limits, ModelSpec, RunSpec
from server.curves import RunCurves
from server.reruns import is_rerun, limit_of, reruns
from tests.analysis.grown import entity, grown, run
from tests.server.support import evaluation, spec

MODEL = ModelSpec(provider="openai", name="m-1")


def a_run(name: str, *, turns: int | None = None, **changes: Any) -> RunSpec:
    limits = Limits(max_turns=turns)
    return spec(f"20260131-small-{name}", model=MODEL, limits=limits, **changes)


def as_found(of: RunSpec, made: Growth, axis: Axis = "turn") -> RunCurves:
    own: Evaluation = evaluation(of, f"{of.id}.e1")
    return RunCurves(of.id, of, own, "message", "first", {axis: made})


LONG = grown(*(entity(str(n), 4, run(2, 7, 9, end=20)) for n in range(4)))
SHORT = grown(*(entity(str(n), 4, run(1, *([3] if n else []), end=5)) for n in range(4)))


def test_a_real_run_of_five_turns_stands_beside_the_threshold_at_five() -> None:
    long, short = a_run("long"), a_run("short", turns=5)
    (found,) = reruns([as_found(long, LONG), as_found(short, SHORT)], "turn")
    assert (found.run_id, found.beside, found.limit) == (short.id, long.id, 5)
    # By turn 5 one of four; really two of four, but one for one entity of four.
    assert found.threshold == 0.25
    assert found.real == pytest.approx((0.25 + 3 * 0.5) / 4)
    assert found.entities == 4
    assert found.low is not None and found.high is not None
    assert found.low <= found.real - found.threshold <= found.high
    assert not found.announced
    told = as_found(a_run("told", turns=5, announced_budget=True), SHORT)
    assert reruns([as_found(long, LONG), told], "turn")[0].announced


def test_only_entities_that_both_explored_are_in_it() -> None:
    few = replace(SHORT, entities=(SHORT.entities[1], entity("elsewhere", 4, run(1, 2, end=5))))
    both = [as_found(a_run("long"), LONG), as_found(a_run("short", turns=5), few)]
    (found,) = reruns(both, "turn")
    assert (found.entities, found.real, found.low) == (1, 0.5, None)
    nobody = replace(SHORT, entities=(entity("elsewhere", 4, run(end=5)),))
    assert reruns([both[0], as_found(a_run("short", turns=5), nobody)], "turn") == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"model": ModelSpec(provider="openai", name="m-2")},
        {"tools": "sql"},
        {"goal": "generic"},
        {"scenario_fingerprint": "beef"},
        {"agent": "another"},
    ],
)
def test_a_run_that_differs_in_more_than_its_limit_is_no_rerun(changes: dict[str, Any]) -> None:
    assert is_rerun(a_run("short", turns=5), a_run("long"), "turn")
    other = spec(
        "20260131-small-zz99", **{"model": MODEL, "limits": Limits(max_turns=5), **changes}
    )
    assert not is_rerun(other, a_run("long"), "turn")


def test_the_longer_run_may_have_a_limit_of_its_own_that_is_higher() -> None:
    assert is_rerun(a_run("a", turns=5), a_run("b", turns=10), "turn")
    assert not is_rerun(a_run("b", turns=10), a_run("a", turns=5), "turn")
    assert not is_rerun(a_run("a", turns=5), a_run("a", turns=5), "turn")


def test_each_axis_has_its_own_limit_and_calls_have_none() -> None:
    made = spec(limits=Limits(max_turns=5, max_tokens=900, max_cost_usd=0.5, max_seconds=60))
    limits = {axis: limit_of(made, axis) for axis in ("turn", "billed_tokens", "cost_usd")}
    assert limits == {"turn": 5, "billed_tokens": 900, "cost_usd": 0.5}
    assert limit_of(made, "seconds") == 60
    assert limit_of(made, "calls") is None
