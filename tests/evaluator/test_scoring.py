"""The four accuracies, each with all that it is out of (F39, EVALUATION 1.2 and 4.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.checklist import ChecklistItem
from core.evaluation import LEVELS, Label, Score, Verdict
from core.trajectory import Trajectory
from evaluator.outcomes import outcomes
from evaluator.scoring import breakdown, score
from tests.evaluator.records import STEADY, entity, item, trajectory, verdict


def pick(scores: list[Score], level: str = "message", averaging: str = "item") -> Score:
    return next(s for s in scores if s.level == level and s.averaging == averaging)


def hundred_items() -> tuple[list[ChecklistItem], list[Verdict]]:
    items = [item(f"i{n}") for n in range(100)]
    counts: list[tuple[Label | None, int]] = [("supported", 80), ("insufficient", 10), (None, 10)]
    labels = [label for label, count in counts for _ in range(count)]
    return items, [
        verdict(i.id, label, unscored_reason=None if label else "judge_unparsed")
        for i, label in zip(items, labels, strict=True)
    ]


def test_strict_scored_only_and_coverage_stand_side_by_side() -> None:
    items, verdicts = hundred_items()
    got = pick(score("x", items, [trajectory()], verdicts, [entity("03")]))
    assert (got.strict, got.coverage) == (0.80, 0.90)
    assert got.scored_only == pytest.approx(80 / 90)
    assert (got.supported, got.insufficient, got.contradicted, got.unscored) == (80, 10, 0, 10)


def test_below_full_coverage_there_is_no_headline_and_it_says_why() -> None:
    items, verdicts = hundred_items()
    got = pick(score("x", items, [trajectory()], verdicts, [entity("03")]))
    assert got.headline is None
    assert got.headline_reason == ("coverage 0.900 is below 0.95; unscored: judge_unparsed (10)")


def test_from_95_percent_coverage_the_headline_is_the_strict_score() -> None:
    items = [item(f"i{n}") for n in range(20)]
    verdicts = [verdict(i.id, "supported") for i in items[:19]] + [
        verdict("i19", None, unscored_reason="no signals")
    ]
    got = pick(score("x", items, [trajectory()], verdicts, [entity("03")]))
    assert (got.headline, got.headline_reason) == (0.95, None)


def test_an_entity_that_handed_in_nothing_scores_0_and_stays_in_the_denominator() -> None:
    ids = [f"{n:02}" for n in range(10)]
    items = [item(f"{e}-{n}", e) for e in ids for n in range(10)]
    runs = [trajectory(e) for e in ids]
    verdicts = [
        verdict(
            i.id,
            "supported" if i.entity_id == "00" and i.id < "00-8" else "insufficient",
            trajectory_id=f"t-{i.entity_id}-1-1",
        )
        for i in items
    ]
    got = pick(score("x", items, runs, verdicts, [entity(e) for e in ids]))
    assert (got.strict, got.headline, got.items, got.entities) == (0.08, 0.08, 100, 10)


def test_the_papers_mean_leaves_out_entities_that_handed_in_nothing_and_strict_does_not() -> None:
    items = [item("a", "03"), item("b", "04"), item("c", "05")]
    runs = [
        trajectory("03", messages=[(1, "It is so.")], report="So."),
        trajectory("04", messages=[(1, "It is so.")]),
        trajectory("05"),
    ]
    labels: list[Label] = ["supported", "insufficient", "insufficient"]
    said = [
        verdict(i.id, label, trajectory_id=f"t-{i.entity_id}-1-1", level=level)
        for level in LEVELS
        for i, label in zip(items, labels, strict=True)
    ]
    scores = score("x", items, runs, said, [entity(e) for e in ("03", "04", "05")])
    message, report = pick(scores), pick(scores, "trajectory")
    assert message.strict == report.strict == pytest.approx(1 / 3)
    assert (message.answered_only, report.answered_only) == (0.5, 1.0)
    silent = score("x", items[2:], runs[2:], said, [entity("05")])
    assert (silent[0].strict, silent[0].answered_only) == (0.0, None)


def test_cannot_tell_is_counted_apart_inside_insufficient() -> None:
    runs = [trajectory(trial=1), trajectory(trial=2)]
    said = [
        verdict("a", "insufficient", trajectory_id="t-03-1-1").model_copy(
            update={"chosen": "cannot tell"}
        ),
        verdict("a", "insufficient", trajectory_id="t-03-2-1"),
        *(verdict("b", "insufficient", trajectory_id=f"t-03-{n}-1") for n in (1, 2)),
    ]
    got = pick(score("x", [item("a"), item("b")], runs, said, [entity("03")]))
    assert (got.insufficient, got.cannot_tell) == (2, 1)


def test_a_breakdown_by_type_of_insight() -> None:
    typed = item("b").model_copy(update={"insight_type": "diagnostic"})
    args = ("x", [item("a"), typed], [trajectory()], [verdict("b", "supported")], [entity("03")])
    found = breakdown(*args, by="insight_type")
    assert list(found) == ["descriptive", "diagnostic"]
    assert pick(found["diagnostic"]).strict == 1.0


def test_an_entity_that_was_never_run_is_unscored_and_stays_in_the_denominator() -> None:
    items = [item("a", "03"), item("b", "04")]
    scores = score(
        "x", items, [trajectory()], [verdict("a", "supported")], [entity("03"), entity("04")]
    )
    got = pick(scores)
    assert (got.strict, got.scored_only, got.coverage, got.items) == (0.5, 1.0, 0.5, 2)
    assert got.headline_reason is not None and "never run (1)" in got.headline_reason


def test_an_item_without_a_verdict_is_unscored_as_not_judged() -> None:
    got = pick(score("x", [item("a"), item("b")], [trajectory()], [], [entity("03")]))
    assert got.unscored == 2
    assert got.headline_reason == "nothing was scored; unscored: not judged (2)"


def test_when_everything_failed_the_score_is_unknown_and_not_0() -> None:
    verdicts = [verdict("a", None, unscored_reason="provider_error")]
    got = pick(score("x", [item("a")], [trajectory()], verdicts, [entity("03")]))
    assert (got.headline, got.strict, got.scored_only, got.low) == (None, None, None, None)
    assert (got.coverage, got.unscored) == (0.0, 1)


def test_without_items_there_is_no_score() -> None:
    got = pick(score("x", [], [trajectory()], [], [entity("03")]))
    assert (got.strict, got.items, got.headline_reason) == (None, 0, "there are no items")


def two_entities() -> tuple[list[ChecklistItem], list[Trajectory], list[Verdict]]:
    items = [item("a", "03")] + [item(f"b{n}", "04") for n in range(4)]
    verdicts = [
        verdict("a", "supported", trajectory_id="t-03-1-1"),
        verdict("b0", "supported", trajectory_id="t-04-1-1"),
        *(verdict(f"b{n}", "insufficient", trajectory_id="t-04-1-1") for n in (1, 2, 3)),
    ]
    return items, [trajectory("03"), trajectory("04")], verdicts


def test_item_averaging_pools_items_and_sample_averaging_pools_entities() -> None:
    items, runs, verdicts = two_entities()
    scores = score("x", items, runs, verdicts, [entity("03"), entity("04")])
    assert pick(scores, averaging="item").strict == pytest.approx(2 / 5)
    assert pick(scores, averaging="sample").strict == pytest.approx((1 + 0.25) / 2)


def test_both_levels_are_scored_from_their_own_verdicts() -> None:
    verdicts = [verdict("a", "supported"), verdict("a", "contradicted", level="trajectory")]
    scores = score("x", [item("a")], [trajectory()], verdicts, [entity("03")])
    assert [(s.level, s.averaging) for s in scores] == [
        ("message", "item"),
        ("message", "sample"),
        ("trajectory", "item"),
        ("trajectory", "sample"),
    ]
    assert pick(scores).strict == 1.0
    assert (pick(scores, "trajectory").strict, pick(scores, "trajectory").contradicted) == (0.0, 1)


def test_errors_are_clustered_by_entity_and_by_what_the_entity_belongs_to() -> None:
    items, runs, verdicts = two_entities()
    apart = pick(score("x", items, runs, verdicts, [entity("03"), entity("04")]))
    # mean 0.4; a: 0.6, b: -0.6 -> sqrt(2 * 2 * 0.36) / 5
    assert apart.standard_error == pytest.approx((4 * 0.36) ** 0.5 / 5)
    family = [entity("03", cluster_id="f"), entity("04", cluster_id="f")]
    together = pick(score("x", items, runs, verdicts, family))
    assert (together.standard_error, together.low) == (None, None)


def test_several_trials_of_an_item_are_averaged_before_anything_else() -> None:
    runs = [trajectory(trial=1), trajectory(trial=2)]
    verdicts = [
        verdict("a", "supported", trajectory_id="t-03-1-1"),
        verdict("a", "insufficient", trajectory_id="t-03-2-1"),
    ]
    got = pick(score("x", [item("a")], runs, verdicts, [entity("03")]))
    assert (got.strict, got.items, got.insufficient, got.supported) == (0.5, 1, 1, 0)


def test_only_the_last_attempt_of_a_trial_counts() -> None:
    runs = [trajectory(attempt=1, stop_reason=None), trajectory(attempt=2)]
    verdicts = [
        verdict("a", None, trajectory_id="t-03-1-1", unscored_reason="broken"),
        verdict("a", "supported", trajectory_id="t-03-1-2"),
    ]
    got = pick(score("x", [item("a")], runs, verdicts, [entity("03")]))
    assert (got.strict, got.coverage, got.unscored) == (1.0, 1.0, 0)


def test_the_derangements_of_a_baseline_are_averaged_like_trials() -> None:
    verdicts = [
        verdict("a", "supported" if k == 0 else "insufficient", evaluation_id=f"e{k}")
        for k in range(5)
    ]
    got = pick(score("shuffled_entity", [item("a")], [trajectory()], verdicts, [entity("03")]))
    assert got.strict == pytest.approx(0.2)
    assert (got.items, got.coverage) == (1, 1.0)


def test_items_of_entities_outside_the_run_and_unaccepted_items_are_not_asked() -> None:
    rejected = item("r").model_copy(update={"status": "rejected"})
    items = [item("a"), item("z", "99"), rejected]
    got = pick(score("x", items, [trajectory()], [verdict("a", "supported")], [entity("03")]))
    assert (got.items, got.strict) == (1, 1.0)


def test_a_breakdown_splits_the_items_and_loses_none() -> None:
    items = [item("a", category="fleet"), item("b", category="season", difficulty="hard")]
    args = ("x", items, [trajectory()], [verdict("a", "supported")], [entity("03")])
    by_category = breakdown(*args, by="category")
    assert list(by_category) == ["fleet", "season"]
    assert pick(by_category["fleet"]).strict == 1.0
    assert pick(by_category["season"]).unscored == 1
    assert sum(pick(s).items for s in breakdown(*args, by="difficulty").values()) == 2


def test_items_of_unknown_difficulty_have_a_score_of_their_own() -> None:
    unknown = item("b").model_copy(update={"difficulty": None})
    items, verdicts = [item("a"), unknown], [verdict("b", "supported")]
    found = breakdown("x", items, [trajectory()], verdicts, [entity("03")], by="difficulty")
    assert list(found) == ["easy", "unknown"]
    assert pick(found["unknown"]).strict == 1.0


LABELS: list[Label | None] = ["supported", "contradicted", "insufficient", None]


@STEADY
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["01", "02", "03"]), st.lists(st.sampled_from(LABELS), max_size=3)
        ),
        max_size=25,
    )
)
def test_buckets_sum_to_the_items_and_strict_never_exceeds_scored_only(
    drawn: list[tuple[str, list[Label | None]]],
) -> None:
    runs = [trajectory(e, trial=n) for e in ("01", "02") for n in (1, 2, 3)]
    items = [item(f"i{n}", e) for n, (e, _) in enumerate(drawn)]
    verdicts = [
        verdict(f"i{n}", label, trajectory_id=f"t-{e}-{trial}-1", unscored_reason="why")
        for n, (e, labels) in enumerate(drawn)
        for trial, label in enumerate(labels, 1)
    ]
    for got in score("x", items, runs, verdicts, [entity("01"), entity("02"), entity("03")]):
        buckets = got.supported + got.contradicted + got.insufficient + got.unscored
        assert buckets == got.items == len(items)
        if got.strict is not None and got.averaging == "item":
            assert got.scored_only is not None
            assert 0 <= got.strict <= got.scored_only + 1e-9 <= 1 + 2e-9
        if got.low is not None and got.high is not None and got.strict is not None:
            assert 0 <= got.low <= got.strict + 1e-9 and got.strict <= got.high + 1e-9 <= 1 + 2e-9


def test_an_outcome_keeps_the_reasons_of_its_unscored_trials() -> None:
    runs = [trajectory(trial=1), trajectory(trial=2)]
    verdicts = [verdict("a", None, unscored_reason="no signals")]
    (found,) = outcomes([item("a")], runs, verdicts, [entity("03")], "message")
    assert found.reasons == ("no signals", "not judged")
    assert (found.bucket, found.scored_only, found.coverage) == ("unscored", None, 0.0)
