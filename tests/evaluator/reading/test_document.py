"""All insights of a level are read once, and each clause can be quoted and found again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluator.reading.document import read
from tests.evaluator.records import STEADY

OWN, OTHERS = ("03", "Kestrel"), (("07", "Condor"),)
TEXTS = [
    "Carrier 03 is late. It has 20.0 minutes.",
    "Carrier 07 is on time;  ½ of its rows are early.",
]


def test_each_clause_knows_its_insight_and_can_be_quoted() -> None:
    document = read(TEXTS, OWN, OTHERS, ["carrier"])
    quotes = [(document.owners[n], document.quote(n)) for n in range(len(document.clauses))]
    assert quotes == [
        (0, "Carrier 03 is late."),
        (0, "It has 20.0 minutes."),
        (1, "Carrier 07 is on time;"),
        (1, "½ of its rows are early."),
    ]


def test_clauses_are_found_by_the_words_that_they_hold() -> None:
    document = read(TEXTS, OWN, OTHERS, ["carrier"])
    assert document.holding(frozenset({"carrier"})) == {0, 2}
    assert document.holding(frozenset({"carrier", "late"})) == {0}
    assert document.holding(frozenset({"nowhere"})) == frozenset()
    assert document.holding(frozenset()) == {0, 1, 2, 3}


def test_a_clause_is_annotated_once() -> None:
    document = read(TEXTS, OWN, OTHERS, ["carrier"])
    assert document.annotated(0) is document.annotated(0)


def test_twins_say_the_same_with_other_figures_codes_or_periods() -> None:
    texts = [
        "The top destination is A017 in July 2019 (23.4%).",
        "The top destination is A018 in May 2019 (11.0%).",
        "The top origin is A017 in July 2019 (23.4%).",
        "The top destination is A017 in July 2019 (23.4%).",
    ]
    document = read(texts, OWN)
    assert document.twins(0) == [1]
    assert document.twins(2) == []


def test_a_clause_that_is_too_long_is_left_out() -> None:
    document = read(["word " * 200 + ". Short one."], OWN)
    assert [document.quote(n) for n in range(len(document.clauses))] == ["Short one."]


def test_nothing_gives_an_empty_document() -> None:
    assert read([], OWN).clauses == [] and read(["", "\n"], OWN).clauses == []


@STEADY
@given(st.lists(st.text(alphabet="Carie 03.½\n|-'", max_size=40), max_size=4))
def test_every_quote_stands_in_its_insight(texts: list[str]) -> None:
    document = read(texts, OWN, OTHERS)
    for number in range(len(document.clauses)):
        assert document.quote(number) in texts[document.owners[number]]


WORDS = (
    "03 07 Kestrel Condor carrier carriers the its it all others rest overall than against among "
    "of in for ( ) , and July 2019 20.0 12 minutes second highest higher delay respectively above"
)


@STEADY
@given(
    st.lists(
        st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=12), min_size=1, max_size=4
    ),
    st.sampled_from(["", "Carrier 03 is late. ", "Carrier 07 is late. "]),
)
def test_a_clause_that_cannot_be_the_entitys_states_nothing_of_it(
    sentences: list[list[str]], opening: str
) -> None:
    text = opening + " ".join(" ".join(words) + "." for words in sentences)
    document = read([text], OWN, OTHERS, ["carrier"])
    for number in range(len(document.clauses)):
        assert document.may_be_own(number) or not document.annotated(number).owned


def test_a_clause_about_another_cannot_be_the_entitys() -> None:
    document = read(
        ["Carrier 03 is late. Carrier 07 has 11.9. It is early."], OWN, OTHERS, ["carrier"]
    )
    assert [document.may_be_own(number) for number in range(3)] == [True, False, False]
