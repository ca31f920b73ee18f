"""The sentences read as an analyst would write them."""

from __future__ import annotations

import pytest

from agent.profiler import sentences
from agent.profiler.sentences import Group, Voice

CARRIER = Voice("carrier", "03")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            sentences.volume(CARRIER, "flights", 54635, 336776),
            "Carrier 03 has 54,635 rows in flights, 16.2% of all 336,776.",
        ),
        (
            sentences.mean_against(CARRIER, "departure delay (min)", "20.0", "11.9"),
            "For carrier 03 the mean of departure delay (min) is 20.0, against 11.9 for the rest.",
        ),
        (
            sentences.mean_against(CARRIER, "departure delay (min)", "20.0", None),
            "For carrier 03 the mean of departure delay (min) is 20.0.",
        ),
        (
            sentences.missing_in(CARRIER, "departure delay (min)", 0.052, 0.023),
            "Departure delay (min) is missing in 5.2% of carrier 03's rows, against 2.3% for the rest.",
        ),
        (
            sentences.most_frequent(CARRIER, "destination", "A017", 0.2343, 12801),
            "The most frequent destination of carrier 03 is A017, with 23.4% of its rows (12,801).",
        ),
        (
            sentences.different(CARRIER, "destination", 47),
            "Carrier 03 has 47 different values of destination.",
        ),
        (
            sentences.different(CARRIER, "destination", 1),
            "Carrier 03 has 1 different value of destination.",
        ),
        (
            sentences.highest_lowest(
                CARRIER,
                "mean arrival delay (min)",
                Group("in July 2019", "28.4"),
                Group("in October 2019", "-2.10"),
            ),
            "Carrier 03's mean arrival delay (min) is highest in July 2019 (28.4)"
            " and lowest in October 2019 (-2.10).",
        ),
        (
            sentences.highest_lowest(
                CARRIER, "mean x", Group("at y 1", "2"), Group("at y 2", "1"), small_out=True
            ),
            "Leaving small groups out, carrier 03's mean x is highest at y 1 (2)"
            " and lowest at y 2 (1).",
        ),
        (
            sentences.one_end(CARRIER, "mean x", Group("on Monday", "2"), "highest"),
            "Carrier 03's mean x is highest on Monday (2).",
        ),
        (
            sentences.day_of(CARRIER, "mean x", Group("on 2019-03-08", "114.2"), "highest"),
            "On 2019-03-08 carrier 03's mean x was 114.2, its highest day.",
        ),
        (
            sentences.where_otherwise(
                CARRIER, "precipitation (in) of weather is above 0", "mean x", "35.2", "18.7"
            ),
            "For carrier 03, where precipitation (in) of weather is above 0, the mean x is 35.2,"
            " against 18.7 otherwise.",
        ),
        (
            sentences.have_in(CARRIER, 0.724, None, "manufacturer EMBRAER in aircraft"),
            "Of carrier 03's rows 72.4% have manufacturer EMBRAER in aircraft.",
        ),
        (
            sentences.joined_mean(CARRIER, "seat count of aircraft", "161.2", "130.4"),
            "The mean seat count of aircraft over carrier 03's rows is 161.2,"
            " against 130.4 for the rest.",
        ),
        (
            sentences.go_together(CARRIER, "a", "b", 0.344, None),
            "Over carrier 03's rows a rises with b (r = 0.34).",
        ),
        (
            sentences.go_together(CARRIER, "a", "b", -0.344, 0.011),
            "Over carrier 03's rows a falls with b (r = -0.34), against 0.01 for the rest.",
        ),
        (
            sentences.holds_in(CARRIER, "cancelled", 0.05, 0.02),
            "Cancelled holds in 5.0% of carrier 03's rows, against 2.0% for the rest.",
        ),
        (
            sentences.beyond(CARRIER, "wait is above 15", 0.25, 0.5, of="values"),
            "Wait is above 15 in 25.0% of carrier 03's values, against 50.0% for the rest.",
        ),
        (
            sentences.in_group_against(CARRIER, "in May 2020", "mean x", "3", "2"),
            "In May 2020 carrier 03's mean x is 3, against 2 for the rest there.",
        ),
        (
            sentences.most_fewest(CARRIER, Group("on Friday", "9"), Group("on Sunday", "2")),
            "Carrier 03 has the most rows on Friday (9) and the fewest on Sunday (2).",
        ),
        (
            sentences.made_up_of(CARRIER, "origin", "A1", 0.7, None),
            "Origin A1 makes up 70.0% of carrier 03's rows.",
        ),
        (
            sentences.figure_against(CARRIER, "median", "x", "3", "4"),
            "For carrier 03 the median of x is 3, against 4 for the rest.",
        ),
    ],
)
def test_a_sentence_is_worded_so(said: str, text: str) -> None:
    assert said == text


@pytest.mark.parametrize(
    ("above", "place"),
    [(0, "the highest"), (1, "the 2nd highest"), (7, "the 8th highest"), (8, "the 8th lowest"), (15, "the lowest")],
)  # fmt: skip
def test_a_rank_is_counted_from_the_nearer_end(above: int, place: str) -> None:
    said = sentences.ranked(CARRIER, "mean x", above, 16)
    assert said == f"Carrier 03's mean x is {place} of 16 carriers."


@pytest.mark.parametrize(("above", "place"), [(0, "the most"), (14, "the 2nd fewest")])
def test_a_rank_of_counts_is_most_or_fewest(above: int, place: str) -> None:
    said = sentences.most_of(CARRIER, "rows in flights", above, 16)
    assert said == f"Carrier 03 has {place} rows in flights of 16 carriers."


def test_where_there_are_several_tables_the_rows_are_named_by_theirs() -> None:
    patient = Voice("patient", "7", "rows in lab events")
    said = sentences.missing_in(patient, "value of lab events", 0.5, None)
    assert said == "Value of lab events is missing in 50.0% of patient 7's rows in lab events."
