"""One entity's names take the place of another's, as a reader would notice them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.renaming import swap_names
from tests.evaluator.facts import CARRIERS
from tests.evaluator.records import STEADY, entity

KESTREL, OSPREY = CARRIERS[2], CARRIERS[3]


def swap(text: str) -> str:
    return swap_names(text, KESTREL, OSPREY, CARRIERS, ["carrier"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Carrier 03 is late.", "Carrier 04 is late."),
        ("carrier 03's rows", "carrier 04's rows"),
        ("Kestrel's mean", "Osprey's mean"),
        ("Kestrel’s mean", "Osprey’s mean"),
        ("KESTREL is late", "OSPREY is late"),
        ("the kestrel rows", "the osprey rows"),
        ("Kestrel (03) and Osprey (04)", "Osprey (04) and Kestrel (03)"),
        ("Carrier 03 beats carrier 04.", "Carrier 04 beats carrier 03."),
        ("carriers 03, 04 and 05", "carriers 04, 03 and 05"),
        ("where carrier_id = '03'", "where carrier_id = '04'"),
        ("**Carrier 03** is late", "**Carrier 04** is late"),
        ("Carrier 03 has 03 of 3 rows at hour 03.", "Carrier 04 has 03 of 3 rows at hour 03."),
        ("Kestrels fly.", "Kestrels fly."),
        ("Carrier 05 is late.", "Carrier 05 is late."),
        ("", ""),
    ],
)
def test_names_change_places_and_figures_stay(before: str, after: str) -> None:
    assert swap(before) == after


def test_the_ids_of_a_table_change_places_too() -> None:
    table = "| Carrier | rows |\n|---|---|\n| 03 | 54 |\n| 04 | 3 |"
    assert swap(table) == "| Carrier | rows |\n|---|---|\n| 04 | 54 |\n| 03 | 3 |"


def test_an_id_without_a_leading_zero_changes_only_after_its_noun() -> None:
    text = "Carrier 10 has 10 rows, the top 10 of hour 10."
    swapped = swap_names(text, CARRIERS[9], CARRIERS[10], CARRIERS, ["carrier"])
    assert swapped == "Carrier 11 has 10 rows, the top 10 of hour 10."


def test_names_of_several_words_change_places_whole() -> None:
    one, other = entity("a1", "Blue Sky"), entity("b2", "Red Sea")
    assert swap_names("Blue Sky's a1 beats Red Sea.", one, other, [one, other]) == (
        "Red Sea's b2 beats Blue Sky."
    )


@STEADY
@given(st.text(alphabet="Carie 034Kstl's.,|\n()½", max_size=80))
def test_exchanging_twice_gives_the_text_back(text: str) -> None:
    assert swap(swap(text)) == text
