"""Each slot of a fact is filled, missed or gainsaid by what a statement says, and nothing else."""

from __future__ import annotations

import pytest

from core.checklist import Signals
from evaluator.changes import implied_change, is_difference
from evaluator.direction import direction
from evaluator.facts import Fact, compile_fact
from evaluator.gate import About, statements_about
from evaluator.magnitude import magnitude
from evaluator.reading.document import read
from evaluator.sighting import sightings
from evaluator.statistic import statistics
from evaluator.timing import period
from tests.evaluator import facts as f

NAMES = tuple((each.id, each.label) for each in f.OTHERS)


def about(signals: Signals, text: str) -> list[tuple[Fact, About]]:
    """The statements of a sentence that are about the fact."""
    fact = compile_fact(signals)
    document = read([text], (f.OWN.id, f.OWN.label), NAMES, ["carrier"])
    return [
        (fact, statement)
        for number, sighting in sightings(fact, document)
        for statement in statements_about(fact, document.annotated(number), sighting)
    ]


def first(signals: Signals, text: str) -> tuple[Fact, About]:
    found = about(signals, text)
    assert found, text
    return found[0]


def states(signals: Signals, text: str) -> bool | None:
    fact, statement = first(signals, text)
    return magnitude(fact, statement, statistics(fact, statement))


def mean_of(value: float, unit: str = "min", **fields: float) -> Signals:
    return f.signals(f.DEPARTURE, value, unit, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "printed", "holds"),
    [
        (20.0, "20.0", True),
        (20.0, "20", True),
        (20.0, "19.6", True),
        (20.0, "20.4", True),
        (20.0, "19.5", False),
        (20.0, "20.5", False),
        (20.4, "20", True),
        (20.6, "20", False),
        (5.2, "5", True),
        (0.34, "0.3", True),
        (0.6, "1", False),
        (-2.1, "-2.1", True),
        (-2.1, "2.1", False),
        (-2.1, "-2", True),
        (0.0, "0", True),
        (0.0, "1", False),
        (54_635.0, "54,635", True),
        (54_635.0, "54.6k", True),
        (54_635.0, "0.1 million", False),
        (1e6, "1 million", True),
    ],
)
def test_a_figure_holds_within_two_percent_or_half_its_printed_unit(
    value: float, printed: str, *, holds: bool
) -> None:
    text = f"Carrier 03's mean departure delay is {printed}."
    assert states(mean_of(value), text) is holds


@pytest.mark.parametrize(
    ("abs_tol", "printed", "holds"),
    [(0.0, "46.0", False), (1.5, "46.0", True), (1.5, "45.4", False)],
)
def test_an_absolute_tolerance_stands_beside_the_relative_one(
    abs_tol: float, printed: str, *, holds: bool
) -> None:
    signals = mean_of(47.0, rel_tol=0.0, abs_tol=abs_tol)
    assert states(signals, f"Carrier 03's mean departure delay is {printed}.") is holds


@pytest.mark.parametrize(
    ("unit", "printed", "holds"),
    [
        ("min", "20.0 minutes", True),
        ("min", "20.0", True),
        ("min", "0.333 hours", True),
        ("min", "1200 seconds", True),
        ("min", "20.0%", None),
        ("min", "20.0 miles", None),
        ("mi", "20.0 miles", True),
        ("mi", "20.0 minutes", None),
        ("", "20.0", True),
        ("", "20.0 min", True),
        ("", "20.0 miles", None),
        ("%", "20.0%", True),
        ("%", "20.0 minutes", None),
        ("usd", "$20.0", True),
    ],
)
def test_units_must_agree(unit: str, printed: str, *, holds: bool | None) -> None:
    text = f"Carrier 03's mean departure delay is {printed}."
    assert states(mean_of(20.0, unit), text) is holds


@pytest.mark.parametrize(
    ("printed", "holds"),
    [
        ("5.2%", True),
        ("0.052", True),
        ("5.2 percent", True),
        ("5.2", True),
        ("0.52", False),
        ("52%", False),
    ],
)
def test_a_share_may_be_printed_as_a_fraction(printed: str, *, holds: bool) -> None:
    assert states(f.MISSING, f"Carrier 03's share of cancelled flights is {printed}.") is holds


