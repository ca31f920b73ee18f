"""A broken CSV file is told by file and line, and none of its cells stand in the error."""

from __future__ import annotations

import gzip
from pathlib import Path

import duckdb
import pytest

from core.errors import ScenarioError
from databases.own.csv_file import header_of, line_of, load_csv

HEAD = b"id,name\n"
ROWS = b"".join(b"%d,n%d\n" % (n, n) for n in range(3000))


def loaded(path: Path, encoding: str = "utf-8") -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        load_csv(connection, path, "t", workspace=path.parent, encoding=encoding)
        return connection.execute("SELECT * FROM t").fetchall()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("empty.csv", b"", "line 1: there are no column names"),
        ("twice.csv", b"id,Name,name\n1,2,3\n", "line 1, column 2: the name 'Name' is there twice"),
        ("bare.csv", b"id,,x\n1,2,3\n", "line 1: column 2 has no name"),
        ("few.csv", HEAD + ROWS + b"7\n" + ROWS, "line 3002: 1 cells, where the header has 2"),
        ("many.csv", HEAD + ROWS + b"7,8,9\n", "line 3002: 3 cells, where the header has 2"),
        ("open.csv", HEAD + ROWS + b'7,"open\n' + ROWS, "line 3002: a quoted cell does not end"),
        ("behind.csv", HEAD + ROWS + b'7,"a"b\n', "line 3002: a quoted cell does not end"),
        ("latin.csv", HEAD + ROWS + b"7,M\xfcller\n", "line 3002: not utf-8; say which encoding"),
        ("latin-head.csv", b"id,M\xfcller\n1,2\n", "line 1, byte 5: not utf-8"),
        ("cut.csv.gz", gzip.compress(HEAD + ROWS, mtime=0)[:3000], "it ends early"),
        ("gz-in-name.csv.gz", b"\x1f\x8b\x00", "cannot be read"),
        (
            "damaged.csv.gz",
            gzip.compress(HEAD + ROWS, mtime=0)[:12] + b"\xff" * 40,
            "cannot be read",
        ),
    ],
)
def test_what_is_broken_has_its_file_and_line(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ScenarioError) as caught:
        loaded(path)
    assert f"{path}: {said}" in str(caught.value)
    assert "ller" not in str(caught.value)


def test_latin_1_is_read_where_it_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes(HEAD + "7,Müller\n".encode("latin-1"))
    assert loaded(path, "latin-1") == [("7", "Müller")]
    with pytest.raises(ScenarioError, match="known: utf-8, latin-1, utf-16"):
        loaded(path, "klingon")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_usual_delimiter_quotes_and_a_mark_of_byte_order_are_understood(
    tmp_path: Path, delimiter: str
) -> None:
    path = tmp_path / "it's [odd] *.csv"
    rows = [["id", "a, b; c"], ["1", '"say ""x"", now"'], ["", '""']]
    text = "\n".join(delimiter.join([a, f'"{b}"' if b[0] != '"' else b]) for a, b in rows)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\n")
    assert header_of(path) == (delimiter, ["id", "a, b; c"])
    assert loaded(path) == [("1", 'say "x", now'), (None, None)]


def test_a_row_is_found_by_its_line_where_cells_hold_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "broken-lines.csv"
    path.write_text('id,name\n1,"a\nb\nc"\n2,x\n', "utf-8")
    assert [line_of(path, row) for row in (1, 2)] == [2, 5]


def test_utf_16_without_its_mark_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bare.csv"
    path.write_bytes(HEAD.decode().encode("utf-16-le"))
    with pytest.raises(ScenarioError, match="line 1: not utf-16; say which encoding"):
        header_of(path, "utf-16")
