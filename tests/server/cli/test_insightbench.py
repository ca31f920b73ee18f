"""InsightBench through the front door: no set sees another's tables, and a goal is told where asked for."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import duckdb
import pytest
from mcp import StdioServerParameters

from agent.session import connect
from core.trajectory import Trajectory
from server.store import open_store
from tests.databases.insightbench.sets import PEOPLE, TICKETS, write_set
from tests.server.cli.conftest import Ddr

pytestmark = pytest.mark.real  # whole runs

ROOT = Path(__file__).parents[3]
OTHERS = [
    'SELECT * FROM "flag-2".records',
    "SELECT * FROM flag_2",
    "SELECT * FROM users",
    'SELECT * FROM insightbench."flag-2".records',
    "ATTACH 'insightbench.duckdb' AS whole",
    "SELECT * FROM read_csv('csvs/flag-2.csv')",
]
"""Each must fail in a run on flag-1."""
CATALOGS = [
    "SELECT database_name, schema_name, table_name FROM duckdb_tables()",
    "SELECT table_catalog, table_schema, table_name FROM information_schema.tables",
    "SELECT schema_name FROM duckdb_schemas() WHERE NOT internal",
    "SELECT schema_name FROM information_schema.schemata",
    "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal",
    "SELECT database_name FROM duckdb_databases()",
    "SHOW ALL TABLES",
    "SELECT * FROM records",
]


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """Two sets; what stands in the second is found nowhere in the first."""
    folder = tmp_path / "sets"
    write_set(folder, "flag-1")
    secret = TICKETS.replace("Printer", "Telescope")
    write_set(folder, "flag-2", table=secret, users=PEOPLE, metadata={"role": ""})
    return folder


def script(folder: Path, statements: list[str]) -> str:
    calls = [{"name": "execute_query", "arguments": {"query": sql}} for sql in statements]
    overview = {"name": "get_database_info", "arguments": {}}
    replies = [{"text": "I look.", "tool_calls": [call]} for call in (overview, *calls)]
    path = folder / "model.jsonl"
    lines = [json.dumps(reply) for reply in (*replies, {"text": "FINISH: Printers break."})]
    path.write_text("\n".join(lines), encoding="utf-8")
    return f"scripted:{path}"


def run(ddr: Ddr, home: Path, model: str, *options: str) -> dict[str, Trajectory]:
    """The trajectories of a new run, by entity."""
    shared = ("--scenario", "insightbench", "--tools", "sql", "--insights", "none", "--json")
    done = ddr("run", *shared, "--model", model, *options)
    assert done.code == 0, done.err
    with open_store(home / "store.sqlite3") as store:
        return {each.entity_id: each for each in store.trajectories(store.run("last").id)}


def test_no_set_sees_the_tables_of_another(
    ddr: Ddr, home: Path, sets: Path, tmp_path: Path
) -> None:
    built = ddr("scenarios", "build", "insightbench", "--from", str(sets), "--json")
    assert built.code == 0, built.err
    assert built.json["notes"] == []
    met = run(ddr, home, script(tmp_path, [*OTHERS, *CATALOGS]))
    assert set(met) == {"flag-1", "flag-2"}
    first = met["flag-1"]
    results = [result for turn in first.turns for result in turn.tool_results]
    assert [r.is_error for r in results] == [False] + [True] * len(OTHERS) + [False] * len(CATALOGS)
    seen = " ".join(result.text for result in results[1 + len(OTHERS) :])
    assert "records" in seen
    for alien in ("flag-2", "users", "department", "Telescope", "Ash"):
        assert alien not in seen
    assert first.preamble is not None
    start = first.preamble.start_prompt
    assert "- records" in start
    assert "users" not in start
    assert "All that the database holds is about this data set: flag-1" in start
    other = met["flag-2"].preamble
    assert other is not None
    assert "- users" in other.start_prompt


def test_an_outside_client_that_is_served_one_set_sees_that_one_alone(
    ddr: Ddr, home: Path, sets: Path
) -> None:
    assert ddr("scenarios", "build", "insightbench", "--from", str(sets)).code == 0
    command = ["-m", "server.cli.main", "serve", "--scenario", "insightbench"]
    command += ["--entity", "flag-1", "--tools", "sql", "--goal", "dataset"]
    environment = {"PATH": os.environ["PATH"], "DDR_HOME": str(home), "PYTHONPATH": str(ROOT)}

    async def talk() -> tuple[str, list[str], bool]:
        parameters = StdioServerParameters(
            command=sys.executable, args=command, cwd=ROOT, env=environment
        )
        async with connect(parameters, timeout_s=60) as tools:
            overview = await tools.call("get_database_info", {})
            other = await tools.call("execute_query", {"query": 'SELECT * FROM "flag-2".records'})
            names = [table["name"] for table in (overview.data or {})["tables"]]
            return str(tools.instructions), names, other.is_error

    instructions, names, refused = asyncio.run(talk())
    assert names == ["records"]
    assert refused
    assert "The goal: Find what is wrong in flag-1" in instructions


def test_a_goal_is_told_where_it_is_asked_for_and_kept_with_the_run(
    ddr: Ddr, home: Path, sets: Path, tmp_path: Path
) -> None:
    assert ddr("scenarios", "build", "insightbench", "--from", str(sets)).code == 0
    model = script(tmp_path, ["SELECT 1"])
    told = {}
    for goal in ("none", "dataset", "generic"):
        options = () if goal == "none" else ("--goal", goal)
        met = run(ddr, home, model, "--entities", "flag-1", *options)["flag-1"]
        assert met.preamble is not None
        told[goal] = met.preamble.start_prompt
        shown = ddr("show", "last", "--json")
        assert shown.json["goal"] == goal
        assert (f"told a {goal} goal" in ddr("show", "last").out) is (goal != "none")
        page = tmp_path / f"{goal}.html"
        assert ddr("report", "last", "--out", str(page)).code == 0
        assert (f"told a {goal} goal" in page.read_text("utf-8")) is (goal != "none")
    assert "goal" not in told["none"].lower()
    assert "You work as Repair Manager. The goal: Find what is wrong in flag-1" in told["dataset"]
    assert "The goal: Find what is of interest" in told["generic"]
    assert "wrong in flag-1" not in told["generic"]
    config = tmp_path / "bench.toml"
    config.write_text(
        f'scenario = "insightbench"\nmodel = "{model}"\nentities = "flag-2"\n'
        'tools = "sql"\ninsights = "none"\ngoal = "dataset"\n'
    )
    assert ddr("run", "--config", str(config)).code == 0
    with open_store(home / "store.sqlite3") as store:
        spec = store.run("last")
        (met,) = store.trajectories(spec.id)
    assert spec.goal == "dataset"
    assert met.preamble is not None
    assert "The goal: Find what is wrong in flag-2" in met.preamble.start_prompt
    assert "You work as" not in met.preamble.start_prompt, "this set has no role"
    again = ddr("run", "--resume", "last", "--goal", "none")
    assert again.code == 2
    assert "--resume goes on with the run as it was begun; leave --goal away" in again.err


def test_rules_leave_its_items_unscored_and_say_so_and_a_judge_scores_them(
    ddr: Ddr, home: Path, sets: Path, tmp_path: Path
) -> None:
    assert ddr("scenarios", "build", "insightbench", "--from", str(sets)).code == 0
    run(ddr, home, script(tmp_path, ["SELECT 1"]))
    rules = ddr("evaluate", "last", "--checker", "matching", "--baselines", "none")
    assert rules.code == 0, rules.err
    assert "unscored: no signals (4)" in rules.out + rules.err
    reply = {
        "label": "supported",
        "supporting_turns": [],
        "contradicting_turns": [],
        "quote": "Printers break.",
        "reason": "It says so.",
    }
    path = tmp_path / "judge.jsonl"
    path.write_text(json.dumps({"text": json.dumps(reply), "repeat": True}), "utf-8")
    judged = ddr("evaluate", "last", "--judge", f"scripted:{path}", "--baselines", "none", "--json")
    assert judged.code == 0, judged.err
    (report,) = [
        score
        for score in judged.json["scores"]
        if (score["level"], score["averaging"]) == ("trajectory", "item")
    ]
    assert (report["items"], report["supported"], report["unscored"]) == (4, 4, 0)


def test_a_checklist_without_evidence_is_verified_by_the_databases_content(
    ddr: Ddr, home: Path, sets: Path
) -> None:
    assert ddr("scenarios", "build", "insightbench", "--from", str(sets)).code == 0
    done = ddr("scenarios", "verify", "insightbench")
    assert done.code == 0, done.err
    assert "without evidence in SQL, and not proved: 4 items" in done.out
    told = ddr("checklists", "verify", "insightbench", "--json").json
    assert (told["items"], told["unclaimed"], told["drifted"]) == (0, 4, False)
    (part, *_) = sorted((home / "scenarios" / "insightbench" / "parts").iterdir())
    with duckdb.connect(str(part)) as connection:
        connection.execute("DELETE FROM records")
    refused = ddr("scenarios", "verify", "insightbench")
    assert refused.code == 1
    assert "has changed since it was built" in refused.err


def test_the_profiler_explores_each_set_by_all_its_rows(ddr: Ddr, home: Path, sets: Path) -> None:
    assert ddr("scenarios", "build", "insightbench", "--from", str(sets)).code == 0
    done = ddr("run", "--scenario", "insightbench", "--agent", "profiler", "--json")
    assert done.code == 0, done.err
    with open_store(home / "store.sqlite3") as store:
        reports = {t.entity_id: t.report or "" for t in store.trajectories(store.run("last").id)}
    assert "Data set flag-1 has 3 rows in records." in reports["flag-1"]
    assert "Telescope" not in reports["flag-1"]
    assert "are in: records, users" in reports["flag-2"]


def test_a_goal_where_there_is_none_or_of_no_known_kind_is_refused_before_anything_is_stored(
    ddr: Ddr, built_home: Path
) -> None:
    refused = ddr("run", "--scenario", "flights", "--agent", "profiler", "--goal", "dataset")
    assert refused.code == 2
    assert "--goal dataset: carrier 01 of flights has no goal" in refused.err
    unknown = ddr("run", "--scenario", "flights", "--agent", "profiler", "--goal", "mine")
    assert unknown.code in (1, 2)
    assert "goal" in unknown.err and "mine" in unknown.err
    assert ddr("runs", "--json").json == {"runs": []}