def test_a_bare_figure_is_no_share_unless_the_clause_says_so() -> None:
    assert states(f.MISSING, "Carrier 03 cancelled 5.2 of its flights.") is None


def test_a_year_is_no_figure_unless_the_fact_is_a_year() -> None:
    built = f.signals(("@aircraft.built_year",), 2004.0, rel_tol=0.0, abs_tol=0.5)
    assert states(built, "The mean built year of carrier 03's aircraft is 2004.") is True
    assert states(mean_of(2019.0), "In 2019 carrier 03's mean departure delay is high.") is None


@pytest.mark.parametrize(
    ("text", "named", "fits"),
    [
        ("Carrier 03's mean departure delay is 20.0.", {"mean"}, True),
        ("Carrier 03's departure delay is 20.0.", set(), True),
        ("Carrier 03's median departure delay is 20.0.", {"median"}, False),
        ("Carrier 03's maximum departure delay is 20.0.", {"max"}, False),
        ("Carrier 03's longest departure delay is 20.0.", {"max"}, False),
        ("Carrier 03's shortest departure delay is 20.0.", {"min"}, False),
        ("Carrier 03's departure delay is highest, at 20.0.", set(), True),
        ("Carrier 03's total departure delay is 20.0.", {"count"}, False),
        ("Carrier 03's mean number of departure delays is 20.0.", {"mean"}, True),
        ("Carrier 03's departure delay has a variance of 20.0.", {"spread"}, False),
        ("Carrier 03's departure delay is correlated (r = 20.0).", {"correlation"}, False),
        ("Carrier 03's departure delay (n = 20.0)", {"count"}, False),
        ("Carrier 03's departure delay ± 20.0", {"spread"}, False),
        ("Carrier 03's departure delay is missing in 20.0.", {"missing"}, False),
    ],
)
def test_a_statement_names_its_statistic(text: str, named: set[str], *, fits: bool) -> None:
    fact, statement = first(f.MEAN, text)
    found = statistics(fact, statement)
    assert (set(found.named), found.fits) == (named, fits)


def test_a_statistic_in_the_metrics_own_name_is_not_one() -> None:
    fact, statement = first(f.SEATS, "The mean seat count of carrier 03 is 161.2.")
    assert statistics(fact, statement).named == {"mean"}


def test_a_second_half_has_the_statistic_of_the_first() -> None:
    text = "Carrier 03's median arrival delay is highest in July 2019 (28.4) and lowest in October 2019 (-2.1)."
    found = about(f.OCTOBER, text)
    assert [statistics(fact, statement).named for fact, statement in found] == [{"median"}] * len(
        found
    )


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Carrier 03's departure delay is higher than the rest's.", True),
        ("Carrier 03's departure delay is above the rest's.", True),
        ("Carrier 03's departure delay exceeds the rest's.", True),
        ("Carrier 03's departure delay is the highest of all carriers.", True),
        ("Carrier 03's departure delay is high against the rest.", True),
        ("Carrier 03's departure delay is 20.0, against 11.9 for the rest.", True),
        ("Carrier 03's departure delay is lower than the rest's.", False),
        ("Carrier 03's departure delay is below the rest's.", False),
        ("Carrier 03's departure delay is 20.0, against 31.9 for the rest.", False),
        ("Carrier 03's departure delay is not higher than the rest's.", False),
        ("Carrier 03's departure delay is similar to the rest's.", False),
        ("Carrier 03's departure delay is second highest of all carriers.", None),
        ("Carrier 03's departure delay rose against the rest.", None),
        ("At least carrier 03's departure delay is unlike from the rest's.", None),
        ("Most of carrier 03's departure delay differs from the rest's.", None),
        ("Carrier 03's departure delay is compared with the rest.", None),
    ],
)
def test_a_statement_points_one_way(text: str, *, points: bool | None) -> None:
    assert direction(*first(f.HIGHER, text)) is points


