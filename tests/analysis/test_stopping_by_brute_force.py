"""Endings, their tables and what more turns gained, against slow counts over the records."""

from __future__ import annotations

import statistics as standard
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.stopping import ENDINGS, Stopping, ending_of, histogram, stopping
from analysis.stopping_drawing import Picture, draw
from analysis.stopping_gain import Gain, gain
from analysis.stopping_tables import endings_table, gain_table, histogram_table, stops_table
from analysis.stopping_tokens import Prefix, before_end, by_turn, point_table, prefix_table
from analysis.table import Table
from core.evaluation import Label, Verdict
from core.trajectory import StopReason, Trajectory
from tests.analysis.factory import insight, trajectory, verdict

REASONS: tuple[StopReason | None, ...] = (*StopReason, None)
LABELS: tuple[Label | None, ...] = ("supported", "contradicted", "insufficient", None)


@st.composite
def runs(draw: st.DrawFn) -> list[Trajectory]:
    """Entities with trials and attempts, each with turns, insights and an end of its own."""
    found = []
    for number in range(draw(st.integers(0, 6))):
        turns = draw(st.integers(0, 9))
        name = f"t{number}"
        said = tuple(
            insight(name, draw(st.none() | st.just("It flies.")), n)
            for n in range(1, turns + 1)
            if draw(st.booleans())
        )
        made = trajectory(
            name,
            draw(st.sampled_from(["01", "02", "03"])),
            turns,
            trial=draw(st.integers(1, 2)),
            attempt=number + 1,
            stop_reason=draw(st.sampled_from(REASONS)),
            insights=said,
        )
        found.append(made)
    return found


def latest(made: list[Trajectory]) -> list[Trajectory]:
    held: dict[tuple[str, int], Trajectory] = {}
    for each in sorted(made, key=lambda one: one.attempt):
        held[each.entity_id, each.trial] = each
    return list(held.values())


@given(runs())
def test_every_trajectory_that_counts_ends_in_exactly_one_way(made: list[Trajectory]) -> None:
    found = stopping(made)
    kept = latest(made)
    assert {stop.trajectory_id for stop in found.stops} == {each.id for each in kept}
    assert sum(len(found.of(ending)) for ending in ENDINGS) == len(kept)
    for ending in ENDINGS:
        turns = [len(each.turns) for each in kept if ending_of(each) == ending]
        told = found.turns(ending)
        if not turns:
            assert told is None
            continue
        assert told is not None
        assert (told.n, told.least, told.most) == (len(turns), min(turns), max(turns))
        assert told.mean == pytest.approx(standard.fmean(turns))
        assert told.median == standard.median(turns)
        if len(turns) > 1:
            assert told.variance == pytest.approx(standard.variance(turns))
    assert sum(found.reasons.values()) == len(kept)


@pytest.mark.parametrize("reason", StopReason)
def test_every_reason_is_one_of_the_ways_to_end(reason: StopReason) -> None:
    ending = ending_of(trajectory(stop_reason=reason))
    assert (ending == "own") == reason.self_terminated
    assert (ending == "fault") == (not reason.scored and not reason.self_terminated)
    assert ending != "open"


@given(runs())
def test_valid_insights_are_those_that_say_something(made: list[Trajectory]) -> None:
    found = stopping(made)
    said = [each for one in latest(made) for each in one.message_insights]
    assert found.insights_generated == len(said)
    assert found.insights_valid == sum(each.text is not None for each in said)
    if said:
        assert found.valid_ratio == found.insights_valid / found.insights_generated
    else:
        assert found.valid_ratio is None and found.valid_ratios is None


@given(st.lists(st.integers(0, 400), min_size=1, max_size=30), st.integers(1, 15))
def test_bins_hold_every_count_once_and_are_no_more_than_asked_for(
    turns: list[int], bins: int
) -> None:
    found = histogram(turns, bins)
    assert sum(count for *_, count in found) == len(turns)
    assert len(found) <= bins
    widths = {last - first + 1 for first, last, _ in found}
    assert widths == {ceil(max(1, *turns) / bins)}
    assert found[0][0] == 1 and found[-1][1] >= max(turns)
    for first, last, count in found:
        assert count == sum(first <= max(1, each) <= last for each in turns)


