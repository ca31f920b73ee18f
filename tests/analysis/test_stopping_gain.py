"""What was found after a chosen end: known answers by hand."""

from __future__ import annotations

import random

import pytest

from analysis.stopping_gain import Gain, gain
from core.evaluation import Label, Verdict
from core.trajectory import StopReason, Trajectory
from tests.analysis.factory import trajectory, verdict


def before(entity: str, *labels: tuple[Label | None, int | None]) -> list[Verdict]:
    return said(f"t{entity}", entity, *labels)


def after(entity: str, *labels: tuple[Label | None, int | None]) -> list[Verdict]:
    return said(f"x{entity}", entity, *labels)


def said(name: str, entity: str, *labels: tuple[Label | None, int | None]) -> list[Verdict]:
    return [
        verdict(f"{entity}-{n}", label, trajectory_id=name, turns=(turn,) if turn else ())
        for n, (label, turn) in enumerate(labels)
    ]


YES: Label = "supported"
NO: Label = "insufficient"
OPEN: Label | None = None
ORIGINALS = [trajectory("t01", "01", 10), trajectory("t02", "02", 4)]


def onward(
    entity: str, turns: int, reason: StopReason = StopReason.MAX_TURNS
) -> tuple[str, Trajectory]:
    return f"t{entity}", trajectory(f"x{entity}", entity, turns, stop_reason=reason)


def two(**changes: object) -> Gain:
    """Of 01 four items, one found; one more at extra turn 2, and one at extra turn 3. Of 02 two
    items, one found; nothing more, and it stops at once."""
    values: dict[str, object] = {
        "originals": ORIGINALS,
        "onward": [onward("01", 3), onward("02", 0, StopReason.FINISHED)],
        "before": before("01", (YES, 9), (NO, None), (NO, None), (NO, None))
        + before("02", (YES, 1), (NO, None)),
        "after": after("01", (YES, 1), (YES, 2), (YES, 3), (NO, None))
        + after("02", (NO, None), (NO, None)),
        "offered": 3,
        "clusters": {},
    }
    return gain(**(values | changes))  # type: ignore[arg-type]


def test_what_is_gained_by_each_extra_turn_is_the_mean_over_entities_of_their_new_items() -> None:
    found = two()
    # 01 gains 0, 1/4, 2/4; 02 nothing.
    assert [point.value for point in found.points] == [0, 0.125, 0.25]
    assert [point.turn for point in found.points] == [1, 2, 3]
    assert found.before == pytest.approx((1 / 4 + 1 / 2) / 2)
    assert (found.trajectories, found.entities, found.offered) == (2, 2, 3)
    assert (found.stopped_at_once, found.stopped_again) == (1, 1)
    assert found.taken == 1.5
    assert found.per_turn == pytest.approx(0.25 / 1.5)


def test_its_own_last_turns_stand_beside_the_extra_ones() -> None:
    # Of its last 3 turns (8 to 10) 01 found one of four items; of 2 to 4 entity 02 found none.
    assert two().own_last_per_turn == pytest.approx((1 / 4 / 3 + 0) / 2)


def test_the_interval_resamples_entities_and_reaches_from_none_to_all_of_two() -> None:
    found = two()
    end = found.gained
    assert end is not None
    # Two entities give means of 0, 1/4 and 1/2, the outer ones in a quarter of the draws each.
    assert (end.low, end.high) == (0, 0.5)
    assert found.per_turn_low is None, "a draw of 02 alone has no extra turn to divide by"
    assert found.answer == "nobody knows: the interval reaches down to nothing"


def test_one_cluster_gives_no_interval() -> None:
    found = two(clusters={"01": "north", "02": "north"})
    assert found.gained is not None and found.gained.low is None
    assert found.answer.startswith("nobody knows: one cluster")


def test_what_each_entity_gains_alike_is_certain() -> None:
    both = [onward("01", 2), onward("02", 2)]
    had = before("01", (NO, None)) + before("02", (NO, None))
    found = two(
        onward=both, before=had, after=after("01", (YES, 2)) + after("02", (YES, 2)), offered=2
    )
    assert found.gained is not None and (found.gained.low, found.gained.high) == (1, 1)
    assert (found.per_turn, found.per_turn_low, found.per_turn_high) == (0.5, 0.5, 0.5)
    assert found.answer.startswith("yes")


