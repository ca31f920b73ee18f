"""The map of the schema: who read what, of how many, and what nobody read."""

from __future__ import annotations

from analysis.exploration.fields import available
from analysis.exploration.heat import SchemaHeat, heat_of
from tests.analysis.exploration.making import fields, schema

FIELDS = fields(t="a b", u="c d", v="e")
ALL = {"x": None, "y": None, "z": None}


def test_a_column_is_as_hot_as_the_share_that_read_it() -> None:
    heat = heat_of(FIELDS, {"x": {"t.a": 5, "u.c": 1}, "y": {"t.a": 2}, "z": {}}, ALL)
    assert heat.trajectories == 3
    t, u, v = heat.tables
    assert [(c.name, c.read_by, c.of, c.accesses) for c in t.columns] == [
        ("a", 2, 3, 7),
        ("b", 0, 3, 0),
    ]
    assert t.columns[0].share == 2 / 3
    assert (t.read_by, u.read_by, v.read_by) == (2, 1, 0)
    assert (u.share, v.share) == (1 / 3, 0.0)


def test_what_nobody_read_is_told_once() -> None:
    heat = heat_of(FIELDS, {"x": {"t.a": 1, "u.c": 1}}, ALL)
    assert heat.unread_tables == ("v",)
    assert heat.unread_columns == (("t", "b"), ("u", "d"))


def test_a_table_that_an_entity_does_not_have_is_not_held_against_it() -> None:
    heat = heat_of(FIELDS, {"x": {"t.a": 1}, "y": {}}, {"x": ["T"], "y": ["U"]})
    t, u, v = heat.tables
    assert (t.read_by, t.of, t.share) == (1, 1, 1.0)
    assert (u.of, u.is_unread) == (1, True)
    assert (v.of, v.share, v.is_unread) == (0, None, False)
    assert v.columns[0].share is None
    assert heat.unread_tables == ("u",)


def test_facts_are_counted_at_the_column_that_names_them() -> None:
    made = available(schema(f="concept value"), facts={"f": ("concept", ["A", "B", "C"])})
    heat = heat_of(made, {"x": {"f.concept": 2, "f.concept=A": 2}, "y": {"f.concept=B": 1}}, ALL)
    (table,) = heat.tables
    assert [c.name for c in table.columns] == ["concept", "value"]
    assert (table.columns[0].facts, table.columns[0].facts_read, table.columns[0].read_by) == (
        3,
        2,
        1,
    )
    assert (table.columns[1].facts, table.read_by) == (0, 2)
    assert heat.unread_facts == (("f", "concept", 1, 3),)
    assert heat_of(FIELDS, {"x": {}}, ALL).unread_facts == ()


def test_the_map_survives_json() -> None:
    heat = heat_of(FIELDS, {"x": {"t.a": 1}}, ALL)
    assert SchemaHeat.model_validate_json(heat.model_dump_json()) == heat
