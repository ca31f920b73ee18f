"""An export's cells against records that were written by hand: every attempt, call, verdict and item."""

from __future__ import annotations

import csv
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from core.checklist import ChecklistItem, Expected
from core.errors import UsageError
from core.evaluation import CANNOT_TELL, Vote
from core.run import Imported, Limits, ModelSpec, RunSpec
from core.scenario import License
from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from server.export.judged import ITEMS
from server.export.writing import Exported, Wanted, export
from server.settings import Settings
from server.store import Repository
from tests.server.judged_runs import call, turn
from tests.server.support import START, draft, evaluation, insight, spec, verdict

LONG = 2**70
FORMULA = "=HYPERLINK(1)\r\n+2"
AGENT = '+an "agent", é\n2'
WIDE = "Überflug \U0001f6eb\x00 „ab“"
Row = dict[str, Any]


def seconds(count: int) -> Any:
    return START + timedelta(seconds=count)


def fill(store: Repository, run_id: str = "hand") -> RunSpec:
    """Entity 01: broken off, then explored, and a second trial that goes on. Entity 02: an error."""
    run = spec(
        run_id,
        trials=2,
        seed=LONG,
        model=ModelSpec(provider="openai", name="org/x:free"),
        agent=AGENT,
        limits=Limits(max_turns=5, max_seconds=1.5),
    )
    store.add_run(run)
    broken = store.start_trajectory(draft(run))
    store.add_turn(broken.id, turn(1, call(cost=0.5)))
    store.end_trajectory(broken.id, StopReason.CANCELLED, ended_at=seconds(3))
    whole = store.start_trajectory(draft(run, started_at=seconds(10)))
    for number in (1, 2):
        made = call(cost=None, input_tokens=LONG)
        store.add_turn(whole.id, turn(number, made).model_copy(update={"text": WIDE}))
    store.add_insight(insight(whole.id, 1, FORMULA))
    store.add_insight(insight(whole.id, 2, None))
    store.end_trajectory(whole.id, StopReason.FINISHED, ended_at=seconds(70))
    store.start_trajectory(draft(run, trial=2))
    failed = store.start_trajectory(draft(run, "02"))
    store.add_failed_call(failed.id, call(cost=0.25).model_copy(update={"error": "refused"}))
    store.end_trajectory(failed.id, StopReason.PROVIDER_ERROR, ended_at=seconds(1))
    return run


def written(
    store: Repository, home: Path, *runs: RunSpec, forms: Any = ("json",), **asked: Any
) -> Exported:
    wanted = Wanted(forms, **{"with_restricted": True, **asked})
    return export(runs, store, Settings(home), home / "out", wanted, now=START)


def read(home: Path, name: str) -> list[Row]:
    found: list[Row] = json.loads(
        (home / "out" / f"{name}.json").read_text("utf-8"), parse_constant=pytest.fail
    )
    return found


