"""`ddr scenarios build`: the twin, its checklist, and what a second call leaves as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.canonical import items_hash
from checklists.loader import load
from server.authoring import keep_checklist
from server.settings import Settings
from tests.server.cli.conftest import Ddr

pytestmark = pytest.mark.real  # builds and proves a small twin
TWIN = ("--entities", "8", "--rows", "4000", "--seed", "3", "--name", "small")


@pytest.fixture
def built(ddr: Ddr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("DDR_HOME", str(tmp_path / "home"))
    done = ddr("scenarios", "build", "incidents", *TWIN, "--json")
    assert done.code == 0, done.err
    assert (done.json["id"], done.json["entities"]) == ("small", 8)
    assert done.json["items"] >= 8 * 8
    return Settings(tmp_path / "home")


def test_a_checklist_that_was_proved_on_this_content_stays_unless_it_is_built_anew(
    ddr: Ddr, built: Settings
) -> None:
    path = built.checklists / "small.json"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    authored = load(path)
    dropped = authored.items[0].model_copy(update={"status": "rejected"})
    items = (dropped, *authored.items[1:])
    decided = authored.model_copy(update={"items": items, "hash": items_hash(items)})
    keep_checklist(decided, built)
    again = ddr("scenarios", "build", "small", "--json")
    assert again.json["items"] == len(authored.items) - 1
    assert load(path) == decided
    anew = ddr("scenarios", "build", "small", "--rebuild", "--json")
    assert anew.json["items"] == len(authored.items)
    assert load(path) == authored


def test_the_list_tells_its_size_as_table_1_does(ddr: Ddr, built: Settings) -> None:
    told = {one["id"]: one for one in ddr("scenarios", "list", "--json").json["scenarios"]}
    small = told["small"]
    assert small["state"] == "built"
    assert small["records"] > 3000
    assert all(small[key] > 0 for key in ("tables", "fields", "entities", "items"))
    assert told["patients"]["records"] is None
    shown = ddr("scenarios", "list").out
    assert all(head in shown for head in ("records", "tables", "fields", "entities", "items"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--tables", "all"), "unknown option of incidents 'tables'"),
        (("--rows", "many"), "--rows is a whole number such as 200000 or 50M"),
        (("--set", "slope"), "--set takes KEY=VALUE"),
        (("--set", "slope=steep"), "--set slope= is a number"),
    ],
)
def test_an_option_that_does_not_fit_is_told_and_nothing_is_left(
    ddr: Ddr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], said: str
) -> None:
    monkeypatch.setenv("DDR_HOME", str(tmp_path / "home"))
    done = ddr("scenarios", "build", "incidents", *options)
    assert done.code == 2
    assert said in done.err
    assert not (tmp_path / "home" / "scenarios").exists()


def test_what_is_made_from_files_says_so(
    ddr: Ddr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DDR_HOME", str(tmp_path / "home"))
    done = ddr("scenarios", "build", "patients")
    assert done.code == 2
    assert "give --from or --synthetic" in done.err
