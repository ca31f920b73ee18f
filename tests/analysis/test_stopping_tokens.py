"""The finish's log-probability over trajectories: means and variances by hand."""

from __future__ import annotations

import pytest

from analysis.stopping import Ending
from analysis.stopping_tokens import Prefix, before_end, by_turn, point_table, prefix_table


def prefixes(name: str, ending: Ending, *logprobs: float | None) -> list[Prefix]:
    """After 0, 1, 2, ... turns."""
    return [
        Prefix(
            trajectory_id=name,
            entity_id="01",
            ending=ending,
            after_turns=turns,
            turns=len(logprobs) - 1,
            logprob=logprob,
            tokens=None if logprob is None else 3,
            unscored_reason="too long" if logprob is None else None,
        )
        for turns, logprob in enumerate(logprobs)
    ]


ALL = [
    *prefixes("a", "own", -9, -5, -1),
    *prefixes("b", "own", -7, -2),
    *prefixes("c", "forced", -8, -8, -8, None),
]


def test_mean_and_variance_after_each_turn_are_over_those_that_came_so_far() -> None:
    points = by_turn(ALL)
    assert [point.turn for point in points] == [0, 1, 2]
    assert [point.logprob.n for point in points] == [3, 3, 2]
    assert [point.logprob.mean for point in points] == pytest.approx([-8, -5, -4.5])
    # (1 + 1 + 0) / 2; (0 + 9 + 9) / 2; 12.25 + 12.25.
    assert [point.logprob.variance for point in points] == pytest.approx([1, 9, 24.5])


def test_counted_from_the_end_only_those_that_chose_it_count() -> None:
    points = before_end(ALL)
    assert [(p.turn, p.logprob.n) for p in points] == [(0, 2), (1, 2), (2, 1)]
    assert [p.logprob.mean for p in points] == pytest.approx([-1.5, -6, -9])
    assert points[2].logprob.variance is None


def test_what_was_not_measured_is_unknown_and_never_zero() -> None:
    table = prefix_table([("r1", "m", ALL)])
    last = dict(zip(table.columns, table.rows[-1], strict=True))
    assert (last["finish_logprob_mean"], last["unscored_reason"]) == (None, "too long")
    assert len(point_table([("r1", "m", ALL)]).rows) == 6
    assert by_turn([]) == []
