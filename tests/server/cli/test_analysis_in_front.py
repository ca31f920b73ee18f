"""The commands of analysis by the front door: every option once, strict JSON, every form of file, hostile names."""

from __future__ import annotations

import csv
import io
import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import pytest

from core.run import Limits, ModelSpec
from core.trajectory import Insight, StopReason
from databases.catalog import InstalledScenario
from server.cli.main import main
from server.store import open_store
from tests.server.cli.conftest import RUN, Ddr, Done
from tests.server.judged_runs import call
from tests.server.support import START, draft, insight, spec, turn

EVIL = "=cmd|' /C calc'!A0 \x1b[2J$\\foo$ x <script>alert(1)</script> \u202egnp\nFAKE: cost $0"
ODD = "20260131-flights-odd1"
EMPTY = "20260131-flights-odd2"
COMMANDS = ("curves", "stopping", "costs", "exploration")
FORMS = ("csv", "json", "parquet", "svg", "png")


def add_run(home: Path, flights: InstalledScenario) -> None:
    """RUN, as `explored` has it: one turn and one insight for each of two carriers."""
    with open_store(home / "store.sqlite3") as store:
        run = spec(RUN, scenario_id="flights", scenario_fingerprint=flights.scenario.fingerprint)
        store.add_run(run)
        for entity_id in run.entity_ids:
            mine = store.start_trajectory(draft(run, entity_id))
            store.add_turn(mine.id, turn(1))
            store.add_insight(insight(mine.id, 1, f"Carrier {entity_id} exists."))
            store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)


def add_odd(home: Path, flights: InstalledScenario) -> None:
    """A run of a hostile name: two trials, a superseded attempt, a forced end, unknown usage."""
    from checklists.loader import checklist_for

    with open_store(home / "store.sqlite3") as store:
        run = spec(
            ODD,
            scenario_id="flights",
            scenario_fingerprint=flights.scenario.fingerprint,
            agent="react",
            model=ModelSpec(provider="openai", name=EVIL),
            trials=2,
        )
        store.add_run(run)
        broken = store.start_trajectory(draft(run, "01"))
        store.add_turn(broken.id, turn(1, tokens=7))
        store.end_trajectory(broken.id, StopReason.PROVIDER_ERROR, ended_at=START)
        for entity_id in run.entity_ids:
            for trial in (1, 2):
                mine = store.start_trajectory(draft(run, entity_id, trial))
                for number in (1, 2, 3):
                    known = None if (entity_id, number) == ("02", 3) else 0.5
                    made = turn(number).model_copy(update={"call": call(cost=known)})
                    store.add_turn(mine.id, made)
                    fact = checklist_for("flights").of(entity_id)[0].answer
                    store.add_insight(
                        insight(mine.id, number, fact if number == 2 and trial == 1 else None)
                    )
                store.add_insight(
                    Insight(
                        id=f"{mine.id}.r",
                        trajectory_id=mine.id,
                        level="trajectory",
                        text="Nothing.",
                        author="m",
                        call=call("report", cost=None),
                    )
                )
                stop = StopReason.FINISHED if trial == 1 else StopReason.MAX_TURNS
                store.end_trajectory(mine.id, stop, ended_at=START)


