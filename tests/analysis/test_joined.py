"""Each item stands beside the trajectory that was to find it, and says why it has no label."""

from __future__ import annotations

import pytest

from analysis.joined import join
from core.trajectory import StopReason
from tests.analysis.factory import item, trajectory, verdict


def test_an_item_meets_its_own_entitys_trajectory_and_both_verdicts() -> None:
    rows = join(
        [item("a"), item("b", "02")],
        [trajectory("t1"), trajectory("t2", "02")],
        [
            verdict("a", turns=(2,)),
            verdict("a", "insufficient", level="trajectory"),
            verdict("b", "contradicted", trajectory_id="t2"),
        ],
    )
    assert [(r.item.id, r.trajectory and r.trajectory.id) for r in rows] == [
        ("a", "t1"),
        ("b", "t2"),
    ]
    assert (rows[0].supported("message"), rows[0].supported("trajectory")) == (True, False)
    assert not rows[1].supported("message")


def test_an_item_is_judged_once_per_trial() -> None:
    rows = join([item("a")], [trajectory("t1"), trajectory("t2", trial=2)], [verdict("a")])
    assert [row.supported("message") for row in rows] == [True, False]


def test_a_label_is_no_reason_to_be_unscored() -> None:
    (row,) = join([item("a")], [trajectory()], [verdict("a", "insufficient")])
    assert row.unscored_reason("message") is None


@pytest.mark.parametrize(
    ("stop", "why"),
    [
        (StopReason.FINISHED, "not judged yet"),
        (StopReason.MAX_TURNS, "not judged yet"),
        (
            StopReason.PROVIDER_ERROR,
            "the trajectory ended by provider_error, which is no fault of the agent",
        ),
        (None, "the trajectory has not ended"),
    ],
)
def test_without_a_verdict_the_end_of_the_trajectory_says_why(
    stop: StopReason | None, why: str
) -> None:
    (row,) = join([item("a")], [trajectory(stop_reason=stop)], [])
    assert row.unscored_reason("message") == row.unscored_reason("trajectory") == why


def test_an_unscored_verdict_says_why_and_one_that_forgot_says_so() -> None:
    rows = join(
        [item("a"), item("b")],
        [trajectory()],
        [verdict("a", None, unscored_reason="no signals"), verdict("b", None)],
    )
    reasons = [row.unscored_reason("message") for row in rows]
    assert reasons == ["no signals", "no reason was stored"]


def test_an_item_of_an_entity_that_was_never_run_is_unscored() -> None:
    (row,) = join([item("a", "09")], [trajectory()], [])
    assert row.trajectory is None
    assert row.unscored_reason("message") == "the entity was never run"
