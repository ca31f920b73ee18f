"""What speaks for a run, and on what terms: evaluations, checklists, trials, outside agents, several runs."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from checklists.canonical import items_hash
from checklists.loader import checklist_for
from core.run import Limits, ModelSpec
from core.trajectory import StopReason, Turn, Usage
from databases.catalog import InstalledScenario
from server import settings
from server.curves import RunCurves, of_run
from server.store import open_store
from tests.analysis.courses import Took, asked_turn
from tests.server.cli.conftest import RUN, Ddr
from tests.server.support import START, draft, insight, spec, turn

ONE, TWO = "20260131-flights-zz91", "20260131-flights-zz92"


def explore(
    home: Path,
    flights: InstalledScenario,
    run_id: str,
    found: Sequence[int],
    turns: Sequence[Turn],
    *,
    trials: int = 1,
    reported: Usage | None = None,
    **changes: Any,
) -> None:
    """Carrier 01 states the answer of its n-th item at the n-th turn of `found`; 02 finds nothing."""
    with open_store(home / "store.sqlite3") as store:
        fields = {
            "scenario_id": "flights",
            "scenario_fingerprint": flights.scenario.fingerprint,
            "trials": trials,
            **changes,
        }
        run = spec(run_id, **fields)
        store.add_run(run)
        items = checklist_for("flights").of("01")
        for entity_id in run.entity_ids:
            for trial in range(1, trials + 1):
                mine = store.start_trajectory(draft(run, entity_id, trial, reported_usage=reported))
                for each in turns:
                    store.add_turn(mine.id, each)
                    place = found.index(each.index) if each.index in found else None
                    is_told = place is not None and entity_id == "01" and trial == 1
                    text = items[place or 0].answer if is_told else None
                    store.add_insight(insight(mine.id, each.index, text))
                store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)


def plain(count: int) -> list[Turn]:
    return [turn(number) for number in range(1, count + 1)]


def paid(costs: Sequence[float | None]) -> list[Turn]:
    """Turns of a model, each with its cost; a hundred tokens in and ten out."""
    return [
        asked_turn(number, Took(100, 10, 1, 1.0, cost))
        for number, cost in enumerate(costs, start=1)
    ]


def judged(ddr: Ddr, run: str, *more: str) -> None:
    assert ddr("evaluate", run, "--baselines", "none", "--quiet", *more).code == 0


def curves(run: str, **options: Any) -> RunCurves:
    places = settings.load()
    with open_store(places.store_path) as store:
        found = of_run(store.run(run), store, places, **options)
    assert found is not None
    return found


def test_trials_are_averaged_before_entities_are(
    ddr: Ddr, explored: Path, flights: InstalledScenario
) -> None:
    explore(explored, flights, ONE, [2], plain(3))
    explore(explored, flights, TWO, [2], plain(3), trials=2)
    for run in (ONE, TWO):
        judged(ddr, run)
    once, twice = (curves(run).curve("turn").points[-1].value for run in (ONE, TWO))
    assert once > 0
    assert twice == pytest.approx(once / 2)
    assert len(curves(TWO).growths["turn"].explorations) == 4


def test_only_entities_of_the_run_are_in_the_denominator(
    ddr: Ddr, explored: Path, flights: InstalledScenario
) -> None:
    explore(explored, flights, ONE, [2], plain(3), entity_ids=("01",))
    judged(ddr, ONE)
    grown = curves(ONE).growths["turn"]
    (only,) = grown.entities
    assert (only.id, only.items) == ("01", len(checklist_for("flights").of("01")))


def test_the_newest_evaluation_speaks_unless_another_one_is_named(
    ddr: Ddr, explored: Path, flights: InstalledScenario, tmp_path: Path
) -> None:
    explore(explored, flights, ONE, [1, 2], plain(3))
    judged(ddr, ONE)
    short = shortened(tmp_path)
    judged(ddr, ONE, "--checklist", str(short))
    first, second = f"{ONE}.e1", f"{ONE}.e2"
    assert curves(ONE, evaluation=first).evaluation.id == first
    refused = ddr("curves", ONE)
    assert refused.code != 0
    assert "is not the one that" in refused.err and "--checklist" in refused.err
    done = ddr("curves", ONE, "--checklist", str(short), "--json")
    assert done.code == 0, done.err
    assert done.json["runs"][0]["evaluation"] == second
    by_first = ddr("curves", ONE, "--evaluation", first, "--json").json["runs"][0]
    assert by_first["evaluation"] == first
    # The shorter list has one item of carrier 01 alone, and it was found.
    assert done.json["runs"][0]["points"][-1]["value"] == 1.0
    assert by_first["points"][-1]["value"] < 0.5


def shortened(folder: Path) -> Path:
    """The checklist of flights with the first item of carrier 01 alone."""
    whole = checklist_for("flights")
    items = whole.of("01")[:1]
    cut = whole.model_copy(update={"id": "flights", "items": items, "hash": items_hash(items)})
    path = folder / "short.json"
    path.write_text(cut.model_dump_json(), "utf-8")
    return path


def test_a_price_that_is_missing_leaves_a_trajectory_out_and_the_rest_in(
    ddr: Ddr, explored: Path, flights: InstalledScenario
) -> None:
    explore(explored, flights, ONE, [1], paid([0.01, 0.02]), entity_ids=("01",))
    explore(explored, flights, TWO, [1], paid([0.01, None]), entity_ids=("01",))
    for run in (ONE, TWO):
        judged(ddr, run)
    assert curves(ONE, axes=("cost_usd",)).growths["cost_usd"].last == pytest.approx(0.03)
    done = ddr("curves", ONE, TWO, "--axis", "cost_usd", "--json")
    assert done.code == 0, done.err
    known, unknown = done.json["runs"]
    assert known["points"] and not unknown["points"]
    assert unknown["left_out"] == {"a call has no price": 1}
    assert unknown["area"] is None
    alone = ddr("curves", TWO, "--axis", "cost_usd")
    assert alone.code == 2
    assert "a call has no price" in alone.err


def test_an_agent_from_outside_has_its_total_and_no_places(
    ddr: Ddr, explored: Path, flights: InstalledScenario
) -> None:
    use = Usage(input_tokens=900, output_tokens=100, cost_usd=0.5)
    explore(explored, flights, ONE, [1, 3], plain(4), reported=use)
    judged(ddr, ONE)
    (told,) = ddr("curves", ONE, "--axis", "billed_tokens", "--json").json["runs"]
    assert (told["source"], [point["x"] for point in told["points"]]) == ("reported", [1000])
    assert told["active"] == [] and told["marginal"] == []
    by_turn = ddr("curves", ONE, "--json").json["runs"][0]
    assert told["points"][-1]["value"] == by_turn["points"][-1]["value"]
    assert "usage is the agent's own word" in ddr("curves", ONE, "--axis", "cost_usd").out


def test_areas_of_several_runs_are_over_one_range_that_may_be_given(
    ddr: Ddr, explored: Path, flights: InstalledScenario
) -> None:
    explore(explored, flights, ONE, [1, 2], paid([0.01] * 4))
    explore(explored, flights, TWO, [1, 2], paid([0.1] * 8), agent="dear")
    for run in (ONE, TWO):
        judged(ddr, run)
    cheap, dear = ddr("curves", ONE, TWO, "--axis", "cost_usd", "--json").json["runs"]
    for each in (cheap, dear):
        assert each["area"]["start"] == pytest.approx(0.01)
        assert each["area"]["stop"] == pytest.approx(0.8)
    assert cheap["area"]["value"] > dear["area"]["value"] > 0
    given = ddr("curves", ONE, TWO, "--axis", "cost_usd", "--range", "0.2:2", "--json").json["runs"]
    # Both had found all that they find by 0.2 dollars.
    values = [each["area"]["value"] for each in given]
    assert values[0] == values[1] == pytest.approx(given[0]["points"][-1]["value"])


def test_a_rerun_under_a_limit_of_money_stands_on_the_axis_of_money(
    ddr: Ddr, explored: Path, flights: InstalledScenario
) -> None:
    model = ModelSpec(provider="openai", name="m")
    explore(explored, flights, ONE, [1, 3], paid([0.01] * 5), model=model)
    limits = Limits(max_cost_usd=0.02)
    explore(explored, flights, TWO, [1, 2], paid([0.01] * 2), model=model, limits=limits)
    for run in (ONE, TWO):
        judged(ddr, run)
    (beside,) = ddr("curves", ONE, "--rerun", TWO, "--axis", "cost_usd", "--json").json["reruns"]
    assert beside["limit"] == 0.02
    assert beside["threshold"] > 0
    assert beside["real"] == pytest.approx(2 * beside["threshold"])
    refused = ddr("curves", ONE, "--rerun", TWO)
    assert refused.code == 2, "by turns it was held to nothing"
    assert "under a lower limit on turn" in refused.err


def test_a_rerun_that_other_rules_judged_is_refused(
    ddr: Ddr, explored: Path, flights: InstalledScenario, tmp_path: Path
) -> None:
    explore(explored, flights, ONE, [1, 3], plain(5))
    explore(explored, flights, TWO, [1], plain(2), limits=Limits(max_turns=2))
    judged(ddr, ONE)
    judged(ddr, TWO, "--checklist", str(shortened(tmp_path)))
    refused = ddr("curves", ONE, "--rerun", TWO)
    assert refused.code == 2
    assert "not comparable, so not put in one figure: checklist" in refused.err


def test_what_agents_call_themselves_is_no_formula_in_a_spreadsheet(
    ddr: Ddr, explored: Path, flights: InstalledScenario, tmp_path: Path
) -> None:
    explore(explored, flights, ONE, [1], plain(7), agent="=cmd|'/c calc'!A0")
    judged(ddr, ONE)
    assert ddr("curves", ONE, "--out", str(tmp_path / "c.csv")).code == 0
    with (tmp_path / "c-points.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert {row[0] for row in rows[1:]} == {"'=cmd|'/c calc'!A0"}


def test_nothing_of_a_checklist_is_in_what_is_printed_or_written(
    ddr: Ddr, explored: Path, flights: InstalledScenario, tmp_path: Path
) -> None:
    explore(explored, flights, ONE, [1, 2, 3], plain(4))
    judged(ddr, ONE)
    files = [tmp_path / name for name in ("c.json", "c.csv", "c.svg")]
    given = [word for file in files for word in ("--out", str(file))]
    printed = [ddr("curves", ONE, *given).out, ddr("curves", ONE, "--json").out]
    written = [path.read_text("utf-8") for path in tmp_path.glob("c*")]
    assert len(written) > 5
    for item in checklist_for("flights").of("01"):
        for text in (*printed, *written):
            assert item.answer not in text
            assert item.question not in text


def test_protocol_ddr_holds_without_being_asked_for_where_a_run_was_judged_by_it(
    ddr: Ddr, explored: Path, flights: InstalledScenario
) -> None:
    explore(explored, flights, ONE, [1, 2], plain(4), protocol="ddr")
    judged(ddr, ONE)
    assert curves(ONE).dating == "last"
    assert curves(ONE, protocol="default").dating == "first"
    told = ddr("curves", ONE, "--json").json["runs"][0]
    assert [point["x"] for point in told["budgets"]][:2] == [5, 10]


def test_quiet_leaves_hints_out_and_json_is_one_object(
    ddr: Ddr, explored: Path, flights: InstalledScenario
) -> None:
    explore(explored, flights, ONE, [1], plain(3))
    judged(ddr, ONE)
    assert "no real run" not in ddr("curves", ONE, "--quiet").out
    only = ddr("curves", ONE, "--json").out
    assert len(only.strip().splitlines()) == 1
    assert json.loads(only)["runs"][0]["run"] == ONE
    assert ddr("curves", RUN, ONE).code == 2, "RUN is not judged"