def test_nothing_new_is_an_answer_too() -> None:
    found = two(after=after("01", (YES, 1)) + after("02", (NO, None)))
    assert found.answer == "no: 3 more turns found nothing that was not known"


def test_an_item_that_was_not_scored_before_is_not_taken_for_new() -> None:
    found = two(
        onward=[onward("01", 3)],
        before=before("01", (OPEN, None), (NO, None)),
        after=after("01", (YES, 1), (NO, None)),
    )
    assert found.gained is not None and found.gained.value == 0


def test_support_without_a_turn_counts_at_the_last() -> None:
    found = two(
        onward=[onward("01", 3)], before=before("01", (NO, None)), after=after("01", (YES, None))
    )
    assert [point.value for point in found.points] == [0, 0, 1]


@pytest.mark.parametrize("reason", [StopReason.PROVIDER_ERROR, StopReason.CANCELLED])
def test_faults_and_what_is_not_judged_are_left_out_and_counted(reason: StopReason) -> None:
    found = two(onward=[onward("01", 3), onward("02", 0, reason)])
    assert (found.trajectories, found.left_out) == (1, 1)
    assert two(after=after("01", (NO, None))).left_out == 1
    nothing = two(after=[])
    assert (nothing.trajectories, nothing.left_out, nothing.points) == (0, 2, ())
    assert (nothing.taken, nothing.before, nothing.per_turn) == (None, None, None)
    assert nothing.answer == "nobody knows: nothing could be compared"


def test_trials_of_one_entity_are_averaged_before_the_entities_are() -> None:
    originals = [*ORIGINALS, trajectory("t01b", "01", 4, trial=2)]
    again = trajectory("x01b", "01", 1, trial=2, stop_reason=StopReason.FINISHED)
    found = two(
        originals=originals,
        onward=[onward("01", 3), ("t01b", again), onward("02", 3)],
        before=before("01", (NO, None)) + said("t01b", "01", (NO, None)) + before("02", (NO, None)),
        after=after("01", (YES, 1)) + said("x01b", "01", (NO, None)) + after("02", (NO, None)),
    )
    assert found.gained is not None and found.gained.value == 0.25
    assert found.taken == 2.5


def test_reports_are_compared_where_both_are_judged() -> None:
    def report(name: str, *labels: Label) -> list[Verdict]:
        return [
            verdict(f"01-{n}", label, trajectory_id=name, level="trajectory")
            for n, label in enumerate(labels)
        ]

    found = two(
        before=[*before("01", (NO, None), (NO, None)), *report("t01", YES, NO)],
        after=[*after("01", (NO, None), (NO, None)), *report("x01", YES, YES)],
    )
    assert (found.report_before, found.report_after) == (0.5, 1)
    assert (two().report_before, two().report_after) == (None, None)


def test_the_interval_holds_the_true_gain_about_as_often_as_it_says() -> None:
    """40 entities in 20 clusters, each with five items that five extra turns find by a chance of its
    own; the mean of these chances is known."""
    chance = random.Random(5)
    held = 0
    for sample in range(120):
        rates = [chance.uniform(0, 0.4) for _ in range(20)]
        onward_, had, has, originals = [], [], [], []
        for n in range(40):
            entity = f"{n:02d}"
            originals.append(trajectory(f"t{entity}", entity, 3))
            onward_.append(onward(entity, 5))
            found = [chance.random() < rates[n // 2] for _ in range(5)]
            had += before(entity, *[(NO, None)] * 5)
            has += after(entity, *[(YES, chance.randint(1, 5)) if f else (NO, None) for f in found])
        end = gain(
            originals, onward_, had, has, offered=5, draws=400, seed=sample,
            clusters={f"{n:02d}": f"c{n // 2}" for n in range(40)},
        ).gained  # fmt: skip
        assert end is not None and end.low is not None and end.high is not None
        held += end.low <= 0.2 <= end.high
    assert 0.88 <= held / 120 <= 0.99