def test_a_level_fact_is_one_that_did_not_move() -> None:
    flat = f.signals(f.DEPARTURE, direction="flat")
    stable = first(flat, "Carrier 03's departure delay is stable.")
    assert direction(*stable) is True
    assert direction(*first(flat, "Carrier 03's departure delay did not increase.")) is True
    assert direction(*first(flat, "Carrier 03's departure delay increased.")) is False


@pytest.mark.parametrize(
    ("text", "difference"),
    [
        ("carrier 03's departure delay is 8.1 minutes higher than the rest's", True),
        ("carrier 03's departure delay is 8.1 minutes above the rest's", True),
        ("carrier 03's departure delay rose by 8.1 minutes", True),
        ("carrier 03's departure delay shows a gap of 8.1 minutes", True),
        ("carrier 03's departure delay is up +8.1", True),
        ("carrier 03's departure delay is 8.1 minutes", False),
        ("carrier 03's departure delay rose to 8.1 minutes", False),
        ("carrier 03's departure delay is 8.1 minutes, higher than the rest's", False),
        ("carrier 03's departure delay of 8.1 is higher than the rest's", False),
        ("carrier 03 departs delayed by 8.1 minutes", False),
    ],
)
def test_how_much_more_is_told_from_how_much(text: str, *, difference: bool) -> None:
    _, statement = first(f.MEAN, text)
    assert statement.figure is not None
    assert is_difference(statement, statement.figure) is difference


@pytest.mark.parametrize(
    ("signals", "text", "change"),
    [
        (f.GAP, "Carrier 03's departure delay is 20.0, against 11.9 for the rest.", 8.1),
        (f.GAP, "Carrier 03's departure delay is 11.9, against 20.0 for the rest.", -8.1),
        (f.GAP, "Carrier 03's departure delay is 20.0, more than the rest's.", None),
        (f.GAP, "Carrier 03's departure delay is 20.0 minutes, against 11.9% for the rest.", None),
        (
            f.TREND,
            "Carrier 03's departure delay is 18.3 in the first half and 21.7 in the second half.",
            3.4,
        ),
        (
            f.TREND,
            "Carrier 03's departure delay is 18.3 early on and 21.7 in the second half.",
            None,
        ),
    ],
)
def test_two_levels_imply_a_change(signals: Signals, text: str, change: float | None) -> None:
    found = about(signals, text)
    implied = implied_change(*found[-1])
    assert (None if implied is None else implied.value) == (
        None if change is None else pytest.approx(change)
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("In July 2019 carrier 03's arrival delay is 28.4.", True),
        ("In July carrier 03's arrival delay is 28.4.", True),
        ("In 2019-07 carrier 03's arrival delay is 28.4.", True),
        ("In August 2019 carrier 03's arrival delay is 28.4.", False),
        ("In July 2018 carrier 03's arrival delay is 28.4.", False),
        ("In June and July 2019 carrier 03's arrival delay is 28.4.", None),
        ("From June to July 2019 carrier 03's arrival delay is 28.4.", None),
        ("Carrier 03's arrival delay is 28.4.", None),
        ("In 2019 carrier 03's arrival delay is 28.4.", None),
    ],
)
def test_a_statement_is_of_its_period(text: str, *, same: bool | None) -> None:
    assert period(*first(f.JULY_LEVEL, text)) is same


def test_a_period_in_words_is_found_as_it_stands() -> None:
    signals = f.signals(f.ARRIVAL, 28.4, period=("holiday week",))
    found = first(signals, "In the holiday week carrier 03's arrival delay is 28.4.")
    assert period(*found) is True


@pytest.mark.parametrize(
    "text",
    [
        "On 2019-07-14 carrier 03's arrival delay is 28.4.",
        "On Saturdays in July 2019 carrier 03's arrival delay is 28.4.",
        "In Q3 2019 carrier 03's arrival delay is 28.4.",
        "In the summer carrier 03's arrival delay is 28.4.",
        "At 7 pm carrier 03's arrival delay is 28.4.",
    ],
)
def test_a_finer_or_coarser_period_does_not_pass_the_gate(text: str) -> None:
    assert about(f.JULY_LEVEL, text) == []
