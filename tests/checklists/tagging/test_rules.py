"""A rule's words are found whole, in any case, with any ending that a star stands for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checklists.tagging.rules import EVERYTHING, Rule, Shape, first, read_rules, shape_of

RULES = read_rules()


@pytest.mark.parametrize(
    ("word", "question", "is_found"),
    [
        ("trend", "What is the Trend?", True),
        ("trend", "What is trending?", False),
        ("trend*", "What is trending?", True),
        ("trend*", "What is the sub-trend?", True),
        ("trend*", "What is the subtrend?", False),
        ("due to", "Is it due  to rain?", True),
        ("due to", "Is it due, to rain?", False),
        ("which * most", "Which team has most?", False),
        ("which * most", "Which team most often?", True),
        ("a.b", "Is it axb?", False),
        ("a.b", "Is it a.b?", True),
        ("why", "\N{LATIN SMALL LETTER E WITH ACUTE}why?", False),
    ],
)
def test_where_a_word_is_found(word: str, question: str, is_found: bool) -> None:
    assert (Rule(name="x", words=(word,)).why(question, None) is not None) is is_found


def test_a_rule_about_evidence_says_nothing_of_items_without() -> None:
    rule = Rule(name="x", tables=2, words=("why",))
    assert rule.why("Why?", None) is None
    assert rule.why("Why?", Shape(tables=1, aggregates=5)) is None
    assert rule.why("What?", Shape(tables=2, aggregates=0)) == "evidence: tables 2, aggregates 0"


@pytest.mark.parametrize(
    ("sql", "shape"),
    [
        ("SELECT 1", (0, 0)),
        ("SELECT x FROM a", (1, 0)),
        ("SELECT max(x) - min(x) FROM a", (1, 2)),
        ("SELECT count(*) FROM a WHERE k IN (SELECT k FROM b)", (2, 1)),
        ("SELECT x FROM a AS one JOIN a AS other USING (k)", (1, 0)),
        ("WITH m AS (SELECT avg(x) AS v FROM a) SELECT v FROM m, b", (2, 1)),
    ],
)
def test_what_evidence_reads_is_counted(sql: str, shape: tuple[int, int]) -> None:
    assert shape_of(sql) == Shape(tables=shape[0], aggregates=shape[1])


@given(st.text(max_size=200))
def test_every_question_has_a_category_a_capability_and_a_reason(question: str) -> None:
    for rules in (RULES.category, RULES.capability):
        rule, why = first(rules, question, None)
        assert rule in rules
        assert why


def test_the_shipped_rules_are_sound() -> None:
    assert re.fullmatch(r"[0-9a-f]{12}", RULES.hash)
    assert RULES.name == f"rules:{RULES.hash}"
    assert EVERYTHING in RULES.category[-1].words
    assert all(rule.difficulty for rule in RULES.capability)
    words = [(rule.name, word) for rule in RULES.category for word in rule.words]
    listed = [word for _, word in words]
    assert len(listed) == len(set(listed)), "a word that stands in two rules decides by the first"
