"""Insights as language models write them, beside what they had been shown: each number as a person reads it."""

from __future__ import annotations

import json

import pytest

from evaluator.grounding import grounding_of
from tests.evaluator.tracing.records import explored, rows

BY_MONTH = rows(
    ["month", "flights", "cancelled", "mean_delay", "late_share"],
    ["2016-01", 27004, 521, 10.036665, 0.2128],
    ["2016-02", 24951, 1261, 10.816843, 0.2239],
    ["2016-06", 28243, 1009, 20.846332, 0.3312],
    ["2016-12", 28135, 1025, 16.576688, 0.3001],
)
PRINTED = json.dumps(
    {
        "stdout": "group  count    median\nwet     4,120     14.50\ndry    31,877     -2.00\n"
        "correlation: -0.4127 (n=35997)\nslope 1.25e-3 per day\n",
        "value": "",
        "truncated": False,
    }
)
PRICES = "Revenue ($ millions): 2019 1,204.5; 2020 1,377.9\nNet income: 2019 98.2; 2020 71.3"


def read(shown: str, text: str) -> list[tuple[str, str]]:
    (insight,) = grounding_of(explored({1: shown}, [(1, text)])).insights
    return [(each.number.text, each.state) for each in insight.numbers]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Delays peak in June 2016: the mean rises from 10.8 minutes in February to 20.8 minutes.",
            [("10.8 minutes", "observed"), ("20.8 minutes", "observed")],
        ),
        (
            "In June 33.1% of flights were late, 12 percentage points more than in January (21.3%).",
            [("33.1%", "observed"), ("12 percentage points", "derived"), ("21.3%", "observed")],
        ),
        (
            "About 27,000 flights in January; 5.1% were cancelled in February (1,261 of 24,951).",
            [
                ("27,000", "observed"),
                ("5.1%", "derived"),
                ("1,261", "observed"),
                ("24,951", "observed"),
            ],
        ),
        (
            "- **June**: mean delay **20.85 min**, roughly 2.1x January's\n- overall 108,333 flights",
            [("20.85 min", "observed"), ("2.1x", "unclear"), ("108,333", "derived")],
        ),
        (
            "December delays average 18.2 minutes, and 41.7% of flights are late.",
            [("18.2 minutes", "not found"), ("41.7%", "not found")],
        ),
        (
            "| month | mean delay | late |\n|---|---|---|\n| June | 20.8 | 33.1% |\n| July | 21.7 | 35.9% |",
            [
                ("20.8", "observed"),
                ("33.1%", "observed"),
                ("21.7", "not found"),
                ("35.9%", "not found"),
            ],
        ),
    ],
)
def test_of_a_query(text: str, expected: list[tuple[str, str]]) -> None:
    assert read(BY_MONTH, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In wet hours the median delay is 14.5 min.", [("14.5 min", "observed")]),
        ("In dry hours they leave 2 minutes early.", [("2 minutes", "observed")]),
        ("The correlation is -0.41 over 36k rows.", [("-0.41", "observed"), ("36k", "observed")]),
        ("The correlation is 0.43.", [("0.43", "not found")]),
        ("Wet hours are 12.9% as many as dry ones.", [("12.9%", "derived")]),
        ("It grows by 0.00125 a day.", [("0.00125", "observed")]),
    ],
)
def test_of_what_python_printed(text: str, expected: list[tuple[str, str]]) -> None:
    assert read(PRINTED, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Revenue grew 14.4% to $1,377.9 million in 2020.", ["derived", "not found"]),
        ("Revenue grew by 14.4%, to 1,377.9 in 2020.", ["derived", "observed"]),
        ("Net income fell 27.4%, from 98.2 to 71.3.", ["derived", "observed", "observed"]),
        ("The net margin fell to 5.2%.", ["derived"]),
        ("The net margin fell to 6.2%.", ["not found"]),
    ],
)
def test_of_a_text(text: str, expected: list[str]) -> None:
    assert [state for _, state in read(PRICES, text)] == expected
