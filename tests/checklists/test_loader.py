"""A checklist loads by id or path, and a bad file is told by file, item and key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checklists.canonical import to_json
from checklists.loader import NoChecklistError, checklist_for, checklist_ids, load
from core.errors import ChecklistError, UnknownNameError, UsageError
from tests.checklists.small import checklist, item


def written(folder: Path, change: Callable[[dict[str, Any]], None] = lambda plain: None) -> Path:
    """A sound file, changed."""
    plain = json.loads(to_json(checklist(item())))
    change(plain)
    path = folder / "shops.json"
    path.write_text(json.dumps(plain), encoding="utf-8")
    return path


def test_a_file_loads_by_its_path(tmp_path: Path) -> None:
    assert load(written(tmp_path)) == checklist(item())
    assert load(str(written(tmp_path))) == checklist(item())


def test_the_shipped_checklist_loads_by_its_id_and_by_its_scenario() -> None:
    assert "flights" in checklist_ids()
    assert load("flights") == checklist_for("flights")


def test_an_unknown_name_lists_those_that_exist() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown checklist 'flihgts'.*known: .*flights"):
        load("flihgts")


def test_a_scenario_without_a_checklist_says_how_it_is_scored_all_the_same() -> None:
    with pytest.raises(NoChecklistError, match=r"'boats' has no checklist.*ddr checklists list"):
        checklist_for("boats")


def test_a_file_that_is_not_there_is_not_taken_for_a_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"mine\.json: there is no such file"):
        load(tmp_path / "mine.json")


def test_a_folder_is_not_a_checklist(tmp_path: Path) -> None:
    with pytest.raises(ChecklistError, match="is a folder"):
        load(tmp_path)


def test_an_index_of_the_byte_order_at_the_start_does_no_harm(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load(path) == checklist(item())


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"id": "shops",\n "version": }', r"shops\.json: not JSON at line 2, column 13"),
        (b'{"id": "\xff"}', r"shops\.json: line 1: not UTF-8 \(byte 0xff\)"),
        (b'{"id": "a", "id": "b"}', r"shops\.json: the key 'id' stands twice"),
        (b'{"id": NaN}', r"shops\.json: NaN is not a number"),
        (b"[]", r"shops\.json: a checklist is one JSON object, not a list"),
        (b"null", r"not null"),
        (b"", r"shops\.json: not JSON at line 1, column 1"),
        (b"[" * 100_000, r"shops\.json: nested too deeply"),
    ],
)
def test_a_file_that_is_no_checklist_says_so_and_where(
    tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "shops.json"
    path.write_bytes(content)
    with pytest.raises(ChecklistError, match=told):
        load(path)


def _without(key: str) -> Callable[[dict[str, Any]], None]:
    return lambda plain: plain["items"][0].pop(key)


def _with(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda plain: plain["items"][0].update(fields)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_without("question"), "item 'shops-north-mean-price', key 'question': Field required"),
        (_without("id"), "item number 1, key 'id': Field required"),
        (_with(catgory="prices"), r"key 'catgory': .*\(did you mean 'category'\?\)"),
        (_with(difficulty="dull"), "item 'shops-north-mean-price', key 'difficulty'"),
        (_with(expected={"value": 1, "tolerance": -1}), r"key 'expected\.tolerance'"),
        (_with(signals={"kind": "level", "metric": []}), r"key 'signals\.metric'"),
        (
            _with(signals={"kind": "level", "metric": ["a"], "required": ["period"]}),
            "required slots without a value: period",
        ),
        (lambda plain: plain.pop("license"), "shops.json: key 'license': Field required"),
        (lambda plain: plain.update(items="none"), "key 'items'"),
        (lambda plain: plain.update(items=["none"]), "item number 1"),
    ],
)
def test_a_wrong_key_is_named_with_its_item(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], told: str
) -> None:
    with pytest.raises(ChecklistError, match=told) as raised:
        load(written(tmp_path, change))
    assert str(raised.value).startswith("shops.json: ")


def test_a_file_with_many_faults_shows_five_and_counts_the_rest(tmp_path: Path) -> None:
    def spoil(plain: dict[str, Any]) -> None:
        plain["items"] = [{"id": str(number)} for number in range(3)]

    with pytest.raises(ChecklistError, match=r"\(and \d+ more\)") as raised:
        load(written(tmp_path, spoil))
    assert str(raised.value).count("item '") == 5


def test_an_item_edited_by_hand_no_longer_fits_the_hash(tmp_path: Path) -> None:
    path = written(tmp_path, _with(answer="The mean price is 12."))
    with pytest.raises(ChecklistError, match=r"shops\.json: key 'hash': the items hash to "):
        load(path)


def test_the_order_of_keys_and_the_spacing_do_not_matter(tmp_path: Path) -> None:
    path = written(tmp_path)
    plain = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(dict(reversed(plain.items())), indent=7), encoding="utf-8")
    assert load(path).items == checklist(item()).items


def test_an_error_shows_no_path_of_this_machine(tmp_path: Path) -> None:
    path = tmp_path / "shops.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ChecklistError) as raised:
        load(path)
    assert not re.search(re.escape(str(tmp_path)), str(raised.value))
