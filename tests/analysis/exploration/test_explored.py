"""A whole exploration: two models, five trajectories, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.exploration.explored import Exploration, Group, explore
from analysis.exploration.tables import tables
from analysis.table import Table
from tests.analysis.exploration.making import fields, python, reading, sql, turn
from tests.analysis.factory import trajectory

FIELDS = fields(t="id a b", u="c d")
BAD = "SELEC broken"


def explored(**options: Any) -> Exploration:
    """Model A read t alone, twice; model B read widely, and once what could not be followed."""
    a1 = reading([sql("t.a")], [sql("t.a", "t.b")], name="a1", entity="01")
    a2 = reading([sql("t.id")], name="a2", entity="02")
    b1 = reading([sql("t.a", "u.c")], [python("u.c", "u.d")], name="b1", entity="01")
    b2 = reading([sql("?", text=BAD)], [sql("u.d")], name="b2", entity="02")
    b3 = reading([sql()], name="b3", entity="03")
    return explore(
        [
            Group("A", [a1, a2], {"a1": 0.5, "a2": 0.0}),
            Group("B", [b1, b2, b3], {"b1": 0.75, "b2": 0.25, "b3": None}),
        ],
        FIELDS,
        dialect="duckdb",
        clusters={"01": "x", "02": "x"},
        **options,
    )


def test_each_trajectory_is_a_point_of_its_group() -> None:
    found = explored()
    told = [
        (p.group, p.trajectory_id, p.entity_id, p.cluster, p.accuracy, p.use.coverage, p.tables)
        for p in found.points
    ]
    assert told == [
        ("A", "a1", "01", "x", 0.5, 2 / 5, 1),
        ("A", "a2", "02", "x", 0.0, 1 / 5, 1),
        ("B", "b1", "01", "x", 0.75, 3 / 5, 2),
        ("B", "b2", "02", "x", 0.25, 1 / 5, 1),
        ("B", "b3", "03", "03", None, 0.0, 0),
    ]
    b1 = found.points[2]
    assert (b1.use.by_source, b1.use.python_share) == ({"sql": 2, "python": 2}, 0.5)


def test_what_could_not_be_followed_is_marked_and_kept_out_of_the_test() -> None:
    found = explored()
    assert [p.trajectory_id for p in found.unfollowed] == ["b2"]
    assert found.points[3].unparsed == 1
    assert [p.trajectory_id for p in found.points if p.observation] == ["a1", "a2", "b1"]
    assert {each.n for each in found.regimes} == {3}


def test_the_latest_attempt_alone_counts() -> None:
    old = reading([sql("u.c")], name="old", entity="01")
    new = reading([sql("t.a")], name="new", entity="01", attempt=2)
    found = explore([Group("A", [old, new])], FIELDS, dialect="duckdb", clusters={})
    assert [p.trajectory_id for p in found.points] == ["new"]
    assert found.regimes == () and found.bins == ()


def test_without_keys_fields_and_accesses_of_keys_are_gone() -> None:
    found = explored(without_keys=True)
    assert [field.name for field in found.fields.each] == ["t.a", "t.b", "u.c", "u.d"]
    a2 = found.points[1]
    assert (a2.use.coverage, a2.use.entropy, a2.use.accesses) == (0.0, None, 0)
    assert found.points[0].use.coverage == 2 / 4


def test_the_map_is_of_all_groups_and_of_each() -> None:
    found = explored()
    assert found.heat.trajectories == 5
    t = found.heat.tables[0]
    assert [(c.name, c.read_by) for c in t.columns] == [("id", 1), ("a", 2), ("b", 1)]
    assert found.groups[0].heat.unread_tables == ("u",)
    assert found.heat.unread_tables == ()


def test_without_turns_no_query_is_parsed_and_the_rest_is_the_same() -> None:
    whole, quick = explored(), explored(with_turns=False)
    assert [p.use for p in quick.points] == [p.use for p in whole.points]
    assert quick.heat == whole.heat
    assert quick.regimes == whole.regimes
    assert {p.unparsed for p in quick.points} == {None}
    assert all(not g.steps and g.ending.all is None for g in quick.groups)


def test_entities_with_tables_of_their_own_are_measured_by_these() -> None:
    mine = reading([sql("t.a", "u.c")], name="m", entity="01")
    found = explore(
        [Group("A", [mine])],
        FIELDS,
        dialect="duckdb",
        clusters={},
        tables_of={"01": ("u",)},
    )
    (point,) = found.points
    assert (point.use.available, point.use.coverage) == (2, 0.5)
    assert [table.of for table in found.heat.tables] == [0, 1]


def named(found: Exploration) -> dict[str, Table]:
    return {table.name: table for table in tables(found)}


def rows(table: Table) -> list[dict[str, object]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_tables_hold_what_was_found() -> None:
    found = named(explored())
    assert list(found) == ["trajectories", "regime", "bins", "fields", "turns", "thirds"]
    first = rows(found["trajectories"])[0]
    assert (first["group"], first["fields_read"], first["coverage"]) == ("A", 2, 0.4)
    # a twice and b once, over log2 2
    assert first["entropy"] == pytest.approx(0.9182958)
    assert rows(found["trajectories"])[3]["calls_not_followed"] == 1
    fields_of_b = [r for r in rows(found["fields"]) if r["group"] == "B"]
    assert [(r["table"], r["column"], r["read_by"], r["of"], r["is_key"]) for r in fields_of_b] == [
        ("t", "id", 0, 3, True),
        ("t", "a", 1, 3, False),
        ("t", "b", 0, 3, False),
        ("u", "c", 1, 3, False),
        ("u", "d", 2, 3, False),
    ]
    assert len(found["turns"].rows) == 2 + 1 + 2 + 2 + 1
    turns = [r for r in rows(found["turns"]) if r["trajectory_id"] == "b1"]
    assert [(r["turn"], r["new_fields"], r["tables_stayed"], r["python"]) for r in turns] == [
        (1, 2, 0, 0),
        (2, 1, 1, 1),
    ]
    assert {r["why_not"] for r in rows(found["regime"])} == {
        "3 trajectories are too few for a curve; 8 at least"
    }


def test_a_fact_has_a_row_once_it_is_read() -> None:
    from analysis.exploration.fields import available
    from tests.analysis.exploration.making import schema

    made = available(schema(f="concept value"), facts={"f": ("concept", ["A", "=B()"])})
    mine = reading([sql("f.concept", "f.concept==B()")], [sql("f.concept==B()")], name="m")
    found = explore([Group("G", [mine])], made, dialect="duckdb", clusters={})
    told = [
        (r["column"], r["fact"], r["read_by"], r["accesses"]) for r in rows(named(found)["fields"])
    ]
    assert told == [("concept", None, 1, 1), ("value", None, 0, 0), ("concept", "=B()", 1, 2)]


def test_nothing_at_all_is_an_empty_exploration() -> None:
    found = explore([Group("A", [])], FIELDS, dialect="duckdb", clusters={})
    assert found.points == ()
    assert found.heat.trajectories == 0
    assert found.groups[0].ending.all is None
    assert all(not table.rows for table in tables(found) if table.name not in ("fields", "thirds"))


def test_an_agent_that_only_talked_read_nothing_and_is_still_there() -> None:
    """A closed-book run: no call, so no field, no third, and nothing to test."""
    silent = trajectory("s", turns=[turn(1), turn(2), turn(3), turn(4)])
    never = trajectory("n", turns=0, entity="02")
    found = explore(
        [Group("A", [silent, never], {"s": 0.5})], FIELDS, dialect="duckdb", clusters={}
    )
    assert [(p.turns, p.use.coverage, p.use.entropy) for p in found.points] == [
        (4, 0.0, None),
        (0, 0.0, None),
    ]
    assert found.regimes == ()
    assert found.groups[0].ending.all is None
    assert found.heat.unread_tables == ("t", "u")
