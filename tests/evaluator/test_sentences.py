"""Sentence by sentence: each says of its fact what a careful reader would say."""

from __future__ import annotations

import pytest

from core.checklist import Signals
from core.evaluation import Label
from tests.evaluator.facts import judge
from tests.evaluator.sentences import SECTIONS

CASES = [
    pytest.param(*case, id=f"{section}-{number}")
    for section, cases in SECTIONS.items()
    for number, case in enumerate(cases)
]


@pytest.mark.parametrize(("fact", "label", "text"), CASES)
def test_a_sentence_says_of_a_fact_what_a_careful_reader_would(
    fact: Signals, label: Label, text: str
) -> None:
    found = judge(fact, text)
    assert found.label == label, (text, found.reason)


@pytest.mark.parametrize(("fact", "label", "text"), CASES)
def test_a_verdicts_evidence_stands_word_for_word_in_the_insight(
    fact: Signals, label: Label, text: str
) -> None:
    found = judge(fact, text)
    if found.label in ("supported", "contradicted"):
        assert found.evidence and found.evidence in text
    else:
        assert found.evidence is None and found.reason


def test_there_are_sentences_of_every_kind_and_label() -> None:
    assert sum(map(len, SECTIONS.values())) >= 200
    for section, cases in SECTIONS.items():
        labels = {label for _, label, _ in cases}
        assert "insufficient" in labels or "contradicted" in labels, section
        assert "supported" in labels or section == "guesses", section
