"""Whole reports as language models write them, in four domains: what they say is found."""

from __future__ import annotations

import pytest

from core.checklist import Signals
from core.evaluation import Label
from core.scenario import Entity
from tests.evaluator import facts as f
from tests.evaluator.facts import signals
from tests.evaluator.records import entity

FLIGHTS = """# Carrier 03 (Kestrel): what stands out

Kestrel is the largest operator in the data, with 54,635 flights or roughly 16.2% of all traffic, and its network is
broad. It serves 47 destinations from three airports, and its most frequent destination is A017, which receives 23.4% of
its flights. The carrier relies on a homogeneous fleet; 72.4% of its departures are flown with EMBRAER aircraft, which
offer fewer seats than those of its peers.

## Punctuality

Carrier 03 departs late more often than the market. Its mean departure delay is 20.0 minutes, against 11.9 for the rest,
and the difference persists in every month. The pattern is driven by knock-on effects through the day, since delays
accumulate from early morning until late evening. The median tells a calmer story, because most departures leave close
to schedule.

- Arrival delay is worst in July 2019, with a mean of 28.4 minutes, and best in October 2019.
- Rain matters: when precipitation is recorded, departures are delayed by 35.2 minutes on average.
- Cancellations are frequent, at 5.2% of scheduled flights, more than double the share of other carriers.

On shared routes the gap narrows but does not vanish.
"""

PATIENT = """**Summary for patient 10004235**

Patient 10004235 was admitted 6 times between 2131 and 2134; the median length of stay was 4.5 days (cohort: 2.9).

| Measure | Patient 10004235 | Cohort |
|---|---:|---:|
| Mean glucose (mg/dL) | 187.4 | 121.0 |
| Mean heart rate (bpm) | 92.1 | 84.3 |
| Share of nights in ICU | 31.5% | 8.2% |

### Course

Creatinine rose from 1.1 to 2.4 between the first and the last admission, whereas sodium stayed stable.
The highest lactate was 6.8. Insulin was given in 83% of this patient's admissions, compared with 22% in the cohort.
Patient 10019003, admitted in the same week, had a mean glucose of 140.2.
"""

COMPANY = """Kelbrook Holdings (CIK 1551152) reported revenue of $54.3 billion in 2023, down from $58.1 billion in 2022.
Its gross margin stood at 62.4% in 2023, well above the peer median of 41.0%. Long-term debt fell by 12.5% over the year.
R&D expense was $7.68 billion in 2023 – 14.1% of revenue. The company has 50,000 employees.
Net income may have reached $6.9 billion, but the filing is not conclusive.
It is not true that Kelbrook Holdings paid no dividend; dividends per share were $5.99.
"""

SENSOR = """Participant INS-W_004 sleeps 6.4 hours a night on average, 0.8 hours less than the others.
Steps: INS-W_004 averages 4,120 steps per day on weekdays and 2,950 on weekends.
Screen time is highest on Sundays (5.1 hours) and lowest on Wednesdays (3.2 hours).
INS-W_045, in contrast, averages 9,870 steps per day on weekdays.
Sleep and screen time of INS-W_004 are negatively correlated (r = -0.41).
"""

PEOPLE = [entity("10004235"), entity("10019003"), entity("10023771")]
COMPANIES = [entity("1551152", "Kelbrook Holdings"), entity("320193", "Orchard Inc")]
WEARERS = [entity("INS-W_004"), entity("INS-W_045")]

STAY = ("@admissions.length_of_stay_days",)
GLUCOSE = ("@labs.glucose_mg_dl", "glucose")
STEPS = ("@daily.step_count", "steps")
SCREEN = ("@daily.screen_time_hours", "screen time")

Case = tuple[Label, Signals]

