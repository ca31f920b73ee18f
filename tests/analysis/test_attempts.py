"""Only the attempt that counts is analysed."""

from __future__ import annotations

from analysis.attempts import latest_attempts
from tests.analysis.factory import trajectory


def test_the_highest_attempt_of_each_entity_and_trial_counts() -> None:
    runs = [
        trajectory("a2", attempt=2),
        trajectory("a1", attempt=1),
        trajectory("b1", "02"),
        trajectory("a-trial-2", trial=2),
    ]
    assert [run.id for run in latest_attempts(runs)] == ["a2", "b1", "a-trial-2"]


def test_a_later_attempt_takes_the_place_of_the_earlier_one_wherever_it_stands() -> None:
    runs = [trajectory("a1"), trajectory("b1", "02"), trajectory("a2", attempt=2)]
    assert [run.id for run in latest_attempts(runs)] == ["a2", "b1"]


def test_of_nothing_there_is_nothing() -> None:
    assert latest_attempts([]) == []
