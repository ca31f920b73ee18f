"""Each figure of a clause gets its words, its owner and its role."""

from __future__ import annotations

import pytest

from evaluator.reading.document import read
from evaluator.reading.stance import is_denied, is_hedged, is_negated
from evaluator.reading.statements import Annotated, Statement
from tests.evaluator.facts import CARRIERS

NAMES = tuple((each.id, each.label) for each in CARRIERS if each.id != "03")


def annotated(text: str) -> Annotated:
    document = read([text], ("03", "Kestrel"), NAMES, ("carrier",))
    assert len(document.clauses) == 1
    return document.annotated(0)


def figures(text: str) -> list[Statement]:
    return [s for s in annotated(text).statements if s.figure is not None]


def owners(text: str) -> list[tuple[float, str | None]]:
    return [(s.figure.value, s.owner) for s in figures(text) if s.figure]


def stretches(text: str) -> list[str]:
    found = annotated(text)
    forms = found.clause.forms
    return [" ".join(f.text for f in forms[s.first : s.last + 1]) for s in found.statements]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Carrier 03 has 20, against 11 for the rest", [(20, "own")]),
        ("Carrier 03 has 20 versus 11 for carrier 07", [(20, "own")]),
        ("Carrier 03 has 20 (market: 11)", [(20, "own")]),
        ("Carrier 03 has 20 and the rest 11", [(20, "own"), (11, "population")]),
        (
            "Carrier 03 has 20, carrier 07 11, carrier 05 9",
            [(20, "own"), (11, "other"), (9, "other")],
        ),
        ("Carrier 07 has 11, far below 20 for carrier 03", [(11, "other"), (20, "own")]),
        ("The rest (11) do better than carrier 03 (20)", [(11, "population"), (20, "own")]),
        ("20 for carrier 03, 11 for the rest", [(20, "own"), (11, "population")]),
        ("carriers 03 and 07 have 20 and 11 respectively", [(20, "own"), (11, "other")]),
        ("delay and distance of carrier 03 are 20 and 11 respectively", [(20, None), (11, None)]),
        ("Carrier 03's 20 exceeds the market's 11", [(20, "own")]),
        ("Carrier 03 has the highest of all carriers (20)", [(20, "own")]),
        ("A mean of 20 is seen", [(20, None)]),
        ("The carrier has 20", [(20, "own")]),
        ("Its mean is 20", [(20, None)]),
    ],
)
def test_a_figure_belongs_to_the_one_who_is_named_with_it(
    text: str, expected: list[tuple[float, str | None]]
) -> None:
    assert owners(text) == expected


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("it is 20", ["plain"]),
        ("16.2% of all 336,776", ["plain", "base"]),
        ("20 of 16 carriers", ["plain", "base"]),
        ("where rain is above 5 it is 20", ["threshold", "plain"]),
        ("above 15 in 16.3% of rows", ["threshold", "plain"]),
        ("over 54,000 flights (16.2%)", ["plain", "plain"]),
        ("within 15 minutes", ["threshold"]),
        ("60 minutes or more in 5%", ["threshold", "plain"]),
        ("15 to 25", ["vague", "vague"]),
        ("between 15 and 25", ["vague", "vague"]),
        ("19 or 20", ["vague", "vague"]),
        ("it is not 20", ["negated"]),
        ("26 rather than 20", ["plain", "negated"]),
        ("flight number 387 has 0.75%", ["label", "plain"]),
    ],
)
def test_a_figure_has_a_role(text: str, roles: list[str]) -> None:
    from evaluator.reading.roles import roles as read_roles

    found = annotated(text)
    assert [
        each.role for each in read_roles(found.clause.forms, found.figures, {"carrier"})
    ] == roles


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("it has over 54,000 rows", "over"),
        ("it has more than 54,000 rows", "over"),
        ("it has at least 54,000 rows", "over"),
        ("it has nearly 55,000 rows", "under"),
        ("it has fewer than 55,000 rows", "under"),
        ("it has 54,000 rows", None),
    ],
)
def test_a_bound_is_no_exact_figure(text: str, bound: str | None) -> None:
    (statement,) = figures(text)
    assert statement.bound == bound


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "delay is highest in July (28.4) and lowest in October (-2.1)",
            ["delay is highest in july ( 28.4 )", "and lowest in october ( - 2.1 )"],
        ),
        ("it has 54,635 rows, 16.2% of all", ["it has 54,635 rows ,", "16.2 % of all"]),
        ("A017 has 23.4% of its rows (12,801)", ["a017 has 23.4 % of its rows", "( 12,801 )"]),
        ("47 places from 3 origins", ["47 places", "from 3 origins"]),
        (
            "from 18.7 in dry hours to 35.2 in wet ones",
            ["from 18.7 in dry hours", "to 35.2 in wet ones"],
        ),
        ("mean 20.0 (median -1.0)", ["mean 20.0", "( median - 1.0 )"]),
        ("delay of 15.2 (arrival: 20.0)", ["delay of 15.2", "( arrival : 20.0 )"]),
        (
            "highest in June 2019 and lowest in July 2019",
            ["highest in june 2019", "and lowest in july 2019"],
        ),
    ],
)
def test_a_clause_is_divided_among_its_figures(text: str, expected: list[str]) -> None:
    assert stretches(text) == expected