CASES: dict[str, tuple[str, list[Entity], list[Case]]] = {
    "flights": (
        FLIGHTS,
        [f.OWN, *f.OTHERS],
        [
            ("supported", f.COUNT),
            ("supported", f.SHARE),
            ("supported", f.DISTINCT),
            ("supported", f.TOP),
            ("supported", f.FLEET),
            ("supported", f.MEAN),
            ("supported", f.AGAINST),
            ("supported", f.JULY),
            ("supported", f.WET),
            ("supported", f.MISSING),
            ("insufficient", f.OCTOBER),
            ("insufficient", f.MEDIAN),
            ("insufficient", f.ARRIVAL_MEAN),
            ("insufficient", f.LONGEST),
            ("insufficient", f.HOUR_19),
        ],
    ),
    "patient": (
        PATIENT,
        PEOPLE,
        [
            ("supported", signals(STAY, 4.5, "days", statistic="median")),
            ("insufficient", signals(STAY, 4.5, "days")),
            ("supported", signals(GLUCOSE, 187.4)),
            ("contradicted", signals(GLUCOSE, 140.2)),
            ("supported", signals(("heart rate",), 92.1)),
            (
                "supported",
                signals(
                    ("@stays.icu_nights", "nights in ICU"),
                    31.5,
                    "%",
                    statistic="share",
                    kind="share",
                ),
            ),
            ("supported", signals(("lactate",), 6.8, statistic="max", kind="extreme")),
            ("insufficient", signals(("lactate",), 6.8)),
            ("supported", signals(("insulin",), 83.0, "%", statistic="share", kind="share")),
            (
                "supported",
                signals(
                    ("creatinine",),
                    direction="up",
                    statistic=None,
                    kind="change",
                    comparator="time",
                ),
            ),
            ("supported", signals(("sodium",), direction="flat", statistic=None, kind="change")),
            ("supported", signals(("admitted", "admissions"), 6, statistic="count", kind="count")),
        ],
    ),
    "company": (
        COMPANY,
        COMPANIES,
        [
            ("supported", signals(("revenue",), 54.3e9, "usd", statistic=None, period=("2023",))),
            (
                "insufficient",
                signals(("revenue",), 54.3e9, "usd", statistic=None, period=("2022",)),
            ),
            ("supported", signals(("gross margin",), 62.4, "%", statistic=None, period=("2023",))),
            (
                "supported",
                signals(
                    ("long-term debt",), 12.5, "%", statistic=None, kind="change", direction="down"
                ),
            ),
            (
                "contradicted",
                signals(
                    ("long-term debt",), 12.5, "%", statistic=None, kind="change", direction="up"
                ),
            ),
            (
                "supported",
                signals(("R&D expense",), 7.68e9, "usd", statistic=None, period=("2023",)),
            ),
            ("supported", signals(("employees",), 50_000, statistic="count", kind="count")),
            ("insufficient", signals(("net income",), 6.9e9, "usd", statistic=None)),
        ],
    ),
    "sensor": (
        SENSOR,
        WEARERS,
        [
            ("supported", signals(("sleep", "sleeps"), 6.4, "h")),
            ("supported", signals(STEPS, 4_120, scope=(("weekdays", "weekday"),))),
            ("supported", signals(STEPS, 2_950, scope=(("weekends", "weekend"),))),
            ("contradicted", signals(STEPS, 9_870, scope=(("weekdays", "weekday"),))),
            ("supported", signals(SCREEN, 5.1, "h", scope=(("Sunday", "Sundays"),))),
            ("supported", signals(SCREEN, 3.2, "h", scope=(("Wednesday", "Wednesdays"),))),
            ("insufficient", signals(SCREEN, 3.2, "h", scope=(("Sunday", "Sundays"),))),
            (
                "supported",
                signals(
                    ("sleep",),
                    0.41,
                    statistic=None,
                    kind="correlation",
                    direction="down",
                    scope=(("screen time",),),
                ),
            ),
        ],
    ),
}

PARAMS = [
    pytest.param(text, people, label, fact, id=f"{domain}-{number}")
    for domain, (text, people, cases) in CASES.items()
    for number, (label, fact) in enumerate(cases)
]


@pytest.mark.parametrize(("text", "people", "label", "fact"), PARAMS)
def test_a_report_says_what_it_says(
    text: str, people: list[Entity], label: Label, fact: Signals
) -> None:
    found = f.judge(fact, text, own=people[0], others=people[1:])
    assert found.label == label, (found.reason, found.evidence)


@pytest.mark.parametrize("domain", CASES)
def test_the_same_report_says_nothing_of_anybody_else(domain: str) -> None:
    text, people, cases = CASES[domain]
    stranger = entity("77777777", "Nobody")
    for _, fact in cases:
        found = f.judge(fact, text, own=stranger, others=people)
        assert found.label == "insufficient", (fact.metric, found.evidence)


@pytest.mark.parametrize("domain", CASES)
def test_a_report_cut_into_insights_by_paragraph_says_no_more(domain: str) -> None:
    text, people, cases = CASES[domain]
    whole = {
        number
        for number, (_, fact) in enumerate(cases)
        if f.judge(fact, text, own=people[0], others=people[1:]).label == "supported"
    }
    parts = [part for part in text.split("\n\n") if part.strip()]
    cut = {
        number
        for number, (_, fact) in enumerate(cases)
        if f.judge(fact, *parts, own=people[0], others=people[1:]).label == "supported"
    }
    assert cut <= whole
