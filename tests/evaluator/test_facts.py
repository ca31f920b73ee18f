"""Signals are compiled once into what a clause is compared with."""

from __future__ import annotations

from core.checklist import Signals
from evaluator.facts import compile_fact
from tests.evaluator import facts as f


def test_without_required_slots_every_slot_that_there_is_is_required() -> None:
    fact = compile_fact(f.JULY.model_copy(update={"required": ()}))
    assert fact.required == {"direction", "magnitude", "period"}


def test_required_slots_are_kept_as_they_are() -> None:
    fact = compile_fact(f.JULY.model_copy(update={"required": ("period",)}))
    assert fact.required == {"period"}


def test_a_calendar_period_is_told_from_a_phrase() -> None:
    signals = f.signals(("@a.b_c",), 3.0, period=("July 2019", "2019-07", "the holiday week"))
    fact = compile_fact(signals)
    assert [(p.grain, p.value) for p in fact.periods] == [("month", (2019, 7))] * 2
    assert [alias.text for alias in fact.period_phrases] == ["the holiday week"]
    assert fact.has_period


def test_a_period_may_be_spelled_small() -> None:
    fact = compile_fact(f.signals(("@a.b_c",), 3.0, period=("july 2019", "saturday")))
    assert [p.grain for p in fact.periods] == ["month", "weekday"]


def test_a_level_without_a_unit_takes_its_columns() -> None:
    fact = compile_fact(f.signals(("@flights.distance_mi",), 900.0))
    assert fact.units == {"", "mi"}


def test_a_count_never_takes_its_columns_unit() -> None:
    fact = compile_fact(f.signals(("@flights.distance_mi",), 900.0, statistic="count"))
    assert fact.units == {""}


def test_the_facts_own_words_and_tables_are_neutral() -> None:
    fact = compile_fact(f.WET)
    assert {"depart", "dela", "flight", "weather", "precipit", "rain"} <= fact.neutral


def test_a_table_is_told_from_a_column() -> None:
    assert compile_fact(f.COUNT).is_of_table and not compile_fact(f.MEAN).is_of_table


def test_equal_signals_are_compiled_once() -> None:
    again = Signals.model_validate(f.MEAN.model_dump())
    assert compile_fact(again) is compile_fact(f.MEAN)


def test_the_same_signals_with_another_answer_are_another_fact() -> None:
    alone = compile_fact(f.MEAN)
    against = compile_fact(f.MEAN, "The mean departure delay of carrier 03 is 20.0, against 11.9.")
    assert (alone.rest, against.rest) == (None, 11.9)
    assert compile_fact(f.MEAN) is alone


def test_signals_that_ask_for_the_metric_alone_are_unscored() -> None:
    bare = Signals(metric=("@flights.departure_delay_min",), kind="level", statistic="mean")
    found = f.judge(bare, "Carrier 03's mean departure delay is 20.0.")
    assert found.label is None
    assert found.unscored_reason == "its signals ask for nothing but the metric"
