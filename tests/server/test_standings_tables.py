"""The leaderboard as tables and lines of Table 2: every row and group, and names that obey nobody."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from analysis.leaderboard import keys
from analysis.models import model_table
from core.run import ModelSpec
from server.files_out import csv_bytes
from server.leaderboard_files import all_tables, figure
from server.settings import Settings
from server.standings import Standings, standings
from server.standings_tables import entries, published, tables
from server.store import Repository
from tests.server.judged_runs import explore, judge, kept, model_run
from tests.server.test_standings_summary import closed


@pytest.fixture
def found(store: Repository, tmp_path: Path) -> Standings:
    """Two scenarios; in one of them a row that is not comparable, and a competitor that is in one alone."""
    for number, (name, scenario, criteria, hits) in enumerate(
        [
            ("Qwen/Qwen2.5-7B", "small", "strict", {"01-a"}),
            ("gpt-5.2", "small", "strict", {"01-a", "02-a"}),
            ("lenient", "small", "lenient", set[str]()),
            ("gpt-5.2", "other", "strict", {"01-a"}),
        ]
    ):
        run = explore(store, model_run(number, name, scenario_id=scenario))
        judge(store, run, message=hits, report=hits, criteria=criteria, checklist_id=scenario)
        kept(store, run, id=scenario, scenario_id=scenario)
    return standings(store, Settings(tmp_path), patience_s=0)


def test_each_row_of_each_group_is_in_the_table_with_what_is_known_of_its_model(
    found: Standings,
) -> None:
    rows, groups, _, overall = tables(found, model_table())
    told = [dict(zip(rows.columns, row, strict=True)) for row in rows.rows]
    assert [(row["scenario"], row["group"], row["competitor"]) for row in told] == [
        ("other", 1, "openai/gpt-5.2"),
        ("small", 1, "openai/gpt-5.2"),
        ("small", 1, "openai/Qwen/Qwen2.5-7B"),
        ("small", 2, "openai/lenient"),
    ]
    assert [row["total_b"] for row in told] == [None, None, 7.61, None]
    assert told[0]["accuracy_message_item"] == pytest.approx(1 / 3)
    assert ["small", 2, "criteria", "lenient"] in [list(row) for row in groups.rows]
    assert [(row[0], row[3], row[4]) for row in overall.rows] == [
        ("openai/gpt-5.2", "other small", 8),
        ("openai/Qwen/Qwen2.5-7B", "small", 4),
    ]


def test_lines_of_table_2_are_of_the_main_groups_and_whole_ones_alone_have_an_overall(
    found: Standings,
) -> None:
    made, scenarios = entries(found)
    assert scenarios == ["other", "small"]
    both, one = made
    assert both.competitor == "openai/gpt-5.2"
    assert set(both.values) == set(keys(scenarios))
    assert both.overall == pytest.approx(sum(both.values.values()) / 8)
    # Over one scenario alone: its mean would stand in a column of means over both.
    assert (len(one.values), one.overall) == (4, None)


def test_two_of_one_name_are_told_apart_by_what_they_are(store: Repository, tmp_path: Path) -> None:
    for number, (scenario, protocol) in enumerate((("small", "default"), ("other", "ddr"))):
        run = explore(store, model_run(number, "one", scenario_id=scenario, protocol=protocol))
        judge(store, run, checklist_id=scenario)
        kept(store, run, id=scenario, scenario_id=scenario)
    made, _ = entries(standings(store, Settings(tmp_path), patience_s=0))
    assert sorted(each.competitor for each in made) == [
        "openai/one (ddr, built-in)",
        "openai/one (default, built-in)",
    ]


def test_a_column_that_a_constant_answer_reaches_is_marked(
    store: Repository, tmp_path: Path
) -> None:
    items = (closed("01", "rose"), closed("02", "rose"))
    run = explore(store, model_run(1, "one"))
    judge(store, run, items=("01-c", "02-c"), message={"01-c"}, report={"01-c", "02-c"})
    kept(store, run, items=items)
    found = standings(store, Settings(tmp_path), patience_s=0)
    (line,), scenarios = entries(found)
    assert line.at_chance == frozenset(keys(scenarios))
    (total,) = found.totals
    assert total.overall.remark is not None and total.overall.corrected is None


def test_published_figures_are_those_of_the_scenarios_that_both_have() -> None:
    made, shown = published(["flights", "filings"])
    assert shown == ["filings"]
    assert (len(made), made[0].overall) == (22, None)
    whole, three = published(["flights"])
    assert three == ["patients", "wearables", "filings"]
    assert whole[0].overall == 0.4773


HOSTILE = '=HYPERLINK("http://x","y")\n<script>\x1b[2J&$%'


def test_a_name_is_no_formula_no_line_and_no_markup_in_any_file(
    store: Repository, tmp_path: Path
) -> None:
    run = model_run(1, "x").model_copy(update={"model": None, "agent": HOSTILE})
    judge(store, explore(store, run))
    kept(store, run)
    found = standings(store, Settings(tmp_path), patience_s=0)
    made = all_tables(found, {}, model_table())
    read = list(csv.DictReader(io.StringIO(csv_bytes(made[0]).decode())))
    assert [row["competitor"] for row in read] == ["'" + HOSTILE]
    drawn = figure(found, {}, "svg").decode()
    assert "<script>" not in drawn and "\x1b" not in drawn
    assert json.loads(found.public().model_dump_json())["boards"]


def test_a_scripted_model_is_named_without_its_folder_to_the_public_alone(
    store: Repository, tmp_path: Path
) -> None:
    model = ModelSpec(provider="scripted", name="/srv/x/answers.json")
    run = model_run(1, "x").model_copy(update={"model": model})
    judge(store, explore(store, run))
    kept(store, run)
    found = standings(store, Settings(tmp_path), patience_s=0)
    assert entries(found)[0][0].competitor == "scripted:/srv/x/answers.json"
    assert entries(found.public())[0][0].competitor == "scripted:answers.json"
