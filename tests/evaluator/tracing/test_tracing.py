"""A number of an insight is shown, follows in one step, or is nowhere to be found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.grounding import grounding_of
from evaluator.tracing.tracing import Traced
from tests.evaluator.records import STEADY
from tests.evaluator.tracing.records import explored, rows

SHOWN = rows(
    ["origin", "n", "late", "mean", "share"],
    ["A", 1204, 389, 20.125, 0.8333],
    ["B", 98, 17, -3.26, 0.0714],
    ["C", 62, 5, None, None],
)


def traced(text: str, *, shown: str = SHOWN, sql: str | None = None) -> list[Traced]:
    made = explored({1: shown}, [(1, text)])
    if sql is not None:
        call = made.turns[0].tool_calls[0].model_copy(update={"arguments": sql})
        made = made.model_copy(
            update={"turns": (made.turns[0].model_copy(update={"tool_calls": (call,)}),)}
        )
    (insight,) = grounding_of(made).insights
    return list(insight.numbers)


@pytest.mark.parametrize(
    "said",
    [
        "1,204 rows",
        "a mean of 20.1",
        "20.13 min",
        "20 minutes",
        "83.3%",
        "83%",
        "1.2k rows",
        "it falls to -3.3",
        "down by 3.26",
        "7 percent",
        "3 origins, and 98",
    ],
)
def test_what_was_shown_is_observed(said: str) -> None:
    assert {each.state for each in traced(f"It has {said}.")} == {"observed"}


@pytest.mark.parametrize(
    "said", ["1,205 rows", "a mean of 20.2", "20.11 min", "86%", "-20.1", "1.5k"]
)
def test_what_was_not_shown_is_not_found(said: str) -> None:
    assert [each.state for each in traced(f"It has {said}.")] == ["not found"]


@pytest.mark.parametrize(
    ("said", "how"),
    [
        ("1,106 more rows", "difference of 1204 and 98"),
        ("1,302 rows in all", "sum of 1204 and 98"),
        ("1,364 rows in all", "sum of a column"),
        ("32.3% of them late", "percent of 389 and 1204"),
        ("a factor of 22.88", "ratio of 389 and 17"),
        ("12.3 times as many", "ratio of 1204 and 98"),
        ("1128.6% more", "percent change of 1204 and 98"),
        ("76.2 pp more", "difference of 83.33 and 7.14"),
        ("16.67% of none", "rest to 100% of 0.8333"),
        ("20.07 h", "shown in min"),
    ],
)
def test_what_one_step_leads_to_is_derived(said: str, how: str) -> None:
    (number,) = traced(f"It has {said}.")
    assert (number.state, number.turn) == ("derived", 1)
    assert number.how == how


def test_a_step_leads_from_numbers_that_were_shown_together_only() -> None:
    two = {1: rows(["n"], [1204]), 2: rows(["n"], [98])}
    (insight,) = grounding_of(explored(two, [(2, "There are 1,106 more rows.")])).insights
    assert [each.state for each in insight.numbers] == ["not found"]
    both = explored(two, [(2, "Of 1,204 rows and 98 rows the first are 1,106 more.")])
    (insight,) = grounding_of(both).insights
    assert [each.state for each in insight.numbers] == ["observed", "observed", "derived"]


def test_a_step_says_nothing_where_steps_lead_anywhere() -> None:
    table = rows(
        ["a", "b", "c"], *([i * 7.3 % 90, i * 3.1 % 80, i * 1.7 % 70] for i in range(1, 60))
    )
    (number,) = traced("It is 31.4% of them.", shown=table)
    assert number.state == "unclear"
    assert not number.is_claim


def test_only_what_was_shown_up_to_its_turn_counts() -> None:
    shown = {1: rows(["n"], [55.25]), 2: rows(["n"], [77.75])}
    made = explored(
        shown, [(1, "It is 77.75."), (2, "It is 77.75, after 55.25.")], "77.75 and 55.25"
    )
    first, second, report = grounding_of(made).insights
    assert [n.state for n in first.numbers] == ["not found"]
    assert [(n.state, n.turn) for n in second.numbers] == [("observed", 2), ("observed", 1)]
    assert [n.turn for n in report.numbers] == [2, 1]
    assert (first.has_untraced, second.has_untraced) == (True, False)


def test_a_threshold_of_its_own_query_is_no_claim() -> None:
    (number,) = traced("Delays above 180 occur.", sql='{"query": "SELECT 1 WHERE delay > 180"}')
    assert (number.state, number.is_claim) == ("asked", False)


def test_errors_show_nothing() -> None:
    made = explored({1: "no column 4711"}, [(1, "It is 4711.")])
    broken = made.turns[0].tool_results[0].model_copy(update={"is_error": True})
    made = made.model_copy(
        update={"turns": (made.turns[0].model_copy(update={"tool_results": (broken,)}),)}
    )
    assert grounding_of(made).insights[0].has_untraced


def test_an_insight_without_numbers_is_neither() -> None:
    (insight,) = grounding_of(explored({1: SHOWN}, [(1, "It is often late.")])).insights
    assert (insight.claimed, insight.has_untraced) == (0, None)


@given(
    values=st.lists(
        st.floats(-1e7, 1e7, allow_nan=False).map(lambda v: round(v, 6)), min_size=1, max_size=30
    ),
    digits=st.integers(0, 4),
    place=st.integers(0, 29),
)
@STEADY
def test_whatever_was_shown_is_observed_however_it_is_rounded(
    values: list[float], digits: int, place: int
) -> None:
    value = values[place % len(values)]
    text = f"It is {value:,.{digits}f} there."
    (insight,) = grounding_of(
        explored({1: rows(["v"], *([v] for v in values))}, [(1, text)])
    ).insights
    assert all(n.state == "observed" for n in insight.numbers), text
