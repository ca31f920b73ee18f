"""A checklist from elsewhere is kept beside our own, and takes no name that is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.loader import FOLDER, checklist_ids, load
from core.errors import UsageError
from server.importing import keep_new
from server.settings import Settings
from tests.checklists.small import checklist, item


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home").prepare()


def test_it_is_kept_for_its_owner_and_found_by_its_id(settings: Settings) -> None:
    mine = checklist(item())
    path = keep_new(mine, settings)
    assert load("shops", settings.checklists) == mine
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["shops.json"]


def test_the_same_again_changes_nothing_and_another_is_refused(settings: Settings) -> None:
    mine, other = checklist(item()), checklist(item(id="other"))
    keep_new(mine, settings)
    keep_new(mine, settings)
    with pytest.raises(UsageError, match=r"another checklist 'shops'.*--id.*--replace"):
        keep_new(other, settings)
    assert load("shops", settings.checklists) == mine
    keep_new(other, settings, replace=True)
    assert load("shops", settings.checklists) == other


def test_a_file_that_no_longer_loads_is_not_overwritten_unasked(settings: Settings) -> None:
    path = keep_new(checklist(item()), settings)
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match="another checklist"):
        keep_new(checklist(item()), settings)
    assert path.read_text("utf-8") == "{}"
    keep_new(checklist(item()), settings, replace=True)
    assert load("shops", settings.checklists).items


@pytest.mark.parametrize("name", [path.stem for path in FOLDER.glob("*.json")])
def test_a_shipped_name_is_nobodys(settings: Settings, name: str) -> None:
    assert name in checklist_ids()
    with pytest.raises(UsageError, match="is a shipped checklist"):
        keep_new(checklist(item(), id=name), settings, replace=True)
    assert not settings.checklists.exists()
