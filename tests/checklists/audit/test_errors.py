"""What E4 takes for an error, and the words by which E1 and E3 compare."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checklists.audit.errors import refusals
from checklists.audit.words import STOP, squeezed, stem, stems
from tests.checklists.small import item

ERRORS = (
    "There was no column start_date to conduct any analysis",
    "No columns named 'priority' were found.",
    "The dataset lacks the column needed for this.",
    "The table is missing the columns opened_at and closed_at.",
    "The required column is missing, so no trend can be given.",
    "Columns that were needed do not exist.",
    "A ValueError was raised while grouping.",
    "FileNotFoundError",
    "Traceback (most recent call last)",
    "We were unable to compute the mean.",
    "The model could not determine a trend.",
    "It was not possible to calculate the share.",
    "The code failed to execute.",
    "I cannot answer this.",
    "I'm unable to say.",
    "As an AI, I have no access to files.",
    "An error occurred in the plot.",
    "There is insufficient data available to tell.",
    "No data for that period was recorded, no data to show.",
)
SOUND = (
    "Hardware incidents are significantly higher than others.",
    "There is no correlation between age and cost.",
    "Resolution takes longer since March; errors in routing are the likely cause.",
    "The share of failed logins fell from 4 % to 2 %.",
    "Fred cannot keep up with the number of tickets.",
    "The team is unable to close tickets in time.",
    "Missing values are rare.",
    "Costs in the first column of the ledger rose.",
    "Exceptional demand drove the peak.",
    "No department has more than 20 % of all assets.",
    "Analysts could not agree on a cause.",
    "The key error source is manual entry.",
)


@pytest.mark.parametrize("answer", ERRORS)
def test_e4_finds_errors_and_refusals(answer: str) -> None:
    (found,) = refusals([item(answer=answer)])
    assert found.check == "E4"
    assert found.text.startswith("it says ")


@pytest.mark.parametrize("answer", SOUND)
def test_e4_leaves_findings_about_the_world_alone(answer: str) -> None:
    assert list(refusals([item(answer=answer)])) == []


def test_a_closed_items_answer_is_no_text_to_be_judged() -> None:
    closed = item(kind="closed", answer="I cannot answer this.", options=("a", "b"))
    assert list(refusals([closed])) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("assignments", "assigned"),
        ("categories", "category"),
        ("priority", "priorities"),
        ("closing", "closed"),
        ("incidents", "incident"),
        ("resolve", "resolved"),
    ],
)
def test_forms_of_one_word_meet(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_identifiers_fall_into_their_words_and_stop_words_name_nothing() -> None:
    assert stems("resolved_by assignmentGroup") == stems("resolved group assignment")
    assert stems("What is the trend of it?") == frozenset()
    assert stems("an ox, 2024") == stems("2024")
    assert "what" in STOP


@given(st.text(max_size=60))
def test_stems_of_stems_lose_no_text(said: str) -> None:
    found = stems(said)
    assert all(found) and found.isdisjoint({""})
    assert stems(squeezed(said).upper()) is not None
    assert squeezed(squeezed(said)) == squeezed(said)
