"""`ddr exploration`: what it says, what it writes, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from server.store import open_store
from tests.analysis.exploration.making import Read, python, sql, turn
from tests.server.cli.conftest import Ddr
from tests.server.support import START, draft, spec

RUN = "20260131-flights-cc11"
OTHER = "20260131-flights-dd22"
DELAY, CARRIER, WIND = "flights.departure_delay_min", "flights.carrier_id", "weather.wind_speed_mph"
BROKEN = "SELEC 'x\x1b[31m"
QUERY = "SELECT avg(departure_delay_min) FROM flights"
DEEP = "WITH w AS (SELECT 1) SELECT avg(a) OVER () FROM flights JOIN weather USING (x), w"


@pytest.fixture
def home_with_runs(built_home: Path, flights: InstalledScenario) -> Path:
    """Two runs: one that reads in SQL and Python, one with a statement that cannot be followed."""
    long, short = json.dumps({"rows": [[1]] * 20}), '{"rows":[[1]]}'
    wide = [(sql(DELAY, CARRIER, text=QUERY), sql(DELAY, text=QUERY)), (python(WIND, DELAY),)]
    keep(built_home, flights, RUN, [*wide, (sql(WIND, text=DEEP),)], [long, long, short])
    keep(built_home, flights, OTHER, [(sql("?", text=BROKEN),)], [short], agent="other")
    return built_home


def keep(
    home: Path,
    flights: InstalledScenario,
    name: str,
    turns: list[tuple[tuple[str, str, Read], ...]],
    answers: list[str],
    **changes: Any,
) -> None:
    with open_store(home / "store.sqlite3") as store:
        run = spec(
            name,
            scenario_id="flights",
            scenario_fingerprint=flights.scenario.fingerprint,
            **changes,
        )
        store.add_run(run)
        for entity in run.entity_ids:
            mine = store.start_trajectory(draft(run, entity))
            for index, (calls, text) in enumerate(zip(turns, answers, strict=True), start=1):
                store.add_turn(mine.id, turn(index, *calls, answers=[text] * len(calls)))
            store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)


def test_it_is_told_in_words(ddr: Ddr, home_with_runs: Path) -> None:
    done = ddr("exploration", RUN)
    assert done.code == 0, done.err
    assert "45 fields in 5 tables" in done.out
    assert "0.07 (0.07-0.07)" in done.out
    assert "33%" in done.out  # 2 of 6 accesses of each trajectory came through Python
    assert "3 tables: aircraft, airports, carriers" in done.out
    assert "27 columns of other tables: flights.flight_date" in done.out
    assert "15 more" in done.out
    assert "no accuracy is known" in done.out
    assert "first third against last, over 2 trajectories" in done.out
    assert "ends in few, complex queries with small answers: cannot be told" in done.out


def test_json_holds_the_tables_and_what_is_read_off_them(ddr: Ddr, home_with_runs: Path) -> None:
    told = ddr("exploration", RUN, "--json", "--quiet").json
    assert told["evaluations"] == [None]
    assert (told["fields"], told["without_keys"], told["not_followed"]) == (45, False, [])
    assert [each["coverage"] for each in told["trajectories"]] == [3 / 45, 3 / 45]
    assert [each["accesses_by_python"] for each in told["trajectories"]] == [2, 2]
    assert told["never_read"]["tables"] == ["aircraft", "airports", "carriers"]
    assert told["heat"]["trajectories"] == 2
    # The two are alike to the last digit, which no test can tell anything of.
    end = told["endings"]["scripted"]
    assert end == {"few": None, "complex": None, "small": None, "all": None}
    queries = next(each for each in told["thirds"] if each["quantity"] == "queries_per_turn")
    assert (queries["first"], queries["last"], queries["change"]) == (2, 1, -1)


def test_what_cannot_be_followed_is_counted_apart(ddr: Ddr, home_with_runs: Path) -> None:
    done = ddr("exploration", RUN, OTHER)
    assert done.code == 0, done.err
    assert "2 of 4 trajectories ran what could not be followed" in done.out
    assert "\x1b" not in done.out
    told = ddr("exploration", RUN, OTHER, "--json").json
    assert [name.split(".")[0] for name in told["not_followed"]] == [OTHER, OTHER]
    assert [each["statements_not_parsed"] for each in told["trajectories"]] == [0, 0, 1, 1]


def test_an_evaluation_colours_the_points_and_says_too_few(ddr: Ddr, home_with_runs: Path) -> None:
    assert ddr("evaluate", RUN, "--baselines", "none", "--quiet").code == 0
    done = ddr("exploration", RUN)
    assert "is accuracy highest in the middle?" in done.out
    assert "2 trajectories are too few for a curve" in done.out
    told = ddr("exploration", RUN, "--evaluation", f"{RUN}.e1", "--json").json
    assert told["evaluations"] == [f"{RUN}.e1"]
    assert {each["accuracy"] for each in told["trajectories"]} == {0.0}
    assert told["bins"][0]["trajectories"] == 2


def test_keys_can_be_left_out(ddr: Ddr, home_with_runs: Path) -> None:
    done = ddr("exploration", RUN, "--without-keys")
    assert "37 fields in 5 tables, keys left out" in done.out


def test_files_are_written_as_their_suffixes_say(
    ddr: Ddr, home_with_runs: Path, tmp_path: Path
) -> None:
    names = ["map.svg", "map.png", "all.csv", "all.json", "all.parquet"]
    outs = [word for name in names for word in ("--out", str(tmp_path / name))]
    done = ddr("exploration", RUN, OTHER, "--figure", "heat", *outs, "--json")
    assert done.code == 0, done.err
    assert len(done.json["files"]) == 3 + 2 * 6
    assert "wind_speed_mph" in (tmp_path / "map.svg").read_text("utf-8")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "all-fields.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 45
    wind = next(r for r in rows if (r["group"], r["column"]) == ("scripted", "wind_speed_mph"))
    assert (wind["read_by"], wind["of"], wind["share"], wind["accesses"]) == ("2", "2", "1.0", "4")
    everything = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert len(everything["turns"]) == 2 * 3 + 2 * 1
    assert (tmp_path / "all-turns.parquet").read_bytes().startswith(b"PAR1")


@pytest.mark.parametrize("figure", ["points", "turns"])
def test_the_other_figures_are_drawn_by_name(
    ddr: Ddr, home_with_runs: Path, tmp_path: Path, figure: str
) -> None:
    path = tmp_path / "a.svg"
    done = ddr("exploration", RUN, "--figure", figure, "--out", str(path))
    assert done.code == 0, done.err
    said = {"points": "Normalised entropy", "turns": "Fields read so far"}
    assert said[figure] in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((RUN, "--figure", "map", "--out", "a.svg"), "known: heat, points, turns"),
        ((RUN, "--figure", "heat"), "--out heat.svg"),
        ((RUN, "--figure", "heat", "--out", "a.csv"), "needs a file to be drawn in"),
        ((RUN, "--out", "a.xls"), "the suffix says the form"),
        ((RUN, RUN), "named twice"),
        ((RUN, "--evaluation", "x.e9"), "x.e9 is no evaluation of these runs"),
        (("nothing",), "unknown run 'nothing'"),
    ],
)
def test_what_cannot_be_done_is_said(
    ddr: Ddr, home_with_runs: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = ddr("exploration", *arguments)
    assert done.code == 2
    assert said in done.err


@pytest.mark.real
def test_what_a_model_reads_in_sql_and_in_python_is_recorded_and_told(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    """A whole run with real tools: one query, one cell that asks twice, the finish."""
    code = (
        "a = query('SELECT wind_speed_mph FROM weather LIMIT 5')\n"
        "b = query('SELECT departure_delay_min, wind_speed_mph FROM flights, weather LIMIT 5')\n"
        "print(len(a) + len(b))"
    )
    asked = {"query": "SELECT avg(departure_delay_min) AS d FROM flights WHERE carrier_id = '01'"}
    replies: list[dict[str, object]] = [
        {"tool_calls": [{"name": "execute_query", "arguments": asked}]},
        {"tool_calls": [{"name": "execute_code", "arguments": {"code": code}}]},
        {"text": "FINISH: it is so.", "repeat": True},
    ]
    script = tmp_path / "script.jsonl"
    script.write_text("\n".join(map(json.dumps, replies)), "utf-8")
    entities = ("--entities", "01", "--quiet")
    ran = ddr("run", "--scenario", "flights", "--model", f"scripted:{script}", *entities)
    assert ran.code == 0, ran.err
    (only,) = ddr("exploration", "last", "--json").json["trajectories"]
    assert (only["fields_read"], only["accesses_by_sql"], only["accesses_by_python"]) == (3, 2, 2)
    assert only["calls_not_followed"] == 0
    # a twice, b and c once: H = 1.5 bits over log2 3
    assert only["entropy"] == pytest.approx(1.5 / 1.584962500721156)
