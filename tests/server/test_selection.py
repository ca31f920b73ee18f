"""Entities are chosen by name, all at once, or by a sample that a seed fixes."""

from __future__ import annotations

import pytest

from core.errors import UnknownNameError, UsageError
from server.selection import pick

KNOWN = [f"{number:02}" for number in range(1, 17)]


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("all", KNOWN),
        ("03", ["03"]),
        ("03,01, 02,01", ["01", "02", "03"]),
        (["16", "02"], ["02", "16"]),
    ],
)
def test_entities_come_in_the_scenarios_order_each_once(wanted: str, chosen: list[str]) -> None:
    assert pick(wanted, KNOWN, noun="carrier") == tuple(chosen)


def test_a_sample_is_fixed_by_its_seed_and_differs_between_seeds() -> None:
    drawn = {seed: pick("sample:5", KNOWN, noun="carrier", seed=seed) for seed in range(10)}
    assert all(len(set(each)) == 5 and set(each) <= set(KNOWN) for each in drawn.values())
    assert drawn[3] == pick("sample:5", KNOWN, noun="carrier", seed=3)
    assert len(set(drawn.values())) > 1


@pytest.mark.parametrize("count", ["0", "17", "-1", "x", "", "²", "9" * 5_000])
def test_a_sample_that_cannot_be_drawn_says_what_can(count: str) -> None:
    with pytest.raises(UsageError, match="give a number from 1 to 16"):
        pick(f"sample:{count}", KNOWN, noun="carrier")


def test_an_unknown_entity_lists_those_that_exist() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown carrier '3'.*known: 01, 02, 03"):
        pick("01,3", KNOWN, noun="carrier")


@pytest.mark.parametrize("wanted", ["", " , ", []])
def test_no_entity_at_all_is_refused(wanted: str) -> None:
    with pytest.raises(UsageError, match="no carrier was named"):
        pick(wanted, KNOWN, noun="carrier")
