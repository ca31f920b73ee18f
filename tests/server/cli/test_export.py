"""`ddr export`: records and scores as files, without answers and restricted data unless asked for."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from core.scenario import License
from databases.catalog import InstalledScenario, open_scenario
from server.store import open_store
from tests.server.cli.conftest import RUN, Ddr
from tests.server.cli.test_diff import OTHER, another

HOSTILE = "=cmd|' /C calc'!A0"


@pytest.fixture
def judged(explored: Path, flights: InstalledScenario, ddr: Ddr) -> Path:
    """A home with RUN, which found nothing, and OTHER, which hands in the answers on carrier 01."""
    another(explored, flights, OTHER, agent="better")
    for name in (RUN, OTHER):
        assert ddr("evaluate", name, "--baselines", "none", "--quiet").code == 0
    return explored


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_record_is_a_row_and_the_list_says_what_each_file_is(
    ddr: Ddr, judged: Path, tmp_path: Path
) -> None:
    place = tmp_path / "out"
    done = ddr("export", RUN, OTHER, "--out", str(place), "--json", "--quiet")
    assert done.code == 0, done.err
    with open_store(judged / "store.sqlite3") as store:
        whole = [*store.all_attempts(RUN), *store.all_attempts(OTHER)]
        said = [
            v for run in (RUN, OTHER) for e in store.evaluations(run) for v in store.verdicts(e.id)
        ]
    turns = rows(place / "turns.csv")
    assert [(t["trajectory_id"], t["turn"]) for t in turns] == [
        (each.id, str(turn.index)) for each in whole for turn in each.turns
    ]
    assert len(rows(place / "insights.csv")) == sum(len(each.insights) for each in whole)
    assert [(v["item_id"], v["level"], v["label"]) for v in rows(place / "verdicts.csv")] == [
        (v.item_id, v.level, v.label or "") for v in said
    ]
    listed = json.loads((place / "export.json").read_text("utf-8"))
    assert done.json["tables"] == {each["name"]: each["rows"] for each in listed["tables"]}
    for name, digest in listed["files"].items():
        assert hashlib.sha256((place / name).read_bytes()).hexdigest() == digest
    for table in listed["tables"]:
        head = (place / table["files"][0]).read_text("utf-8").splitlines()[0]
        assert head.split(",") == [column["name"] for column in table["columns"]]
    assert sorted(path.name for path in place.iterdir()) == sorted(
        [*listed["files"], "export.json"]
    )


def test_its_scores_are_those_that_ddr_evaluate_tells(
    ddr: Ddr, judged: Path, tmp_path: Path
) -> None:
    told = ddr("evaluate", OTHER, "--baselines", "none", "--json", "--quiet").json["scores"]
    place = tmp_path / "out"
    assert ddr("export", OTHER, "--format", "json", "--out", str(place), "--quiet").code == 0
    found = [row for row in json.loads((place / "scores.json").read_text()) if row["facet"] is None]
    keys = ("competitor", "level", "averaging", "strict", "low", "high", "items", "supported")
    assert [[row[key] for key in keys] for row in found] == [
        [one[key] for key in keys] for one in told
    ]
    assert any(row["strict"] for row in found)


def test_the_analyses_are_those_that_their_commands_tell(
    ddr: Ddr, judged: Path, tmp_path: Path
) -> None:
    place = tmp_path / "out"
    assert ddr("export", OTHER, RUN, "--format", "json", "--out", str(place), "--quiet").code == 0
    for name, table, run in (("curves", "points", "run"), ("exploration", "fields", "run_id")):
        path = tmp_path / f"{name}.json"
        assert ddr(name, OTHER, "--out", str(path), "--quiet").code == 0
        wanted = json.loads(path.read_text("utf-8"))[table]
        found = json.loads((place / f"{name}_{table}.json").read_text("utf-8"))
        mine = [
            {k: v for k, v in row.items() if k != "run_id"} for row in found if row[run] == OTHER
        ]
        if name == "curves":
            mine = [row for row in mine if row["axis"] == "turn"]
        assert mine == wanted
        assert {row[run] for row in found} == {OTHER, RUN}


def test_no_answer_leaves_unless_it_is_asked_for(ddr: Ddr, judged: Path, tmp_path: Path) -> None:
    from checklists.loader import checklist_for

    place = tmp_path / "out"
    items = [item for item in checklist_for("flights").items if item.entity_id == "02"]

    def text() -> str:
        return "\n".join(path.read_text("utf-8", "replace") for path in place.iterdir())

    asked = ("export", RUN, "--format", "csv", "--format", "json", "--out", str(place), "--quiet")
    assert ddr(*asked, "--with-answers").code == 0
    assert all(json.dumps(item.answer)[1:-1] in text() for item in items)
    assert "reason" in rows(place / "verdicts.csv")[0]
    # The same folder once more: what the earlier export told is gone.
    assert ddr(*asked).code == 0
    assert not (place / "items.csv").exists()
    for item in items:
        assert item.answer not in text()
        assert item.question not in text()
    assert not {"reason", "evidence", "chosen", "unscored_reason"} & set(
        rows(place / "verdicts.csv")[0]
    )


def test_restricted_data_stay_unless_they_are_asked_for(
    ddr: Ddr, judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(scenario_id: str, home: Path) -> InstalledScenario:
        found = open_scenario(scenario_id, home)
        terms = License(name="DUA", restricted=True)
        return replace(found, scenario=found.scenario.model_copy(update={"license": terms}))

    monkeypatch.setattr("server.export.writing.open_scenario", closed)
    place = tmp_path / "out"
    done = ddr("export", RUN, "--out", str(place), "--json")
    assert done.code == 0, done.err
    assert "--with-restricted" in done.err
    assert {"runs", "evaluations", "scores", "curves_points"} <= set(done.json["tables"])
    told = json.loads((place / "export.json").read_text("utf-8"))["tables"]
    columns = {column["name"] for table in told for column in table["columns"]}
    assert not columns & {"entity_id", "entity", "trajectory_id", "trajectory", "text"}
    assert "Carrier 01 exists." not in "".join(p.read_text("utf-8") for p in place.iterdir())
    assert done.json["restricted_data_of"] == []
    done = ddr("export", RUN, "--out", str(place), "--with-restricted", "--json", "--quiet")
    assert done.json["restricted_data_of"] == ["flights"]
    assert "warning: the files hold data of flights" in done.err
    assert "Carrier 01 exists." in (place / "insights.csv").read_text("utf-8")


def test_a_run_that_nobody_judged_is_exported_all_the_same(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    place = tmp_path / "out"
    done = ddr("export", RUN, "--out", str(place), "--format", "parquet", "--format", "svg")
    assert done.code == 0, done.err
    assert "nobody has judged it" in done.err
    with duckdb.connect() as database:
        found = database.execute(
            f"SELECT trajectory_id, counts, turns FROM '{place / 'trajectories.parquet'}'"
        ).fetchall()
    assert found == [(f"{RUN}.01.1.1", True, 1), (f"{RUN}.02.1.1", True, 1)]


def test_figures_come_as_they_are_asked_for(ddr: Ddr, judged: Path, tmp_path: Path) -> None:
    place = tmp_path / "out"
    done = ddr(
        "export", RUN, OTHER, "--format", "svg", "--format", "png", "--out", str(place), "--json"
    )
    assert done.code == 0, done.err
    assert done.json["tables"] == {}
    names = ("scores", "curves-turn", "exploration-heat", "stopping")
    assert {
        f"{run}-{name}.{form}" for run in (RUN, OTHER) for form in ("svg", "png") for name in names
    } <= set(done.json["figures"])
    assert (place / f"{RUN}-scores.svg").read_text("utf-8").startswith("<?xml")
    assert (place / f"{RUN}-scores.png").read_bytes().startswith(b"\x89PNG")


def test_a_form_that_is_none_is_said_with_those_that_are(ddr: Ddr, explored: Path) -> None:
    done = ddr("export", RUN, "--format", "xls")
    assert done.code == 2
    assert "known: csv, json, parquet, png, svg" in done.err


def test_what_an_agent_wrote_is_no_formula_in_a_spreadsheet(
    ddr: Ddr, built_home: Path, flights: InstalledScenario, tmp_path: Path
) -> None:
    from tests.server.support import draft, insight, spec

    with open_store(built_home / "store.sqlite3") as store:
        run: Any = spec(RUN, scenario_id="flights", agent=HOSTILE)
        store.add_run(run)
        mine = store.start_trajectory(draft(run))
        store.add_insight(insight(mine.id, 1, HOSTILE))
    place = tmp_path / "out"
    assert ddr("export", RUN, "--out", str(place), "--quiet").code == 0
    assert rows(place / "insights.csv")[0]["text"] == f"'{HOSTILE}"
    assert rows(place / "runs.csv")[0]["agent"] == f"'{HOSTILE}"
