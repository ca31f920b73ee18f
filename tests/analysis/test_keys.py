"""The names of places are safe in an address, and never two places' name."""

from __future__ import annotations

from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from analysis.keys import (
    entity_key,
    item_key,
    quote_key,
    slug,
    trajectory_key,
    turn_key,
)
from tests.analysis.factory import make_scenario, trajectory


def test_plain_names_stay_as_they_are() -> None:
    scenario = make_scenario()
    own = entity_key(scenario, "03")
    assert own == "carrier-03"
    assert turn_key(own, 12) == "carrier-03/turn-12"
    assert item_key(own, "flights-03.delay") == "carrier-03/item-flights-03.delay"
    assert quote_key(turn_key(own, 12), "x") == "carrier-03/turn-12/item-x"


def test_a_second_trial_has_a_place_of_its_own() -> None:
    scenario = make_scenario()
    first, second = trajectory(), trajectory("t2", trial=2)
    assert trajectory_key(scenario, first) == "carrier-01"
    assert trajectory_key(scenario, second) == "carrier-01/trial-2"


@given(st.text(max_size=12))
def test_a_slug_needs_no_escaping_in_an_address_or_an_attribute(text: str) -> None:
    assert unquote(slug(text)) == slug(text)
    assert not set(slug(text)) & set("\"'<>&#/% \t\n")


@given(
    st.text(st.sampled_from("a1~f/ é<-."), max_size=5),
    st.text(st.sampled_from("a1~f/ é<-."), max_size=5),
)
def test_different_names_have_different_slugs(one: str, other: str) -> None:
    assert (slug(one) == slug(other)) == (one == other)


def test_on_a_page_of_one_trajectory_its_places_need_no_key() -> None:
    assert turn_key("", 12) == "turn-12"
    assert item_key("", "flights-03.delay") == "item-flights-03.delay"
    assert quote_key(turn_key("", 12), "x") == "turn-12/item-x"
