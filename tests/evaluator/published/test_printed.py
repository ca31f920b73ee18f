"""The figures that are printed are found by any usual name."""

from __future__ import annotations

import pytest

from evaluator.published import SCENARIOS, printed, table2


def test_the_table_has_twelve_shares_of_each_of_22_models() -> None:
    assert len(table2()) == 22
    assert {len(row.columns) for row in table2()} == {12}
    assert all(0 < value < 1 for row in table2() for value in row.columns.values())


@pytest.mark.parametrize(
    ("said", "row"),
    [
        ("openai/gpt-5-mini", "GPT-5 mini"),
        ("GPT-5.2", "GPT-5.2"),
        ("openrouter/qwen/qwen3-next-80b-a3b", "Qwen3-Next-80B-A3B"),
        ("gpt-5", None),
        ("openai/", None),
        ("", None),
    ],
)
def test_a_row_is_found_by_case_marks_and_slashes_aside(said: str, row: str | None) -> None:
    found = printed(said)
    assert (found.model if found else None) == row


def test_a_column_is_found_by_our_names() -> None:
    row = printed("gpt-5-mini")
    assert row is not None
    assert row.accuracy("filings", "message", "item") == 0.4635
    assert row.accuracy("patients", "trajectory", "sample") == 0.2786
    assert set(SCENARIOS) == {"patients", "wearables", "filings"}
    with pytest.raises(KeyError):
        row.accuracy("flights", "message", "item")
