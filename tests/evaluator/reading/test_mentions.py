"""Names, ids, pronouns and the rest of the world are told apart."""

from __future__ import annotations

import pytest

from evaluator.reading.clauses import clauses
from evaluator.reading.document import read
from evaluator.reading.folding import fold
from evaluator.reading.mentions import Names
from evaluator.reading.stems import stem
from tests.evaluator.facts import CARRIERS

OWN = ("03", "Kestrel")
OTHERS = tuple((each.id, each.label) for each in CARRIERS if each.id != "03")


def who(text: str, nouns: tuple[str, ...] = ("carrier",)) -> list[str]:
    names = Names(OWN, OTHERS, nouns)
    (clause,) = clauses(fold(text))
    forms = clause.forms
    return [
        f"{m.who}:{' '.join(f.text for f in forms[m.first : m.last + 1])}"
        for m in names.mentions(clause)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("carrier 03 is late", ["own:03"]),
        ("Carrier 03's rows", ["own:03"]),
        ("Kestrel (03) is late", ["own:kestrel", "own:03"]),
        ("KESTREL is late", ["own:kestrel"]),
        ("where carrier_id = '03'", ["own:03"]),
        ("carrier 07 is late", ["other:07"]),
        ("Osprey is late", ["other:osprey"]),
        ("carriers 03, 07 and 12", ["own:03", "other:07", "other:12"]),
        ("carrier 12 has 12 rows", ["other:12"]),
        ("20 for carrier 03, 12 for carrier 07", ["own:03", "other:07"]),
        ("the top 10 of hour 12", []),
        ("hour 03 is late", []),
        ("it and its rows", ["pronoun:it", "pronoun:its"]),
        ("the carrier is late", ["pronoun:the carrier"]),
        ("this carrier is late", ["pronoun:this carrier"]),
        ("a carrier is late", []),
        ("all carriers are late", ["population:carriers"]),
        ("all other carriers are late", ["population:carriers"]),
        ("against 11.9 for the rest", ["population:rest"]),
        ("for the rest of the day", []),
        ("the overall mean", ["population:overall"]),
        ("Overall, it is late", ["population:overall", "pronoun:it"]),
        ("its overall mean", ["pronoun:its"]),
        ("it is late overall", ["pronoun:it"]),
        ("others and the market", ["population:others", "population:market"]),
    ],
)
def test_who_is_meant(text: str, expected: list[str]) -> None:
    assert who(text) == expected


def test_a_short_or_common_label_needs_its_capital() -> None:
    names = Names(("1x", "Major"), (("2x", "Sky"),))
    (small,) = clauses(fold("a major delay in the sky"))
    (tall,) = clauses(fold("then Major met Sky"))
    assert names.mentions(small) == []
    assert [m.who for m in names.mentions(tall)] == ["own", "other"]


def test_an_id_in_capitals_is_not_taken_for_a_word() -> None:
    names = Names(("AS", "AS"), (("US", "US"),))
    (words,) = clauses(fold("As it was, so us"))
    (ids,) = clauses(fold("AS beats US"))
    assert [m.who for m in names.mentions(words)] == ["pronoun"]
    assert [m.who for m in names.mentions(ids)] == ["own", "other"]


def test_an_id_of_several_words_is_one_name() -> None:
    names = Names(("INS-W_004", "INS-W_004"), (("INS-W_045", "INS-W_045"),))
    (clause,) = clauses(fold("participant INS-W_004 sleeps more than INS-W_045"))
    assert [m.who for m in names.mentions(clause)] == ["own", "other"]


def test_the_noun_before_an_id_is_learnt_from_the_text() -> None:
    document = read(["Airline 12 flies. The airline is late. Hour 12 is quiet."], ("12", "12"))
    assert document.names.nouns == {stem("airline")}
    assert [[m.who for m in document.mentions(n)] for n in range(3)] == [["own"], ["pronoun"], []]


def test_the_noun_is_learnt_from_a_column_too() -> None:
    assert read(["Rows with store_id = '12' only."], ("12", "12")).names.nouns == {stem("store")}


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("Carrier 03 is big. It is late. So it is.", [None, "own", "own"]),
        ("Carrier 07 is big. It is late.", [None, "other"]),
        ("Carrier 03 beats carrier 07. It is late.", [None, "own"]),
        ("Its peers beat carrier 07.", [None]),
        ("The market is big. All is late.", [None, "population"]),
        ("# Carrier 03\n\nBig.\n\n## Delays\n\nLate.", [None, "own", "own", "own"]),
        ("# Others\n\nBig.\n\n# Carrier 03\n\nLate.", [None, "population", None, "own"]),
        ("Carrier 03 is big.\n\nLate again.", [None, "own"]),
    ],
)
def test_the_one_who_is_spoken_of_goes_on(text: str, subjects: list[str | None]) -> None:
    names = ("04", "Osprey"), ("07", "Condor")
    assert read([text], OWN, names, ("carrier",)).subjects == subjects


def test_each_insight_begins_without_a_subject() -> None:
    document = read(["Carrier 03 is big.", "It is late."], OWN, (), ("carrier",))
    assert document.subjects == [None, None]
