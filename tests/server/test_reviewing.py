"""A checklist of one's own is changed by one process at a time, and kept whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest

from checklists.loader import load
from checklists.review.deciding import decided, with_items
from core.checklist import Checklist, Decision
from core.errors import DdrError, StoreError, UsageError
from server.reviewing import change, checklist_lock, may_be_changed, standing_of
from server.settings import Settings

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "home").prepare()


def copied(settings: Settings, name: str = "mine") -> Checklist:
    return change("flights", lambda mine: mine, settings, new_id=name)


def says(
    who: str, *places: int, status: Literal["accepted", "rejected"] = "accepted"
) -> Callable[[Checklist], Checklist]:
    """A change by which somebody decides on the items at these places."""

    def made(mine: Checklist) -> Checklist:
        decision = Decision(who=who, when=NOW, status=status, why="so")
        return with_items(
            mine,
            [
                decided(item, [decision]) if place in places else item
                for place, item in enumerate(mine.items)
            ],
        )

    return made


def test_a_copy_has_the_same_items_under_another_name(settings: Settings) -> None:
    made = copied(settings)
    shipped = load("flights")
    assert (made.id, made.hash, made.items) == ("mine", shipped.hash, shipped.items)
    assert load("mine", settings.checklists) == made
    assert (settings.checklists / "mine.json").stat().st_mode & 0o777 == 0o600


def test_what_is_shipped_or_built_is_never_changed_in_its_place(settings: Settings) -> None:
    assert not may_be_changed("flights", settings)
    with pytest.raises(UsageError, match="is a shipped checklist"):
        change("flights", lambda mine: mine, settings)
    built = load("flights").model_copy(update={"id": "incidents", "scenario_id": "incidents"})
    settings.checklists.mkdir()
    (settings.checklists / "incidents.json").write_text(built.model_dump_json(), "utf-8")
    assert not may_be_changed("incidents", settings)
    with pytest.raises(UsageError, match="written anew by each build"):
        change("incidents", lambda mine: mine, settings)


@pytest.mark.parametrize("name", ["", "a/b", "../x", ".x", "x" * 81, "-x"])
def test_a_name_of_which_a_path_could_be_made_is_refused(settings: Settings, name: str) -> None:
    with pytest.raises(DdrError):
        copied(settings, name)
    assert not settings.checklists.exists() or list(settings.checklists.iterdir()) == []


def test_a_copy_never_takes_the_place_of_another(settings: Settings) -> None:
    copied(settings)
    change("mine", says("ann", 0), settings)
    with pytest.raises(UsageError, match="there is a checklist 'mine' here already"):
        copied(settings)
    assert standing_of(load("mine", settings.checklists)).agreement.reviewers == ("ann",)


def test_a_change_that_fails_leaves_the_file_as_it_was(settings: Settings) -> None:
    copied(settings)
    before = (settings.checklists / "mine.json").read_bytes()

    def broken(mine: Checklist) -> Checklist:
        raise ValueError(mine.id)

    with pytest.raises(ValueError, match="mine"):
        change("mine", broken, settings)
    assert (settings.checklists / "mine.json").read_bytes() == before
    change("mine", says("ann", 0), settings)  # and nobody holds it


def test_while_somebody_is_at_it_nobody_else_is(settings: Settings) -> None:
    copied(settings)
    with checklist_lock(settings, "mine"), pytest.raises(StoreError):
        change("mine", says("ann", 0), settings)


def test_of_changes_at_the_same_time_each_is_kept_or_said_to_have_failed(
    settings: Settings,
) -> None:
    copied(settings)

    def attempt(place: int) -> bool:
        try:
            change("mine", says(f"person {place}", place), settings)
        except DdrError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(attempt, range(12)))
    kept = load("mine", settings.checklists)
    assert any(done)
    assert [bool(item.decisions) for item in kept.items[:12]] == done


def test_how_a_review_stands_counts_who_differs(settings: Settings) -> None:
    copied(settings)
    change("mine", says("ann", 0, 1, 2), settings)
    change("mine", says("bob", 0, 1), settings)
    changed = change("mine", says("bob", 2, status="rejected"), settings)
    told = standing_of(changed)
    assert told.statuses == {"accepted": 185, "proposed": 1}
    assert told.conflicts == (changed.items[2].id,)
    assert told.agreement.items == 3
    assert told.agreement.share == pytest.approx(2 / 3)
