"""An alias finds its words near one another, and a reference stands for its column's name."""

from __future__ import annotations

import pytest

from evaluator.aliases import Span, compile_alias, find
from evaluator.reading.document import read


def spans(alias: str, text: str) -> list[Span]:
    annotated = read([text], ("03", "03")).annotated(0)
    return find(compile_alias(alias), annotated.clause.forms, annotated.places, annotated.periods)


@pytest.mark.parametrize(
    ("alias", "text"),
    [
        ("@flights.departure_delay_min", "the departure delay is high"),
        ("@flights.departure_delay_min", "the departure delay (min) is high"),
        ("@flights.departure_delay_min", "avg(departure_delay_min) is high"),
        ("@flights.departure_delay_min", "Departure delays are high"),
        ("@flights.departure_delay_min", "the delay at departure is high"),
        ("@flights.destination_id", "most go to one destination"),
        ("@flights.actual_departure_hhmm", "the actual departure is unknown"),
        ("@flights", "54,635 flights"),
        ("@aircraft.seat_count", "the mean seat count of aircraft"),
        ("@stays.length_of_stay_days", "the length of stay is long"),
        ("missing @flights.departure_delay_min", "Departure delay (min) is missing in 5.2%"),
        ("@flights.scheduled_hour 19", "highest at scheduled hour 19 (24.3)"),
        ("@flights.scheduled_hour 19", "where scheduled hour is 19"),
        ("@flights.scheduled_hour 19", "where scheduled_hour = 19"),
        ("@flights.destination_id A017", "its top destination by far is A017"),
        ("@weather.precipitation_in above 0", "where precipitation (in) of weather is above 0"),
        ("@t9.zu_x7", "the zu_x7 of it"),
        ("@aircraft.model A320-232", "model A320-232 is used"),
        ("@aircraft.model 767-223", "model 767-223 is used"),
        ("late departures", "departures are late"),
        ("number of flights", "its number of flights"),
        ("more than 15", "more than 15 minutes late"),
        ("19:00", "at 7 pm it peaks"),
        ("7 pm", "at 19:00 it peaks"),
        ("Saturday", "on Saturdays it rests"),
        ("weekend", "at weekends it rests"),
        ("second half", "in the second half it grew"),
        ("an hour", "more than an hour late"),
    ],
)
def test_an_alias_is_found(alias: str, text: str) -> None:
    assert spans(alias, text)


@pytest.mark.parametrize(
    ("alias", "text"),
    [
        ("@flights.departure_delay_min", "the arrival delay is high"),
        ("@flights.departure_delay_min", "the departure is on time"),
        ("@flights.departure_delay_min", "departure and then, much later on that day, a delay"),
        ("@flights.scheduled_hour 19", "highest at scheduled hour 6 (19)"),
        ("@flights.scheduled_hour 19", "highest at scheduled hour 6 with 19 rows"),
        ("@flights.scheduled_hour 19", "highest at scheduled hour 6 (19.0)"),
        ("@flights.scheduled_hour", "the hour is late"),
        ("@aircraft.built_year", "the year was good"),
        ("@flights.destination_id A017", "the destination is A018"),
        ("missing @flights.departure_delay_min", "the departure delay is high"),
        ("more than 15", "15 minutes, more than before"),
        ("an hour", "at scheduled hour 6"),
        ("7 pm", "7 rows before 9 pm"),
        ("Saturday", "on Sundays it rests"),
        ("", "any text"),
        ("@", "any text"),
    ],
)
def test_an_alias_is_not_found_in_other_words(alias: str, text: str) -> None:
    assert spans(alias, text) == []


def test_the_unit_in_brackets_belongs_to_the_name() -> None:
    (span,) = spans("@flights.departure_delay_min", "the departure delay (min) is high")
    assert span.places == {1, 2, 4}


def test_a_name_stands_wherever_it_is_named() -> None:
    assert len(spans("@flights.departure_delay_min", "departure delay, then departure delay")) == 2


def test_the_anchor_is_the_value_out_of_the_data() -> None:
    (span,) = spans("@flights.scheduled_hour 19", "highest at scheduled hour 19 today")
    assert (span.first, span.anchor) == (2, 4)


def test_a_compiled_alias_knows_its_table_and_its_unit() -> None:
    alias = compile_alias("share of @flights.distance_mi above 500")
    assert (alias.tables, alias.units) == (("flight",), ("mi",))
    assert alias.stems >= {"shar", "500"}


def test_a_column_that_is_called_like_a_unit_keeps_its_word() -> None:
    assert spans("@t.min", "the min of it") and spans("@t.id", "the id of it")
