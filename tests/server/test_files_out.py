"""Tables come out of files as they went in, and nothing in a CSV is a formula."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import duckdb
import pytest

from analysis.table import Table, table
from core.errors import StoreError, UsageError
from server.files_out import check, write

POINTS = table(
    "points",
    ("competitor", "x", "value", "n"),
    [("a, 'b'", 1, 0.25, 3), ("=1+1", 2, None, 3), ("Ω", 3, float("nan"), 4)],
)
ENDS = table("ends", ("competitor", "at"), [("a", 30)])


def test_a_csv_keeps_values_and_disarms_what_a_spreadsheet_would_run(tmp_path: Path) -> None:
    (path,) = write(tmp_path / "out.csv", [POINTS])
    assert path == tmp_path / "out.csv"
    rows = list(csv.reader(path.open(encoding="utf-8", newline="")))
    assert rows == [
        ["competitor", "x", "value", "n"],
        ["a, 'b'", "1", "0.25", "3"],
        ["'=1+1", "2", "", "3"],
        ["Ω", "3", "", "4"],
    ]


def test_json_holds_all_tables_strictly(tmp_path: Path) -> None:
    (path,) = write(tmp_path / "out.json", [POINTS, ENDS])
    found = json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)
    assert found["ends"] == [{"competitor": "a", "at": 30}]
    assert [row["value"] for row in found["points"]] == [0.25, None, None]


def test_parquet_keeps_types(tmp_path: Path) -> None:
    paths = write(tmp_path / "out.parquet", [POINTS, ENDS])
    assert [path.name for path in paths] == ["out-points.parquet", "out-ends.parquet"]
    with duckdb.connect() as database:
        kinds = database.execute(f"DESCRIBE FROM '{paths[0]}'").fetchall()
        found = database.execute(f"FROM '{paths[0]}'").fetchall()
    assert [each[1] for each in kinds] == ["VARCHAR", "BIGINT", "DOUBLE", "BIGINT"]
    assert found == [("a, 'b'", 1, 0.25, 3), ("=1+1", 2, None, 3), ("Ω", 3, None, 4)]


def test_what_cannot_be_written_is_said_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"known: \.csv, \.json, \.parquet, \.svg, \.png"):
        check([tmp_path / "out.xls"])
    with pytest.raises(UsageError, match="no figure here"):
        write(tmp_path / "out.svg", [POINTS])
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        write(tmp_path / "file" / "out.csv", [POINTS])


def test_a_row_of_another_length_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="2 cells for 1 columns"):
        Table("t", ("a",), ((1, 2),))
