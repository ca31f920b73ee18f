"""A statement passes the gate when it is about the fact, the whole fact and nothing narrower."""

from __future__ import annotations

import pytest

from core.checklist import Signals
from evaluator.facts import compile_fact
from evaluator.gate import statements_about
from evaluator.reading.document import read
from evaluator.sighting import sightings
from tests.evaluator import facts as f

NAMES = tuple((each.id, each.label) for each in f.OTHERS)


def gated(signals: Signals, text: str) -> list[float | None]:
    """The figures of the statements that passed; None for one without a figure."""
    fact = compile_fact(signals)
    document = read([text], (f.OWN.id, f.OWN.label), NAMES, ["carrier"])
    return [
        about.figure.value if about.figure is not None else None
        for number, sighting in sightings(fact, document)
        for about in statements_about(fact, document.annotated(number), sighting)
    ]


@pytest.mark.parametrize(
    ("signals", "text", "figures"),
    [
        (f.MEAN, "Carrier 03's mean departure delay is 20.0.", [20.0]),
        (f.MEAN, "Carrier 03's mean departure delay is high.", [None]),
        (f.MEAN, "Carrier 03's mean arrival delay is 20.0.", []),
        (f.MEAN, "Carrier 07's mean departure delay is 20.0.", []),
        (f.MEAN, "The mean departure delay is 20.0.", []),
        (f.MEAN, "Carrier 03 has a mean departure delay of 20.0, against 11.9 elsewhere.", [20.0]),
        (f.MEAN, "Carrier 03 has 54,635 rows and a mean departure delay of 20.0.", [20.0]),
        (
            f.MEAN,
            "Carrier 03's departure delay: mean 20.0, median -2.0, maximum 1,301.",
            [20.0, -2.0, 1301.0],
        ),
        (f.MEAN, "Carrier 03's departure delay is 20.0 and its seat count is 161.2.", [20.0]),
        (f.TOP, "A017 is carrier 03's top destination (23.4%).", [23.4]),
        (f.TOP, "A018 is carrier 03's top destination (23.4%).", []),
        (f.TOP, "A017 is big. Carrier 03's top destination has 23.4%.", []),
        (
            f.HOUR_6,
            "Carrier 03's departure delay is highest at scheduled hour 19 (24.3) and lowest at scheduled hour 6 (1.2).",
            [1.2],
        ),
        (f.AGAINST, "Carrier 03's mean departure delay is 20.0.", []),
        (f.AGAINST, "Carrier 03's mean departure delay is 20.0, more than others.", [20.0]),
    ],
)
def test_what_passes_the_gate(signals: Signals, text: str, figures: list[float | None]) -> None:
    assert gated(signals, text) == figures


@pytest.mark.parametrize(
    "narrowing",
    [
        "in July 2019",
        "on 2019-03-08",
        "on Saturdays",
        "at weekends",
        "in the evening",
        "at 19:00",
        "at scheduled hour 19",
        "in the first half",
        "in rain",
        "when it rains",
        "where precipitation is above 0",
        "during storms",
        "to A017",
        "from A001",
        "with EMBRAER",
        "at runway 5",
        "on long-haul legs",
        "for hub traffic",
        "under fog",
        "after a diversion",
        "excluding diversions",
    ],
)
def test_a_narrowed_statement_is_not_about_the_whole(narrowing: str) -> None:
    assert gated(f.MEAN, f"Carrier 03's mean departure delay is 20.0 {narrowing}.") == []
    assert gated(f.MEAN, f"Carrier 03's mean departure delay {narrowing} is 20.0.") == []


@pytest.mark.parametrize(
    "aside",
    [
        "in the dataset",
        "in 2019",
        "on average",
        "in total",
        "for the period",
        "in comparison",
        "over its rows",
        "across the network",
        "in flights",
        "at departure",
        ", driven by congestion",
        ", a poor result",
        "(see the table)",
    ],
)
def test_an_aside_narrows_nothing(aside: str) -> None:
    assert gated(f.MEAN, f"Carrier 03's mean departure delay is 20.0 {aside}.") == [20.0]


@pytest.mark.parametrize(
    ("comparator", "text", "passes"),
    [
        ("group", "Carrier 03's departure delay is 20.0.", False),
        ("group", "Carrier 03's departure delay is 20.0, against 11.9.", True),
        ("group", "Carrier 03's departure delay of 20.0 is the highest.", True),
        ("time", "Carrier 03's departure delay is 20.0.", False),
        ("time", "Carrier 03's departure delay rose to 20.0.", True),
        ("time", "Carrier 03's departure delay is 20.0, month after month.", True),
        ("threshold", "Carrier 03's departure delay is 20.0.", False),
        ("threshold", "Carrier 03's departure delay of 20.0 is above the limit.", True),
    ],
)
def test_a_fact_that_compares_needs_a_clause_that_does(
    comparator: str, text: str, *, passes: bool
) -> None:
    signals = f.signals(f.DEPARTURE, 20.0, "min", comparator=comparator)
    assert bool(gated(signals, text)) is passes


def test_the_scope_of_a_bare_figure_is_taken_over_and_that_of_another_is_not() -> None:
    text = "The top destination of carrier 03 is A017, with 23.4% of its rows (12,801)."
    assert gated(f.TOP_COUNT, text) == [23.4, 12_801]
    assert gated(f.TOP_COUNT, "Carrier 03 serves destination A017, and A044 (12,801).") == []


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        (
            "Zorp mivax's mean suvo is highest at tadiq 19 (24.3) and lowest at tadiq 6 (1.2).",
            [24.3],
        ),
        ("8.3% of zorp mivax's rows have suvo at tadiq 19.", [8.3]),
        ("At tadiq 19 zorp mivax's mean suvo is 24.3.", [24.3]),
        ("At tadiq 6 zorp mivax's mean suvo is 24.3 (19 rows).", []),
    ],
)
def test_a_number_that_names_a_place_is_no_figure(text: str, figures: list[float]) -> None:
    signals = f.signals(("@kavo.suvo",), 24.3, scope=(("@kavo.tadiq 19",),))
    fact = compile_fact(signals)
    document = read([text], ("mivax", "mivax"), (("toluq", "toluq"),), ["zorp"])
    found = [
        about.figure.value
        for number, sighting in sightings(fact, document)
        for about in statements_about(fact, document.annotated(number), sighting)
        if about.figure is not None
    ]
    assert found == figures
