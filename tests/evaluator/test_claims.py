"""Each statement about a fact weighs for it, against it, or not at all, and says why."""

from __future__ import annotations

import pytest

from core.checklist import Signals
from evaluator.claims import Claim, claims
from evaluator.facts import compile_fact
from evaluator.reading.document import read
from tests.evaluator import facts as f

NAMES = tuple((each.id, each.label) for each in f.OTHERS)


def weigh(signals: Signals, text: str) -> list[Claim]:
    document = read([text], (f.OWN.id, f.OWN.label), NAMES, ["carrier"])
    return list(claims(compile_fact(signals), document))


@pytest.mark.parametrize(
    ("signals", "text", "weight", "reason"),
    [
        (f.MEAN, "Carrier 03's mean departure delay is 20.0.", "supports", "figure as in the fact"),
        (
            f.JULY,
            "Carrier 03's mean arrival delay is highest in July 2019 (28.4).",
            "supports",
            "figure, direction, period as in the fact",
        ),
        (
            f.MEAN,
            "Carrier 03's mean departure delay is 31.0.",
            "contradicts",
            "it states another figure",
        ),
        (f.MEAN, "Carrier 03's departure delay is 31.0.", "differs", "it states another figure"),
        (
            f.MEAN,
            "It is known that carrier 03's mean departure delay with fog is 31.0.",
            "says too little",
            "it states another figure",
        ),
        (
            f.MISSING,
            "Carrier 03 cancelled 5.9% of its flights.",
            "differs",
            "it states another figure",
        ),
        (
            f.MISSING,
            "Carrier 03 cancelled 9.9% of its flights.",
            "gainsays",
            "it states another figure",
        ),
        (
            f.MEAN,
            "Carrier 03's mean departure delay is not 20.0.",
            "contradicts",
            "it denies the fact",
        ),
        (
            f.MEAN,
            "Carrier 03's mean departure delay is not 31.0.",
            "says too little",
            "it denies something else",
        ),
        (
            f.MEAN,
            "Carrier 03's median departure delay is 20.0.",
            "says too little",
            "it speaks of another statistic",
        ),
        (
            f.MEAN,
            "Carrier 03's mean departure delay may be 20.0.",
            "says too little",
            "it only supposes",
        ),
        (f.MEAN, "Is carrier 03's mean departure delay 20.0?", "says too little", "it asks"),
        (
            f.MEAN,
            "Carrier 03's mean departure delay is high.",
            "says too little",
            "it does not say the magnitude",
        ),
        (
            f.JULY_LEVEL,
            "In May 2019 carrier 03's mean arrival delay was 28.4.",
            "says too little",
            "it speaks of another period",
        ),
        (
            f.PEAK,
            "Carrier 03's mean arrival delay is highest in May 2019.",
            "gainsays",
            "it names another period for the extreme",
        ),
        (
            f.HIGHER,
            "Carrier 03's departure delay is lower than the rest's.",
            "contradicts",
            "it points the other way",
        ),
        (
            f.HIGHER,
            "With fog carrier 03's departure delay is higher than the rest's.",
            "says too little",
            "it speaks of something more",
        ),
        (
            f.MEAN,
            "Carrier 03's mean departure delay is 1, 2, 3, 4, 5, 20.0.",
            "says too little",
            "it holds so many figures that none is claimed",
        ),
    ],
)
def test_a_claim_has_its_weight_and_its_reason(
    signals: Signals, text: str, weight: str, reason: str
) -> None:
    first = weigh(signals, text)[0]
    assert (first.weight, first.reason) == (weight, reason)


def test_a_sentence_about_something_else_makes_no_claim() -> None:
    assert weigh(f.MEAN, "Carrier 03 serves 47 destinations.") == []


def test_a_claim_is_carried_by_its_figure() -> None:
    (claim,) = weigh(f.MEAN, "Carrier 03's mean departure delay is 20.0.")
    assert (claim.value, claim.token) == (20.0, (0, 7))


def test_two_levels_that_imply_a_change_carry_it_by_the_second() -> None:
    (mean,) = weigh(f.MEAN, "Carrier 03's departure delay is 20.0, against 11.9 elsewhere.")
    (gap,) = weigh(f.GAP, "Carrier 03's departure delay is 20.0, against 11.9 elsewhere.")
    assert mean.token != gap.token and (mean.weight, gap.weight) == ("supports", "supports")


def test_a_superlative_without_figure_is_weighed_against_its_twins() -> None:
    text = "The top destination of carrier 03 is A017. The top destination of carrier 03 is A018."
    found = weigh(f.TOP_NAME, text)
    assert [(claim.weight, claim.reason) for claim in found] == [
        ("supports", "scope as in the fact"),
        ("differs", "it says the same of another"),
    ]


def test_claims_come_in_reading_order() -> None:
    text = "Carrier 03's mean departure delay is 20.0. So its departure delay is 20.0 minutes."
    assert [claim.clause for claim in weigh(f.MEAN, text)] == [0, 1]
