"""The means of InsightBench's quality form: by section, and by question (IB-11)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Final

from core.labels import FormAnswer
from core.record import Record

ALL: Final = "all"


class FormMean(Record):
    """The mean score of a section or of one of its questions, 1 to 5."""

    section: str
    question: str
    n: int
    people: int
    mean: float


def means(said: Sequence[tuple[str, str, FormAnswer]]) -> list[FormMean]:
    """From (subject, who, answer): each question, each section, and the whole form."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for _, who, answer in said:
        for key in ((answer.section, answer.question), (answer.section, ALL), (ALL, ALL)):
            found[key].append((who, answer.score))
    return [
        FormMean(
            section=section,
            question=question,
            n=len(scores),
            people=len({who for who, _ in scores}),
            mean=fmean(score for _, score in scores),
        )
        for (section, question), scores in found.items()
    ]
