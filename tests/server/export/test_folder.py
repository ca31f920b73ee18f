"""The folder of an export: all of it is listed, and an earlier one leaves nothing behind, nor anything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.table import table
from core.errors import StoreError
from server.export.analyses import Found, joined, named
from server.export.folder import LIST, Folder
from server.export.records import RUNS
from tests.server.support import spec


def written(place: Path, *forms: Any) -> dict[str, Any]:
    with Folder(place, forms) as folder:
        folder.add(RUNS, [spec()])
        folder.add(RUNS, [spec("another")])
    return folder.finish({"runs": ["a"]})


def test_rows_come_one_after_the_other_and_are_counted(tmp_path: Path) -> None:
    listed = written(tmp_path, "csv", "json")
    (runs,) = listed["tables"]
    assert (runs["name"], runs["rows"], runs["files"]) == ("runs", 2, ["runs.csv", "runs.json"])
    assert [each["run_id"] for each in json.loads((tmp_path / "runs.json").read_text())] == [
        spec().id,
        "another",
    ]
    assert json.loads((tmp_path / LIST).read_text("utf-8")) == listed


def test_an_earlier_export_is_taken_away_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "out"
    written(place, "csv", "parquet")
    (place / "mine.csv").write_text("kept")
    (place / "items.csv").write_text("answers")
    precious = tmp_path / "precious.csv"
    precious.write_text("kept")
    listed = json.loads((place / LIST).read_text())
    # Somebody else's list names what is none of ours: it is obeyed in this folder alone.
    names = ("items.csv", "../precious.csv", str(precious), "notes.txt", ".hidden.csv")
    listed["files"] |= dict.fromkeys(names, "0")
    (place / "notes.txt").write_text("kept")
    (place / ".hidden.csv").write_text("kept")
    (place / LIST).write_text(json.dumps(listed))
    written(place, "json")
    left = sorted(path.name for path in place.iterdir())
    assert left == [".hidden.csv", LIST, "mine.csv", "notes.txt", "runs.json"]
    assert precious.read_text() == "kept"


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"format": "ddr-export"}', '{"files": {"a.csv": 1}}']
)
def test_a_list_that_is_none_is_written_anew(tmp_path: Path, text: str) -> None:
    (tmp_path / LIST).write_text(text)
    (tmp_path / "a.csv").write_text("kept")
    written(tmp_path, "csv")
    assert (tmp_path / "a.csv").exists()
    assert json.loads((tmp_path / LIST).read_text())["format"] == "ddr-export"


def test_where_writing_fails_the_earlier_files_stay(tmp_path: Path) -> None:
    written(tmp_path, "csv")
    before = (tmp_path / "runs.csv").read_bytes()
    with pytest.raises(RuntimeError), Folder(tmp_path, ("csv",)) as folder:
        folder.add(RUNS, [spec("half")])
        raise RuntimeError
    assert (tmp_path / "runs.csv").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [LIST, "runs.csv"]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="give another --out"):
        written(tmp_path / "file" / "out", "csv")


def test_tables_of_several_runs_are_one_with_the_run_in_front() -> None:
    found = [
        Found("curves", "r1", (table("points", ("run", "x"), [("r1", 1)]),)),
        Found("curves", "r2", (table("points", ("run", "x"), [("r2", 2)]),)),
        Found("exploration", "r1", (table("turns", ("x",), [(1,)]), table("bins", ("x",), []))),
        Found("exploration", "r2", (table("turns", ("x",), [(2,)]),)),
    ]
    made = {each.name: (each.columns, each.rows) for each, _ in joined(found)}
    assert made == {
        "curves_points": (("run", "x"), (("r1", 1), ("r2", 2))),
        "exploration_turns": (("run_id", "x"), (("r1", 1), ("r2", 2))),
    }


def test_figures_are_named_after_their_run_where_there_are_several() -> None:
    def draw(form: str) -> bytes:
        return form.encode()

    one = Found("curves", "r1", figures=(("turn", draw),))
    scores = Found("scores", "r1", figures=(("", draw),))
    assert [name for name, _ in named([one, scores])] == ["curves-turn", "scores"]
    other = Found("scores", "r2", figures=(("", draw),))
    assert [name for name, _ in named([one, other])] == ["r1-curves-turn", "r2-scores"]


def test_what_names_an_entity_is_no_part_of_what_may_leave() -> None:
    tables = (
        table("points", ("run", "x"), [("r", 1)]),
        table("trajectories", ("run", "trajectory"), [("r", "t")]),
        table("fields", ("table", "fact"), [("t", "f")]),
    )
    found = Found("stopping", "r", tables, (("", lambda form: b""),))
    assert [each.name for each in found.without_data.tables] == ["points"]
    assert found.without_data.figures == found.figures
    assert Found("x", "r", figures=found.figures, shows_data=True).without_data.figures == ()
