"""Every value that a record can hold comes out of each form of file: long integers, no numbers, odd texts."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import duckdb
import pytest

from analysis.table import Cell, Column, Kind, Table, table
from core.errors import StoreError
from server import table_writers
from server.files_out import csv_bytes, parquet_bytes, put, write
from server.table_writers import TABLES, TableFile, TableForm

NAN, ENDLESS = float("nan"), float("inf")
LONGEST, TOO_LONG = 2**63 - 1, 2**63
BEYOND_NUMBERS = 10**400


def column_of(path: Path) -> tuple[str, list[Any]]:
    """The type and the cells of a Parquet file's only column."""
    with duckdb.connect() as database:
        ((_, kind, *_),) = database.execute(f"DESCRIBE FROM '{path}'").fetchall()
        return kind, [cell for (cell,) in database.execute(f"FROM '{path}'").fetchall()]


def parquet(place: Path, kind: Kind, *batches: list[Cell]) -> tuple[str, list[Any]]:
    """A column as it comes back from a file that was written in these batches."""
    path = place / "t.parquet"
    with TableFile(path, "parquet", (Column("x", kind),)) as file:
        for cells in batches:
            file.add([(cell,) for cell in cells])
    return column_of(path)


def test_the_longest_integers_of_the_format_stay_integers(tmp_path: Path) -> None:
    found = parquet(tmp_path, "integer", [LONGEST, -TOO_LONG, 0, None])
    assert found == ("BIGINT", [LONGEST, -TOO_LONG, 0, None])


@pytest.mark.parametrize("long", [TOO_LONG, -TOO_LONG - 1, 2**70])
def test_a_longer_integer_makes_its_column_one_of_numbers(tmp_path: Path, long: int) -> None:
    assert parquet(tmp_path, "integer", [7, None, long]) == ("DOUBLE", [7.0, None, float(long)])


def test_rows_that_were_written_before_the_long_one_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_writers, "_BATCH", 2)
    found = parquet(tmp_path, "integer", [1, 2, 3], [None, 2**65, 4], [2**66, 5])
    assert found == ("DOUBLE", [1.0, 2.0, 3.0, None, float(2**65), 4.0, float(2**66), 5.0])


