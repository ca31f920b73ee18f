"""Months, days, quarters, weekdays and hours are read as people write them."""

from __future__ import annotations

import pytest

from evaluator.reading.clauses import clauses
from evaluator.reading.folding import fold
from evaluator.reading.periods import Period, periods


def read(text: str) -> list[tuple[str, tuple[int | None, ...]]]:
    return [(p.grain, p.value) for p in periods(clauses(fold(text))[0].forms)]


@pytest.mark.parametrize(
    ("text", "grain", "value"),
    [
        ("in July 2019", "month", (2019, 7)),
        ("in July", "month", (None, 7)),
        ("in July of 2019", "month", (2019, 7)),
        ("in Jul 2019", "month", (2019, 7)),
        ("in Sept 2019", "month", (2019, 9)),
        ("in 2019-07", "month", (2019, 7)),
        ("in month 7", "month", (None, 7)),
        ("in May 2019", "month", (2019, 5)),
        ("during May", "month", (None, 5)),
        ("in March", "month", (None, 3)),
        ("on 2019-03-08", "day", (2019, 3, 8)),
        ("on 8 March 2019", "day", (2019, 3, 8)),
        ("on 8th March 2019", "day", (2019, 3, 8)),
        ("on March 8, 2019", "day", (2019, 3, 8)),
        ("on March 8th", "day", (None, 3, 8)),
        ("in Q3 2019", "quarter", (2019, 3)),
        ("in 2019 Q3", "quarter", (2019, 3)),
        ("in the third quarter of 2019", "quarter", (2019, 3)),
        ("in 2019", "year", (2019,)),
        ("on Saturdays", "weekday", (6,)),
        ("on Sat nights", "weekday", (6,)),
        ("at weekends", "weekpart", (2,)),
        ("in winter", "season", (1,)),
        ("in the evening", "daypart", (3,)),
        ("at 19:00", "hour", (19,)),
        ("at 7 pm", "hour", (19,)),
        ("at 7pm", "hour", (19,)),
        ("at 7 p.m. sharp", "hour", (19,)),
        ("at 12 am", "hour", (0,)),
        ("at 19 o'clock", "hour", (19,)),
        ("at hour 19", "hour", (19,)),
        ("at hour = 19", "hour", (19,)),
        ("in the second half", "nth half", (2,)),
        ("in the last month", "nth month", (-1,)),
    ],
)
def test_a_period_is_read(text: str, grain: str, value: tuple[int | None, ...]) -> None:
    assert read(text)[0] == (grain, value)


@pytest.mark.parametrize(
    "text",
    [
        "it may be so",
        "It may 20 times",
        "rows in all",
        "28 minutes an hour",
        "per hour: 40.5",
        "a marching band",
        "the sun sat low",
        "54,635 rows",
        "it fell",
    ],
)
def test_other_words_name_no_period(text: str) -> None:
    assert read(text) == []


def test_several_periods_are_found_in_order() -> None:
    assert read("from June 2019 to 8 August 2019 on Mondays at 6 am") == [
        ("month", (2019, 6)),
        ("day", (2019, 8, 8)),
        ("weekday", (1,)),
        ("hour", (6,)),
    ]


def test_a_percentage_after_a_month_is_no_day() -> None:
    assert read("in July 20% were late")[0] == ("month", (None, 7))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ((2019, 7), (2019, 7), True),
        ((None, 7), (2019, 7), True),
        ((2018, 7), (2019, 7), False),
        ((2019, 8), (2019, 7), False),
    ],
)
def test_a_missing_year_fits_every_year(
    one: tuple[int | None, ...], other: tuple[int | None, ...], same: bool
) -> None:
    assert Period("month", one, 0, 0).same(Period("month", other, 3, 4)) is same


def test_periods_of_different_grain_are_never_the_same() -> None:
    assert not Period("month", (None, 3), 0, 0).same(Period("quarter", (None, 3), 0, 0))
