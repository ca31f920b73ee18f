"""JSON from anywhere: bounded, strict, and with the place of the first fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checklists import json_file
from checklists.json_file import kind_of, read_json
from core.errors import ChecklistError

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
    assert read_json(path) == value


def test_a_mark_of_byte_order_is_no_part_of_the_text(folder: Path) -> None:
    path = folder / "bom.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert read_json(path) == {"a": 1}


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
        (b'"caf\xe9"', "not UTF-8 at byte 4"),
        (b"[" * 100_000, "recursion"),
        (b'{"a": 1} x', "not JSON at line 1, column 10"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(folder: Path, raw: bytes, fault: str) -> None:
    path = folder / "broken.json"
    path.write_bytes(raw)
    with pytest.raises(ChecklistError, match=r"^broken\.json: ") as failed:
        read_json(path)
    assert fault in str(failed.value)


def test_a_file_that_is_too_large_is_not_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "large.json"
    path.write_text("[1, 2, 3]", encoding="utf-8")
    monkeypatch.setattr(json_file, "LARGEST", 8)
    with pytest.raises(ChecklistError, match=r"large\.json: 9 bytes are more than the 8"):
        read_json(path)


def test_a_file_that_is_not_there_and_a_folder_are_told(folder: Path) -> None:
    with pytest.raises(ChecklistError, match=r"no\.json cannot be read: No such file"):
        read_json(folder / "no.json")
    with pytest.raises(ChecklistError, match="cannot be read: Is a directory"):
        read_json(folder)


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
