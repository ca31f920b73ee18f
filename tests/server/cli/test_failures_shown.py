"""What several runs say together, and what a program is given."""

from __future__ import annotations

import json

import pytest

from evaluator.correlation import correlate
from evaluator.failing import FailureSaid, Tallied
from evaluator.missed import Computed, Missed
from server.cli.failures_shown import show
from server.cli.output import Output
from server.failures import Basis, grounded
from server.failures_found import Found, correlations
from tests.evaluator.records import item
from tests.evaluator.tracing.records import explored, rows
from tests.server.support import evaluation, spec


def shown(number: int, accuracy: float | None, *, found: int, lost: int) -> Found:
    texts = [(1, f"It is {12.6 if k < found else 55.5 + k} there.") for k in range(found + lost)]
    mine = [explored({1: rows(["v"], [12.6])}, texts)]
    run = spec(f"20260131-small-ab{number}2")
    basis = Basis(
        spec=run, trajectories=mine, clusters={}, noun="carrier", evaluation=evaluation(run)
    )
    return Found(basis, grounded=grounded(mine, {}, None), accuracy=accuracy)


RUNS = [
    shown(1, 0.5, found=3, lost=1),
    shown(2, 0.4, found=2, lost=2),
    shown(3, 0.2, found=1, lost=3),
]


def test_over_three_runs_hallucination_is_set_against_accuracy() -> None:
    (name, found), *more = correlations(RUNS).items()
    assert (name, more) == ("untraced insights", [])
    expected = correlate([0.25, 0.5, 0.75], [0.5, 0.4, 0.2])
    assert found["n"] == 3
    assert found["pearson"] == pytest.approx(expected.pearson)
    assert found["pearson_p"] == pytest.approx(expected.pearson_p)


def test_two_runs_and_runs_without_a_score_say_nothing_together() -> None:
    assert correlations(RUNS[:2]) == {}
    assert correlations([*RUNS[:2], shown(4, None, found=1, lost=1)]) == {}


def test_a_program_is_given_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(json.dumps([each.as_json() for each in RUNS]))
    assert [run["hallucination"]["untraced"]["value"] for run in told] == [0.25, 0.5, 0.75]
    assert [len(run["grounding"]["not_found"]) for run in told] == [1, 2, 3]
    assert told[0]["missed"]["items"] == 0
    show(RUNS, Output(), hallucination=True)
    out = capsys.readouterr().out
    assert "untraced insights against accuracy over 3 runs: Pearson r -0.982" in out
    assert "no judge has been asked about hallucination yet" in out
    assert "no item was missed" in out


def test_proposed_and_confirmed_are_columns_of_their_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def case(name: str) -> Missed:
        return Missed(item(name, category="weather"), explored({}, report="x"), noted=False)

    ada = FailureSaid(failure="superficial", by="person")
    model = FailureSaid(failure="over-reasoning", by="model")
    cases = [
        Tallied(case("a"), Computed("exploration breadth", ""), confirmed=(("Ada", ada),)),
        Tallied(case("b"), Computed(None, ""), proposed=(("m", model),)),
    ]
    one = RUNS[0]
    both = Found(one.basis, one.grounded, cases=cases)
    show([both], Output(), hallucination=False)
    out = capsys.readouterr().out
    for head in ("computed (of 2)", "proposed (of 1)", "confirmed (of 1)"):
        assert head in out
    assert "per category, confirmed" in out
    missed = both.as_json()["missed"]
    assert missed["computed"]["counts"]["not known"] == 1
    assert missed["confirmed"]["shares"]["superficial"] == 1.0
    assert missed["proposed"]["per_category"]["weather"]["over-reasoning"] == 1
