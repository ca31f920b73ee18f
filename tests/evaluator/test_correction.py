"""A judge's accuracy is corrected to what people would have found."""

from __future__ import annotations

import random
from statistics import fmean

import pytest

from evaluator.correction import Judged, corrected, rogan_gladen


def test_rogan_and_gladen_by_hand() -> None:
    assert rogan_gladen(0.3, 0.9, 0.8) == pytest.approx(0.1 / 0.7)
    assert rogan_gladen(0.6, 1.0, 1.0) == pytest.approx(0.6)
    assert rogan_gladen(0.1, 0.9, 0.8) == 0.0
    assert rogan_gladen(0.95, 0.9, 0.8) == 1.0
    assert rogan_gladen(0.5, 0.5, 0.5) is None


def test_both_ways_by_hand() -> None:
    # 10 labelled: of 5 true ones the judge finds 4, of 5 false ones it finds 2. Another 10 unlabelled
    # of which it finds 6: 12 of 20 in all.
    labelled = [(True, True)] * 4 + [(False, True)] + [(True, False)] * 2 + [(False, False)] * 3
    items = [Judged(n % 4, said, true) for n, (said, true) in enumerate(labelled)]
    items += [Judged(n % 4, n < 6) for n in range(10)]
    found = corrected(items, seed=1)
    assert (found.n, found.labelled, found.judged) == (20, 10, 0.6)
    assert (found.sensitivity, found.specificity) == (0.8, 0.6)
    assert found.powered == pytest.approx(0.6 + (5 - 6) / 10)
    assert found.rogan_gladen == pytest.approx((0.6 + 0.6 - 1) / 0.4)
    for low, high in (found.powered_interval, found.rogan_gladen_interval):  # type: ignore[misc]
        assert 0 <= low <= 0.5 <= high <= 1


def test_without_labels_there_is_nothing_to_correct_by() -> None:
    found = corrected([Judged("a", True), Judged("b", False)], seed=1)
    assert (found.judged, found.labelled) == (0.5, 0)
    assert (found.powered, found.powered_interval, found.rogan_gladen) == (None, None, None)
    assert found.rogan_gladen_interval is None
    with pytest.raises(ValueError, match="nothing"):
        corrected([], seed=1)


def test_the_truth_lies_in_the_interval_as_often_as_is_said() -> None:
    # A generous judge: it finds 95 % of what is there and 25 % of what is not; .45 is there.
    draw = random.Random(11)
    inside, naive, powered = [], [], []
    for _ in range(200):
        items = []
        for entity in range(40):
            lean = draw.uniform(-0.15, 0.15)
            for n in range(8):
                true = draw.random() < 0.45 + lean
                said = draw.random() < (0.95 if true else 0.25)
                items.append(Judged(entity, said, true if n < 2 else None))
        found = corrected(items, seed=1, rounds=2)
        assert found.powered is not None
        assert found.powered_interval is not None
        low, high = found.powered_interval
        inside.append(low <= 0.45 <= high)
        naive.append(found.judged)
        powered.append(found.powered)
    assert fmean(naive) == pytest.approx(0.565, abs=0.01), "as judged it is too high"
    assert fmean(powered) == pytest.approx(0.45, abs=0.01)
    assert fmean(inside) >= 0.92
