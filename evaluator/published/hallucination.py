"""The hallucination rates that DDR-Bench prints (Table 6), beside the accuracies of its Table 2."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from statistics import fmean

from core.record import Record
from evaluator.correlation import Correlation, correlate
from evaluator.published import SCENARIOS, table2


class PrintedRates(Record):
    """One row; rates are shares in [0, 1] of insights that are true and not derivable."""

    model: str
    rates: dict[str, float]
    """By the paper's name of the data: 10K, GLOBEM, MIMIC."""
    average: float


@cache
def table6() -> Sequence[PrintedRates]:
    """The ten models of DDR-Bench's Table 6, as printed."""
    text = files(__package__).joinpath("ddr_bench_table6.csv").read_text("utf-8")
    return [
        PrintedRates(
            model=row.pop("model"),
            average=round(float(row.pop("average")) / 100, 4),
            rates={name: round(float(value) / 100, 4) for name, value in row.items()},
        )
        for row in csv.DictReader(text.splitlines())
    ]


def with_accuracy(scenario_id: str | None = None) -> Correlation:
    """Rates against accuracy over the ten models (App. G).

    A scenario's rate goes with the mean of its four accuracy columns; without a scenario, the average
    rate with the overall accuracy. Raises KeyError for a scenario that the paper does not have.
    """
    scores = {row.model: row for row in table2()}
    mine = [scores[row.model] for row in table6()]
    if scenario_id is None:
        return correlate([row.average for row in table6()], [row.overall for row in mine])
    data = SCENARIOS[scenario_id]
    accuracies = [
        fmean(value for name, value in row.columns.items() if name.endswith(f"_{data}"))
        for row in mine
    ]
    return correlate([row.rates[data] for row in table6()], accuracies)
