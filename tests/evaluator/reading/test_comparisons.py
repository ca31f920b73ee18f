"""What an entity is compared with is told from what is its own."""

from __future__ import annotations

import pytest

from evaluator.reading.document import read
from tests.evaluator.facts import CARRIERS

NAMES = tuple((each.id, each.label) for each in CARRIERS if each.id != "03")


def masked(text: str) -> str:
    """The words that belong to the comparison."""
    document = read([text], ("03", "Kestrel"), NAMES, ("carrier",))
    found = document.annotated(len(document.clauses) - 1)
    return " ".join(found.clause.forms[i].text for i in sorted(found.masked))


@pytest.mark.parametrize(
    ("text", "comparison"),
    [
        ("Carrier 03 has 20 against 11.9 for the rest", "against 11.9 for the rest"),
        ("Carrier 03 has 20 versus 11.9", "versus 11.9"),
        ("Carrier 03 has 20 vs. 11.9", "vs . 11.9"),
        ("Carrier 03 has 20, compared with 11.9 elsewhere", "compared with 11.9 elsewhere"),
        ("Carrier 03 has 20, compared to 11.9, in July", "compared to 11.9"),
        ("Carrier 03 has 20 relative to 11.9", "relative to 11.9"),
        ("Carrier 03 has 20 as opposed to 11.9", "opposed to 11.9"),
        ("Carrier 03 has 20, in contrast to 11.9", "contrast to 11.9"),
        ("Carrier 03 is higher than the 11.9 of others", "than the 11.9 of others"),
        ("Carrier 03 is higher than 11.9 for the rest", "than 11.9 for the rest"),
        ("Carrier 03 is above the market average of 11.9", "the market average of 11.9"),
        ("Carrier 03 exceeds the rest by far", "the rest by far"),
        ("Carrier 03 has 20 (rest: 11.9)", "rest : 11.9"),
        ("Carrier 03 has 20 (market average 11.9) in all", "market average 11.9"),
        ("Carrier 03 has 20 against 11.9 and 12.4 elsewhere", "against 11.9 and 12.4 elsewhere"),
        ("Carrier 03 has 20 against 11.9 and serves 47", "against 11.9"),
        ("Carrier 03 is higher than the rest: 20 against 11.9", "than the rest against 11.9"),
        ("Carrier 03 has the highest of all carriers", "of all carriers"),
        ("Carrier 03 ranks 3rd among all carriers", "among all carriers"),
        ("Carrier 03 has 16.2% of the market", "of the market"),
    ],
)
def test_a_comparison_is_set_apart(text: str, comparison: str) -> None:
    assert masked(text) == comparison


@pytest.mark.parametrize(
    "text",
    [
        "Carrier 03 has 20",
        "Carrier 03 has more than 54,000 rows",
        "Carrier 03 is above 20",
        "Carrier 03 has 26 rather than 20",
        "Carrier 03 has no destination other than A017",
        "Carrier 07 is far below 20.0 for carrier 03",
        "Carrier 07 does better than carrier 03 (20)",
        "Carrier 03 over 54,000 rows",
    ],
)
def test_these_words_compare_with_nobody_else(text: str) -> None:
    assert masked(text) == ""


def test_what_opens_with_unlike_is_the_others() -> None:
    assert masked("Unlike the rest with 11.9 it has 20").startswith("unlike the rest")
