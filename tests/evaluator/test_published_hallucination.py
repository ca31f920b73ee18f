"""DDR-Bench's App. G, computed anew from its own Tables 2 and 6 (EVALUATION 0, points 2 and 3)."""

from __future__ import annotations

from statistics import fmean

import pytest

from evaluator.published.hallucination import table6, with_accuracy


@pytest.mark.parametrize(
    ("scenario", "pearson", "p"),
    [("filings", 0.125, 0.7305), ("patients", 0.056, 0.8779), ("wearables", -0.046, None)],
)
def test_the_rate_does_not_go_with_accuracy(scenario: str, pearson: float, p: float | None) -> None:
    found = with_accuracy(scenario)
    assert found.n == 10
    assert found.pearson == pytest.approx(pearson, abs=5e-4)
    if p is not None:
        assert found.pearson_p == pytest.approx(p, abs=5e-5), "the paper prints these two swapped"


def test_neither_do_the_averages() -> None:
    found = with_accuracy()
    assert found.pearson == pytest.approx(0.149, abs=5e-4)
    assert found.pearson_p == pytest.approx(0.68, abs=5e-3)


def test_the_averages_are_those_of_their_rows_and_the_text_does_not_fit_the_table() -> None:
    for row in table6():
        assert fmean(row.rates.values()) == pytest.approx(row.average, abs=6e-5), row.model
    cells = [rate for row in table6() for rate in row.rates.values()]
    assert (len(cells), cells.count(0), sum(cell > 0.05 for cell in cells)) == (30, 12, 8)
    over = [row.model for row in table6() if row.average > 0.05]
    assert over == ["MiniMax-M2", "Qwen3-Next-80B-A3B"]
