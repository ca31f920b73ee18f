"""The text of an error is told from an insight, by what it says and by the columns that there are."""

from __future__ import annotations

import pytest

from databases.insightbench.mistaken import error_texts, is_error_text

COLUMNS = ("number", "opened_at", "Category")

ERRORS = [
    "There was no column department to conduct any analysis",
    "The chart could not be drawn up: KeyError 'amount'",
    "Analysis could not be completed due to missing 'amount' column in the table",
    "The analysis of costs failed to run",
    "An IndexError showed that nothing was extracted",
    "Traceback (most recent call last): ...",
    "I'm sorry, but the data are not enough.",
    "As an AI model, no statement is possible",
    "No data to perform the analysis",
]
INSIGHTS = [
    "Database errors are the most frequent category of incidents",
    "The error rate of the network rises by 3 % a month",
    "There is no correlation between volume and time to resolution",
    "Incidents could not be closed in time during the leave of two agents",
    "No significant change in the categories",
    "Analysis shows zero occurrences of the word 'Printer'",
    "Uncaught exceptions fill half of the descriptions",
    "Without the outliers, the costs are even",
    "The plot shows a linear increase that the agents failed to stop",
    "",
]


@pytest.mark.parametrize("text", ERRORS)
def test_error_text_is_recognised(text: str) -> None:
    assert is_error_text(text, COLUMNS)


@pytest.mark.parametrize("text", INSIGHTS)
def test_an_insight_is_none_though_it_speaks_of_errors_and_of_what_is_missing(text: str) -> None:
    assert not is_error_text(text, COLUMNS)


@pytest.mark.parametrize(
    "text",
    [
        "Missing column {}, so that nothing is said",
        "The table has no column named '{}'",
        "Lacks the '{}' column",
        "The '{}' column is missing from the data",
    ],
)
def test_a_column_that_is_called_absent_must_be_absent_in_truth(text: str) -> None:
    assert is_error_text(text.format("department"), COLUMNS)
    assert not is_error_text(text.format("category"), COLUMNS), "the capitals do not matter"


def test_those_that_are_error_text_are_listed() -> None:
    assert error_texts([INSIGHTS[0], ERRORS[0], INSIGHTS[1]], COLUMNS) == [ERRORS[0]]
