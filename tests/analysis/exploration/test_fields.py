"""What there is to be read, what is a key, and what one call has read."""

from __future__ import annotations

from analysis.exploration.fields import available, readings
from databases.schema import Key
from tests.analysis.exploration.making import fields, python, reading, schema, sql

FACTS = {"facts": ("concept", ["Revenue", "it's = odd"])}


def test_every_column_is_a_field_and_so_is_every_fact() -> None:
    found = available(schema(facts="cik concept value", firms="cik"), facts=FACTS)
    assert [field.name for field in found.each] == [
        "facts.cik",
        "facts.concept",
        "facts.concept=Revenue",
        "facts.concept=it's = odd",
        "facts.value",
        "firms.cik",
    ]
    assert len(found) == 6
    assert found.tables == ("facts", "firms")


def test_keys_are_declared_or_called_so_or_name_the_entity() -> None:
    keys = (
        Key(kind="primary key", columns=("number",)),
        Key(kind="foreign key", columns=("port",), references="ports"),
        Key(kind="unique", columns=("title",)),
    )
    found = available(
        schema(keys, t="number port title id seat_ID paid CIK", u="cik grid"),
        entity_columns=["cik"],
    )
    kept = [field.name for field in found.without_keys().each]
    assert kept == ["t.title", "t.paid", "u.grid"]


def test_an_entity_reads_in_its_own_tables_alone() -> None:
    found = fields(One="a b", two="c")
    assert [field.name for field in found.within(["one"]).each] == ["One.a", "One.b"]
    assert found.within(None) is found


def test_a_call_reads_a_field_once_and_says_through_what() -> None:
    found = fields(t="a b", u="c")
    mine = reading([sql("t.a", "t.b"), python("u.c")], [sql("t.a", "gone.x", "?")], [sql()])
    assert [
        (r.turn, r.source, r.fields, r.is_followed, r.elsewhere) for r in readings(mine, found)
    ] == [
        (1, "sql", ("t.a", "t.b"), True, 0),
        (1, "python", ("u.c",), True, 0),
        (2, "sql", ("t.a",), False, 1),
        (3, "sql", (), True, 0),
    ]


def test_a_failed_query_and_a_look_at_the_schema_read_nothing() -> None:
    mine = reading([sql()], [("describe_table", "", ())])
    first = mine.turns[0].tool_results[0].model_copy(update={"is_error": True})
    broken = mine.turns[0].model_copy(update={"tool_results": (first,)})
    mine = mine.model_copy(update={"turns": (broken, mine.turns[1])})
    assert readings(mine, fields(t="a")) == []


def test_names_with_dots_and_signs_are_found_as_they_were_recorded() -> None:
    odd = 'my.table "x"', 'a.b=<script>\n"; DROP'
    made = available(
        schema().model_copy(
            update={"tables": (schema(t="a").tables[0].model_copy(update={"name": odd[0]}),)}
        )
    )
    (table,) = made.tables
    assert table == odd[0]
    assert f"{odd[0]}.a" in made
    (read,) = readings(reading([sql(f"{odd[0]}.a")]), made)
    assert read.fields == (f"{odd[0]}.a",)


def test_two_fields_that_are_recorded_alike_count_as_one() -> None:
    tables = (
        schema(t="c").tables[0].model_copy(update={"name": "a.b"}),
        schema(a="c").tables[0],
    )
    made = available(schema().model_copy(update={"tables": tables}))
    assert [field.name for field in made.each] == ["a.b.c", "a.c"]
    assert len(made) == 2


def test_an_entitys_own_tables_go_by_their_plain_names_and_count_as_the_wholes() -> None:
    made = fields(**{"north.beds": "id size", "south.beds": "id size", "staff": "name"})
    own = made.within(["north.beds", "staff"])
    assert len(own) == 3
    (read,) = readings(reading([sql("beds.size", "staff.name", "north.beds.id", "wards.x")]), own)
    assert read.fields == ("north.beds.size", "staff.name", "north.beds.id")
    assert read.elsewhere == 1
    # Who explores the whole has to say which one.
    (whole,) = readings(reading([sql("beds.size", "south.beds.size")]), made)
    assert (whole.fields, whole.elsewhere) == (("south.beds.size",), 1)
    assert [f.name for f in own.without_keys().recorded.values() if f.table == "north.beds"] == [
        "north.beds.size",
        "north.beds.size",
    ]
