"""Which companies are asked for: CIKs as they are written, or a file that lists them, read within bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import UsageError
from databases.filings import selection
from databases.filings.selection import selected


def test_a_list_may_be_typed_or_stand_in_a_file_of_either_kind(tmp_path: Path) -> None:
    plain, listed = tmp_path / "ciks.txt", tmp_path / "ciks.json"
    plain.write_bytes(b"\xef\xbb\xbfCIK0000320193\n1318605\n320193\n")
    listed.write_text('["0000320193", 1318605]', encoding="utf-8")
    for entities in ("320193, 1318605", str(plain), str(listed)):
        assert selected(entities) == ("320193", "1318605")
    assert selected("official", str(listed)) == ("320193", "1318605")
    assert selected("") is None


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", b'["320193",', r"a\.json: not JSON at line 1, column 11"),
        ("a.json", b"[" * 100_000, r"a\.json: nested too deeply"),
        ("a.json", b'{"320193": 1}', r"a\.json: holds no list of CIKs"),
        ("a.txt", b"320193\n\xff", r"a\.txt: line 2: not UTF-8"),
        ("a.txt", b"320193\nApple", "'Apple' is no CIK"),
        ("a.txt", b"", r"a\.txt: holds no list of CIKs"),
    ],
)
def test_a_file_that_is_no_list_is_told_with_its_place(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UsageError, match=said):
        selected(str(path))


def test_a_file_beyond_all_bounds_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "_LARGEST", 8)
    path = tmp_path / "a.txt"
    path.write_text("320193 1318605", encoding="utf-8")
    with pytest.raises(UsageError, match="more than the 8 bytes"):
        selected(str(path))
