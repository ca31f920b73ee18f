"""Draws hang on a seed, a name and a place alone, and are the same on every machine."""

from __future__ import annotations

import numpy as np
import pytest

from databases.draws import Draws, Traits, Wheels, apportioned


def test_a_draw_is_the_same_alone_in_a_block_and_on_any_machine() -> None:
    draws = Draws("seed")
    block = draws.whole("delay", np.arange(1000), 100)
    assert int(draws.whole("delay", 7, 100)) == int(block[7])
    assert draws.whole("delay", np.arange(990, 1000), 100).tolist() == block[990:].tolist()
    # Known for ever: another number here means that every twin has another fingerprint.
    assert block[:5].tolist() == [75, 19, 54, 34, 61]


def test_other_seeds_and_other_names_draw_other_numbers() -> None:
    drawn = [
        tuple(Draws(seed).whole(name, np.arange(50), 1000).tolist())
        for seed, name in (("a", "x"), ("b", "x"), ("a", "y"))
    ]
    assert len(set(drawn)) == 3


def test_draws_are_even() -> None:
    counted = np.bincount(Draws("s").whole("die", np.arange(60_000), 6), minlength=6)
    assert counted.min() > 9700 and counted.max() < 10_300
    between = Draws("s").between("n", np.arange(1000), -3, 3)
    assert (between.min(), between.max()) == (-3, 3)


def test_an_order_is_a_shuffle() -> None:
    order = Draws("s").order("o", 100).tolist()
    assert sorted(order) == list(range(100)) and order != list(range(100))


def test_a_wheel_gives_each_slot_its_share_and_none_to_an_empty_one() -> None:
    wheels = Wheels(np.array([[1, 0, 3], [2, 2, 0]]))
    who = np.repeat([0, 1], 40_000)
    slots = wheels.drawn(Draws("s"), "w", who, np.arange(80_000))
    shares = [np.bincount(slots[who == e], minlength=3) / 40_000 for e in (0, 1)]
    assert shares[0] == pytest.approx([0.25, 0, 0.75], abs=0.01)
    assert shares[1] == pytest.approx([0.5, 0.5, 0], abs=0.01)


def test_what_lies_within_a_slot_keeps_the_order_of_the_positions() -> None:
    wheels = Wheels(np.array([[10, 5, 20]]))
    slot, into = wheels.within(np.zeros(35, dtype=np.int64), np.arange(35), 60)
    moments = (slot * 60 + into).tolist()
    assert moments == sorted(moments)
    assert (slot[0], into[0], slot[-1]) == (0, 0, 2) and into.max() < 60


def test_a_total_is_shared_out_to_the_last_one() -> None:
    parts = apportioned(101, np.array([1, 1, 2, 0]))
    assert parts.sum() == 101
    assert parts.tolist() == [25, 25, 51, 0]


def test_traits_draw_apart_with_the_intensity_and_all_are_alike_without() -> None:
    draws = Draws("s")
    alike, half, whole = (Traits(draws, 500, i).own("size", 50, 10, 70) for i in (0, 0.5, 1))
    assert set(alike.tolist()) == {50}
    assert (whole.min(), whole.max()) == (10, 70)
    assert np.abs(2 * (half - 50) - (whole - 50)).max() <= 1
    assert set(Traits(draws, 500, 0).any("month", 12).tolist()) == set(range(12))


def test_a_trait_may_have_bounds_of_its_own_for_each_entity() -> None:
    least, most = np.array([0, 100]), np.array([0, 103])
    found = Traits(Draws("s"), 2, 1).own("growth", least, least, most)
    assert found[0] == 0 and 100 <= found[1] <= 103
