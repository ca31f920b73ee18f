"""Rows and characters of an answer."""

from __future__ import annotations

import pytest

from analysis.exploration.results import size_of
from core.trajectory import ToolResult


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('{"columns":["x"],"rows":[[1],[2]]}', 2),
        ('{"columns":["x"],"rows":[]}', 0),
        ('{"stdout":"3"}', None),
        ("plain words", None),
        ("[1, 2]", None),
        ('{"rows": 3}', None),
        ("[" * 100_000, None),
    ],
)
def test_rows_are_those_of_a_table(text: str, rows: int | None) -> None:
    size = size_of(ToolResult(call_id="c", name="execute_query", text=text, duration_s=0))
    assert (size.rows, size.characters) == (rows, len(text))


def test_an_error_answers_no_rows() -> None:
    result = ToolResult(
        call_id="c", name="execute_query", text='{"rows":[[1]]}', is_error=True, duration_s=0
    )
    assert size_of(result).rows is None
