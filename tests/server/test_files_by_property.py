"""Any table comes back out of any file as it went in: CSV, JSON, Parquet, whatever its cells hold."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.table import Cell, Column, Table, kind_of, table
from core.errors import StoreError, UsageError
from server.files_out import SUFFIXES, check, csv_bytes, parquet_bytes, put, write
from server.table_writers import TABLES, TableFile, is_endless, rows_to

_TEXT = st.text(max_size=12)
_WHOLE = st.integers(-(2**63) + 1, 2**63 - 1)
_REAL = st.floats(allow_nan=True, allow_infinity=True)
_COLUMNS = {"text": _TEXT, "integer": _WHOLE, "number": _REAL, "truth": st.booleans()}


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Of one to four columns, each of one kind with unknown cells in it."""
    kinds = draw(st.lists(st.sampled_from(sorted(_COLUMNS)), min_size=1, max_size=4))
    count = draw(st.integers(0, 5))
    columns = [
        draw(st.lists(st.none() | _COLUMNS[kind], min_size=count, max_size=count)) for kind in kinds
    ]
    rows = list(zip(*columns, strict=True)) if count else []
    return table("t", [f"{kind}_{n}" for n, kind in enumerate(kinds)], rows)


def as_read(text: str, cell: Cell) -> bool:
    """Whether a cell of a CSV holds what a table holds."""
    if cell is None or is_endless(cell):
        return text == ""
    if isinstance(cell, bool):
        return text == str(cell)
    if isinstance(cell, (int, float)):
        return type(cell)(text) == cell
    return text in (cell, f"'{cell}")


@given(tables())
def test_a_csv_holds_every_cell_and_no_formula(made: Table) -> None:
    text = csv_bytes(made).decode("utf-8")
    head, *rows = list(csv.reader(io.StringIO(text, newline="")))
    assert head == list(made.columns)
    # A single empty cell is a line that csv writes as "" and reads back as one cell.
    assert len(rows) == len(made.rows)
    for read, row in zip(rows, made.rows, strict=True):
        assert all(as_read(text, cell) for text, cell in zip(read, row, strict=True))
        for text, cell in zip(read, row, strict=True):
            if isinstance(cell, str):
                assert not text.startswith(("=", "+", "-", "@", "\t", "\r"))


@settings(max_examples=25)
@given(tables())
def test_parquet_holds_every_cell_in_its_type(made: Table) -> None:
    with duckdb.connect() as database, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "t.parquet"
        file.write_bytes(parquet_bytes(made))
        read = database.execute(f"FROM '{file}'").fetchall()
        kinds = [each[1] for each in database.execute(f"DESCRIBE FROM '{file}'").fetchall()]
    expected = [tuple(None if is_endless(cell) else cell for cell in row) for row in made.rows]
    names = {"text": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "truth": "BOOLEAN"}
    assert kinds == [names[kind] for kind in made.kinds]
    for one, other, kind in zip(
        zip(*read, strict=True), zip(*expected, strict=True), made.kinds, strict=False
    ):
        if kind == "text":
            assert list(one) == [None if cell is None else str(cell) for cell in other]
        else:
            assert list(one) == list(other)
    assert len(read) == len(expected)


@given(tables())
def test_json_by_rows_is_strict_and_whole(made: Table) -> None:
    buffer = io.BytesIO()
    columns = [Column(*each) for each in zip(made.columns, made.kinds, strict=True)]
    rows = rows_to(buffer, "json", columns)
    for row in made.rows:
        rows.add([row])
    rows.close()
    found = json.loads(buffer.getvalue(), parse_constant=pytest.fail)
    assert found == [
        dict(zip(made.columns, [None if is_endless(c) else c for c in row], strict=True))
        for row in made.rows
    ]


@given(st.lists(st.none() | _TEXT | _WHOLE | _REAL | st.booleans(), max_size=6))
def test_a_columns_kind_holds_every_cell_of_it(cells: list[Cell]) -> None:
    kind = kind_of(cells)
    known = [cell for cell in cells if cell is not None]
    if kind == "truth":
        assert known and all(isinstance(cell, bool) for cell in known)
    elif kind == "integer":
        assert known and all(type(cell) is int for cell in known)
    elif kind == "number":
        assert known and all(type(cell) in (int, float) for cell in known)
    assert kind_of(cells[::-1]) == kind
    assert kind_of([*cells, None]) == kind