@pytest.fixture(scope="module")
def judged(
    tmp_path_factory: pytest.TempPathFactory, flights_home: Path, flights: InstalledScenario
) -> Path:
    """A DDR_HOME with RUN and ODD, of which ODD is judged; made once, and copied by each test."""
    made = tmp_path_factory.mktemp("judged") / "home"
    made.mkdir(mode=0o700)
    (made / "scenarios").symlink_to(flights_home / "scenarios")
    add_run(made, flights)
    add_odd(made, flights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DDR_HOME", str(made))
        assert main(["evaluate", ODD, "--baselines", "none", "--quiet"]) == 0
    return made


@pytest.fixture
def odd(judged: Path, home: Path) -> Path:
    """The test's own DDR_HOME, with the records of `judged`."""
    shutil.copytree(judged, home, symlinks=True)
    return home


@pytest.fixture
def nothing(odd: Path, flights: InstalledScenario) -> Path:
    """EMPTY: a run that has not explored anything."""
    with open_store(odd / "store.sqlite3") as store:
        fingerprint = flights.scenario.fingerprint
        store.add_run(spec(EMPTY, scenario_id="flights", scenario_fingerprint=fingerprint))
    return odd


def strict(done: Done) -> Any:
    """The one object of --json: no NaN, no Infinity, nothing beside it on stdout."""
    assert done.code == 0, done.err
    (line,) = done.out.splitlines()
    return json.loads(line, parse_constant=pytest.fail)


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


@pytest.mark.parametrize("command", [*COMMANDS, "leaderboard"])
def test_help_has_an_example_and_names_every_option(ddr: Ddr, command: str) -> None:
    done = ddr(command, "--help")
    assert done.code == 0
    assert f"ddr {command}" in done.out
    for option in ("--json", "--quiet", "--out"):
        assert option in done.out, option


@pytest.mark.parametrize("command", COMMANDS)
def test_json_is_one_strict_object_also_of_what_is_hostile(
    ddr: Ddr, odd: Path, command: str
) -> None:
    told = strict(ddr(command, ODD, "--json", "--quiet"))
    assert len(told["evaluations" if command == "exploration" else "runs"]) == 1
    assert not any("/store.sqlite3" in text or str(odd) in text for text in texts(told))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_terminal_obeys_nothing_that_a_model_is_called(ddr: Ddr, odd: Path, command: str) -> None:
    done = ddr(command, ODD)
    assert done.code == 0, done.err
    for text in (done.out, done.err):
        assert "\x1b" not in text and "\u202e" not in text
        assert not [line for line in text.splitlines() if line.startswith("FAKE")]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_form_of_file_is_written_and_can_be_read_back(
    ddr: Ddr, odd: Path, tmp_path: Path, command: str
) -> None:
    folder = tmp_path / "out"
    asked = [word for form in FORMS for word in ("--out", str(folder / f"x.{form}"))]
    others = () if command == "curves" else (RUN,)  # it is not judged
    done = ddr(command, ODD, *others, *asked, "--json")
    assert done.code == 0, done.err
    written = sorted(folder.iterdir())
    assert {path.suffix for path in written} == {f".{form}" for form in FORMS}
    assert not [path for path in written if path.name.startswith(".")]
    (as_json,) = [path for path in written if path.suffix == ".json"]
    body = json.loads(as_json.read_text("utf-8"), parse_constant=pytest.fail)
    for name, rows in body.items():
        with (folder / f"x-{name}.csv").open(encoding="utf-8", newline="") as file:
            read = list(csv.DictReader(file))
        with duckdb.connect() as database:
            kept = database.execute(f"FROM '{folder / f'x-{name}.parquet'}'").fetchall()
        assert len(read) == len(rows) == len(kept), name
        for line, row in zip(read, rows, strict=True):
            assert list(line) == list(row)
            for key, cell in row.items():
                held = line[key]
                assert not held.startswith(("=", "@", "\t"))
                if cell is None:
                    assert held == ""
                elif isinstance(cell, float):
                    assert float(held) == cell
    ElementTree.fromstring((folder / "x.svg").read_bytes())
    assert b"<script" not in (folder / "x.svg").read_bytes()
    assert (folder / "x.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_form_that_is_not_known_is_refused_before_any_work(
    ddr: Ddr, home: Path, tmp_path: Path, command: str
) -> None:
    for name in ("x.xlsx", "x", ".csv"):
        done = ddr(command, "last", "--out", str(tmp_path / name))
        assert done.code == 2
        assert "the suffix says the form; known: .csv, .json, .parquet, .svg, .png" in done.err
    assert not list(tmp_path.glob("*.xlsx"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_place_that_cannot_be_written_is_told(
    ddr: Ddr, odd: Path, tmp_path: Path, command: str
) -> None:
    (tmp_path / "file").write_text("")
    done = ddr(command, ODD, "--out", str(tmp_path / "file" / "x.csv"))
    assert done.code in (1, 2)
    assert "cannot be written" in done.err and "give another --out" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_run_that_is_not_there_or_not_one_alone_is_refused(
    ddr: Ddr, odd: Path, command: str
) -> None:
    for name in ("nobody", "20260131", "../../etc/passwd", "%", ""):
        done = ddr(command, name)
        assert done.code == 2, name
        assert done.err.strip()
        assert "Traceback" not in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_run_in_which_nothing_was_explored_is_no_fault(
    ddr: Ddr, nothing: Path, command: str
) -> None:
    done = ddr(command, EMPTY)
    assert done.code in (0, 2), done.err
    assert "Traceback" not in done.err
    told = done.out + done.err
    assert any(said in told for said in (EMPTY, "nothing was explored", "there is no trajectory"))


@pytest.mark.parametrize("command", COMMANDS)
def test_quiet_says_the_figures_and_no_hint(ddr: Ddr, odd: Path, command: str) -> None:
    loud, quiet = ddr(command, ODD), ddr(command, ODD, "--quiet")
    assert quiet.code == 0, quiet.err
    assert len(quiet.out) + len(quiet.err) <= len(loud.out) + len(loud.err)
    assert "ddr evaluate" not in quiet.out + quiet.err


# Known figures of ODD


def test_curves_average_trials_first_and_leave_the_superseded_attempt_out(
    ddr: Ddr, odd: Path
) -> None:
    from checklists.loader import checklist_for

    (told,) = strict(ddr("curves", ODD, "--json", "--quiet", "--at", "1,2,3"))["runs"]
    heights = {point["x"]: point["value"] for point in told["budgets"]}
    found = [1 / (2 * len(checklist_for("flights").of(name))) for name in ("01", "02")]
    assert heights[1] == 0
    # One trial of two found at least the item whose answer it gave, in each entity.
    assert heights[2] >= sum(found) / 2 - 1e-12
    assert heights[3] == heights[2]
    assert {point["n"] for point in told["budgets"]} == {4}
    assert told["left_out"] == {}


def test_a_price_that_is_missing_takes_trajectories_off_the_axis_of_money_alone(
    ddr: Ddr, odd: Path
) -> None:
    (told,) = strict(ddr("curves", ODD, "--axis", "cost_usd", "--json", "--quiet"))["runs"]
    assert told["left_out"] == {"a call has no price": 2}
    assert told["points"][-1]["x"] == 1.5
    (billed,) = strict(ddr("curves", ODD, "--axis", "billed_tokens", "--json", "--quiet"))["runs"]
    assert billed["points"][-1]["x"] == 330
    (calls,) = strict(ddr("curves", ODD, "--axis", "calls", "--json", "--quiet"))["runs"]
    assert calls["points"][-1]["x"] == 3


def test_costs_tell_the_known_part_apart_and_the_lost_attempt(ddr: Ddr, odd: Path) -> None:
    (told,) = strict(ddr("costs", ODD, "--json", "--quiet"))["runs"]
    roles = {each["role"]: each for each in told["roles"]}
    assert told["cost_usd"] is None
    assert (roles["agent"]["calls"], roles["agent"]["cost_usd"]) == (12, None)
    assert roles["report"]["cost_usd"] is None
    assert told["lost"]["calls"] == 1
    assert told["trajectories"] == 4


def test_stopping_counts_trials_and_keeps_forced_endings_apart(ddr: Ddr, odd: Path) -> None:
    (told,) = strict(ddr("stopping", ODD, "--json", "--quiet"))["runs"]
    assert told["reasons"] == {"finished": 2, "max_turns": 2}
    assert told["turns"]["own"]["n"] == told["turns"]["forced"]["n"] == 2
    assert (told["insights_valid"], told["insights_generated"]) == (2, 12)
    # Found at turn 2 of 3 by the first trial; never by the second.
    assert told["turns_after_last_discovery"]["own"]["median"] == 1
    assert told["turns_after_last_discovery"]["forced"]["median"] == 3


def test_no_name_begins_a_line_where_runs_are_compared(ddr: Ddr, odd: Path) -> None:
    assert ddr("evaluate", RUN, "--baselines", "none", "--quiet").code == 0
    done = ddr("diff", ODD, RUN)
    assert done.code == 0, done.err
    assert "FAKE" in done.out
    assert not [line for line in done.out.splitlines() if line.startswith("FAKE")]


# Commands to be copied


def test_no_command_that_is_proposed_lets_a_shell_obey_a_models_name(ddr: Ddr, odd: Path) -> None:
    said = ddr("curves", ODD).out
    (line,) = [line for line in said.splitlines() if "no real run under a limit" in line]
    command = line.partition("beside it: ")[2].partition(", evaluate it")[0]
    words = shlex.split(command)
    model = words[words.index("--model") + 1]
    assert model.startswith("openai/=cmd|") and model.endswith("FAKE: cost $0")
    assert words[words.index("--limits") + 1].startswith("max_turns=")


# Options of one command


def test_options_of_curves_that_exclude_or_need_one_another(ddr: Ddr, odd: Path) -> None:
    refused = {
        ("--at", ""): "--at",
        ("--at", "-1"): "give numbers, as 5,10,20",
        ("--at", "nan"): "is no number",
        ("--at", "1e999"): "is no number",
        ("--range", "0:5"): "above 0, the lower first",
        ("--range", "5:5"): "above 0, the lower first",
        ("--range", "1:inf"): "is no number",
        ("--range", "a:b"): "is no number",
        ("--axis", ""): "unknown axis",
        ("--axis", "turns"): "unknown axis 'turns'",
        ("--range", ""): "give two numbers, as 0.01:2",
        ("--level", ""): "unknown level",
    }
    for given, said in refused.items():
        done = ddr("curves", ODD, *given)
        assert done.code == 2, given
        assert said in done.err, given
        assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--estimate",), "it goes with --after-finish N"),
        (("--after-finish", "0"), "--after-finish"),
        (("--after-finish", "x"), "--after-finish"),
        (("--endpoint", "http://127.0.0.1:9/v1"), "--model"),
        (("--model", "m"), "--endpoint"),
        (("--evaluation", ODD), "is no evaluation of these runs"),
    ],
)
def test_options_of_stopping_are_refused_where_they_go_with_nothing(
    ddr: Ddr, odd: Path, given: tuple[str, ...], said: str
) -> None:
    done = ddr("stopping", ODD, *given)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_run_named_twice_is_shown_once_or_refused(ddr: Ddr, odd: Path) -> None:
    for command in ("stopping", "costs"):
        assert len(strict(ddr(command, ODD, ODD, "--json", "--quiet"))["runs"]) == 1
    for command in ("exploration", "curves"):
        done = ddr(command, ODD, ODD)
        assert done.code == 2
        assert "named twice" in done.err


# The leaderboard


def test_the_leaderboard_is_strict_json_and_obeys_no_name(ddr: Ddr, odd: Path) -> None:
    told = strict(ddr("leaderboard", "--json", "--quiet"))
    names = [
        row["competitor"]
        for board in told["boards"]
        for group in board["groups"]
        for row in group["rows"]
    ]
    assert any("cmd|" in name for name in names)
    for form in ("plain", "table2", "latex"):
        done = ddr("leaderboard", "--format", form)
        assert done.code == 0, done.err
        assert "\x1b" not in done.out and "\u202e" not in done.out
        assert not [line for line in done.out.splitlines() if line.startswith("FAKE")], form


def test_the_leaderboards_csv_holds_no_formula(ddr: Ddr, odd: Path) -> None:
    text = ddr("leaderboard", "--format", "csv", "--quiet").out
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows
    for row in rows:
        assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in row.values())


