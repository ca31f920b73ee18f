"""`ddr leaderboard`: judged runs of a real scenario in every form, apart where they are not comparable."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from databases.catalog import InstalledScenario
from server.store import open_store
from server.store.standings import KeptStandings
from tests.server.cli.conftest import RUN, Ddr
from tests.server.cli.test_diff import OTHER, another


@pytest.fixture
def two(explored: Path, flights: InstalledScenario, ddr: Ddr) -> Path:
    """Beside RUN, which found nothing, one that hands in the answers on carrier 01, both judged."""
    another(
        explored,
        flights,
        OTHER,
        agent="react",
        model={"provider": "hosted_vllm", "name": "Qwen/Qwen2.5-7B-Instruct"},
    )
    for name in (RUN, OTHER):
        assert ddr("evaluate", name, "--quiet").code == 0
    return explored


def test_an_empty_home_is_told_what_to_do(ddr: Ddr) -> None:
    done = ddr("leaderboard")
    assert done.code == 0
    assert "no run is finished and evaluated yet" in done.out
    assert "demo" in done.out
    assert ddr("leaderboard", "--json").json["boards"] == []


def test_rows_come_with_intervals_baselines_and_the_next_step(ddr: Ddr, two: Path) -> None:
    done = ddr("leaderboard")
    assert done.code == 0, done.err
    assert done.out.index("Qwen2.5-7B-Instruct") < done.out.index("scripted")
    assert "baselines, final report: " in done.out and "another entity's" in done.out
    assert f"diff {OTHER} {RUN}" in done.out
    assert "NOT COMPARABLE" not in done.out


def test_the_figures_are_those_of_the_evaluation(ddr: Ddr, two: Path) -> None:
    judged = ddr("evaluate", OTHER, "--json").json
    told = ddr("leaderboard", "--json").json
    (first, _) = told["boards"][0]["groups"][0]["rows"]
    own = [score for score in judged["scores"] if score["competitor"] == first["competitor"]]
    assert first["scores"] == own
    others = [score for score in judged["scores"] if score["competitor"] != first["competitor"]]
    assert [score for name in first["baselines"].values() for score in name] == others


def test_what_was_kept_equals_what_is_made_anew(ddr: Ddr, two: Path) -> None:
    before = ddr("leaderboard", "--json").json
    with open_store(two / "store.sqlite3") as store:
        KeptStandings(store).drop()
    assert ddr("leaderboard", "--json").json == before


def test_another_checklist_of_the_judge_stands_apart_with_the_reason(ddr: Ddr, two: Path) -> None:
    with open_store(two / "store.sqlite3") as store:
        newest = store.evaluations(RUN)[0]
        store.amend_evaluation(newest.model_copy(update={"checker": "another"}))
    done = ddr("leaderboard")
    assert "NOT COMPARABLE with the rows above" in done.out
    assert "checker: " in done.out
    table = ddr("leaderboard", "--format", "table2")
    assert "1 row not comparable with these" in table.err


def test_the_papers_shape_holds_percent_and_the_mean_of_its_columns(ddr: Ddr, two: Path) -> None:
    done = ddr("leaderboard", "--format", "table2")
    line = next(line for line in done.out.splitlines() if "Qwen" in line)
    *figures, overall = map(float, re.findall(r"\d+\.\d\d", line))
    assert len(figures) == 4
    assert overall == pytest.approx(sum(figures) / 4, abs=0.011)


def test_published_figures_stand_apart_as_others(ddr: Ddr, two: Path) -> None:
    done = ddr("leaderboard", "--format", "table2", "--published")
    own, published = done.out.split("Others' figures")
    assert "Claude 4.5 Sonnet" not in own
    assert "47.73" in published and "no row of ours may be ranked among them" in published
    told = ddr("leaderboard", "--published", "--json").json["published"]
    assert len(told["rows"]) == 22


def test_csv_is_read_back_with_one_line_per_row(ddr: Ddr, two: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(ddr("leaderboard", "--format", "csv").out)))
    assert [row["run"] for row in rows] == [OTHER, RUN]
    first, second = rows
    assert (first["family"], first["total_b"], second["total_b"]) == ("Qwen", "7.61", "")
    assert 0 < float(first["accuracy_message_item"]) < 1
    assert float(second["accuracy_message_item"]) == 0
    assert second["cost_usd_per_entity"] == "0.0"


def test_latex_escapes_what_a_model_is_called(ddr: Ddr, two: Path) -> None:
    text = ddr("leaderboard", "--format", "latex").out
    assert r"hosted\_vllm/Qwen/Qwen2.5-7B-Instruct & " in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1


def test_models_are_looked_at_by_an_attribute_of_a_file(ddr: Ddr, two: Path) -> None:
    own = two / "models.toml"  # in $DDR_HOME, so that nobody has to name it
    own.write_text(
        '[[models]]\nname = "Qwen2.5-7B-Instruct"\nattributes = { tuning = "sft" }\n', "utf-8"
    )
    done = ddr("leaderboard", "--by", "tuning")
    assert done.code == 0, done.err
    assert "by tuning" in done.out and "sft" in done.out
    assert "not known of scripted" in done.out
    told = ddr("leaderboard", "--by", "tuning", "--json").json["facets"]["flights"]
    assert told["message"]["groups"][0]["models"] == ["hosted_vllm/Qwen/Qwen2.5-7B-Instruct"]


def test_files_hold_the_tables_and_the_figure(ddr: Ddr, two: Path, tmp_path: Path) -> None:
    paths = [tmp_path / f"board.{form}" for form in ("json", "csv", "svg", "png")]
    asked = [word for path in paths for word in ("--out", str(path))]
    told = ddr("leaderboard", "--by", "total_b", *asked, "--json").json
    read = json.loads(paths[0].read_text())
    assert list(read) == [
        "leaderboard",
        "groups",
        "baselines",
        "overall",
        "facets",
        "contrasts",
        "slopes",
    ]
    assert len(read["leaderboard"]) == 2
    assert len(told["files"]) == 1 + 7 + 2
    plain = tmp_path / "rows.svg"
    assert ddr("leaderboard", "--out", str(plain)).code == 0
    assert "Instruct" in plain.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--format", "html"), "known: csv, latex, plain, table2"),
        (("--by", "colour"), "unknown attribute of models 'colour'; known: "),
        (("--out", "board.xlsx"), "the suffix says the form"),
        (("--models", "none.toml"), "none.toml: the models cannot be read"),
    ],
)
def test_what_cannot_be_had_is_refused_with_the_way_out(
    ddr: Ddr, arguments: tuple[str, ...], said: str
) -> None:
    done = ddr("leaderboard", *arguments)
    assert done.code == 2
    assert said in done.err