def cells(rows: list[Row], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_every_attempt_is_a_row_and_one_of_each_trial_counts(
    store: Repository, tmp_path: Path
) -> None:
    written(store, tmp_path, fill(store))
    found = read(tmp_path, "trajectories")
    assert cells(found, "trajectory_id", "trial", "attempt", "counts", "stop_reason") == [
        ("hand.01.1.1", 1, 1, False, "cancelled"),
        ("hand.01.1.2", 1, 2, True, "finished"),
        ("hand.01.2.1", 2, 1, True, None),
        ("hand.02.1.1", 1, 1, True, "provider_error"),
    ]
    assert cells(found, "self_terminated", "turns", "tool_calls", "insights", "ended_at") == [
        (False, 1, 1, 0, "2026-01-31T12:00:03Z"),
        (True, 2, 2, 1, "2026-01-31T12:01:10Z"),
        (None, 0, 0, 0, None),
        (False, 0, 0, 0, "2026-01-31T12:00:01Z"),
    ]
    assert cells(found, "agent_input_tokens", "agent_cost_usd") == [
        (100, 0.5),
        (2 * LONG, None),
        (0, 0.0),
        (100, 0.25),
    ]


def test_a_run_is_told_once_with_its_limits_and_a_seed_of_any_length(
    store: Repository, tmp_path: Path
) -> None:
    written(store, tmp_path, fill(store))
    (run,) = read(tmp_path, "runs")
    told = {
        "run_id": "hand",
        "scenario_id": "small",
        "model": "openai:org/x:free",
        "max_turns": 5,
        "max_tokens": None,
        "max_cost_usd": None,
        "max_seconds": 1.5,
        "entities": 2,
        "trials": 2,
        "seed": LONG,
        "goal": "none",
        "agent": AGENT,
        "imported_form": None,
        "created_at": "2026-01-31T12:00:00Z",
    }
    assert {name: run[name] for name in told if name != "model"} == {
        name: value for name, value in told.items() if name != "model"
    }
    assert "org/x:free" in run["model"]
    assert run["model"] == run["competitor"]


def test_turns_and_insights_keep_their_words_in_every_form(
    store: Repository, tmp_path: Path
) -> None:
    written(store, tmp_path, fill(store), forms=("csv", "json", "parquet"))
    keys = [("hand.01.1.1", 1, None), ("hand.01.1.2", 1, WIDE), ("hand.01.1.2", 2, WIDE)]
    assert cells(read(tmp_path, "turns"), "trajectory_id", "turn", "text") == keys
    assert cells(read(tmp_path, "insights"), "turn", "text", "failed") == [
        (1, FORMULA, False),
        (2, None, False),
    ]
    with duckdb.connect() as database:
        place = tmp_path / "out"
        asked = f"SELECT trajectory_id, turn, text FROM '{place / 'turns.parquet'}'"
        assert database.execute(asked).fetchall() == keys
        asked = f"SELECT turn, text FROM '{place / 'insights.parquet'}'"
        assert database.execute(asked).fetchall() == [(1, FORMULA), (2, None)]
        asked = f"SELECT seed FROM '{place / 'runs.parquet'}'"
        assert database.execute(asked).fetchall() == [(float(LONG),)]
    with (tmp_path / "out/insights.csv").open(encoding="utf-8", newline="") as lines:
        said = list(csv.DictReader(lines))
    assert cells(said, "turn", "text") == [("1", f"'{FORMULA}"), ("2", "")]


@pytest.mark.parametrize("name", ["runs", "trajectories", "turns", "tool_calls", "model_calls"])
def test_all_forms_hold_the_same_rows(store: Repository, tmp_path: Path, name: str) -> None:
    written(store, tmp_path, fill(store), forms=("csv", "json", "parquet"))
    told = read(tmp_path, name)
    with (tmp_path / f"out/{name}.csv").open(encoding="utf-8", newline="") as lines:
        plain = list(csv.DictReader(lines))
    with duckdb.connect() as database:
        asked = database.execute(f"FROM '{tmp_path / 'out' / name}.parquet'")
        names = [each[0] for each in asked.description or ()]
        typed = [dict(zip(names, row, strict=True)) for row in asked.fetchall()]
    assert [{key: cell == "" for key, cell in row.items()} for row in plain] == [
        {key: cell in (None, "") for key, cell in row.items()} for row in told
    ]
    assert typed == [
        {key: float(cell) if cell in (LONG, 2 * LONG) else cell for key, cell in row.items()}
        for row in told
    ]


def test_requests_that_failed_are_rows_with_what_they_cost(
    store: Repository, tmp_path: Path
) -> None:
    written(store, tmp_path, fill(store))
    found = read(tmp_path, "model_calls")
    names = ("trajectory_id", "entity_id", "turn", "input_tokens", "cost_usd", "failed")
    assert cells(found, *names) == [
        ("hand.01.1.1", "01", 1, 100, 0.5, False),
        ("hand.01.1.2", "01", 1, LONG, None, False),
        ("hand.01.1.2", "01", 2, LONG, None, False),
        ("hand.02.1.1", "02", None, 100, 0.25, True),
    ]
    assert [row["cost_reason"] for row in found] == [None, "no price", "no price", None]


def judged(store: Repository, run: RunSpec) -> None:
    """A pass with one verdict of each kind, a baseline beside it, and one on another's trajectory."""
    own = evaluation(run, f"{run.id}.e1").model_copy(
        update={"judges_asked": ("openai:a", "scripted:/srv/b.jsonl")}
    )
    store.add_evaluation(own)
    mine, judge = f"{run.id}.01.1.2", call("checker", cost=0.125)
    votes = tuple(
        Vote(judge=name, label="contradicted", call=call("checker", cost=cost))
        for name, cost in (("a", 0.5), ("b", 0.25))
    )
    said: dict[str, Any] = {"evaluation_id": own.id, "supporting_turns": ()}
    store.add_verdicts(
        [
            verdict(mine, "01-a", evaluation_id=own.id, supporting_turns=(2, 1), call=judge),
            verdict(mine, "01-b", **said, label="contradicted", votes=votes, call=judge),
            verdict(mine, "01-c", **said, label=None, unscored_reason=FORMULA),
            verdict(mine, "01-d", **said, label="insufficient", chosen=CANNOT_TELL, gated=4),
        ]
    )
    beside = {"baseline": "blank", "of": own.id}
    other = evaluation(run, f"{run.id}.e1.blank1").model_copy(update={"parameters": beside})
    store.add_evaluation(other)
    store.add_verdicts([verdict(mine, "01-a", evaluation_id=other.id, label="insufficient")])


def test_verdicts_of_each_kind_stand_with_their_pass(store: Repository, tmp_path: Path) -> None:
    run = fill(store)
    judged(store, run)
    done = written(store, tmp_path, run)
    assert cells(
        read(tmp_path, "evaluations"), "evaluation_id", "baseline", "beside", "judges_asked"
    ) == [
        ("hand.e1", None, None, "openai:a scripted:b.jsonl"),
        ("hand.e1.blank1", "blank", "hand.e1", None),
    ]
    names = ("baseline", "item_id", "label", "found_at_turn", "cannot_tell", "judges", "gated")
    assert cells(read(tmp_path, "verdicts"), *names) == [
        (None, "01-a", "supported", 1, False, 1, 0),
        (None, "01-b", "contradicted", None, False, 2, 0),
        (None, "01-c", None, None, False, 1, 0),
        (None, "01-d", "insufficient", None, True, 1, 4),
        ("blank", "01-a", "insufficient", None, False, 1, 0),
    ]
    assert {row["entity_id"] for row in read(tmp_path, "verdicts")} == {"01"}
    paid = [row for row in read(tmp_path, "model_calls") if row["role"] == "checker"]
    # Of two judges each is told, and not their sum as well.
    assert cells(paid, "evaluation_id", "cost_usd") == [
        ("hand.e1", 0.125),
        ("hand.e1", 0.5),
        ("hand.e1", 0.25),
    ]
    why = dict(done.left_out)
    assert "small" in why["hand: scores"]


def test_reasons_are_told_only_with_answers(store: Repository, tmp_path: Path) -> None:
    run = fill(store)
    judged(store, run)
    written(store, tmp_path, run)
    assert "unscored_reason" not in read(tmp_path, "verdicts")[0]
    done = written(store, tmp_path, run, with_answers=True)
    reasons = [row["unscored_reason"] for row in read(tmp_path, "verdicts")]
    assert reasons == [None, None, FORMULA, None, None]
    assert done.listed["with_answers"] is True
    assert "answers" not in dict(done.left_out)


def test_several_runs_stand_under_each_other_in_the_order_they_were_named(
    store: Repository, tmp_path: Path
) -> None:
    runs = [fill(store, name) for name in ("zz", "aa")]
    judged(store, runs[1])
    done = written(store, tmp_path, *runs)
    assert done.listed["runs"] == ["zz", "aa"]
    for name in ("runs", "trajectories", "turns", "insights", "tool_calls"):
        found = [row["run_id"] for row in read(tmp_path, name)]
        half = len(found) // 2
        assert half > 0
        assert found == ["zz"] * half + ["aa"] * half
    assert {row["run_id"] for row in read(tmp_path, "verdicts")} == {"aa"}
    assert {row["run"] for row in read(tmp_path, "costs_runs")} == {"zz", "aa"}


def test_the_same_export_again_writes_the_same_bytes(store: Repository, tmp_path: Path) -> None:
    run = fill(store)
    written(store, tmp_path, run)
    first = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    written(store, tmp_path, run)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == first


def test_fewer_forms_in_the_same_folder_take_the_other_files_away(
    store: Repository, tmp_path: Path
) -> None:
    run = fill(store)
    place = tmp_path / "out"
    written(store, tmp_path, run, forms=("csv", "parquet"), figures=("svg",))
    (place / "notes.md").write_text("mine")
    assert list(place.glob("*.svg"))
    written(store, tmp_path, run, forms=("json",))
    assert {path.suffix for path in place.iterdir()} == {".json", ".md"}
    listed = json.loads((place / "export.json").read_text("utf-8"))
    assert set(listed["files"]) | {"export.json", "notes.md"} == {
        path.name for path in place.iterdir()
    }


def test_figures_alone_write_no_table(store: Repository, tmp_path: Path) -> None:
    done = written(store, tmp_path, fill(store), forms=(), figures=("svg", "png"))
    assert done.listed["tables"] == []
    stems = [name.rpartition(".")[0] for name in done.listed["figures"]]
    assert stems == [*dict.fromkeys(stems)] * 2
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".svg", ".png", ".json"}


