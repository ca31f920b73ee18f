"""Folders that are filled once: by one of many, to the end, or anew."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.support import once


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(once, "ROOT", tmp_path)
    return tmp_path / ".cache"


def test_a_folder_is_filled_by_one_of_many_who_ask() -> None:
    filled, inside = [], threading.Barrier(8)

    def fill(place: Path) -> None:
        (place / "program").write_text("x")
        filled.append(place)

    def ask() -> None:
        inside.wait()
        assert (once.filled("thing-1.0", fill) / "program").read_text() == "x"

    asking = [threading.Thread(target=ask) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert filled == [once.place_of("thing-1.0")]


def test_a_filling_that_broke_off_is_begun_anew_in_an_empty_folder() -> None:
    def breaks(place: Path) -> None:
        (place / "half").touch()
        raise OSError("the line went dead")

    def works(place: Path) -> None:
        assert not (place / "half").exists()
        (place / "whole").touch()

    with pytest.raises(OSError, match="went dead"):
        once.filled("thing-1.0", breaks)
    assert not once.is_filled("thing-1.0")
    assert (once.filled("thing-1.0", works) / "whole").exists()
    assert once.is_filled("thing-1.0")


def test_another_version_is_another_folder(cache: Path) -> None:
    for name in ("thing-1.0", "thing-1.1"):
        once.filled(name, lambda place: None)
    assert sorted(p.name for p in cache.iterdir() if p.is_dir()) == ["thing-1.0", "thing-1.1"]
