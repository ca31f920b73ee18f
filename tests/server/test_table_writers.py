"""Long tables go to files in batches, with the types that their columns name, whole or not at all."""

from __future__ import annotations

import csv
import json
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from analysis.table import Cell, Column, Table, kind_of
from core.errors import StoreError
from server.files_out import parquet_bytes
from server.table_writers import TABLES, TableFile, TableForm

COLUMNS = (
    Column("id", "text"),
    Column("n", "integer"),
    Column("x", "number"),
    Column("is_it", "truth"),
    Column("nothing", "integer"),
)


def rows(count: int) -> list[tuple[Cell, ...]]:
    return [
        (f"r{i} \U0001f6eb \x00", i, i / 7 if i % 5 else None, i % 2 == 0, None)
        for i in range(count)
    ]


def test_parquet_of_several_batches_keeps_every_value_type_and_null(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    told = rows(45_001)
    with TableFile(path, "parquet", COLUMNS) as file:
        for start in range(0, len(told), 1_000):
            file.add(told[start : start + 1_000])
    assert file.rows == 45_001
    with duckdb.connect() as database:
        kinds = [each[1] for each in database.execute(f"DESCRIBE FROM '{path}'").fetchall()]
        assert database.execute(f"FROM '{path}'").fetchall() == told
    assert kinds == ["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "BIGINT"]
    assert [each.name for each in tmp_path.iterdir()] == ["t.parquet"]


def test_csv_and_json_come_out_as_they_went_in(tmp_path: Path) -> None:
    told: list[tuple[Cell, ...]] = [("=a\nb", 1, 0.5, True, None), ("\ud800", None, 2, None, 3)]
    with TableFile(tmp_path / "t.csv", "csv", COLUMNS) as file:
        file.add(told)
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as text:
        found = list(csv.reader(text))
    assert found[1:] == [["'=a\nb", "1", "0.5", "True", ""], ["?", "", "2", "", "3"]]
    with TableFile(tmp_path / "t.json", "json", COLUMNS) as file:
        file.add(told[:1])
        file.add([("b", 2, float("inf"), False, None)])
    records = json.loads((tmp_path / "t.json").read_text("utf-8"), parse_constant=pytest.fail)
    assert records == [
        {"id": "=a\nb", "n": 1, "x": 0.5, "is_it": True, "nothing": None},
        {"id": "b", "n": 2, "x": None, "is_it": False, "nothing": None},
    ]


@pytest.mark.parametrize("form", TABLES)
def test_a_table_without_rows_is_a_file_all_the_same(form: TableForm, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    with TableFile(path, form, COLUMNS):
        pass
    if form == "json":
        assert json.loads(path.read_text()) == []
        return
    with duckdb.connect() as database:
        assert database.execute(f"SELECT count(*) FROM '{path}'").fetchone() == (0,)
        assert [each[0] for each in database.execute(f"DESCRIBE FROM '{path}'").fetchall()] == [
            column.name for column in COLUMNS
        ]


@pytest.mark.parametrize("form", TABLES)
def test_where_something_goes_wrong_nothing_is_left(form: TableForm, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    path.write_text("older")
    with pytest.raises(RuntimeError), TableFile(path, form, COLUMNS) as file:
        file.add(rows(3))
        raise RuntimeError
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "older"


def test_a_place_that_is_none_is_said_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="give another --out"):
        TableFile(tmp_path / "file" / "t.csv", "csv", COLUMNS)


@pytest.fixture
def gathered_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary files are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@contextmanager
def no_file_over(size: int) -> Iterator[None]:
    """As on a disk that has no more room."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(("size", "count"), [(5_000, 1), (300_000, 15_000), (300_000, 45_000)])
def test_a_disk_that_is_full_is_said_in_a_line_with_the_way_out(
    tmp_path: Path, gathered_in: Path, size: int, count: int
) -> None:
    """It is full at the beginning, at the end, and in between."""
    out = tmp_path / "out"
    with (
        pytest.raises(StoreError, match=r"File too large; free space there, or set TMPDIR") as told,
        no_file_over(size),
        TableFile(out / "t.parquet", "parquet", COLUMNS) as file,
    ):
        file.add(rows(count))
    assert "\n" not in str(told.value)
    assert list(out.iterdir()) == list(gathered_in.iterdir()) == []


def test_a_full_disk_is_said_of_a_table_in_memory_too(gathered_in: Path) -> None:
    table = Table("t", ("id",), tuple(("x" * 50 + str(n),) for n in range(25_000)))
    with pytest.raises(StoreError, match="set TMPDIR"), no_file_over(300_000):
        parquet_bytes(table)
    assert parquet_bytes(table)


def test_a_place_for_temporary_files_that_is_none_is_said(
    tmp_path: Path, gathered_in: Path
) -> None:
    gathered_in.rmdir()
    with pytest.raises(StoreError, match=r"No such file or directory; .* set TMPDIR"):
        TableFile(tmp_path / "out" / "t.parquet", "parquet", COLUMNS)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_column_is_what_all_that_is_known_in_it_is() -> None:
    assert kind_of([None, 1, 2]) == "integer"
    assert kind_of([1, 2.5, None]) == "number"
    assert kind_of([True, None]) == "truth"
    assert kind_of([True, 1]) == "text"
    assert kind_of([None]) == "text"
    assert kind_of([2**63]) == "number"
