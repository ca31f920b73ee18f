"""How trajectories ended: known answers by hand, and endings that never mix."""

from __future__ import annotations

import pytest

from analysis.stopping import histogram, stopping
from analysis.stopping_tables import endings_table, histogram_table, stops_table
from core.trajectory import RUN_LIMIT, UNKNOWN_USAGE, ModelCall, Nudge, StopReason, Trajectory
from tests.analysis.factory import START, insight, trajectory, turn, verdict


def call(error: str | None = None) -> ModelCall:
    return ModelCall(
        role="insight", model_asked="m", usage=UNKNOWN_USAGE, started_at=START, duration_s=0,
        error=error,
    )  # fmt: skip


def ended(name: str, entity: str, turns: int, reason: StopReason | None) -> Trajectory:
    return trajectory(name, entity, turns, stop_reason=reason)


FIVE = [
    ended("a", "01", 4, StopReason.FINISHED),
    ended("b", "02", 10, StopReason.FINISHED),
    ended("c", "03", 30, StopReason.MAX_TURNS),
    ended("d", "04", 2, StopReason.PROVIDER_ERROR),
    ended("e", "05", 1, None),
]


def test_forced_endings_never_enter_the_mean_of_those_that_were_chosen() -> None:
    found = stopping(FIVE)
    own, forced = found.turns("own"), found.turns("forced")
    assert own is not None and forced is not None
    assert (own.n, own.mean, own.variance, own.median) == (2, 7, 18, 7)
    assert (forced.n, forced.mean, forced.variance) == (1, 30, None)
    assert [stop.trajectory_id for stop in found.of("fault")] == ["d"]
    assert [stop.trajectory_id for stop in found.of("open")] == ["e"]
    assert found.reasons == {"finished": 2, "max_turns": 1, "provider_error": 1, "open": 1}


def test_an_idle_agent_did_not_choose_its_end() -> None:
    found = stopping([ended("a", "01", 4, StopReason.IDLE)])
    assert (found.turns("own"), len(found.of("forced"))) == (None, 1)


def test_a_superseded_attempt_counts_nowhere() -> None:
    runs = [
        trajectory("old", turns=9, stop_reason=StopReason.FINISHED),
        trajectory("new", turns=3, attempt=2),
    ]
    assert [stop.trajectory_id for stop in stopping(runs).stops] == ["new"]


def test_valid_insights_are_counted_out_of_those_that_were_generated() -> None:
    refused = turn(4).tool_results[0].model_copy(update={"error_kind": RUN_LIMIT})
    turns = [*map(turn, (1, 2, 3)), turn(4).model_copy(update={"tool_results": (refused,)})]
    said = [
        insight("t1", "It flies.", 1),
        insight("t1", None, 2),
        insight("t1", None, 3).model_copy(update={"call": call("429")}),
        insight("t1", None, 4),
        insight("t1", "The report."),
    ]
    found = stopping([trajectory(turns=turns, insights=tuple(said))])
    assert (found.insights_valid, found.insights_generated, found.insights_failed) == (1, 2, 1)
    assert found.valid_ratio == 0.5


def test_the_ratio_of_a_run_is_over_insights_and_that_of_trajectories_beside_it() -> None:
    one = trajectory("a", "01", insights=tuple(insight("a", "x", n) for n in (1, 2, 3)))
    two = trajectory("b", "02", insights=(insight("b", None, 1),))
    found = stopping([one, two, trajectory("c", "03")])
    assert found.valid_ratio == 0.75
    assert found.valid_ratios is not None
    assert (found.valid_ratios.n, found.valid_ratios.mean) == (2, 0.5)
    assert stopping([trajectory()]).valid_ratio is None


def test_idle_replies_and_near_finishes_are_counted_with_the_trajectories_that_have_any() -> None:
    def nudge(near: bool) -> Nudge:
        return Nudge(after_turn=1, text="hm", near_finish=near, call=call())

    near = turn(1).model_copy(update={"near_finish": True})
    one = trajectory("a", "01", [near, turn(2)], nudges=(nudge(True), nudge(False)))
    found = stopping([one, trajectory("b", "02")])
    assert (found.nudges, found.nudged) == (2, 1)
    assert (found.near_finishes, found.near_finished) == (2, 1)


def test_turns_after_the_last_discovery_are_those_that_brought_nothing_new() -> None:
    runs = [ended(name, f"0{n}", 10, StopReason.FINISHED) for n, name in enumerate("abc", 1)]
    said = [
        verdict("i1", trajectory_id="a", turns=(2, 9)),
        verdict("i2", trajectory_id="a", turns=(7,)),
        verdict("i3", "insufficient", trajectory_id="b"),
        verdict("i4", None, trajectory_id="c"),
        # At the level of reports nothing has a turn.
        verdict("i1", trajectory_id="c", level="trajectory"),
    ]
    found = stopping(runs, said)
    assert [stop.last_new_turn for stop in found.stops] == [7, None, None]
    # The second found nothing in all its turns; of the third nobody knows.
    assert [stop.turns_after for stop in found.stops] == [3, 10, None]
    after = found.turns_after("own")
    assert after is not None and (after.n, after.median) == (2, 6.5)
    assert [stop.turns_after for stop in stopping(runs).stops] == [None, None, None]


@pytest.mark.parametrize(
    ("turns", "bins", "expected"),
    [
        ([], 3, []),
        ([0], 3, [(1, 1, 1)]),
        ([1, 2, 2, 6], 3, [(1, 2, 3), (3, 4, 0), (5, 6, 1)]),
        ([1, 7], 3, [(1, 3, 1), (4, 6, 0), (7, 9, 1)]),
    ],
)
def test_bins_are_whole_turns_of_one_width(
    turns: list[int], bins: int, expected: list[tuple[int, int, int]]
) -> None:
    assert histogram(turns, bins) == expected


def test_tables_hold_each_trajectory_once_and_each_ending_apart() -> None:
    named = [("r1", "m/x", stopping(FIVE))]
    assert [row[2] for row in endings_table(named).rows] == ["own", "forced", "fault", "open"]
    assert [row[3] for row in endings_table(named).rows] == [2, 1, 1, 1]
    assert [row[2] for row in stops_table(named).rows] == ["a", "b", "c", "d", "e"]
    bins = histogram_table(named)
    assert sum(int(row[5] or 0) for row in bins.rows) == 5
    own = {(row[3], row[4]): row[5] for row in bins.rows if row[2] == "own" and row[5]}
    assert own == {(4, 6): 1, (10, 12): 1}
