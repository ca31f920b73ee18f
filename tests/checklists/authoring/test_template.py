"""A template asks all entities by one statement and one entity by another, with one answer."""

from __future__ import annotations

import duckdb
import pytest

from checklists.authoring.flights import BRIEF
from checklists.authoring.template import Template
from checklists.evidence import value_of
from tests.checklists.authoring.bazaar import MONTH, SUBJECT, TOP_WARE, bazaar, template


def test_the_statement_for_all_gives_each_entity_its_own_figure() -> None:
    rows = bazaar().execute(SUBJECT.for_all(template())).fetchall()
    assert [(entity, group, support) for entity, group, _, support in rows] == [
        (f"s{k}", None, 100 * k) for k in range(1, 9)
    ]
    assert [value for _, _, value, _ in rows] == pytest.approx(
        [10 * k for k in range(1, 9)], abs=0.02
    )


def test_the_statement_for_one_gives_the_same_as_the_one_for_all() -> None:
    connection = bazaar()
    for one in (template(), TOP_WARE, template(per=MONTH, floor=25, pick="min")):
        for entity, group, value, support in connection.execute(SUBJECT.for_all(one)).fetchall():
            if support < one.floor:
                continue
            found = value_of(connection, SUBJECT.for_one(one, entity, group))
            assert found in (pytest.approx(value), 0.0)


def test_the_evidence_of_a_named_group_is_nothing_when_another_stands_first() -> None:
    connection = bazaar()
    first = value_of(connection, SUBJECT.for_one(TOP_WARE, "s4", "w1"))
    assert isinstance(first, float) and 60 < first < 80
    assert value_of(connection, SUBJECT.for_one(TOP_WARE, "s4", "w2")) == 0.0


def test_a_floor_leaves_small_groups_out_of_the_evidence() -> None:
    connection = bazaar()
    lowest = template(per=MONTH, pick="min", floor=60)
    sql = SUBJECT.for_one(lowest, "s2", "2020-01")
    assert "HAVING count(trades.price) >= 60" in sql
    # January holds 62 of the 200 trades, April 20: without a floor April could stand first.
    assert value_of(connection, sql) != 0.0


def test_the_figure_over_all_is_that_of_all_rows_together() -> None:
    ((group, value),) = bazaar().execute(SUBJECT.over_all(template())).fetchall()
    assert group is None
    assert value == pytest.approx(sum(10 * k * k for k in range(1, 9)) / 36, abs=0.02)


@pytest.mark.parametrize("one", BRIEF.templates, ids=lambda one: one.name)
def test_each_flights_template_is_sound(one: Template) -> None:
    assert one.question.endswith("?") and "{entity}" in one.question
    assert not {"{value}", "{group}", "{market}"} & set(one.question.split())
    assert "{value}" in one.answer and "{entity}" in one.answer
    assert ("{group}" in one.answer) == (one.per is not None)
    assert any("@" in alias for alias in one.metric)
    assert not one.floor or str(one.floor) in one.question
    assert one.figure.signed == ("{higher}" in one.answer)


def test_the_two_statements_of_each_flights_template_agree(
    flights_connection: duckdb.DuckDBPyConnection,
) -> None:
    subject = BRIEF.subject
    for one in BRIEF.templates:
        rows = flights_connection.execute(subject.for_all(one)).fetchall()
        mine = [(g, v) for e, g, v, n in rows if e == "10" and v is not None and n >= one.floor]
        if not mine:
            continue
        sign = -1 if one.pick == "max" else 1
        group, value = min(mine, key=lambda row: (sign * row[1], str(row[0])))
        name = None if group is None else str(group)
        assert value_of(flights_connection, subject.for_one(one, "10", name)) == pytest.approx(
            value
        ), one.name
