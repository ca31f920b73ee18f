"""ROUGE-1: which words two texts have in common."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

_NO_WORD: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Rouge:
    """Each 0 to 1; all 0 where a text has no word."""

    precision: float
    """Of the prediction's words, those that the reference has."""
    recall: float
    """Of the reference's words, those that the prediction has."""

    @property
    def f1(self) -> float:
        """Their harmonic mean; 0 where both are 0."""
        return harmonic(self.precision, self.recall)


def rouge1(*, prediction: str, reference: str) -> Rouge:
    """ROUGE-1 as the benchmarks take it (IB-07): letters a to z and digits in lower case, no stemming.

    A word counts as often as it stands in both. By keyword alone, since exchanged arguments would
    exchange precision and recall unseen (field case F41).
    """
    said, wanted = _words(prediction), _words(reference)
    common = (said & wanted).total()
    if not common:
        return Rouge(0.0, 0.0)
    return Rouge(common / said.total(), common / wanted.total())


def harmonic(precision: float, recall: float) -> float:
    """F1 (IE-04, Eq. 15): 2 R P / (R + P), 0 where both are 0."""
    whole = precision + recall
    return 2 * precision * recall / whole if whole else 0.0


def _words(text: str) -> Counter[str]:
    return Counter(_NO_WORD.sub(" ", text.lower()).split())
