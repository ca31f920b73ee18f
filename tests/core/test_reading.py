"""Text and JSON from anywhere: bounded, strict, and with the place of the first fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ChecklistError, ScenarioError
from core.reading import kind_of, read_json, read_text

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("json")


@given(value=values)
def test_what_was_written_is_read(folder: Path, value: Any) -> None:
    path = folder / "x.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert read_json(path, error=ChecklistError) == value


def test_a_mark_of_byte_order_is_no_part_of_the_text(folder: Path) -> None:
    path = folder / "bom.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert read_json(path, error=ChecklistError) == {"a": 1}


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"", "not JSON at line 1, column 1"),
        (b'{"a": 1,\n "b": }', "not JSON at line 2, column 7"),
        (b'{"a": 1, "a": 2}', "the key 'a' stands twice in one object"),
        (b'[{"x": {"b": 1, "c": 2, "b": 3}}]', "the key 'b' stands twice"),
        (b"[Infinity]", "Infinity is not a number"),
        (b"[-Infinity]", "-Infinity is not a number"),
        (b"[NaN]", "NaN is not a number"),
        (b'"caf\xe9"', "line 1: not UTF-8 (byte 0xe9)"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": 1} x', "not JSON at line 1, column 10"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(folder: Path, raw: bytes, fault: str) -> None:
    path = folder / "broken.json"
    path.write_bytes(raw)
    with pytest.raises(ChecklistError, match=r"^broken\.json: ") as failed:
        read_json(path, error=ChecklistError)
    assert fault in str(failed.value)


def test_a_file_that_is_too_large_is_not_read(folder: Path) -> None:
    path = folder / "large.json"
    path.write_text("[1, 2, 3]", encoding="utf-8")
    assert read_json(path, error=ChecklistError, largest=9) == [1, 2, 3]
    with pytest.raises(ChecklistError, match=r"large\.json: more than the 8 bytes"):
        read_json(path, error=ChecklistError, largest=8)


def test_a_device_that_never_ends_is_not_read_through() -> None:
    with pytest.raises(ChecklistError, match="zero: more than the 1,000 bytes"):
        read_text(Path("/dev/zero"), error=ChecklistError, largest=1000)


def test_the_fault_is_of_the_boundary_and_names_the_file_as_it_is_told(folder: Path) -> None:
    path = folder / "x.csv"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\nc\xe9")
    with pytest.raises(ScenarioError, match=r"^their/x\.csv: line 3: not UTF-8 \(byte 0xe9\)"):
        read_text(path, error=ScenarioError, shown="their/x.csv")
    path.write_bytes(b"\xef\xbb\xbfa\r\nb")
    assert read_text(path, error=ScenarioError) == "a\r\nb"


def test_what_other_programs_write_is_read_where_strictness_is_not_asked_for(folder: Path) -> None:
    path = folder / "loose.json"
    path.write_text('{"a": 1, "a": 2, "b": Infinity}', encoding="utf-8")
    assert read_json(path, error=ChecklistError, strict=False) == {"a": 2, "b": float("inf")}


def test_a_file_that_is_not_there_and_a_folder_are_told(folder: Path) -> None:
    with pytest.raises(ChecklistError, match=r"no\.json cannot be read: No such file"):
        read_json(folder / "no.json", error=ChecklistError)
    with pytest.raises(ChecklistError, match="cannot be read: Is a directory"):
        read_json(folder, error=ChecklistError)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({}, "an object"),
        ([], "a list"),
        ("", "a text"),
        (True, "true or false"),
        (None, "null"),
        (1.5, "a number"),
        (0, "a number"),
    ],
)
def test_values_are_called_as_in_json(value: Any, kind: str) -> None:
    assert kind_of(value) == kind
