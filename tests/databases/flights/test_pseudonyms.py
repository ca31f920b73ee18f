"""Pseudonyms hang on the seed alone, hide their order, and can be told apart."""

from __future__ import annotations

import pytest

from databases.flights.pseudonyms import CARRIER_NAMES, Pseudonyms, Shift, draw

CODES = ("9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL", "HA", "MQ", "OO", "UA", "US", "VX", "WN", "YV")  # fmt: skip
SEEDS = tuple(f"seed {i}" for i in range(60))


def drawn(seed: str = "a seed", *, turned: bool = False) -> Pseudonyms:
    order = slice(None, None, -1 if turned else 1)
    return draw(
        seed,
        carriers=CODES[order],
        airports=[f"AP{i}" for i in range(50)][order],
        aircraft=[f"N{i}" for i in range(80)][order],
        flight_numbers={code: list(range(1, 40))[order] for code in CODES},
    )


def test_the_same_seed_gives_the_same_whatever_the_order_of_the_source() -> None:
    assert drawn() == drawn(turned=True)


def test_it_is_the_same_on_every_machine_and_python() -> None:
    """Known answers: another one would change every published score."""
    known = drawn()
    assert known.carriers["9E"] == ("04", "Sorrel")
    assert known.carriers["YV"] == ("05", "Cobalt")
    assert (known.airports["AP0"], known.aircraft["N0"]) == ("A0003", "T0040")
    assert known.flight_numbers["AA"][1] == 130
    assert known.shift.weeks == 622


def test_another_seed_gives_another_mapping() -> None:
    first, second = drawn("one"), drawn("two")
    assert first.carriers != second.carriers
    assert first.airports != second.airports
    assert first.aircraft != second.aircraft
    assert first.flight_numbers != second.flight_numbers


def test_ids_are_numbered_without_gaps_and_names_are_not_shared() -> None:
    carriers = drawn().carriers
    assert sorted(pair[0] for pair in carriers.values()) == [f"{i:02d}" for i in range(1, 17)]
    assert sorted(pair[1] for pair in carriers.values()) == sorted(CARRIER_NAMES)
    assert sorted(drawn().airports.values()) == [f"A{i:04d}" for i in range(1, 51)]
    assert sorted(drawn().aircraft.values()) == [f"T{i:04d}" for i in range(1, 81)]


def test_flight_numbers_are_one_to_one_inside_a_carrier_and_independent_between_carriers() -> None:
    numbers = drawn().flight_numbers
    for code in CODES:
        assert sorted(numbers[code].values()) == list(range(101, 140))
    assert numbers["AA"] != numbers["DL"]


def test_the_order_of_ids_tells_nothing_of_the_order_of_codes() -> None:
    carriers = drawn().carriers
    ids = [carriers[code][0] for code in CODES]
    assert ids not in (sorted(ids), sorted(ids, reverse=True))
    names = [carriers[code][1] for code in CODES]
    assert names not in (sorted(names), sorted(names, reverse=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_dates_move_by_whole_years_of_weeks_and_at_most_three_more(seed: str) -> None:
    weeks = drawn(seed).shift.weeks
    years = round(weeks / 52)
    assert 3 <= years <= 12
    assert 1 <= abs(weeks - 52 * years) <= 3


def test_seeds_reach_every_shift_of_weeks() -> None:
    assert {drawn(s).shift.weeks % 52 for s in SEEDS} == {1, 2, 3, 49, 50, 51}


@pytest.mark.parametrize(
    ("weeks", "days", "years"), [(159, 1113, 3), (312, 2184, 6), (627, 4389, 12)]
)
def test_years_follow_the_dates(weeks: int, days: int, years: int) -> None:
    assert (Shift(weeks).days, Shift(weeks).years) == (days, years)


def test_carrier_names_are_single_plain_words_that_nobody_confuses() -> None:
    assert len(set(CARRIER_NAMES)) == 16
    assert all(name.isalpha() and name.istitle() for name in CARRIER_NAMES)
    assert not any(a != b and a.startswith(b) for a in CARRIER_NAMES for b in CARRIER_NAMES)