@pytest.mark.parametrize(
    "cells", [[10**400, 1.5], [10**400], [2**63, 1], [-(2**63), 0], [1e308, -1e308, 5e-324]]
)
def test_huge_numbers_are_written_in_every_form(cells: Sequence[Cell], tmp_path: Path) -> None:
    made = table("t", ["a"], [[cell] for cell in cells])
    for form in TABLES:
        (path,) = write(tmp_path / f"t.{form}", [made])
        assert path.stat().st_size > 0
    read = json.loads((tmp_path / "t.json").read_text(), parse_constant=pytest.fail)
    assert [row["a"] for row in read["t"]] == list(cells)
    with duckdb.connect() as database:
        kept = database.execute(f"FROM '{tmp_path}/t.parquet'").fetchall()
    assert len(kept) == len(cells)
    for (one,), cell in zip(kept, cells, strict=True):
        assert one is None or isfinite(one)
        if isinstance(cell, float):
            assert one == cell


def test_several_tables_have_a_file_each_and_one_keeps_the_name_that_was_asked_for(
    tmp_path: Path,
) -> None:
    one, two = table("one", ["a"], [[1]]), table("two", ["b"], [["x"]])
    assert [p.name for p in write(tmp_path / "f.csv", [one])] == ["f.csv"]
    assert [p.name for p in write(tmp_path / "f.CSV", [one, two])] == ["f-one.csv", "f-two.csv"]
    assert [p.name for p in write(tmp_path / "f.json", [one, two])] == ["f.json"]
    assert [p.name for p in write(tmp_path / "a.b.parquet", [one, two])] == [
        "a.b-one.parquet",
        "a.b-two.parquet",
    ]


def test_a_figure_is_drawn_in_the_form_of_its_suffix(tmp_path: Path) -> None:
    asked: list[str] = []

    def draw(form: str) -> bytes:
        asked.append(form)
        return form.encode()

    for name in ("f.svg", "f.PNG"):
        (path,) = write(tmp_path / name, [], draw)
        assert path.read_bytes() == path.suffix.lower()[1:].encode()
    assert asked == ["svg", "png"]


def test_a_folder_that_is_not_there_is_made_and_an_older_file_is_replaced_whole(
    tmp_path: Path,
) -> None:
    path = tmp_path / "new" / "er" / "f.csv"
    put(path, b"long and old")
    put(path, b"new")
    assert path.read_bytes() == b"new"
    assert [each.name for each in path.parent.iterdir()] == ["f.csv"]


def test_a_folder_in_the_files_place_is_told_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    (tmp_path / "f.csv").mkdir()
    with pytest.raises(StoreError, match=r"f\.csv cannot be written.*give another --out"):
        put(tmp_path / "f.csv", b"x")
    with (
        pytest.raises(StoreError, match="cannot be written"),
        TableFile(tmp_path / "f.csv", "csv", [Column("a", "integer")]) as file,
    ):
        file.add([[1]])
    assert [each.name for each in tmp_path.iterdir()] == ["f.csv"]


def test_only_what_can_be_made_passes_the_check(tmp_path: Path) -> None:
    check([tmp_path / f"f.{suffix}" for suffix in SUFFIXES])
    check([tmp_path / f"f.{suffix.upper()}" for suffix in SUFFIXES])
    for suffix in ("svg", "png", "xls", ""):
        with pytest.raises(UsageError, match=r"known: \.csv, \.json, \.parquet$"):
            check([tmp_path / f"f.{suffix}"], draws=False)


def test_names_of_columns_may_hold_quotes_and_blanks(tmp_path: Path) -> None:
    made = table("t", ['a "b"', "c d", "=e"], [[1, "x", None]])
    for form in TABLES:
        write(tmp_path / f"t.{form}", [made])
    with duckdb.connect() as database:
        told = database.execute(f"DESCRIBE FROM '{tmp_path}/t.parquet'").fetchall()
    assert [each[0] for each in told] == list(made.columns)
    assert list(json.loads((tmp_path / "t.json").read_text())["t"][0]) == list(made.columns)
