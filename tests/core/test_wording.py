"""A number agrees with its noun."""

from __future__ import annotations

import pytest

from core.wording import counted, plural


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (12345, "12,345 rows")]
)
def test_a_number_stands_with_the_noun_that_fits_it(number: int, said: str) -> None:
    assert counted(number, "row") == said


def test_a_plural_of_its_own_can_be_given() -> None:
    assert counted(2, "tally", "scores") == "2 scores"


@pytest.mark.parametrize(
    ("noun", "said"),
    [("carrier", "carriers"), ("company", "companies"), ("day", "days"), ("box", "boxes")],
)
def test_nouns_have_their_plural(noun: str, said: str) -> None:
    assert plural(noun) == said
