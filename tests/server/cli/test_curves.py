"""`ddr curves`: what was found by each budget, in words, in JSON and in files; what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from core.run import Limits
from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from server import settings
from server.curves import of_run
from server.store import open_store
from tests.server.cli.conftest import RUN, Ddr
from tests.server.support import START, draft, insight, spec, turn

LONG = "20260131-flights-zz99"
SHORT = "20260131-flights-zz98"


def another(
    home: Path, flights: InstalledScenario, run_id: str, turns: int, **changes: Any
) -> None:
    """Hands in the answer of the n-th item of carrier 01 at turn 2n, and goes on for so many turns."""
    from checklists.loader import checklist_for

    with open_store(home / "store.sqlite3") as store:
        fingerprint = flights.scenario.fingerprint
        run = spec(run_id, scenario_id="flights", scenario_fingerprint=fingerprint, **changes)
        store.add_run(run)
        for entity_id in run.entity_ids:
            mine = store.start_trajectory(draft(run, entity_id))
            items = iter(checklist_for("flights").of(entity_id))
            for number in range(1, turns + 1):
                store.add_turn(mine.id, turn(number, tokens=1000 * number))
                told = next(items, None) if entity_id == "01" and number % 2 == 0 else None
                store.add_insight(insight(mine.id, number, told.answer if told else None))
            stop = StopReason.MAX_TURNS if run.limits.max_turns else StopReason.FINISHED
            store.end_trajectory(mine.id, stop, ended_at=START)


@pytest.fixture
def long(explored: Path, flights: InstalledScenario, ddr: Ddr) -> Path:
    """LONG, judged: ten turns for each of two carriers."""
    another(explored, flights, LONG, 10)
    assert ddr("evaluate", LONG, "--baselines", "none", "--quiet").code == 0
    return explored


def test_what_was_found_by_each_turn_is_the_share_of_all_items(ddr: Ddr, long: Path) -> None:
    from checklists.loader import checklist_for

    done = ddr("curves", LONG, "--json", "--at", "1,4,10")
    assert done.code == 0, done.err
    assert (done.json["axis"], done.json["label"]) == ("turn", "post-hoc threshold")
    (told,) = done.json["runs"]
    values = {point["x"]: point["value"] for point in told["budgets"]}
    # Of the items of 01 one is found every other turn; 02 finds nothing and weighs as much.
    items = len(checklist_for("flights").of("01"))
    found = {point["x"]: round(2 * items * point["value"]) for point in told["budgets"]}
    assert values[1] == 0
    assert 1 <= found[4] <= 2
    assert found[4] < found[10] <= 5
    assert told["undated_share"] == 0
    assert told["left_out"] == {}
    assert [each["active"] for each in told["active"]] == [2, 2, 2]
    assert told["fit"]["no_interval"].startswith("2 entities are too few")
    strict = ddr("evaluate", LONG, "--baselines", "none", "--json").json["scores"]
    sample = next(
        s["strict"] for s in strict if (s["level"], s["averaging"]) == ("message", "sample")
    )
    assert values[10] == pytest.approx(sample)


def test_in_words_it_says_what_a_threshold_is_and_what_stopping_means(ddr: Ddr, long: Path) -> None:
    done = ddr("curves", LONG)
    assert done.code == 0, done.err
    for said in (
        "2 trajectories of 2 entities",
        "per turn",
        "area over log turn, 1 to 10",
        "post-hoc threshold: a point says what had been found by there in runs that were not held",
        "among active: stopping is informative",
        "no real run under a limit stands beside it: ",
        "run --scenario flights --agent scripted --limits max_turns=",
    ):
        assert said in done.out, said


def test_along_tokens_places_are_those_of_the_calls(ddr: Ddr, long: Path) -> None:
    (told,) = ddr("curves", LONG, "--axis", "billed_tokens", "--json").json["runs"]
    assert told["source"] == "measured"
    assert told["points"][-1]["x"] == sum(1000 * n for n in range(1, 11))
    assert {"x": 3000, "n": 2}.items() <= told["points"][0].items()  # turn 2 ends at 1000 + 2000
    assert told["roles"]["agent"]["usage"]["input_tokens"] == 2 * 55_000
    assert ddr("curves", LONG, "--axis", "cost_usd").code == 2  # every call cost 0: no log scale


def test_a_real_run_under_a_limit_stands_beside_the_threshold(
    ddr: Ddr, long: Path, flights: InstalledScenario
) -> None:
    another(long, flights, SHORT, 4, limits=Limits(max_turns=4))
    assert ddr("evaluate", SHORT, "--baselines", "none", "--quiet").code == 0
    for given in ((LONG, "--rerun", SHORT), (LONG, SHORT)):
        done = ddr("curves", *given, "--json")
        assert done.code == 0, done.err
        (beside,) = done.json["reruns"]
        assert (beside["run_id"], beside["beside"], beside["limit"]) == (SHORT, LONG, 4)
        assert beside["real"] == beside["threshold"] > 0
        assert not beside["announced"]
    assert len(ddr("curves", LONG, "--rerun", SHORT, "--json").json["runs"]) == 1
    shown = ddr("curves", LONG, "--rerun", SHORT).out
    assert f"really held to 4 (not told of it): {SHORT} found" in shown
    told = "20260131-flights-zz97"
    another(long, flights, told, 4, limits=Limits(max_turns=4), announced_budget=True)
    ddr("evaluate", told, "--baselines", "none", "--quiet")
    assert f"really held to 4 (told of it): {told}" in ddr("curves", LONG, "--rerun", told).out
    refused = ddr("curves", SHORT, "--rerun", LONG)
    assert refused.code == 2
    assert "it is not one of these runs again under a lower limit" in refused.err


def test_tables_and_figures_go_into_files(ddr: Ddr, long: Path, tmp_path: Path) -> None:
    names = ("c.csv", "c.json", "c.svg", "c.png")
    given = [word for name in names for word in ("--out", str(tmp_path / name))]
    done = ddr("curves", LONG, *given, "--json")
    assert done.code == 0, done.err
    assert all(Path(file).is_file() for file in done.json["files"])
    body = json.loads((tmp_path / "c.json").read_text())
    assert set(body) == {*("points", "budgets", "fits", "areas", "marginal", "coverage", "reruns")}
    with (tmp_path / "c-points.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["x"]) for row in rows] == list(range(1, 11))
    assert {row["run"] for row in rows} == {LONG}
    assert "post-hoc threshold" in (tmp_path / "c.svg").read_text()
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_runs_on_other_terms_are_refused_and_shown_if_wanted_all_the_same(
    ddr: Ddr, long: Path, flights: InstalledScenario
) -> None:
    another(long, flights, SHORT, 4, agent="third", goal="generic")
    ddr("evaluate", SHORT, "--baselines", "none", "--quiet")
    refused = ddr("curves", LONG, SHORT)
    assert refused.code == 2
    assert "not comparable, so not put in one figure: goal" in refused.err
    done = ddr("curves", LONG, SHORT, "--although-different")
    assert done.code == 0, done.err
    assert "NOT COMPARABLE, shown all the same: goal" in done.out


def test_protocol_ddr_reads_at_every_fifth_turn(ddr: Ddr, long: Path) -> None:
    (told,) = ddr("curves", LONG, "--protocol", "ddr", "--json").json["runs"]
    assert told["dated_by"] == "last supporting turn (protocol ddr)"
    assert [point["x"] for point in told["budgets"]] == list(range(5, 101, 5))


def test_the_reports_items_count_from_the_end(ddr: Ddr, long: Path) -> None:
    (told,) = ddr("curves", LONG, "--level", "trajectory", "--json").json["runs"]
    assert {point["value"] for point in told["points"] if point["x"] < 10} == {0}


def test_what_is_asked_wrongly_is_told_with_the_way_out(ddr: Ddr, long: Path) -> None:
    asked: dict[tuple[str, ...], str] = {
        (RUN,): f"run {RUN} is not scored yet",
        (LONG, "--axis", "dollars"): "unknown axis 'dollars'",
        (LONG, "--axis", "new_tokens", "--at", "x"): "'x' is no number",
        (LONG, "--range", "5"): "give two numbers, as 0.01:2",
        (LONG, "--range", "2:1"): "the lower first",
        (LONG, "--level", "chat"): "unknown level 'chat'",
        (LONG, "--protocol", "mine"): "unknown protocol 'mine'",
        (LONG, "--evaluation", "none"): "none is no evaluation of",
        (LONG, "--out", "c.pdf"): "the suffix says the form",
    }
    for given, why in asked.items():
        done = ddr("curves", *given)
        assert done.code == 2, given
        assert why in done.err


def test_an_axis_on_which_nothing_is_known_names_the_reason_and_one_that_is(
    ddr: Ddr, explored: Path
) -> None:
    assert ddr("evaluate", RUN, "--baselines", "none", "--quiet").code == 0
    done = ddr("curves", RUN, "--axis", "cost_usd")
    assert done.code == 2
    assert "its agent asks no model (2 of its trajectories)" in done.err
    assert "--axis turn" in done.err


def test_a_page_gets_its_curves_by_one_call(long: Path) -> None:
    places = settings.load()
    with open_store(places.store_path) as store:
        found = of_run(store.run(LONG), store, places, axes=("turn", "new_tokens"))
        assert found is not None
        assert set(found.growths) == {"turn", "new_tokens"}
        assert found.curve("turn", draws=50).points[-1].value > 0
        assert of_run(store.run(RUN), store, places) is None
