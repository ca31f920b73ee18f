"""A perturbed copy keeps all but the one relation that a fact rests on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checklists.perturb import KINDS, Copy, Perturbation, copy_of
from core.errors import ChecklistError, UnknownNameError
from core.sql import quote
from databases.connection import open_readonly
from tests.checklists.small import SHOPS, small, small_file

EACH_KIND = (
    "outcome: sales(price, late)",
    "time: sales(day)",
    "join: sales(good)",
    "entities: sales(shop)",
)


def rows(copy: Copy | duckdb.DuckDBPyConnection, columns: str = "*") -> list[tuple[Any, ...]]:
    cursor = copy.cursor if isinstance(copy, Copy) else copy
    return cursor.execute(f"SELECT {columns} FROM sales").fetchall()


def disordered(text: str, seed: int = 0, columns: str = "*") -> list[tuple[Any, ...]]:
    with copy_of(small()) as copy:
        copy.disorder(Perturbation.parse(text), seed)
        return rows(copy, columns)


@pytest.mark.parametrize("text", EACH_KIND)
def test_names_types_and_row_counts_stay(text: str) -> None:
    connection = small()
    with copy_of(connection) as copy:
        copy.disorder(Perturbation.parse(text), 1)
        for table in ("sales", "goods", "shops"):
            described = f"SELECT column_name, column_type FROM (DESCRIBE {table})"
            counted = f"SELECT count(*) FROM {table}"
            for sql in (described, counted):
                assert copy.cursor.execute(sql).fetchall() == connection.execute(sql).fetchall()


@pytest.mark.parametrize("text", EACH_KIND)
def test_the_same_seed_gives_the_same_copy_and_another_seed_another(text: str) -> None:
    assert disordered(text, 3) == disordered(text, 3)
    assert disordered(text, 3) != disordered(text, 4)


@pytest.mark.parametrize("text", EACH_KIND[:3])
def test_dealing_keeps_the_values_and_moves_them(text: str) -> None:
    columns = text[text.index("(") + 1 : -1]
    before, after = rows(small(), columns), disordered(text, columns=columns)
    assert Counter(after) == Counter(before)
    assert after != before


@pytest.mark.parametrize("text", EACH_KIND)
def test_the_columns_that_are_not_named_stay_row_by_row(text: str) -> None:
    moved = text[text.index("(") + 1 : -1].split(", ")
    kept = ", ".join(c for c in ("day", "shop", "good", "price", "late") if c not in moved)
    assert disordered(text, columns=kept) == rows(small(), kept)


def test_columns_that_are_named_together_stay_together() -> None:
    pairs = set(rows(small(), "good, price"))
    assert set(disordered("outcome: sales(good, price)", columns="good, price")) == pairs
    apart = set(disordered("outcome: sales(price)", columns="good, price"))
    assert not apart <= pairs


def test_redistribution_changes_every_entitys_count_which_permuting_would_not() -> None:
    before = Counter(rows(small(), "shop"))
    assert Counter(disordered("outcome: sales(shop)", columns="shop")) == before
    after = Counter(disordered("entities: sales(shop)", columns="shop"))
    assert {shop for (shop,) in after} <= set(SHOPS)
    assert all(abs(after[(shop,)] - before[(shop,)]) > 10 for shop in SHOPS)


def test_redistribution_gives_no_entity_the_same_share_under_every_seed() -> None:
    counts = [Counter(disordered("entities: sales(shop)", s, "shop"))[("south",)] for s in range(8)]
    assert max(counts) - min(counts) > 100


def test_the_source_is_untouched_and_the_copy_is_gone_afterwards() -> None:
    connection = small()
    before = rows(connection)
    with copy_of(connection) as copy:
        copy.disorder(Perturbation.parse(EACH_KIND[0]), 0)
        during = connection.execute("SELECT count(*) FROM duckdb_databases()").fetchone()
        assert rows(connection) == before
    after = connection.execute("SELECT count(*) FROM duckdb_databases()").fetchone()
    assert during is not None and after is not None and during[0] == after[0] + 1


def test_the_copy_is_gone_after_an_error_too() -> None:
    connection = small()
    with pytest.raises(RuntimeError), copy_of(connection):
        raise RuntimeError
    with copy_of(connection) as copy:
        assert len(rows(copy)) == 600
    names = connection.execute("SELECT database_name FROM duckdb_databases()").fetchall()
    assert not [name for (name,) in names if name.startswith("disorder")]


def test_a_second_disorder_starts_from_the_source_again() -> None:
    with copy_of(small()) as copy:
        copy.disorder(Perturbation.parse(EACH_KIND[0]), 0)
        copy.disorder(Perturbation.parse("join: goods(good)"), 0)
        assert rows(copy) == rows(small())
        assert copy.cursor.execute("SELECT good FROM goods").fetchall() != [(i,) for i in range(40)]


def test_a_file_opened_read_only_and_locked_is_disordered_all_the_same(tmp_path: Path) -> None:
    path = small_file(tmp_path / "shops.duckdb")
    stamp = path.stat()
    with open_readonly(path) as connection, copy_of(connection) as copy:
        copy.disorder(Perturbation.parse(EACH_KIND[0]), 5)
        assert rows(copy) == disordered(EACH_KIND[0], 5)
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (stamp.st_size, stamp.st_mtime_ns)
    assert [found.name for found in tmp_path.iterdir()] == ["shops.duckdb"]


def test_a_perturbation_is_read_and_written_in_one_form() -> None:
    for text in EACH_KIND:
        assert str(Perturbation.parse(text)) == text
    parsed = Perturbation.parse("outcome: sales(price, late)")
    assert (parsed.kind, parsed.table, parsed.columns) == ("outcome", "sales", ("price", "late"))


@pytest.mark.parametrize(
    "text", ["outcome", "outcome sales(price)", "outcome: sales()", "", "a: b(c"]
)
def test_an_unreadable_perturbation_says_how_it_is_written(text: str) -> None:
    with pytest.raises(ChecklistError, match=r"it is written 'kind: table\(column, \.\.\.\)'"):
        Perturbation.parse(text)


def test_an_unknown_kind_lists_the_kinds() -> None:
    with pytest.raises(UnknownNameError, match=", ".join(sorted(KINDS))):
        Perturbation.parse("shuffle: sales(price)")


def test_redistribution_takes_one_entity_column() -> None:
    with pytest.raises(ChecklistError, match="must name the one entity column"):
        Perturbation.parse("entities: sales(shop, day)")


def test_an_unknown_table_or_column_lists_those_that_exist() -> None:
    with copy_of(small()) as copy:
        with pytest.raises(UnknownNameError, match=r"table 'sails'.*did you mean 'sales'"):
            copy.disorder(Perturbation.parse("outcome: sails(price)"), 0)
        with pytest.raises(UnknownNameError, match="column of sales 'cost'; known: day, good"):
            copy.disorder(Perturbation.parse("outcome: sales(cost)"), 0)
        assert rows(copy) == rows(small())


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.one_of(st.none(), st.text("ab'\"", max_size=3)))),
    st.integers(0, 2**31),
)
def test_any_table_can_be_dealt_without_loss(
    content: list[tuple[int, str | None]], seed: int
) -> None:
    with duckdb.connect(":memory:") as connection:
        connection.execute('CREATE TABLE "odd name" (k INTEGER, "a b" VARCHAR)')
        connection.execute("CREATE TABLE t (k INTEGER, v VARCHAR)")
        if content:
            connection.executemany("INSERT INTO t VALUES (?, ?)", content)
        with copy_of(connection) as copy:
            copy.disorder(Perturbation.parse("outcome: t(v)"), seed)
            dealt = copy.cursor.execute("SELECT k, v FROM t").fetchall()
            copy.disorder(Perturbation.parse("entities: t(k)"), seed)
            drawn = copy.cursor.execute("SELECT k, v FROM t").fetchall()
    assert [k for k, _ in dealt] == [k for k, _ in content]
    assert Counter(v for _, v in dealt) == Counter(v for _, v in content)
    assert [v for _, v in drawn] == [v for _, v in content]
    assert {k for k, _ in drawn} <= {k for k, _ in content}


def resampled(seed: int, columns: set[str] | None = None) -> Counter[tuple[Any, ...]]:
    connection = small()
    # The days alone do not tell the rows apart.
    connection.execute("ALTER TABLE sales ADD COLUMN number INTEGER")
    connection.execute("UPDATE sales SET number = rowid")
    with copy_of(connection) as copy:
        copy.resample("sales", seed, columns)
        return Counter(rows(copy))


def test_a_resampled_row_comes_once_on_average_and_now_and_then_not_at_all_or_often() -> None:
    times: Counter[int] = Counter()
    for seed in range(20):
        found = resampled(seed, {"number"})
        times.update(found.values())
        times[0] += 600 - len(found)
    whole = times.total()
    assert sum(number * count for number, count in times.items()) / whole == pytest.approx(
        1, abs=0.03
    )
    for number, share in ((0, 0.368), (1, 0.368), (2, 0.184), (3, 0.061)):
        assert times[number] / whole == pytest.approx(share, abs=0.02)
    assert max(times) >= 5


def test_the_same_seed_draws_the_same_rows_whatever_is_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = resampled(3)
    assert drawn == resampled(3) and drawn != resampled(4)
    numbers = Counter({(row[-1],): count for row, count in drawn.items()})
    assert resampled(3, {"number"}) == numbers
    monkeypatch.setattr("checklists.perturb._COPIED", 0)
    assert resampled(3) == drawn, "a large table is seen through to the source"


def test_copies_follow_on_one_another_and_leave_no_trace() -> None:
    connection = small()
    before = connection.execute("SELECT * FROM sales ORDER BY ALL").fetchall()
    with copy_of(connection) as copy:
        copy.resample("sales", 1)
        copy.disorder(Perturbation.parse("outcome: goods(weight)"), 1)
        assert copy.cursor.execute("SELECT * FROM sales ORDER BY ALL").fetchall() == before
        copy.resample("goods", 2)
        copy.resample("sales", 2)
        assert copy.cursor.execute("SELECT count(*), sum(weight) FROM goods").fetchall() == (
            connection.execute("SELECT count(*), sum(weight) FROM goods").fetchall()
        )
        with pytest.raises(UnknownNameError, match="unknown table 'sails'"):
            copy.resample("sails", 1)


def test_of_a_disordered_table_only_what_is_asked_for_is_copied() -> None:
    with copy_of(small()) as copy:
        copy.disorder(Perturbation.parse("outcome: sales(price)"), 1, {"shop"})
        assert [column[0] for column in copy.cursor.execute("DESCRIBE sales").fetchall()] == [
            "shop",
            "price",
        ]


def test_a_table_and_a_column_may_have_any_name_beside_those_that_are_disordered() -> None:
    table, column = 'he said "no"', 'a "b'
    connection = small()
    connection.execute(f"CREATE TABLE {quote(table)} AS SELECT 1 AS {quote(column)}")
    with copy_of(connection) as copy:
        copy.disorder(Perturbation.parse("outcome: sales(price)"), 1)
        copy.resample(table, 1)
        found = copy.cursor.execute(f"SELECT * FROM {quote(table)} LIMIT 0").description
        assert found is not None
        assert found[0][0] == column