def test_only_the_column_with_the_long_integer_changes(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    columns = (Column("a", "integer"), Column("b", "integer"), Column("is_it", "truth"))
    with TableFile(path, "parquet", columns) as file:
        file.add([(1, TOO_LONG, True), (2, 3, False)])
    with duckdb.connect() as database:
        kinds = [each[1] for each in database.execute(f"DESCRIBE FROM '{path}'").fetchall()]
        found = database.execute(f"FROM '{path}'").fetchall()
    assert kinds == ["BIGINT", "DOUBLE", "BOOLEAN"]
    assert found == [(1, float(TOO_LONG), True), (2, 3.0, False)]


@pytest.mark.parametrize("kind", ["integer", "number"])
def test_an_integer_beyond_all_numbers_is_unknown_and_not_endless(
    tmp_path: Path, kind: Kind
) -> None:
    _, cells = parquet(tmp_path, kind, [BEYOND_NUMBERS, -BEYOND_NUMBERS, 1])
    assert cells == [None, None, 1]


def test_numbers_keep_their_last_digit(tmp_path: Path) -> None:
    told = [0.1, 5e-324, 1.7976931348623157e308, -2.5, 1 / 3, 3]
    assert parquet(tmp_path, "number", [*told]) == ("DOUBLE", told)


@pytest.mark.parametrize("cell", [NAN, ENDLESS, -ENDLESS])
def test_what_is_no_number_is_unknown_in_every_form(tmp_path: Path, cell: float) -> None:
    told = table("t", ("x",), [(0.5,), (cell,)])
    assert csv_bytes(told) == b'x\n0.5\n""\n'
    assert parquet(tmp_path, "number", [0.5, cell]) == ("DOUBLE", [0.5, None])
    write(tmp_path / "t.json", [told])
    assert json.loads((tmp_path / "t.json").read_text(), parse_constant=pytest.fail) == {
        "t": [{"x": 0.5}, {"x": None}]
    }


def test_json_and_csv_keep_every_digit_of_an_integer(tmp_path: Path) -> None:
    told = table("t", ("x",), [(2**70,), (-TOO_LONG,)])
    assert csv_bytes(told).decode() == f"x\n{2**70}\n{-TOO_LONG}\n"
    (path,) = write(tmp_path / "t.json", [told])
    assert json.loads(path.read_text())["t"] == [{"x": 2**70}, {"x": -TOO_LONG}]


WORDS = (
    "NULL",
    "None",
    "nan",
    "true",
    "1",
    " x ",
    "ä",
    "\U0001f6eb",
    "a\x00b",
    "\u202eabc",
    "'",
    '"',
)


@pytest.mark.parametrize("word", WORDS)
def test_a_text_that_looks_like_something_else_stays_a_text(tmp_path: Path, word: str) -> None:
    assert parquet(tmp_path, "text", [word, None, ""]) == ("VARCHAR", [word, None, ""])
    for form in ("csv", "json"):
        with TableFile(tmp_path / f"t.{form}", form, (Column("x", "text"),)) as file:
            file.add([(word,)])
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as lines:
        assert list(csv.reader(lines)) == [["x"], [word]]
    assert json.loads((tmp_path / "t.json").read_text("utf-8")) == [{"x": word}]


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_each_beginning_of_a_formula_is_disarmed_once(first: str) -> None:
    told = table("t", ("x", "n"), [(f"{first}1", -1), (f"a{first}", None), (f"'{first}", 2)])
    found = list(csv.reader(io.StringIO(csv_bytes(told).decode(), newline="")))
    assert found[1:] == [[f"'{first}1", "-1"], [f"a{first}", ""], [f"'{first}", "2"]]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\n\r", "\u2028", "\x0b"])
def test_no_end_of_a_line_within_a_text_begins_a_row(end: str) -> None:
    """Else what stands behind it would be a row of its own, whose first cell may be a formula."""
    text = f"a{end}=1+1,2{end}"
    raw = csv_bytes(table("t", ("x", "y"), [(text, end), (None, "z")])).decode()
    found = list(csv.reader(io.StringIO(raw, newline="")))
    harmless = f"'{end}" if end[0] == "\r" else end
    assert found == [["x", "y"], [text, harmless], ["", "z"]]
    assert raw.endswith("\n,z\n")


def test_parquet_and_json_hold_texts_as_they_are(tmp_path: Path) -> None:
    # Only a spreadsheet that opens a CSV runs a formula.
    assert parquet(tmp_path, "text", ["=1+1"]) == ("VARCHAR", ["=1+1"])
    (path,) = write(tmp_path / "t.json", [table("t", ("x",), [("=1+1",)])])
    assert json.loads(path.read_text())["t"] == [{"x": "=1+1"}]


def test_half_a_surrogate_pair_stops_no_form(tmp_path: Path) -> None:
    told = "a\ud800b"
    assert parquet(tmp_path, "text", [told]) == ("VARCHAR", ["a?b"])
    for form in ("csv", "json"):
        with TableFile(tmp_path / f"t.{form}", form, (Column("x", "text"),)) as file:
            file.add([(told,)])
        assert "a?b" in (tmp_path / f"t.{form}").read_text("utf-8")
    (path,) = write(tmp_path / "all.json", [table("t", ("x",), [(told,)])])
    assert json.loads(path.read_text("utf-8"))["t"] == [{"x": "a?b"}]


def test_values_of_mixed_kinds_are_texts(tmp_path: Path) -> None:
    made = table("t", ("x",), [(True,), (1,), ("a",), (None,), (0.5,)])
    (tmp_path / "t.parquet").write_bytes(parquet_bytes(made))
    assert column_of(tmp_path / "t.parquet") == ("VARCHAR", ["True", "1", "a", None, "0.5"])


@pytest.mark.parametrize("name", ['a "b"', "select", "a,b", "ä", "x; DROP TABLE t", "it's"])
def test_a_columns_name_is_never_read_as_sql(tmp_path: Path, name: str) -> None:
    for form in TABLES:
        with TableFile(tmp_path / f"t.{form}", form, (Column(name, "integer"),)) as file:
            file.add([(TOO_LONG,)])
    with duckdb.connect() as database:
        asked = database.execute(f"DESCRIBE FROM '{tmp_path / 't.parquet'}'")
        assert [each[0] for each in asked.fetchall()] == [name]
    assert json.loads((tmp_path / "t.json").read_text("utf-8")) == [{name: TOO_LONG}]
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as lines:
        assert next(csv.reader(lines)) == [name]


@pytest.mark.parametrize("form", TABLES)
def test_a_folder_in_a_files_place_is_said_and_nothing_stays_beside_it(
    tmp_path: Path, form: TableForm
) -> None:
    path = tmp_path / f"t.{form}"
    path.mkdir()
    with (
        pytest.raises(StoreError, match=r"cannot be written: Is a directory; give another --out"),
        TableFile(path, form, (Column("x", "text"),)) as file,
    ):
        file.add([("a",)])
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    with pytest.raises(StoreError, match="cannot be written"):
        put(path, b"")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device without room")
@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_disk_without_room_is_an_error_of_the_store(tmp_path: Path, form: TableForm) -> None:
    path = tmp_path / f"t.{form}"
    (tmp_path / f".{path.name}.{os.getpid()}").symlink_to("/dev/full")
    with (
        pytest.raises(StoreError, match="No space left on device"),
        TableFile(path, form, (Column("x", "text"),)) as file,
    ):
        for _ in range(100):
            file.add([("x" * 1000,)] * 10)
    assert list(tmp_path.iterdir()) == []


def test_a_table_in_no_batch_has_the_types_that_were_named(tmp_path: Path) -> None:
    for kind, told in (("text", "VARCHAR"), ("integer", "BIGINT"), ("number", "DOUBLE")):
        assert parquet(tmp_path, kind, []) == (told, [])  # type: ignore[arg-type]
    assert parquet(tmp_path, "truth", [], [True, None]) == ("BOOLEAN", [True, None])


def test_several_tables_in_one_form_are_files_of_their_own(tmp_path: Path) -> None:
    tables = [Table("a", ("x",), ((1,),)), Table("b", ("y",), ())]
    for form in ("csv", "parquet"):
        paths = write(tmp_path / f"deep/er/out.v1.{form}", tables)
        assert [path.name for path in paths] == [f"out.v1-a.{form}", f"out.v1-b.{form}"]
        assert all(path.is_file() for path in paths)
    assert write(tmp_path / "OUT.CSV", tables[:1]) == [tmp_path / "OUT.CSV"]
    assert (tmp_path / "OUT.CSV").read_text() == "x\n1\n"
    (one,) = write(tmp_path / "all.json", tables)
    assert json.loads(one.read_text()) == {"a": [{"x": 1}], "b": []}