def column(made: Table, name: str) -> list[object]:
    place = made.columns.index(name)
    return [row[place] for row in made.rows]


@given(runs())
def test_the_three_tables_tell_of_the_same_trajectories(made: list[Trajectory]) -> None:
    named = [("r1", "m", stopping(made)), ("r2", "n", Stopping(()))]
    endings, stops, bins = endings_table(named), stops_table(named), histogram_table(named)
    count = len(latest(made))
    assert len(stops.rows) == count
    assert sum(int(str(n)) for n in column(endings, "trajectories")) == count
    assert sum(int(str(n)) for n in column(bins, "trajectories")) == count
    assert sum(int(str(n)) for n in column(endings, "insights_valid")) == sum(
        int(str(n)) for n in column(stops, "insights_valid")
    )
    assert {row[0] for each in (endings, stops, bins) for row in each.rows} <= {"r1"}


def test_runs_without_a_trajectory_have_empty_tables_and_a_figure() -> None:
    none = stopping([])
    assert none.reasons == {} and none.valid_ratio is None and none.turns("own") is None
    assert stops_table([("r", "m", none)]).rows == ()
    assert draw([Picture("m", none)], "png").startswith(b"\x89PNG")
    open_alone = stopping([trajectory(turns=0, stop_reason=None)])
    assert b"<svg" in draw([Picture("m", open_alone)], "svg")


# The finish's log-probability


@given(
    st.lists(
        st.tuples(
            st.sampled_from(ENDINGS),
            st.lists(st.none() | st.floats(-50, 0), min_size=1, max_size=6),
        ),
        max_size=6,
    )
)
def test_points_are_means_over_the_prefixes_that_were_measured(
    made: list[tuple[str, list[float | None]]],
) -> None:
    prefixes = [
        Prefix(
            trajectory_id=f"t{n}",
            entity_id="01",
            ending=ending,  # type: ignore[arg-type]
            after_turns=after,
            turns=len(values) - 1,
            logprob=value,
            tokens=None if value is None else 2,
        )
        for n, (ending, values) in enumerate(made)
        for after, value in enumerate(values)
    ]
    own = [p for p in prefixes if p.ending == "own"]
    for points, placed in (
        (by_turn(prefixes), [(p.after_turns, p) for p in prefixes]),
        (before_end(prefixes), [(p.turns - p.after_turns, p) for p in own]),
    ):
        expected: dict[int, list[float]] = {}
        for place, p in placed:
            if p.logprob is not None:
                expected.setdefault(place, []).append(p.logprob)
        assert [point.turn for point in points] == sorted(expected)
        for point in points:
            assert point.logprob.n == len(expected[point.turn])
            assert point.logprob.mean == pytest.approx(standard.fmean(expected[point.turn]))
    named = [("r", "m", prefixes)]
    assert len(prefix_table(named).rows) == len(prefixes)
    total = len(by_turn(prefixes)) + len(before_end(prefixes))
    assert len(point_table(named).rows) == total


# What more turns gained


@st.composite
def onwards(
    draw: st.DrawFn,
) -> tuple[list[Trajectory], list[tuple[str, Trajectory]], list[Verdict], list[Verdict], int]:
    """Originals that ended by themselves, what went on from each, and verdicts of both."""
    offered = draw(st.integers(1, 4))
    originals, onward, before, after = [], [], [], []
    for number in range(draw(st.integers(1, 5))):
        entity, turns = draw(st.sampled_from(["01", "02", "03"])), draw(st.integers(1, 5))
        one = trajectory(f"a{number}", entity, turns)
        taken = draw(st.integers(0, offered))
        stop = StopReason.FINISHED if taken < offered else StopReason.MAX_TURNS
        other = trajectory(f"b{number}", entity, taken, stop_reason=stop)
        originals.append(one)
        onward.append((one.id, other))
        for name in range(draw(st.integers(1, 4))):
            item = f"{entity}-{name}"
            was, now = draw(st.sampled_from(LABELS)), draw(st.sampled_from(LABELS))
            first = (draw(st.integers(1, turns)),) if was == "supported" else ()
            then = (draw(st.integers(1, taken)),) if now == "supported" and taken else ()
            before.append(verdict(item, was, trajectory_id=one.id, turns=first))
            after.append(verdict(item, now, trajectory_id=other.id, turns=then))
    return originals, onward, before, after, offered


