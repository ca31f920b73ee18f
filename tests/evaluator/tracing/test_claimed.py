"""Which numbers of an insight are claims, and which are not."""

from __future__ import annotations

import pytest

from evaluator.tracing.altered import altered
from evaluator.tracing.claimed import claims_in, spellings


def texts(insight: str, task: str = "") -> list[str]:
    return [n.text for n in claims_in(insight, given=spellings(task)).numbers]


@pytest.mark.parametrize(
    ("insight", "claimed"),
    [
        ("The mean is 12.6 min, against 14.0 for the rest.", ["12.6 min", "14.0"]),
        ("It fell by 3.5 pp to -4.2%.", ["3.5 pp", "-4.2%"]),
        ("On 2016-07-24 at 13:05 in July 2016 it was 190.5, hour 9.", ["190.5"]),
        ("It is the 3rd highest; the 90th percentile is 37.", ["37"]),
        ("Aircraft T3001 of model A320-214 flew 157 times.", ["157 times"]),
        ("As turn 7 showed, the top 10 hold 55k rows.", ["55k"]),
        ("The 10-K says 95% confidence.", []),
        ("Two of its 53 aircraft are new.", ["53"]),
        ("1. It rises by 2.5%.\n2. It falls by 7.", ["2.5%", "7"]),
        ("| hour | share |\n| --- | --- |\n| x | 34.5% |\n| y | 3,400 |", ["34.5%", "3,400"]),
        ("Carrier 007 has 12 rows.", ["12"]),
    ],
)
def test_only_figures_are_claims(insight: str, claimed: list[str]) -> None:
    assert texts(insight) == claimed


def test_what_the_task_said_is_no_claim() -> None:
    task = "Explore carrier 12 over 365 days."
    assert texts("Carrier 12 flew on 365 days, 40 of them late.", task) == ["40"]
    assert claims_in("Carrier 12 flew.", given=spellings(task)).left_out == {"given": 1}


def test_a_number_stands_where_it_says() -> None:
    insight = "\u201cMean\u201d: 1,234.5 min — up 12\u202f% on last year."
    for number in claims_in(insight).numbers:
        assert insight[number.start : number.end] == number.text
    assert [n.value for n in claims_in(insight).numbers] == [1234.5, 12.0]


@pytest.mark.parametrize(
    ("insight", "low", "high"),
    [
        ("It has 330,000 rows.", 329_999.5, 330_000.5),
        ("It has about 330,000 rows.", 325_000, 335_000),
        ("It has more than 330,000 rows.", 329_999.5, 340_000),
        ("It has nearly 330,000 rows.", 320_000, 330_000.5),
        ("It has 330k rows.", 329_500, 330_500),
        ("It is about 12.6.", 12.55, 12.65),
    ],
)
def test_a_number_is_as_exact_as_it_is_printed(insight: str, low: float, high: float) -> None:
    (number,) = claims_in(insight).numbers
    assert number.window == pytest.approx((low, high))


def test_altered_figures_are_others_printed_as_finely() -> None:
    claims = claims_in("From 12.6 to -3, of 336,776 rows 0%, 55k.")
    other = altered(claims, "seed")
    assert other == altered(claims, "seed") != altered(claims, "another")
    for mine, theirs in zip(claims.numbers, other.numbers, strict=True):
        assert abs(mine.value - theirs.value) > mine.step * 0.99
        assert (theirs.value - mine.value) / mine.step == pytest.approx(
            round((theirs.value - mine.value) / mine.step)
        )
