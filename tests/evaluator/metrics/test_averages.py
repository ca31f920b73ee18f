"""Means over sets: both averagings of F1 as InsightEval prints them, clusters, groups, headlines."""

from __future__ import annotations

import pytest
from scipy.stats import spearmanr

from evaluator.metrics.averages import averages, by_group, by_type, f1_of_means
from evaluator.metrics.measures import measure, rouge_value
from evaluator.metrics.rouge import harmonic
from evaluator.metrics.scores import Best, SetScore
from tests.evaluator.metrics.insighteval import TABLE_5, TABLE_8, TABLE_8_AVERAGE
from tests.evaluator.metrics.sets import insight_set


def set_score(recall: float, precision: float, name: str = "x", **changes: object) -> SetScore:
    """A set with one ground truth and one prediction."""
    values = {
        "entity_id": name,
        "trial": 1,
        "cluster": name,
        "category": "incident",
        "difficulty": "easy",
        "missing": None,
        "truths": (Best(score=recall, type="descriptive"),),
        "predictions": (Best(score=precision),),
        "summary": None,
    }
    return SetScore.model_validate({**values, **changes})


@pytest.mark.parametrize("agent", TABLE_5)
@pytest.mark.parametrize("measure_", [0, 1], ids=["rouge1", "g-eval"])
def test_table_5_is_the_f1_of_the_mean_recall_and_precision(agent: str, measure_: int) -> None:
    """InsightEval's Table 5: ten agents, both measures, to 1e-4."""
    recall, precision, f1, _ = TABLE_5[agent][measure_]
    # Two sets whose means are the printed ones, and that differ.
    scores = [
        set_score(recall + 0.2, precision - 0.1, "x"),
        set_score(recall - 0.2, precision + 0.1, "y"),
    ]
    found = averages(scores)
    assert found.recall.strict == pytest.approx(recall)
    assert found.precision is not None
    assert found.precision.strict == pytest.approx(precision)
    assert found.f1_of_means == pytest.approx(f1, abs=1e-4)
    assert found.f1_of_means == pytest.approx(f1_of_means(scores))
    # Printed to four digits, so that R, P and F1 are each up to half of the last one off.
    assert found.f1 is not None
    assert found.f1.strict is not None
    assert abs(found.f1.strict - f1) > 1e-3


def test_table_5_has_ten_rows_in_which_precision_is_above_recall() -> None:
    assert len(TABLE_5) == 10
    assert all(row[1] > row[0] for both in TABLE_5.values() for row in both)


def test_f1_hardly_ranks_the_ten_agents_anew_and_words_rank_them_otherwise() -> None:
    """Spearman's rho over Table 5: recall and F1 .988, ROUGE-1 and G-Eval .745 (EVALUATION 2.2)."""
    rouge, g_eval = zip(*TABLE_5.values(), strict=True)
    recalls, f1s = [row[0] for row in g_eval], [row[2] for row in g_eval]
    assert spearmanr(recalls, f1s).statistic == pytest.approx(0.988, abs=5e-4)
    by_words = [row[2] for row in rouge]
    assert spearmanr(by_words, f1s).statistic == pytest.approx(0.745, abs=5e-4)


def test_table_8_is_not_the_f1_of_the_means() -> None:
    """Its Incident row prints .550, and .513 and .601 have .554: it is the mean of the sets' F1."""
    recall, precision, f1 = TABLE_8["Incident Management"][1]
    assert harmonic(precision, recall) == pytest.approx(0.5535, abs=5e-4)
    assert f1 == 0.550
    # Two sets with these means whose F1s have the printed mean: the one finds more, the other is
    # more precise. The mean of 2(R+d)(P-d)/(R+P) and 2(R-d)(P+d)/(R+P) is 2(RP-d^2)/(R+P).
    d = ((recall * precision) - f1 * (recall + precision) / 2) ** 0.5
    found = averages([set_score(recall + d, precision - d), set_score(recall - d, precision + d)])
    assert found.f1_of_means == pytest.approx(0.554, abs=1e-3)
    assert found.f1 is not None
    assert found.f1.strict == pytest.approx(0.550, abs=1e-6)