def gained_by(
    made: tuple[list[Trajectory], list[tuple[str, Trajectory]], list[Verdict], list[Verdict], int],
    turn: int,
) -> float:
    """Over entities, over their trajectories, of all items: new by an extra turn."""
    originals, onward, before, after, offered = made
    shares: dict[str, list[float]] = {}
    for (origin, other), one in zip(onward, originals, strict=True):
        mine = {v.item_id: v for v in before if v.trajectory_id == origin}
        theirs = {v.item_id: v for v in after if v.trajectory_id == other.id}
        new = 0
        for name, was in mine.items():
            now = theirs[name]
            if was.label in ("contradicted", "insufficient") and now.label == "supported":
                new += min(now.supporting_turns, default=offered) <= turn
        shares.setdefault(one.entity_id, []).append(new / len(mine))
    return standard.fmean(standard.fmean(own) for own in shares.values())


def told(
    made: tuple[list[Trajectory], list[tuple[str, Trajectory]], list[Verdict], list[Verdict], int],
) -> Gain:
    originals, onward, before, after, offered = made
    return gain(originals, onward, before, after, offered=offered, clusters={}, draws=50)


@settings(max_examples=60)
@given(onwards())
def test_what_was_gained_is_what_only_the_further_turns_found(
    made: tuple[list[Trajectory], list[tuple[str, Trajectory]], list[Verdict], list[Verdict], int],
) -> None:
    found = told(made)
    originals, onward, *_, offered = made
    assert [point.turn for point in found.points] == list(range(1, offered + 1))
    for point in found.points:
        assert point.value == pytest.approx(gained_by(made, point.turn)), point.turn
    values = [point.value for point in found.points]
    assert values == sorted(values) and 0 <= values[-1] <= 1
    assert found.trajectories == len(originals) and found.left_out == 0
    by_entity: dict[str, list[int]] = {}
    for each, (_, other) in zip(originals, onward, strict=True):
        by_entity.setdefault(each.entity_id, []).append(len(other.turns))
    taken = standard.fmean(standard.fmean(own) for own in by_entity.values())
    assert found.taken == pytest.approx(taken)
    if taken:
        assert found.per_turn == pytest.approx(values[-1] / taken)
    else:
        assert found.per_turn is None
    assert found.stopped_at_once <= found.stopped_again <= found.trajectories
    assert len(gain_table([("r", "m", "o", found)]).rows) == offered


@settings(max_examples=40)
@given(onwards())
def test_the_answer_claims_no_more_than_the_interval_holds(
    made: tuple[list[Trajectory], list[tuple[str, Trajectory]], list[Verdict], list[Verdict], int],
) -> None:
    found = told(made)
    end = found.gained
    assert end is not None
    if found.answer.startswith("no:"):
        assert end.value == 0
    elif found.answer.startswith("yes:"):
        assert end.low is not None and end.low > 0
    else:
        assert end.value > 0 and (end.low is None or end.low <= 0)


def test_what_broke_off_or_was_not_judged_on_both_sides_is_left_out() -> None:
    originals = [trajectory(f"a{n}", f"0{n}") for n in range(1, 5)]
    onward = [
        ("a1", trajectory("b1", "01", stop_reason=StopReason.PROVIDER_ERROR)),
        ("a2", trajectory("b2", "02", stop_reason=None)),
        ("a3", trajectory("b3", "03")),
        ("gone", trajectory("b4", "04")),
    ]
    before = [verdict("i", "insufficient", trajectory_id=f"a{n}") for n in (1, 2, 3)]
    after = [verdict("i", trajectory_id=f"b{n}", turns=(1,)) for n in (1, 2, 4)]
    found = gain(originals, onward, before, after, offered=2, clusters={})
    assert (found.trajectories, found.left_out, found.points) == (0, 4, ())
    assert found.taken is None and found.before is None and found.gained is None
    assert found.answer == "nobody knows: nothing could be compared"
