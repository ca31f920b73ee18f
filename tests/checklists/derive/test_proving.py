"""A proposed statement proves a fact only where it looks at the data, at this entity, and is right."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from checklists.derive.disorder import disordered, perturbations
from checklists.derive.facts import Fact, Ruling
from checklists.derive.proving import EvidenceProver, Proof, expected_of
from core.checklist import ChecklistItem, Expected
from databases.connection import open_readonly
from tests.checklists.derive import ward


@pytest.fixture(scope="module")
def prover(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EvidenceProver]:
    installed = ward.built(tmp_path_factory.mktemp("home"))
    columns = {"patients": ("id",), "visits": ("patient", "day", "dose_mg")}
    with open_readonly(installed.database_path) as connection:
        yield EvidenceProver(connection, columns, ("P1", "P2", "P3"), seconds=1.0)


def proved(prover: EvidenceProver, sql: str | None, figure: str | None = "5.5") -> Proof | str:
    said = Ruling.model_validate(ward.ruling(sql, figure))
    return prover.prove(Fact.model_validate(ward.fact("P1")), said, "P1")


@pytest.mark.parametrize(
    ("sql", "difficulty"),
    [
        (ward.MEAN, "easy"),
        (f"{ward.MEAN};", "easy"),
        ("SELECT avg(dose_mg) FROM visits JOIN patients ON id = patient WHERE id = 'P1'", "medium"),
        ("SELECT avg(d) FROM (SELECT dose_mg AS d FROM visits WHERE patient = 'P1')", "medium"),
        (
            "WITH a AS (SELECT * FROM visits), b AS (SELECT * FROM a WHERE patient = 'P1') "
            "SELECT avg(dose_mg) FROM b",
            "hard",
        ),
    ],
)
def test_what_holds_is_proved_with_what_it_takes(
    prover: EvidenceProver, sql: str, difficulty: str
) -> None:
    proof = proved(prover, sql)
    assert isinstance(proof, Proof), proof
    assert (proof.expected.value, proof.difficulty) == (5.5, difficulty)
    assert proof.expected.tolerance == pytest.approx(0.05)


def test_a_statement_proves_nothing_by_tables_that_the_entitys_agents_do_not_see(
    prover: EvidenceProver,
) -> None:
    own = replace(prover, tables={"P1": ("patients",), "P2": ("visits",)})
    assert "a table that is not there" in str(proved(own, ward.MEAN))
    assert isinstance(proved(replace(prover, tables={"P1": ("visits",)}), ward.MEAN), Proof)
    assert isinstance(proved(replace(prover, tables={"P2": ("patients",)}), ward.MEAN), Proof)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        (None, "no statement was proposed"),
        (
            "SELECT avg(dose_mg) + 1 FROM visits WHERE patient = 'P1'",
            "gives 6.5, the answer says 5.5",
        ),
        ("SELECT 5.5 FROM visits WHERE patient = 'P1' LIMIT 1", "holds the figure itself"),
        ("SELECT 11 / 2.0 + 0 * count(*) FROM visits WHERE patient = 'P1'", "the same for every"),
        ("SELECT avg(dose_mg) FROM visits WHERE patient <> 'P2' AND patient <> 'P3'", "not select"),
        ("SELECT 'P1'", "reads no table"),
        ("SELECT dose_mg FROM visits WHERE patient = 'P1'", "more than one row"),
        ("SELECT avg(weight) FROM visits WHERE patient = 'P1'", "a column that is not there"),
        ("SELECT avg(x) FROM read_csv('/etc/passwd') WHERE p = 'P1'", "reads from the function"),
        ("DELETE FROM visits WHERE patient = 'P1'", "not a SELECT"),
        (f"{ward.MEAN}; DROP TABLE visits", "2 statements"),
        ("SELECT avg(", "cannot be read as SQL"),
        (
            "SELECT count(*) FROM visits a, range(100000000) b, range(1000) c WHERE a.patient = 'P1' "
            "AND hash(b.range) % 7 = c.range",
            "fails: INTERRUPT",
        ),
    ],
)
def test_what_proves_nothing_says_why(prover: EvidenceProver, sql: str | None, why: str) -> None:
    reason = proved(prover, sql)
    assert isinstance(reason, str)
    assert why in reason


def test_after_an_interrupt_the_next_statement_runs(prover: EvidenceProver) -> None:
    assert isinstance(proved(prover, ward.MEAN), Proof)


@pytest.mark.parametrize(
    ("figure", "answer", "value", "tolerance"),
    [
        ("5.5 mg", "was 5.5 mg", 5.5, 0.05),
        ("1,234", "1,234 of them", 1234, 0.5),
        ("-2.25 %", "fell by -2.25 %", -2.25, 0.005),
    ],
)
def test_a_figure_may_be_off_by_half_of_its_last_digit(
    figure: str, answer: str, value: float, tolerance: float
) -> None:
    expected = expected_of(figure, answer)
    assert expected is not None
    assert expected.value == value
    assert expected.tolerance == pytest.approx(tolerance)


def test_a_figure_that_the_answer_lacks_proves_nothing(prover: EvidenceProver) -> None:
    assert expected_of("7", "was 5.5 mg") is None
    assert expected_of("many", "many of them") is None
    assert proved(prover, ward.MEAN, "7") == "the figure does not stand in the answer"


def item(sql: str, value: float) -> ChecklistItem:
    return ChecklistItem(
        id=sql,
        entity_id="P1",
        question="q",
        answer="a",
        category="c",
        source="s",
        evidence_sql=sql,
        expected=Expected(value=value, tolerance=0.05),
    )


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (ward.MEAN, ["outcome: visits(dose_mg)", "entities: visits(patient)"]),
        ("SELECT count(*) FROM visits v WHERE 'P1' = v.patient", ["entities: visits(patient)"]),
        (
            "SELECT sum(v.dose_mg) / count(p.id) FROM visits v, patients p WHERE p.id = v.patient "
            "AND p.id = 'P1'",
            ["outcome: visits(dose_mg)", "outcome: patients(id)", "entities: patients(id)"],
        ),
    ],
)
def test_a_statement_rests_on_what_it_computes_and_on_whose_rows_they_are(
    prover: EvidenceProver, sql: str, found: list[str]
) -> None:
    assert list(perturbations(item(sql, 5.5), prover.schema)) == found


def test_what_disorder_breaks_is_proved_and_what_it_leaves_is_not(prover: EvidenceProver) -> None:
    mean = item(ward.MEAN, 5.5)
    always = item("SELECT count(*) FROM patients WHERE id = 'P1'", 1)
    ever = item("SELECT count(DISTINCT patient) FROM visits WHERE patient = 'P1'", 1)
    (kept,) = disordered([mean, always, ever], prover.connection, prover.schema, prover.seconds)
    assert (kept.id, kept.perturbation) == (ward.MEAN, "outcome: visits(dose_mg)")


SLOW_ELSEWHERE = (
    "WITH RECURSIVE r(n) AS (SELECT avg(dose_mg) FROM visits WHERE patient = 'P1' UNION ALL "
    "SELECT n + 0.00001 FROM r WHERE n < 5) SELECT max(n) FROM r"
)
"""At once for P1, whose mean is above 5; hundreds of thousands of rounds for the others."""


def test_the_deadline_holds_for_the_other_entities_as_well(prover: EvidenceProver) -> None:
    started = time.monotonic()
    reason = proved(replace(prover, seconds=0.3), SLOW_ELSEWHERE)
    assert reason == "the statement gives the same for every entity"
    assert time.monotonic() - started < 2


def test_the_deadline_holds_on_disordered_copies(prover: EvidenceProver) -> None:
    started = time.monotonic()
    mean = item(SLOW_ELSEWHERE, 5.5)
    assert disordered([mean], prover.connection, prover.schema, 0.05) == []
    assert time.monotonic() - started < 4


def test_an_id_that_is_no_number_is_never_sql(prover: EvidenceProver) -> None:
    """Instead of 5 it would ask for every day, and so call a statement about nobody proved."""
    hostile = replace(prover, entity_ids=("5", "5 OR true"))
    said = Ruling.model_validate(ward.ruling("SELECT count(*) FROM visits WHERE day = 5", "3"))
    fact = Fact.model_validate({**ward.fact("P1"), "answer": "It was 3."})
    assert hostile.prove(fact, said, "5") == "the statement gives the same for every entity"
