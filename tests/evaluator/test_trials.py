"""Several trials: what one of k finds, what all of k find, and where the variance comes from."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation import Label
from evaluator.outcomes import Outcome, outcomes
from evaluator.trials import components, trials_of
from tests.evaluator.records import STEADY, entity, item, trajectory, verdict


def found_in(supported: int, scored: int, trials: int | None = None) -> Outcome:
    return Outcome(
        item_id=f"{supported}/{scored}",
        entity_id="01",
        cluster="01",
        trials=trials or max(scored, 1),
        scored=scored,
        supported=supported,
        bucket="supported",
    )


def test_a_worked_example() -> None:
    # Found in 2 of 4: any of two 1 - 1/6, both of two 1/6. Found in 4 of 4 and in 0 of 4.
    found = trials_of([found_in(2, 4), found_in(4, 4), found_in(0, 4)], "message")
    assert found.trials == 4
    assert [at.k for at in found.at] == [1, 2, 3, 4]
    one, two, three, four = found.at
    assert (one.any_of, one.all_of) == pytest.approx((0.5, 0.5))
    assert two.any_of == pytest.approx((5 / 6 + 1 + 0) / 3)
    assert two.all_of == pytest.approx((1 / 6 + 1 + 0) / 3)
    assert three.any_of == pytest.approx(2 / 3)
    assert (four.any_of, four.all_of) == pytest.approx((2 / 3, 1 / 3))
    assert (found.union, found.intersection) == pytest.approx((2 / 3, 1 / 3))


def test_unscored_trials_are_left_out_and_those_with_fewer_are_counted() -> None:
    found = trials_of([found_in(1, 1, 3), found_in(3, 3), found_in(0, 0, 3)], "message")
    assert (found.items, found.short, found.trials) == (2, 1, 3)
    assert [at.items for at in found.at] == [2, 1, 1]
    assert found.union == 1.0


def test_without_a_scored_trial_nothing_is_known() -> None:
    found = trials_of([found_in(0, 0)], "message")
    assert (found.trials, found.at, found.union, found.intersection) == (0, (), None, None)


def test_trials_are_counted_from_verdicts() -> None:
    runs = [trajectory(trial=n) for n in (1, 2, 3)]
    labels: list[Label | None] = ["supported", "insufficient", None]
    said = [
        verdict("a", label, trajectory_id=f"t-03-{n}-1", unscored_reason=None if label else "x")
        for n, label in enumerate(labels, start=1)
    ]
    (only,) = outcomes([item("a")], runs, said, [entity("03")], "message")
    assert (only.trials, only.scored, only.supported) == (3, 2, 1)
    found = trials_of([only], "message")
    assert [(at.any_of, at.all_of) for at in found.at] == [(0.5, 0.5), (1.0, 0.0)]


@STEADY
@given(st.lists(st.integers(1, 6).flatmap(lambda r: st.tuples(st.integers(0, r), st.just(r)))))
def test_more_trials_find_more_and_agree_on_less(counts: list[tuple[int, int]]) -> None:
    most = max((r for _, r in counts), default=0)
    found = trials_of([found_in(c, r) for c, r in counts if r == most], "message")
    any_of, all_of = [at.any_of for at in found.at], [at.all_of for at in found.at]
    assert any_of == sorted(any_of)
    assert all_of == sorted(all_of, reverse=True)
    if found.at:
        assert any_of[0] == pytest.approx(all_of[0])
        assert any_of[-1] == pytest.approx(found.union)
        assert all_of[-1] == pytest.approx(found.intersection)


def test_planted_components_are_recovered() -> None:
    generator = random.Random(11)
    shares = {}
    for e in range(600):
        entity_part = generator.gauss(0, 0.15)
        for t in range(3):
            trial_part = generator.gauss(0, 0.08)
            for j in ("a", "b"):
                shares[str(e), t, j] = 0.5 + entity_part + trial_part + generator.gauss(0, 0.04)
    found = components(shares)
    assert found.entity is not None and found.trial is not None and found.judge is not None
    assert found.entity**0.5 == pytest.approx(0.15, rel=0.1)
    assert found.trial**0.5 == pytest.approx(0.08, rel=0.1)
    assert found.judge**0.5 == pytest.approx(0.04, rel=0.1)
    assert (found.entities, found.trials, found.judges) == (600, 3, 2)


def test_a_worked_split() -> None:
    # Entities at 0.2 and 0.6, trials 0.1 to either side, nobody judged twice.
    shares = {("a", 1, "j"): 0.1, ("a", 2, "j"): 0.3, ("b", 1, "j"): 0.5, ("b", 2, "j"): 0.7}
    found = components(shares)
    assert found.judge is None
    assert found.trial == pytest.approx(0.02)
    assert found.entity == pytest.approx(0.08 - 0.02 / 2)


def test_what_was_not_repeated_is_unknown() -> None:
    one = components({("a", 1, "j"): 0.5})
    assert (one.entity, one.trial, one.judge) == (None, None, None)
    entities = components({("a", 1, "j"): 0.5, ("b", 1, "j"): 0.7})
    assert entities.trial is None
    assert entities.entity == pytest.approx(0.02)
    judges = components({("a", 1, "j"): 0.5, ("a", 1, "k"): 0.7})
    assert judges.judge == pytest.approx(0.02)
    assert components({}).entities == 0
