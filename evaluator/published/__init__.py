"""What the papers print, to be compared with: figures alone, each with its source."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from core.evaluation import Level
from core.record import Record
from evaluator.scoring import Averaging

SCENARIOS: Final = {"patients": "MIMIC", "wearables": "GLOBEM", "filings": "10K"}
"""Our scenario -> the paper's name of its data."""
SOURCE: Final = "DDR-Bench, Table 2"
_LEVELS: Final[dict[Level, str]] = {"message": "m", "trajectory": "t"}
_AVERAGINGS: Final[dict[Averaging, str]] = {"sample": "S", "item": "I"}


class Printed(Record):
    """One row of DDR-Bench's Table 2; accuracies are shares in [0, 1]."""

    model: str
    columns: dict[str, float]
    """'I_m_10K', ...: averaging (S sample, I item), level (m message, t trajectory), data."""
    overall: float

    def accuracy(self, scenario_id: str, level: Level, averaging: Averaging) -> float:
        """One of the twelve. Raises KeyError for a scenario that the paper does not have."""
        name = f"{_AVERAGINGS[averaging]}_{_LEVELS[level]}_{SCENARIOS[scenario_id]}"
        return self.columns[name]


@cache
def table2() -> Sequence[Printed]:
    """The 22 models of DDR-Bench's Table 2, as printed."""
    text = files(__name__).joinpath("ddr_bench_table2.csv").read_text("utf-8")
    return [
        Printed(
            model=row.pop("model"),
            overall=round(float(row.pop("overall")) / 100, 4),
            columns={name: round(float(value) / 100, 4) for name, value in row.items()},
        )
        for row in csv.DictReader(text.splitlines())
    ]


def printed(model: str) -> Printed | None:
    """The row of a model by any usual spelling of its name; None where the paper has none.

    Case, marks and what stands before the last slash do not matter: 'openai/gpt-5-mini' is 'GPT-5 mini'.
    """
    wanted = _plain(model.rpartition("/")[2])
    return next((row for row in table2() if wanted and _plain(row.model) == wanted), None)


def _plain(name: str) -> str:
    return re.sub(r"[^0-9a-z]", "", name.casefold())
