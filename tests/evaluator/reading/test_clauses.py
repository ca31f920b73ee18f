"""Prose, lists and tables fall into clauses that can each be quoted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.reading.clauses import Clause, clauses
from evaluator.reading.folding import Folded, fold
from tests.evaluator.records import STEADY


def quotes(text: str) -> list[str]:
    folded = fold(text)
    return [quote(folded, clause) for clause in clauses(folded)]


def quote(folded: Folded, clause: Clause) -> str:
    start, end = clause.span
    return folded.raw[folded.place(start) : folded.place(end - 1) + 1]


def words(text: str) -> list[str]:
    return [" ".join(form.text for form in clause.forms) for clause in clauses(fold(text))]


def test_sentences_end_at_full_stops_and_not_at_decimals_or_thousands() -> None:
    assert quotes("It is 20.0. It has 1,301 rows.") == ["It is 20.0.", "It has 1,301 rows."]


@pytest.mark.parametrize(
    "text",
    [
        "It is 20.0 vs. 11.9 for the rest.",
        "Some months, e.g. July, are high.",
        "It is approx. 20 minutes.",
        "The min. delay is low.",
        "It was Jan. 5 when J. Smith saw it.",
        "The value of 3.5.1 is odd.",
    ],
)
def test_abbreviations_initials_and_versions_end_no_sentence(text: str) -> None:
    assert quotes(text) == [text]


def test_a_sentence_may_end_with_a_number_and_the_next_begin_small() -> None:
    assert len(quotes("the mean is 20.0. carrier 03 is late.")) == 2


def test_semicolons_and_turns_split_a_sentence() -> None:
    assert quotes("A is 1; B is 2, while C is 3 but D is 4.") == [
        "A is 1;",
        "B is 2,",
        "C is 3",
        "D is 4.",
    ]


def test_an_opening_while_ends_at_its_comma() -> None:
    assert quotes("While the rest average 11.9, ours is 20.0.") == [
        "While the rest average 11.9,",
        "ours is 20.0.",
    ]


def test_bullets_and_numbers_of_a_list_are_no_words() -> None:
    assert words("- one item\n* two\n• three\n12. four\n3) five") == [
        "one item",
        "two",
        "three",
        "four",
        "five",
    ]


def test_a_wrapped_line_goes_on_and_a_new_line_item_does_not() -> None:
    assert quotes("The mean is\n20.0 minutes\nin all.\nMedian: 3\nMax: 9") == [
        "The mean is\n20.0 minutes\nin all.",
        "Median: 3",
        "Max: 9",
    ]


def test_headings_know_their_level() -> None:
    found = clauses(fold("# One\ntext\n### Two\n**Three**\ntext"))
    assert [(c.forms[0].text, c.heading) for c in found] == [
        ("one", 1),
        ("text", 0),
        ("two", 3),
        ("three", 7),
        ("text", 0),
    ]


def test_a_blank_line_or_a_heading_makes_the_next_clause_fresh() -> None:
    found = clauses(fold("One two. Three four.\n\nFive six.\n# Head\nTail"))
    assert [clause.fresh for clause in found] == [True, False, True, False, True]


def test_a_question_is_marked() -> None:
    assert [clause.question for clause in clauses(fold("Is it 20? It is."))] == [True, False]


def test_a_table_row_is_a_clause_for_each_cell_with_its_header() -> None:
    table = "| Carrier | flights | delay (min) |\n|---|--:|---|\n| 03 | 54,635 | 20.0 |"
    assert words(table) == ["carrier 03 , flights : 54,635", "carrier 03 , delay ( min ) : 20.0"]
    assert quotes(table) == ["| 03 | 54,635 | 20.0 |"] * 2
    assert [clause.figures_in_row for clause in clauses(fold(table))] == [2, 2]


def test_a_table_without_a_rule_is_read_as_lines() -> None:
    assert len(quotes("a | b | c\nd | e | f")) == 2


def test_fences_are_no_words() -> None:
    assert words("```text\nmean is 3\n```") == ["mean is 3"]


def test_a_very_wide_table_is_read_as_lines() -> None:
    row = "|" + "|".join("1" for _ in range(40)) + "|"
    rule = "|" + "|".join("-" for _ in range(40)) + "|"
    assert all(clause.figures_in_row == 0 for clause in clauses(fold(f"{row}\n{rule}\n{row}")))


@STEADY
@given(st.text(alphabet="ab 1.,;|-\n#*?!½’()", max_size=150))
def test_every_clause_is_a_stretch_of_the_text_as_written(text: str) -> None:
    folded = fold(text)
    for clause in clauses(folded):
        assert quote(folded, clause) in text
        assert len(clause.forms) == len(clause.starts) == len(clause.ends) > 0
