"""Criteria in a file of one's own: read whole, or refused with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ConfigError
from server.judges import criteria_of


def test_they_bear_the_name_of_their_file_and_the_hash_of_their_words(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("\ufeffSupported is what is said outright.\n", "utf-8")
    found = criteria_of(str(path))
    assert found.name.startswith("mine.txt#")
    assert found.text == "Supported is what is said outright."


@pytest.mark.parametrize("content", [b"x\xff", b" \n", b"a" * 100_001])
def test_what_can_be_no_criteria_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"--criteria .*mine\.txt"):
        criteria_of(str(path))


@pytest.mark.parametrize("name", ["/dev/zero", "/", "/nowhere/criteria.txt"])
def test_what_is_no_file_with_an_end_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="--criteria"):
        criteria_of(name)