def test_no_form_at_all_is_refused_before_anything_is_written(
    store: Repository, tmp_path: Path
) -> None:
    run = fill(store)
    with pytest.raises(UsageError, match="give a form: --format csv, json"):
        written(store, tmp_path, run, forms=())
    assert not (tmp_path / "out").exists()


def test_of_a_restricted_run_beside_a_free_one_only_its_own_rows_stay_away(
    store: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    flights: InstalledScenario,
) -> None:
    free = fill(store, "free")
    store.delete_run("free")
    free = free.model_copy(update={"scenario_id": "flights"})
    closed = fill(store, "closed")
    store.add_run(free)
    mine = store.start_trajectory(draft(free))
    store.add_insight(insight(mine.id, 1, "Free words."))
    monkeypatch.setattr(
        "server.export.writing.is_restricted", lambda spec, _: spec.scenario_id == "small"
    )
    done = written(store, tmp_path, closed, free, with_restricted=False)
    assert done.restricted == ()
    assert [row["run_id"] for row in read(tmp_path, "runs")] == ["closed", "free"]
    for name in ("trajectories", "insights"):
        assert {row["run_id"] for row in read(tmp_path, name)} == {"free"}
    whole = "".join(path.read_text("utf-8") for path in (tmp_path / "out").iterdir())
    assert "Free words." in whole
    assert "Überflug" not in whole
    assert "HYPERLINK" not in whole
    assert any("--with-restricted" in why for what, why in done.left_out if "closed" in what)


