"""`ddr stopping`: turns, reasons and what the last turns brought, on the terminal and in files."""

from __future__ import annotations

import json
from pathlib import Path

from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from server.store import open_store
from tests.server.cli.conftest import RUN, Ddr
from tests.server.support import START, draft, insight, spec, turn

OTHER = "20260131-flights-zz99"


def another(home: Path, flights: InstalledScenario) -> None:
    """Carrier 01 hands in an answer at turn 2 of 5 and stops itself; 02 is ended at turn 3."""
    from checklists.loader import checklist_for

    with open_store(home / "store.sqlite3") as store:
        fingerprint = flights.scenario.fingerprint
        run = spec(OTHER, scenario_id="flights", scenario_fingerprint=fingerprint, agent="other")
        store.add_run(run)
        for entity_id, turns, reason in (
            ("01", 5, StopReason.FINISHED),
            ("02", 3, StopReason.MAX_TURNS),
        ):
            mine = store.start_trajectory(draft(run, entity_id))
            for number in range(1, turns + 1):
                store.add_turn(mine.id, turn(number))
                answer = checklist_for("flights").of(entity_id)[0].answer if number == 2 else None
                store.add_insight(insight(mine.id, number, answer))
            store.end_trajectory(mine.id, reason, ended_at=START)


def test_endings_that_were_forced_stand_apart_from_those_that_were_chosen(
    ddr: Ddr, explored: Path, flights: InstalledScenario
) -> None:
    another(explored, flights)
    assert ddr("evaluate", OTHER, "--baselines", "none", "--quiet").code == 0
    done = ddr("stopping", OTHER, "--json")
    assert done.code == 0, done.err
    (told,) = done.json["runs"]
    assert (told["turns"]["own"]["n"], told["turns"]["own"]["mean"]) == (1, 5)
    assert (told["turns"]["forced"]["n"], told["turns"]["forced"]["mean"]) == (1, 3)
    assert told["turns"]["fault"] is None
    assert told["reasons"] == {"finished": 1, "max_turns": 1}
    assert (told["insights_valid"], told["insights_generated"]) == (2, 8)
    assert told["valid_insight_ratio"] == 0.25
    assert told["turns_after_last_discovery"]["own"]["median"] == 3
    assert told["evaluation"] == f"{OTHER}.e1"
    shown = ddr("stopping", OTHER).out
    assert "by itself" in shown and "was ended" in shown
    assert max(map(len, shown.splitlines())) <= 90
    assert "valid insights: 2 of 8 generated (25.0 %)" in shown


def test_before_a_run_is_judged_nobody_says_what_its_last_turns_brought(
    ddr: Ddr, explored: Path
) -> None:
    done = ddr("stopping", RUN, "--json")
    (told,) = done.json["runs"]
    assert told["evaluation"] is None
    assert set(told["turns_after_last_discovery"].values()) == {None}
    assert f"ddr evaluate {RUN}" in ddr("stopping", RUN).out


def test_several_runs_go_into_tables_and_a_figure(
    ddr: Ddr, explored: Path, flights: InstalledScenario, tmp_path: Path
) -> None:
    another(explored, flights)
    files = [tmp_path / f"stops.{suffix}" for suffix in ("json", "csv", "svg", "png")]
    outs = [word for path in files for word in ("--out", str(path))]
    done = ddr("stopping", RUN, OTHER, *outs, "--json")
    assert done.code == 0, done.err
    assert len(done.json["files"]) == 6, "one of JSON, three of CSV, two figures"
    rows = json.loads(files[0].read_text())["trajectories"]
    assert [(row["run"], row["entity"], row["turns"]) for row in rows] == [
        (RUN, "01", 1),
        (RUN, "02", 1),
        (OTHER, "01", 5),
        (OTHER, "02", 3),
    ]
    assert "ended by themselves" in files[2].read_text()
    assert files[3].read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_is_refused_with_the_way_out(ddr: Ddr, explored: Path) -> None:
    done = ddr("stopping", RUN, "--out", "x.pdf")
    assert done.code == 2 and ".svg" in done.err
    done = ddr("stopping", RUN, "--evaluation", "nobody.e1")
    assert done.code == 2 and "nobody.e1 is no evaluation of these runs" in done.err
