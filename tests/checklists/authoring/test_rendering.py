"""A candidate becomes an item with its figures in words, and signals that ask for them."""

from __future__ import annotations

import pytest

from checklists.authoring.rendering import item_of, printed, signals_of
from checklists.authoring.template import Figure
from tests.checklists.authoring.bazaar import (
    MONTH,
    SUBJECT,
    TOP_WARE,
    candidate,
    distinct,
    mean,
    share,
    template,
)

GAP = template(
    name="gap",
    figure=Figure(
        "max(trades.price) - 3", kind="change", unit="min", comparator="time", signed=True
    ),
    question="By how much does the price of {entity} change?",
    answer="In the second half the price of {entity} is {value} {higher}.",
    scope=(("second half", "@trades.day"),),
)


def test_an_item_asks_answers_and_proves_one_fact() -> None:
    item = item_of(candidate(value=10.04, market=61.27), SUBJECT)
    assert item.id == "bazaar-s1-mean-price"
    assert item.question == "What does a trade of stall s1 cost on average?"
    assert item.answer == (
        "The mean price of stall s1 is 10.0 minutes, against 61.3 minutes over all stalls."
    )
    assert item.source == "template:mean-price"
    assert (item.category, item.difficulty, item.status) == ("prices", "easy", "accepted")
    assert item.evidence_sql == (
        "SELECT avg(trades.price) AS value FROM trades WHERE trades.stall = 's1'"
    )
    assert item.expected is not None
    assert (item.expected.value, item.expected.tolerance) == (10.04, 0.2008)
    assert item.perturbation == "outcome: trades(price)"


def test_a_sentence_starts_with_a_capital_letter() -> None:
    told = candidate(template=template(answer="{entity} asks {value}."))
    assert item_of(told, SUBJECT).answer == "Stall s1 asks 10.0 minutes."


def test_a_plain_figure_asks_for_its_magnitude_alone() -> None:
    signals = signals_of(candidate(value=10.04))
    assert signals.required == ("magnitude",)
    assert (signals.kind, signals.statistic, signals.direction) == ("level", "mean", None)
    assert signals.magnitude is not None
    assert signals.magnitude.model_dump() == {
        "value": 10.04,
        "unit": "min",
        "rel_tol": 0.02,
        "abs_tol": 0.05,
    }


@pytest.mark.parametrize(
    ("value", "direction", "higher"), [(7.7, "up", "higher"), (-7.7, "down", "lower")]
)
def test_a_difference_asks_for_its_size_and_its_direction(
    value: float, direction: str, higher: str
) -> None:
    item = item_of(candidate(template=GAP, value=value), SUBJECT)
    assert item.answer == f"In the second half the price of stall s1 is 7.7 minutes {higher}."
    assert item.signals is not None and item.signals.magnitude is not None
    assert item.signals.required == ("magnitude", "direction", "scope")
    assert (item.signals.direction, item.signals.magnitude.value) == (direction, 7.7)
    assert item.signals.comparator == "time"
    assert item.expected is not None and item.expected.value == value


def test_a_named_group_must_be_named() -> None:
    signals = signals_of(candidate(template=TOP_WARE, group="w1", value=73.33))
    assert signals.scope == (("w1", "@trades.ware w1"),)
    assert signals.required == ("magnitude", "scope")
    assert signals.period == ()


def test_a_group_in_time_must_be_named_as_a_period() -> None:
    monthly = template(per=MONTH, answer="{entity} asks {value} in {group}.")
    item = item_of(candidate(template=monthly, group="2020-03"), SUBJECT)
    assert item.answer == "Stall s1 asks 10.0 minutes in month 2020-03."
    assert item.signals is not None
    assert item.signals.period == ("2020-03",)
    assert item.signals.required == ("magnitude", "period")


def test_an_exact_count_lets_no_other_count_pass() -> None:
    counted = template(figure=distinct("trades.ware", exact=True))
    item = item_of(candidate(template=counted, value=47.0), SUBJECT)
    assert item.signals is not None and item.signals.magnitude is not None
    assert (item.signals.magnitude.rel_tol, item.signals.magnitude.abs_tol) == (0.0, 0.0)
    assert item.expected is not None
    assert item.expected.holds(47) and not item.expected.holds(46)


@pytest.mark.parametrize(
    ("figure", "value", "text"),
    [
        (mean("x", "min"), 20.04, "20.0 minutes"),
        (mean("x", "min", digits=0), 1.2, "1 minute"),
        (mean("x", "min", digits=0), -1.2, "-1 minute"),
        (mean("x", "min"), -0.01, "0.0 minutes"),
        (mean("x", "mi", digits=0), 1529.4, "1,529 miles"),
        (mean("x", "years"), 6.74, "6.7 years"),
        (share("x"), 16.222, "16.2%"),
        (share("x", digits=2), 3.2304, "3.23%"),
        (distinct("x"), 54635.0, "54,635"),
        (mean("x", exact=True), 2004.31, "2004.3"),
        (Figure("min(x)", kind="extreme", digits=0, exact=True), 1968.0, "1968"),
        (
            Figure("max(x)", kind="extreme", digits=0, unit="min", exact=True),
            1301.0,
            "1,301 minutes",
        ),
        (Figure("corr(x, y)", kind="correlation", digits=2), -0.1549, "-0.15"),
    ],
)
def test_a_figure_is_printed_as_an_analyst_prints_it(
    figure: Figure, value: float, text: str
) -> None:
    assert printed(figure, value) == text