def test_no_g_eval_row_of_table_8_is_above_the_f1_of_its_means() -> None:
    """The mean of F1s cannot be above the F1 of the means: the harmonic mean is concave."""
    for _, (recall, precision, f1) in TABLE_8.values():
        assert f1 <= harmonic(precision, recall) + 1e-3
    below = [harmonic(p, r) - f1 for _, (r, p, f1) in TABLE_8.values()]
    assert max(below) > 1e-3


def test_the_average_row_of_table_8_is_the_mean_over_categories() -> None:
    for measure_ in (0, 1):
        for column in range(3):
            values = [row[measure_][column] for row in TABLE_8.values()]
            assert sum(values) / 8 == pytest.approx(TABLE_8_AVERAGE[measure_][column], abs=1e-3)


def test_a_mean_without_sets_is_unknown() -> None:
    found = averages([])
    assert (found.recall.strict, found.recall.headline, found.recall.sets) == (None, None, 0)
    assert (found.precision, found.f1, found.f1_of_means) == (None, None, None)


def test_sets_with_the_same_table_are_one_cluster() -> None:
    apart = averages(
        [set_score(v, v, n) for n, v in zip("abcd", (0.48, 0.48, 0.52, 0.52), strict=True)]
    )
    shared = averages(
        [
            set_score(v, v, n, cluster=c)
            for n, c, v in zip("abcd", "xxyy", (0.48, 0.48, 0.52, 0.52), strict=True)
        ]
    )
    assert (apart.recall.sets, apart.recall.clusters) == (4, 4)
    assert (shared.recall.sets, shared.recall.clusters) == (4, 2)
    assert apart.recall.low is not None
    assert shared.recall.low is not None
    assert apart.recall.strict == shared.recall.strict == pytest.approx(0.5)
    assert shared.recall.low < apart.recall.low


def test_there_is_no_headline_below_its_coverage() -> None:
    scores = [set_score(0.5, 0.5), set_score(0.0, 0.0, missing="provider_error")]
    found = averages(scores).recall
    assert (found.headline, found.strict, found.scored_only) == (None, 0.25, 0.5)
    assert averages(scores[:1]).recall.headline == 0.5


def test_groups_are_the_sets_of_a_category_or_a_difficulty() -> None:
    scores = [
        set_score(0.2, 0.4, "a", category="goal", difficulty="hard"),
        set_score(0.4, 0.4, "b", category="goal"),
        set_score(0.9, 0.4, "c", category="user"),
    ]
    groups = by_group(scores, "category")
    assert {name: each.recall.strict for name, each in groups.items()} == pytest.approx(
        {"goal": 0.3, "user": 0.9}
    )
    assert {n: g.recall.sets for n, g in by_group(scores, "difficulty").items()} == {
        "easy": 2,
        "hard": 1,
    }


def test_a_type_is_averaged_over_the_sets_that_have_it() -> None:
    sets = [
        insight_set(
            "x", truths=("one", "two"), predictions=("one",), types=("descriptive", "other")
        ),
        insight_set("y", truths=("three",), predictions=("three",)),
    ]
    found = by_type(measure("rouge1", sets, rouge_value).sets)
    assert {kind: (each.strict, each.sets) for kind, each in found.items()} == {
        "descriptive": (1.0, 2),
        "other": (0.0, 1),
    }


def test_figures_follow_neither_the_order_of_sets_nor_of_their_insights() -> None:
    one = insight_set("x", truths=("a b", "c"), predictions=("a", "c d"))
    turned = insight_set("x", truths=("c", "a b"), predictions=("c d", "a"))
    other = insight_set("y", truths=("e",), predictions=("f",))
    there = measure("rouge1", [one, other], rouge_value).overall
    back = measure("rouge1", [other, turned], rouge_value).overall
    for name in ("recall", "precision", "f1"):
        for field in ("strict", "low", "high", "coverage"):
            one_way, other_way = (getattr(getattr(each, name), field) for each in (there, back))
            assert one_way == pytest.approx(other_way), (name, field)
    assert there.f1_of_means == pytest.approx(back.f1_of_means)
