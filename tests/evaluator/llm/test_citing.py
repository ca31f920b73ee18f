"""A verdict rests on turns that exist and on words that really stand there (F44)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation import Label, Level
from evaluator.citing import NO_QUOTE, NO_TURN, Cited, cite, locate
from evaluator.replying import Answer, Fault
from tests.evaluator.llm.judges import DELAY, SHARE

PASSAGES = [(2, DELAY), (5, SHARE), (None, "It has 47 destinations.")]


def cited(label: Label = "supported", level: Level = "message", **fields: object) -> Cited | Fault:
    return cite(Answer(label, **fields), label, level, PASSAGES)  # type: ignore[arg-type]


def told(found: Cited | Fault) -> str:
    assert isinstance(found, Fault), found
    return str(found)


def test_a_quote_in_a_cited_turn_is_the_evidence_exactly_as_it_stands_there() -> None:
    found = cited(supporting_turns=(5,), quote="72.4% have manufacturer EMBRAER")
    assert found == Cited((5,), (), "72.4% have\n  manufacturer EMBRAER")


@pytest.mark.parametrize("label", ["supported", "contradicted", "insufficient"])
@pytest.mark.parametrize("field", ["supporting_turns", "contradicting_turns"])
@pytest.mark.parametrize("turn", [0, 99, -1, 7])
def test_a_turn_that_was_not_shown_is_an_invalid_citation(
    label: Label, field: str, turn: int
) -> None:
    answer = replace(Answer(label), **{field: (2, turn)})  # type: ignore[arg-type]
    assert told(cite(answer, label, "message", PASSAGES)) == (
        "invalid citation: a turn that does not exist"
    )


@pytest.mark.parametrize(
    ("turns", "quote"),
    [
        ((2,), "text that appears nowhere"),
        ((2,), "72.4% have manufacturer EMBRAER"),
        ((), "20.0 minutes … 72.4%"),
        ((2, 5), "departure delay is 20.0 minutes. Of carrier 03's rows 72.4%"),
    ],
    ids=["nowhere", "in another turn", "two places", "across insights"],
)
def test_a_quote_that_is_not_in_an_insight_of_the_cited_turns_is_invalid(
    turns: tuple[int, ...], quote: str
) -> None:
    found = cited(supporting_turns=turns, quote=quote)
    assert told(found) == "invalid citation: a quote that is not in the insights"


def test_turns_that_all_say_the_opposite_of_the_label_are_invalid() -> None:
    wrong = "invalid citation: turns that say the opposite of the label"
    assert told(cited("supported", contradicting_turns=(2,))) == wrong
    assert told(cited("contradicted", supporting_turns=(2,))) == wrong


def test_a_contradiction_is_quoted_from_the_contradicting_turns() -> None:
    found = cited(
        "contradicted",
        supporting_turns=(2,),
        contradicting_turns=(5,),
        quote="manufacturer EMBRAER",
    )
    assert found == Cited((2,), (5,), "manufacturer EMBRAER")


def test_support_without_a_turn_or_a_quote_is_kept_and_flagged() -> None:
    assert cited() == Cited(flags=(NO_TURN, NO_QUOTE))
    assert cited(supporting_turns=(2,), quote=' "…" ') == Cited((2,), flags=(NO_QUOTE,))
    assert cited(quote="47 destinations") == Cited(evidence="47 destinations", flags=(NO_TURN,))


def test_an_insufficient_answer_rests_on_nothing_whatever_it_cites() -> None:
    assert cited("insufficient", supporting_turns=(2,), quote="no insight says so") == Cited()


def test_a_report_has_no_turns_so_those_that_are_cited_there_are_passed_over() -> None:
    report = [(None, f"{DELAY} {SHARE}")]
    answer = Answer("supported", supporting_turns=(1, 99), quote="20.0 minutes")
    assert cite(answer, "supported", "trajectory", report) == Cited(evidence="20.0 minutes")


@pytest.mark.parametrize(
    ("quote", "text", "evidence"),
    [
        ("a b", "x a \n\t b y", "a \n\t b"),
        ("16.2% of rows", "It has **16.2%** of `rows`.", "16.2%** of `rows"),
        ("“its” worst – day", 'the "its" worst - day', '"its" worst - day'),
        ('"mean delay"', "the mean delay is", "mean delay"),
        ("[Turn 7] The mean", "The mean", "The mean"),
        ("...the mean delay...", "So the mean delay is", "the mean delay"),
        ("The mean.", "The mean is", "The mean"),
        ("a\u200bb", "x ab", "ab"),
        ("The Mean", "the mean", None),
        ("mean", "median", None),
        ("20.1", "20.0", None),
        ("", "anything", None),
    ],
)
def test_only_accidents_of_writing_may_differ_between_quote_and_insight(
    quote: str, text: str, evidence: str | None
) -> None:
    assert locate(quote, text) == evidence


@given(st.text(), st.text())
def test_evidence_is_always_a_part_of_the_insight(quote: str, text: str) -> None:
    found = locate(quote, text)
    assert found is None or (found and found in text)


@given(st.text(), st.data())
def test_any_passage_with_a_word_in_it_can_be_quoted(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    passage = text[start : data.draw(st.integers(start, len(text)))]
    if any(char.isalnum() for char in passage):
        assert locate(" ".join(passage.split()), text) is not None
