"""Recall, precision, F1 and summaries of sets that can be worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics.measures import mean_rating
from evaluator.metrics.rating import Pair, Rated
from evaluator.metrics.scores import Value, many_to_many, one_to_many
from tests.evaluator.metrics.sets import by_table, insight_set

TABLE: Value = by_table({("a", "p"): 0.9, ("a", "q"): 0.2, ("b", "p"): 0.4, ("b", "q"): 0.3})


def test_one_to_many_takes_the_best_of_each_row_and_column() -> None:
    """R = mean(.9, .4), P = mean(.9, .3)."""
    found = one_to_many(insight_set(), TABLE)
    assert found.recall.strict == pytest.approx(0.65)
    assert found.precision is not None
    assert found.precision.strict == pytest.approx(0.6)
    assert found.f1 is not None
    assert found.f1.strict == pytest.approx(2 * 0.65 * 0.6 / 1.25)


def test_matches_score_what_was_matched_and_nothing_else() -> None:
    """a is matched with q, although p would be better; b with nobody."""
    found = many_to_many(insight_set(), TABLE, (1, None))
    assert [best.score for best in found.truths] == [0.2, 0.0]
    assert found.recall.strict == pytest.approx(0.1)
    assert found.recall.coverage == 1.0
    assert (found.precision, found.f1) == (None, None)


def test_a_failed_matching_is_unscored_and_never_random() -> None:
    scores = {many_to_many(insight_set(), TABLE, None).model_dump_json() for _ in range(20)}
    assert len(scores) == 1
    found = many_to_many(insight_set(), TABLE, None)
    assert (found.recall.strict, found.recall.scored_only, found.recall.coverage) == (0, None, 0)


def test_an_unscored_pair_leaves_its_row_unscored_and_counts_for_nothing() -> None:
    value = by_table({("a", "p"): 0.9, ("b", "p"): 0.4, ("b", "q"): 0.3})
    found = one_to_many(insight_set(), value)
    assert [(b.score, b.is_scored) for b in found.truths] == [(0.9, False), (0.4, True)]
    assert found.recall.strict == pytest.approx(0.65)
    assert found.recall.scored_only == pytest.approx(0.4)
    assert found.recall.coverage == 0.5


def test_nothing_handed_in_scores_nothing() -> None:
    found = one_to_many(insight_set(predictions=(), summary="s"), TABLE)
    assert found.recall.strict == 0
    assert found.precision is not None
    assert found.f1 is not None
    assert found.summary_share is not None
    shares = (found.recall, found.precision, found.f1, found.summary_share)
    assert all((s.strict, s.scored_only, s.coverage) == (0, 0, 1) for s in shares)


def test_what_is_not_the_agents_fault_is_unscored() -> None:
    gone = insight_set(predictions=(), summary="s", missing="provider_error")
    found = one_to_many(gone, TABLE)
    assert found.precision is not None
    assert found.f1 is not None
    assert found.summary_share is not None
    shares = (found.recall, found.precision, found.f1, found.summary_share)
    assert all((s.strict, s.scored_only, s.coverage) == (0, None, 0) for s in shares)


def test_summaries_are_held_against_each_other_alone() -> None:
    value = by_table({("s", "r"): 0.7})
    found = one_to_many(insight_set(truths=("a",), predictions=(), summary="s", report="r"), value)
    assert found.summary_share is not None
    assert found.summary_share.strict == 0.7
    none = one_to_many(insight_set(summary=None, report="r"), TABLE)
    assert none.summary_share is None


def test_recall_of_one_type_looks_at_its_ground_truths_alone() -> None:
    found = one_to_many(insight_set(types=("descriptive", "diagnostic")), TABLE)
    assert found.recall_of("diagnostic") is not None
    diagnostic = found.recall_of("diagnostic")
    assert diagnostic is not None
    assert diagnostic.strict == 0.4
    assert found.recall_of("predictive") is None


def test_several_judges_are_averaged_where_all_of_them_gave_a_rating() -> None:
    one, other = Pair("a", "p"), Pair("b", "p")
    six, nine = Rated(6, 6.0, has_chances=False), Rated(9, 9.0, has_chances=False)
    value = mean_rating([{one: six, other: six}, {one: nine}])
    assert value(one) == pytest.approx(0.75)
    assert value(other) is None


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=2, max_size=4))
def test_matches_never_beat_the_best(grid: list[list[float]]) -> None:
    truths = [f"t{n}" for n in range(len(grid))]
    found = insight_set(truths=truths, predictions=("p0", "p1", "p2"))
    value = by_table(
        {(f"t{i}", f"p{j}"): v for i, row in enumerate(grid) for j, v in enumerate(row)}
    )
    best = one_to_many(found, value).recall.strict
    for place in range(3):
        matched = many_to_many(found, value, (place,) * len(grid)).recall.strict
        assert matched <= best + 1e-12