def test_a_scenario_that_nobody_ran_gives_no_row_and_one_that_is_unknown_is_told(
    ddr: Ddr, odd: Path
) -> None:
    one = strict(ddr("leaderboard", "--scenario", "flights", "--json", "--quiet"))
    assert [board["scenario_id"] for board in one["boards"]] == ["flights"]
    done = ddr("leaderboard", "--scenario", "nowhere", "--json", "--quiet")
    assert done.code in (0, 2)
    if done.code == 0:
        assert done.json["boards"] == []
    else:
        assert "nowhere" in done.err


def test_each_form_of_the_leaderboards_files_can_be_read_back(
    ddr: Ddr, odd: Path, tmp_path: Path
) -> None:
    asked = [word for form in FORMS for word in ("--out", str(tmp_path / "b" / f"x.{form}"))]
    assert ddr("leaderboard", *asked, "--by", "family", "--quiet").code == 0
    body = json.loads((tmp_path / "b" / "x.json").read_text("utf-8"), parse_constant=pytest.fail)
    assert body["leaderboard"]
    with duckdb.connect() as database:
        for name, rows in body.items():
            kept = database.execute(f"SELECT count(*) FROM '{tmp_path}/b/x-{name}.parquet'")
            assert kept.fetchone() == (len(rows),), name
    ElementTree.fromstring((tmp_path / "b" / "x.svg").read_bytes())


def test_limits_and_unjudged_runs_have_their_way_out(
    ddr: Ddr, odd: Path, flights: InstalledScenario
) -> None:
    with open_store(odd / "store.sqlite3") as store:
        store.add_run(
            spec(
                "20260131-flights-odd3",
                scenario_id="flights",
                scenario_fingerprint=flights.scenario.fingerprint,
                limits=Limits(max_turns=2),
            )
        )
    done = ddr("curves", "20260131-flights-odd3")
    assert done.code == 2
    assert "is not scored yet" in done.err and "evaluate 20260131-flights-odd3" in done.err
