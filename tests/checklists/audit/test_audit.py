"""Each fault is found where it is, and sound items are left alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from checklists.audit.audit import Audit, audit, findings_by_check
from checklists.audit.findings import CHECKS
from checklists.audit.lexicon import Lexicon, read_lexicon
from checklists.audit.words import stems
from core.checklist import ChecklistItem
from core.scenario import Entity
from tests.checklists.small import checklist, item, small


@pytest.fixture(scope="module")
def lexicon() -> Iterator[Lexicon]:
    with small() as connection:
        yield read_lexicon(connection)


def bare(**changes: Any) -> ChecklistItem:
    """An open item that no SQL proves."""
    nothing: dict[str, Any] = {"evidence_sql": None, "expected": None, "signals": None}
    return item(**{**nothing, **changes})


def looked(*items: ChecklistItem, lexicon: Lexicon | None = None, **more: Any) -> Audit:
    known = {"north": lexicon, "south": lexicon} if lexicon else None
    return audit(checklist(*items), lexicons=known, **more)


def found(told: Audit, check: str) -> list[tuple[str, ...]]:
    return [finding.item_ids for finding in told.findings if finding.check == check]


def test_a_sound_item_has_no_fault(lexicon: Lexicon) -> None:
    told = looked(item(), lexicon=lexicon)
    assert told.findings == ()
    assert set(findings_by_check(told)) == set(CHECKS)
    assert (told.reach.share, told.per_entity, told.not_looked_at) == (1.0, (1, 1.0, 1), ())


def test_without_a_database_what_was_not_looked_at_is_said() -> None:
    told = looked(item(), bare(id="b", question="Why?"))
    assert told.not_looked_at == ("E1", "E3", "evidence")
    assert "E1" not in findings_by_check(told)
    assert (told.reach.with_path, told.reach.items, told.reach.share) == (1, 2, 0.5)


@pytest.mark.parametrize(
    ("goal", "fault"),
    [
        ("Find what the astronauts fear", "nothing of it is in the database"),
        ("Look into the price", "it names no time"),
        ("How does the price change over the months, by shop", None),
        (None, None),
    ],
)
def test_e1_a_goal_of_which_the_database_has_nothing(
    lexicon: Lexicon, goal: str | None, fault: str | None
) -> None:
    entity = Entity(scenario_id="shops", id="north", label="North", goal=goal)
    told = looked(item(), lexicon=lexicon, entities=[entity])
    goals = [each.text for each in told.findings if each.check == "E1"]
    assert bool(goals) == bool(fault)
    assert fault is None or goals[0].startswith(fault)


def test_e2_a_type_that_nobody_defined() -> None:
    assert found(looked(item(insight_type="other"), item(id="b")), "E2") == [(item().id,)]


@pytest.mark.parametrize(
    ("question", "is_absent"),
    [
        ("Which astronaut fears comets?", True),
        ("How does unit_margin vary?", True),
        ("How does `unit_margin` vary by price?", True),
        ("How do prices vary?", False),
        ("Who is the maker Ax?", False),
        ("Are sales late?", False),
        ("Why is it so?", False),
    ],
)
def test_e3_a_question_about_what_is_not_there(
    lexicon: Lexicon, question: str, is_absent: bool
) -> None:
    told = looked(bare(question=question), lexicon=lexicon)
    assert bool(found(told, "E3")) is is_absent


@pytest.mark.parametrize(
    ("answer", "is_refusal"),
    [
        ("There was no column end_date to analyse.", True),
        ("The column 'cost' does not exist in the table.", True),
        ("KeyError: 'opened_at'", True),
        ("I'm sorry, the analysis failed.", True),
        ("It is impossible to determine the trend.", True),
        ("The analysis could not be completed.", True),
        ("Hardware incidents are much more common.", False),
        ("Margins could not keep up with costs.", False),
        ("There is no trend over the year.", False),
        ("No exceptions to the rule were granted, and errors fell by 4 %.", False),
    ],
)
def test_e4_an_answer_that_is_an_error_or_a_refusal(answer: str, is_refusal: bool) -> None:
    assert bool(found(looked(bare(answer=answer)), "E4")) is is_refusal


def test_e5_answers_of_one_entity_that_say_the_same() -> None:
    said = "Hardware incidents dominate the tickets of printer queues"
    items = [
        bare(id="a", question="What?", answer=said),
        bare(id="b", question="Which?", answer=said + "."),
        bare(id="c", question="Who?", answer="Software is cheap."),
        bare(id="d", entity_id="south", answer=said),
    ]
    told = looked(*items)
    assert found(told, "E5") == [("a", "b")]
    assert found(looked(*items, alike=1.0), "E5") == [("a", "b")]
    closed = [bare(id=n, question=n, answer="up", kind="closed", options=("up",)) for n in "ab"]
    assert found(looked(*closed), "E5") == []


def test_a_question_that_stands_twice_about_one_entity() -> None:
    items = [bare(id="a", question="Why?"), bare(id="b", question="why? ")]
    assert found(looked(*items, bare(id="c", question="Why?", entity_id="south")), "duplicate") == [
        ("a", "b")
    ]


@pytest.mark.parametrize(
    ("changes", "is_given"),
    [
        ({"question": "Is 42 % of it late?", "answer": "42 % late."}, False),
        ({"question": "Do prices rise with sales of coats?", "answer": "Coats' sales rise."}, True),
        ({"question": "Do prices rise with sales of coats?", "answer": "Coats' sales rise 3.5."}, False),
        ({"question": "Did it improve or not?", "answer": "It improved."}, False),
        (
            {"question": "Why improved it?", "answer": "improved", "kind": "closed",
             "options": ("improved", "worsened")},
            True,
        ),
        (
            {"question": "Is it improved or worsened?", "answer": "improved", "kind": "closed",
             "options": ("improved", "worsened")},
            False,
        ),
    ],
)  # fmt: skip
def test_a_question_that_gives_its_answer_away(changes: dict[str, Any], is_given: bool) -> None:
    assert bool(found(looked(bare(**changes)), "given_away")) is is_given


def test_a_figure_in_the_question_gives_a_proven_answer_away() -> None:
    value = item().expected
    assert value is not None
    told = looked(item(question=f"Is the mean price {value.value:.2f}?"))
    assert found(told, "given_away") == [(item().id,)]


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        ("SELECT avg(cost) AS value FROM sales", "column that is not there"),
        ("SELECT count(*) AS value FROM orders", "table that is not there: orders"),
        ("DROP TABLE sales", "not a SELECT"),
    ],
)
def test_evidence_that_cannot_be_run_makes_an_item_unreachable(
    lexicon: Lexicon, sql: str, fault: str
) -> None:
    told = looked(item(evidence_sql=sql), item(id="b"), lexicon=lexicon)
    (finding,) = [each for each in told.findings if each.check == "evidence"]
    assert fault in finding.text
    assert (told.reach.with_path, told.reach.broken, told.reach.share) == (2, 1, 0.5)


def test_what_people_rejected_is_left_out() -> None:
    told = looked(item(), item(id="b", status="rejected", insight_type="other"))
    assert (told.items, told.findings) == (1, ())


def test_the_words_of_a_database_are_names_remarks_and_cells() -> None:
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            """CREATE TABLE visitorLog ("odd ""name" VARCHAR, n INTEGER);
            COMMENT ON COLUMN visitorLog.n IS 'how many umbrellas';
            INSERT INTO visitorLog VALUES ('Penguins walk', 3), (NULL, 4)"""
        )
        found_words = read_lexicon(connection)
    assert stems("visitor log odd name umbrella") <= found_words.names
    assert found_words.cells == stems("penguin walk")


def test_a_column_of_free_texts_is_left_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checklists.audit.lexicon.VALUES", 10)
    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t AS SELECT 'word' || i AS c FROM range(11) AS r(i)")
        assert read_lexicon(connection).cells == frozenset()
