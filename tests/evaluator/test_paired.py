"""Paired by item, clustered by entity, corrected over all pairs; a fault of ours decides nothing."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.outcomes import Outcome
from evaluator.paired import all_pairs, corrected, holm, paired
from tests.evaluator.records import STEADY


def outcome(item_id: str, entity: str, value: float | None, cluster: str | None = None) -> Outcome:
    """Of two trials, so that a value may be 0, 0.5 or 1."""
    return Outcome(
        item_id=item_id,
        entity_id=entity,
        cluster=cluster or entity,
        trials=2,
        scored=0 if value is None else 2,
        supported=round(2 * (value or 0.0)),
        bucket="unscored" if value is None else "supported" if value > 0.5 else "insufficient",
        reasons=() if value is not None else ("provider_error",) * 2,
    )


def row(values: dict[str, list[float | None]]) -> list[Outcome]:
    return [outcome(f"{e}-{n}", e, v) for e, each in values.items() for n, v in enumerate(each)]


ONE = row({"a": [1, 1, 0, 1], "b": [1, 0], "c": [1, 1]})
OTHER = row({"a": [1, 0, 0, 0], "b": [1, 0], "c": [0, 1]})


def test_the_difference_is_the_mean_over_items_with_an_error_clustered_by_entity() -> None:
    found = paired("A", "B", ONE, OTHER, level="message", averaging="item")
    assert found.difference == pytest.approx(3 / 8)
    assert (found.one_mean, found.other_mean) == pytest.approx((6 / 8, 3 / 8))
    # Sums of deviations: a 2 - 4*3/8 = 0.5, b -0.75, c 1 - 0.75 = 0.25.
    error = (3 / 2 * (0.25 + 0.5625 + 0.0625)) ** 0.5 / 8
    assert found.standard_error == pytest.approx(error)
    assert found.high is not None
    assert found.high == pytest.approx(min(1.0, 3 / 8 + 4.302653 * error))
    # t = 0.375 / error on 2 degrees of freedom: p = 1 - t / sqrt(t^2 + 2).
    t = 0.375 / error
    assert found.p == pytest.approx(1 - t / (t * t + 2) ** 0.5)
    assert (found.items, found.entities, found.clusters, found.left_out) == (8, 3, 3, 0)


def test_by_entity_each_has_one_say() -> None:
    found = paired("A", "B", ONE, OTHER, level="message", averaging="sample")
    assert found.difference == pytest.approx((0.5 + 0 + 0.5) / 3)
    assert found.clusters == 3


def test_entities_that_belong_together_are_one_cluster() -> None:
    mine = [outcome("1", "a", 1.0, "x"), outcome("2", "b", 0.0, "x"), outcome("3", "c", 1.0)]
    theirs = [outcome("1", "a", 0.0, "x"), outcome("2", "b", 0.0, "x"), outcome("3", "c", 0.0)]
    found = paired("A", "B", mine, theirs, level="message", averaging="item")
    assert (found.entities, found.clusters) == (3, 2)


def test_what_one_was_not_scored_on_is_left_out_and_counted() -> None:
    mine = row({"a": [1.0, None], "b": [1.0, 0.0]})
    theirs = row({"a": [0.0, 1.0], "b": [None, 0.0], "z": [1.0]})
    found = paired("A", "B", mine, theirs, level="message", averaging="item")
    assert (found.items, found.left_out) == (2, 2)
    assert found.difference == pytest.approx(0.5)


def test_without_an_item_in_common_there_is_no_difference() -> None:
    found = paired("A", "B", ONE, row({"z": [1.0]}), level="message", averaging="item")
    assert (found.difference, found.p, found.low, found.items) == (None, None, None, 0)


def test_one_entity_has_a_difference_and_no_interval() -> None:
    found = paired(
        "A", "B", row({"a": [1, 1]}), row({"a": [0, 1]}), level="message", averaging="item"
    )
    assert found.difference == 0.5
    assert (found.p, found.low, found.high) == (None, None, None)


def test_the_same_verdicts_differ_in_nothing() -> None:
    found = paired("A", "B", ONE, ONE, level="message", averaging="item")
    assert (found.difference, found.p) == (0.0, 1.0)
    assert found.low is not None and found.high is not None
    assert found.low < 0 < found.high
    assert not found.differs


def test_where_every_item_differs_alike_the_sign_test_over_entities_decides() -> None:
    entities = [f"e{n}" for n in range(8)]
    mine, theirs = row({e: [1.0] for e in entities}), row({e: [0.0] for e in entities})
    found = paired("A", "B", mine, theirs, level="message", averaging="item")
    assert found.difference == 1.0
    assert found.p == pytest.approx(2 / 2**8)
    assert found.low is not None and 0.5 < found.low < 1.0


def test_holm_over_a_worked_example() -> None:
    # 0.01*4, 0.02*3, then 0.03*2 = 0.06 and 0.04*1 raised to 0.06.
    assert holm([0.02, 0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.06, 0.04, 0.06])
    assert holm([0.9, None, 0.6]) == [1.0, None, 1.0]
    assert holm([]) == []


def test_all_pairs_are_corrected_together() -> None:
    found = {"A": ONE, "B": OTHER, "C": ONE}
    family = corrected(all_pairs(found, level="message", averaging="item"))
    assert [(each.one, each.other) for each in family] == [("A", "B"), ("A", "C"), ("B", "C")]
    first = family[0]
    assert first.p is not None and first.p_holm is not None
    assert first.p_holm == pytest.approx(min(1.0, 3 * first.p))


PER_ENTITY = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0, None]), st.sampled_from([0.0, 0.5, 1.0, None])),
    max_size=4,
)


@STEADY
@given(st.dictionaries(st.sampled_from("abcdef"), PER_ENTITY, max_size=6))
def test_it_is_the_opposite_the_other_way_round(
    values: dict[str, list[tuple[float | None, float | None]]],
) -> None:
    mine = row({e: [one for one, _ in each] for e, each in values.items()})
    theirs = row({e: [other for _, other in each] for e, each in values.items()})
    for averaging in ("item", "sample"):
        there = paired("A", "B", mine, theirs, level="message", averaging=averaging)
        back = paired("B", "A", theirs, mine, level="message", averaging=averaging)
        assert there.items + there.left_out == len(mine)
        if there.difference is None or back.difference is None:
            assert there.difference == back.difference
            continue
        assert there.difference == pytest.approx(-back.difference, abs=1e-12)
        if there.low is not None and back.high is not None:
            assert there.low == pytest.approx(-back.high, abs=1e-9)
            assert there.low <= there.difference <= (there.high or 0) + 1e-12


def test_the_interval_covers_a_true_difference_as_often_as_it_says() -> None:
    # 40 entities of 3 to 8 items; a shared ability makes the two go together.
    generator = random.Random(5)
    held, runs = 0, 400
    for _ in range(runs):
        mine: dict[str, list[float | None]] = {}
        theirs: dict[str, list[float | None]] = {}
        for entity in range(40):
            ability = min(0.8, max(0.1, generator.gauss(0.45, 0.2)))
            own, their = min(0.95, ability + 0.1), max(0.05, ability)
            draws = [generator.random() for _ in range(generator.randint(3, 8))]
            mine[str(entity)] = [float(u < own) for u in draws]
            theirs[str(entity)] = [float(u < their) for u in draws]
        found = paired("A", "B", row(mine), row(theirs), level="message", averaging="item")
        assert found.low is not None and found.high is not None
        held += found.low <= 0.1 <= found.high
    assert 0.92 <= held / runs <= 0.98