def test_a_clause_without_figures_is_one_statement() -> None:
    (statement,) = annotated("carrier 03 is late").statements
    assert (statement.figure, statement.owner) == (None, "own")


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("In July 2019, it is 20", 4),
        ("For carrier 03, where rain is above 0, it is 20", 10),
        ("In July 2019 it is 20", 3),
        ("With 20 rows, it is late", 0),
        ("It is 20 in July", 0),
    ],
)
def test_leading_adjuncts_are_known(text: str, lead: int) -> None:
    assert annotated(text).lead == lead


@pytest.mark.parametrize(
    ("numbers", "dump"), [("1, 2, 3, 4 and 5", False), ("1, 2, 3, 4, 5 and 6", True)]
)
def test_six_figures_make_a_dump(numbers: str, dump: bool) -> None:
    assert annotated(f"carrier 03 has {numbers} of them").dump is dump


@pytest.mark.parametrize(
    ("text", "hedged"),
    [
        ("it may be 20", True),
        ("perhaps it is 20", True),
        ("perhaps, all in all, it is 20", True),
        ("in May 2019 it is 20", False),
        ("it is 20", False),
        ("it would be 20", True),
        ("if it rains, it is 20", False),
        ("if it were 20", True),
    ],
)
def test_a_hedge_before_a_figure_takes_it_back(text: str, hedged: bool) -> None:
    found = annotated(text)
    place = next(f.place for f in found.figures if f.value == 20)
    assert is_hedged(found, place) is hedged


def test_a_hedge_after_the_figure_is_about_something_else() -> None:
    found = annotated("it is 20, which may be due to rain")
    assert not is_hedged(found, found.figures[0].place)


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("it is false that it is 20", True),
        ("that it is 20 is not true", True),
        ("it is not the case that it is 20", True),
        ("it is true that it is 20", False),
        ("it is 20", False),
    ],
)
def test_a_clause_may_deny_itself(text: str, denied: bool) -> None:
    assert is_denied(annotated(text)) is denied


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("it is not higher", True),
        ("it is never much higher", True),
        ("it isn't higher", True),
        ("it is not only higher", False),
        ("it is not late, and higher", False),
        ("it is higher", False),
    ],
)
def test_a_negation_turns_the_next_cue_round(text: str, negated: bool) -> None:
    found = annotated(text)
    place = next(i for i, form in enumerate(found.clause.forms) if form.text == "higher")
    assert is_negated(found, place) is negated
