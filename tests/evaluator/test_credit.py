"""A figure goes to one fact of its metric, and as many facts as can be served are served."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluator.credit import assign, families
from tests.evaluator import facts as f
from tests.evaluator.records import STEADY

MEAN_SENTENCE = "Carrier 03's mean departure delay is 20.0 minutes."


def test_one_figure_serves_one_item() -> None:
    assert assign({"a": ["x"], "b": ["x"]}, ["a", "b"]) == {"a": "x"}


def test_an_item_moves_to_its_other_figure_to_make_room() -> None:
    assert assign({"a": ["x", "y"], "b": ["x"]}, ["a", "b"]) == {"a": "y", "b": "x"}


def test_an_earlier_item_is_never_pushed_out() -> None:
    assert set(assign({"a": ["x"], "b": ["x"], "c": ["x"]}, ["b", "a", "c"])) == {"b"}


@STEADY
@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.lists(st.sampled_from("uvwxyz"), max_size=4, unique=True)
    ),
    st.randoms(use_true_random=False),
)
def test_who_is_served_does_not_depend_on_the_order_of_the_figures(
    wanted: dict[str, list[str]], shuffler: object
) -> None:
    order = sorted(wanted)
    shuffled = {item: list(tokens) for item, tokens in wanted.items()}
    for tokens in shuffled.values():
        shuffler.shuffle(tokens)  # type: ignore[attr-defined]
    assert set(assign(wanted, order)) == set(assign(shuffled, order))


@STEADY
@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.lists(st.sampled_from("uvwxyz"), max_size=4, unique=True)
    )
)
def test_no_figure_is_given_twice_and_none_that_was_not_wanted(
    wanted: dict[str, list[str]],
) -> None:
    held = assign(wanted, sorted(wanted))
    assert len(set(held.values())) == len(held)
    assert all(token in wanted[item] for item, token in held.items())


def test_items_that_share_an_alias_are_of_one_family() -> None:
    found = families({"a": ["x", "y"], "b": ["z", "x"], "c": ["w"], "d": ["z"]})
    assert found["a"] == found["b"] == found["d"] != found["c"]


def test_one_figure_supports_one_of_two_facts_of_the_same_metric() -> None:
    text = "Carrier 03's mean departure delay is 20.0 minutes, against 11.9 for the rest."
    labels = [found.label for found in f.judge_all([f.MEAN, f.AGAINST], text)]
    assert sorted(str(label) for label in labels) == ["insufficient", "supported"]


def test_two_facts_with_a_figure_each_are_both_supported_by_one_clause() -> None:
    text = "Carrier 03's mean arrival delay is highest in July 2019 (28.4) and lowest in October 2019 (-2.1)."
    labels = [found.label for found in f.judge_all([f.JULY, f.OCTOBER], text)]
    assert labels == ["supported", "supported"]


def test_a_second_sentence_serves_the_second_fact() -> None:
    one = "Carrier 03's mean departure delay is 20.0 minutes, against 11.9 for the rest."
    other = "Carrier 03 has a mean departure delay of 20.0 minutes."
    labels = [found.label for found in f.judge_all([f.MEAN, f.AGAINST], one, other)]
    assert labels == ["supported", "supported"]


def test_facts_of_different_metrics_do_not_compete() -> None:
    distance, air_time = f.signals(("distance",), 20.0), f.signals(("air time",), 20.0)
    text = "Carrier 03's mean distance and its mean air time are both 20.0."
    labels = [found.label for found in f.judge_all([distance, air_time], text)]
    assert labels == ["supported", "supported"]


def test_one_metric_spelled_in_two_ways_is_one_metric() -> None:
    again = f.signals(("delays at departures",), 20.0, "min")
    labels = [found.label for found in f.judge_all([f.MEAN, again], MEAN_SENTENCE)]
    assert sorted(str(label) for label in labels) == ["insufficient", "supported"]


def test_the_item_that_lost_its_figure_says_so() -> None:
    text = "Carrier 03's mean departure delay is 20.0 minutes, against 11.9 for the rest."
    reasons = [found.reason for found in f.judge_all([f.MEAN, f.AGAINST], text)]
    assert "its figure already supports another fact of the same metric" in reasons


def test_the_levels_and_the_change_that_they_imply_are_facts_of_their_own() -> None:
    text = "Carrier 03's departure delay averages 20.0 minutes against 11.9 for the rest."
    labels = [found.label for found in f.judge_all([f.MEAN, f.GAP], text)]
    assert labels == ["supported", "supported"]
