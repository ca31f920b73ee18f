"""Breadth and depth turn by turn, drawn by hand."""

from __future__ import annotations

from analysis.exploration.breadth import looks
from analysis.exploration.fields import readings
from tests.analysis.exploration.making import fields, reading, sql

FIELDS = fields(t="a b c", u="d e", v="f")


def test_each_table_of_a_turn_is_new_stayed_with_or_returned_to() -> None:
    mine = reading(
        [sql("t.a", "t.b")],  # t is new
        [sql("t.a"), sql("t.c", "u.d")],  # t stays, u is new
        [sql()],  # reads nothing: ends no stay
        [sql("u.d", "u.e")],  # u stays
        [sql("t.a", "v.f")],  # back to t; v is new
        [sql("t.b", "u.e")],  # t stays; back to u
    )
    found = looks(readings(mine, FIELDS), FIELDS, [1, 2, 3, 4, 5, 6])
    told = [(x.new_fields, x.fields_so_far, x.new_tables, x.stayed, x.returned) for x in found]
    assert told == [
        (2, 2, 1, 0, 0),
        (2, 4, 1, 1, 0),
        (0, 4, 0, 0, 0),
        (1, 5, 0, 1, 0),
        (1, 6, 1, 0, 1),
        (0, 6, 0, 1, 1),
    ]
    assert [look.tables for look in found] == [1, 2, 0, 1, 2, 2]


def test_a_turn_without_a_call_looks_at_nothing() -> None:
    (look,) = looks([], FIELDS, [1])
    assert (look.turn, look.tables, look.fields_so_far) == (1, 0, 0)