def test_a_scenario_that_nobody_knows_counts_as_restricted(
    store: Repository, tmp_path: Path
) -> None:
    done = written(store, tmp_path, fill(store), with_restricted=False)
    assert not (tmp_path / "out/trajectories.json").exists()
    assert (tmp_path / "out/runs.json").exists()
    assert done.listed["restricted_data_of"] == []
    done = written(store, tmp_path, fill(store, "again"))
    assert done.listed["restricted_data_of"] == ["small"] == list(done.restricted)


def test_an_empty_run_is_a_folder_with_its_one_row(store: Repository, tmp_path: Path) -> None:
    run = spec("empty", imported=Imported(form="jsonl", source="mine.jsonl"))
    store.add_run(run)
    done = written(store, tmp_path, run)
    assert cells(read(tmp_path, "runs"), "run_id", "imported_form") == [("empty", "jsonl")]
    why = dict(done.left_out)
    assert why["empty: scores"] == "nobody has judged it"
    assert why["empty: costs"] == "nothing was explored in it"


def test_an_item_is_told_whole() -> None:
    item = ChecklistItem(
        id="01-a",
        entity_id="01",
        question="=Which?",
        answer="B",
        kind="closed",
        options=("A | a", "B"),
        category="volume",
        difficulty="easy",
        source="test",
        evidence_sql="SELECT 1",
        expected=Expected(value=0.1),
    )
    names = [column.name for column in ITEMS.columns]
    told = dict(zip(names, ITEMS.rows([item])[0], strict=True))
    assert (told["options"], told["expected"], told["kind"]) == (
        "A | a | B",
        "0.1",
        "closed",
    )
    assert told["weight"] == item.weight
    assert ITEMS.holds_answers
    assert ITEMS.holds_data


def test_a_licence_decides_and_not_a_name(
    store: Repository, tmp_path: Path, flights: InstalledScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from server.export.writing import is_restricted

    run = spec("r", scenario_id="flights")
    for restricted in (True, False):
        terms = License(name="any", restricted=restricted)
        told = replace(flights, scenario=flights.scenario.model_copy(update={"license": terms}))
        monkeypatch.setattr("server.export.writing.open_scenario", lambda *_, told=told: told)
        assert is_restricted(run, Settings(tmp_path)) is restricted
