"""A report may repeat what the insights of its turns state for sure, if that is no accident."""

from __future__ import annotations

from evaluator.grounding import grounding_of
from tests.evaluator.tracing.records import explored, rows

CROWDED = rows(["v"], *([round(90 + i * 0.037, 3)] for i in range(200)))
"""So many numbers from 90 to 97 that 94.1 is found by chance."""


def test_a_report_has_its_number_from_the_turn_that_noted_it() -> None:
    shown = {1: rows(["part", "whole"], [4859, 5162]), 2: CROWDED}
    noted = explored(shown, [(1, "Of its rows 94.1% are so.")], "In all 94.1% of its rows are so.")
    *_, report = grounding_of(noted).insights
    (number,) = report.numbers
    assert number.is_sure
    assert number.turn == 1
    assert number.how == "noted at turn 1: percent of 4859 and 5162"
    silent = explored(shown, [], "In all 94.1% of its rows are so.")
    (number,) = grounding_of(silent).insights[0].numbers
    assert not number.is_sure


def test_another_unit_is_another_number() -> None:
    shown = {1: rows(["part", "whole"], [4859, 5162])}
    made = explored(shown, [(1, "Of its rows 94.1% are so.")], "It takes 94.1 min.")
    *_, report = grounding_of(made).insights
    assert report.has_untraced


def test_what_was_noted_wrongly_is_no_source() -> None:
    made = explored({1: rows(["n"], [12])}, [(1, "It is 55.5 there.")], "It is 55.5 there.")
    assert [insight.has_untraced for insight in grounding_of(made).insights] == [True, True]
