"""One home, chosen by DDR_HOME, by an option, or by where the code lies; private to its owner."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from core.errors import StoreError
from server import settings


def test_the_environment_names_the_home_and_an_option_outweighs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DDR_HOME", str(tmp_path / "a"))
    assert settings.load().home == tmp_path / "a"
    assert settings.load(tmp_path / "b").home == tmp_path / "b"


def test_a_relative_home_stays_where_it_was_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert settings.load(Path("mine")).home == tmp_path / "mine"


def test_in_a_checkout_the_home_lies_in_it_from_wherever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DDR_HOME")
    monkeypatch.chdir(tmp_path)
    assert settings.load().home == Path(settings.__file__).parents[1] / ".ddr"


def test_installed_as_a_package_the_home_lies_in_the_folder_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DDR_HOME")
    monkeypatch.setattr(settings, "__file__", str(tmp_path / "site-packages/server/settings.py"))
    monkeypatch.chdir(tmp_path)
    assert settings.load().home == tmp_path / ".ddr"


def test_the_home_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    home = settings.load(tmp_path / "new" / "home").prepare().home
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_a_home_that_cannot_be_made_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="set DDR_HOME to a folder that you may write"):
        settings.load(tmp_path / "file" / "home").prepare()
