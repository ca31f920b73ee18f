"""The database of InsightBench: a schema per set, two views, and errors with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ScenarioError, UnknownNameError, UsageError
from core.scenario import Entity
from databases.build import build
from databases.connection import open_readonly
from databases.documents import Documents
from databases.installed import InstalledScenario
from databases.record import read_record
from tests.databases.insightbench.sets import PEOPLE, TICKETS, built, write_set

ERROR = {"insight": "There was no column department to conduct any analysis", "question": "Where?"}
SLOW = {"data_type": "diagnostic", "insight": "Cables take longest", "question": "What is slow?"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sets: the first two have the same table, and the third is about an error."""
    path = tmp_path_factory.mktemp("sets")
    write_set(path, "flag-1")
    write_set(path, "flag-2", users=PEOPLE)
    write_set(path, "flag-10", insights=[SLOW, ERROR])
    return path


@pytest.fixture(scope="module")
def default(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    return built(folder, tmp_path_factory.mktemp("default"))


def by_id(installed: InstalledScenario) -> dict[str, Entity]:
    return {entity.id: entity for entity in installed.entities()}


def test_each_set_has_its_tables_in_a_schema_of_its_own(default: InstalledScenario) -> None:
    assert [t.name for t in default.schema().tables] == [
        "flag-1.records",
        "flag-2.records",
        "flag-2.users",
    ]
    assert by_id(default)["flag-2"].tables == ("flag-2.records", "flag-2.users")


def test_dates_are_dates_and_a_column_without_a_value_is_kept(default: InstalledScenario) -> None:
    table = default.schema().table("flag-1.records")
    assert table is not None
    assert {column.name: column.type for column in table.columns} == {
        "number": "VARCHAR",
        "opened_at": "TIMESTAMP",
        "closed_at": "TIMESTAMP",
        "category": "VARCHAR",
        "notes": "VARCHAR",
    }
    with open_readonly(default.database_path) as connection:
        (row,) = connection.execute(
            "SELECT category, closed_at, notes FROM \"flag-1\".records WHERE number = 'T2'"
        ).fetchall()
    assert row == ("Cable, long", None, None)


def test_every_table_and_column_says_what_it_is(default: InstalledScenario) -> None:
    for table in default.schema().tables:
        assert table.comment
        assert all("NULL: empty in the file." in (c.comment or "") for c in table.columns)
    columns = {c.name: c.comment for c in default.schema().tables[0].columns}
    assert columns["opened_at"] == "When it was opened or handed in. NULL: empty in the file."
    assert "is not said" in str(columns["notes"])


def test_the_default_view_leaves_out_what_is_about_an_error_and_says_so(
    default: InstalledScenario,
) -> None:
    assert list(by_id(default)) == ["flag-1", "flag-2"]
    record = read_record(default.folder)
    assert record is not None
    assert record.notes == (
        "flag-10 is left out: 1 of its 2 insights tell of an analysis that failed",
        "2 sets have 1 table between them",
    )


def test_sets_with_the_same_table_are_one_cluster(default: InstalledScenario) -> None:
    one, two = default.entities()
    assert one.cluster == two.cluster
    assert one.cluster_id != one.id


def test_the_raw_view_keeps_every_set_each_by_itself(folder: Path, tmp_path: Path) -> None:
    raw = built(folder, tmp_path, view="raw")
    assert list(by_id(raw)) == ["flag-1", "flag-2", "flag-10"]
    assert {entity.cluster for entity in raw.entities()} == {"flag-1", "flag-2", "flag-10"}


def test_the_views_stand_side_by_side_under_a_name(folder: Path, tmp_path: Path) -> None:
    options = {"from": str(folder), "view": "raw"}
    raw = build("insightbench", tmp_path, options=options, name="insightbench-raw")
    assert {entity.scenario_id for entity in raw.entities()} == {"insightbench-raw"}
    assert raw.base == "insightbench"


def test_goal_and_role_are_told_on_request_and_the_title_never(default: InstalledScenario) -> None:
    plain = default.task("flag-1").text
    assert plain == "Explore the database and report what stands out in data set flag-1."
    own = default.task("flag-1", "dataset").text
    assert own == f"{plain} You work as Repair Manager. The goal: Find what is wrong in flag-1"
    generic = default.task("flag-1", "generic").text
    assert "Find what is wrong" not in generic
    assert "Repair Manager" in generic
    title = default.entity("flag-1").attributes["title"]
    assert title not in generic + own + default.task("flag-1").model_dump_json()


def test_the_ground_truth_is_in_no_table(default: InstalledScenario, tmp_path: Path) -> None:
    kept = Documents(default.folder.parents[1], "insightbench")
    (first, second, summary) = kept.of("flag-1")
    assert (first.kind, first.title, first.text) == (
        "insight",
        "What breaks?",
        "Printers break most",
    )
    assert first.values == {
        "type": "descriptive",
        "stated_type": "descriptive",
        "actionable": "Buy others.",
    }
    assert second.values["type"] == "other"
    assert (summary.kind, summary.text) == ("summary", "Much breaks in flag-1.")
    files = [default.database_path, *(default.folder / "parts").iterdir()]
    assert all(b"Printers break most" not in path.read_bytes() for path in files)


def test_some_sets_are_built_by_their_ids(folder: Path, tmp_path: Path) -> None:
    some = built(folder, tmp_path, entities="flag-2, flag-1", view="raw")
    assert list(by_id(some)) == ["flag-1", "flag-2"]
    with pytest.raises(
        UnknownNameError, match=r"unknown data set 'flag-7' .*; known: flag-1, flag-2"
    ):
        built(folder, tmp_path, entities="flag-7")


def test_what_the_build_cannot_do_it_says(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown view of insightbench 'rwa'"):
        built(folder, tmp_path, view="rwa")
    with pytest.raises(UsageError, match="not made from nothing: give --from"):
        build("insightbench", tmp_path)
    only = tmp_path / "only"
    write_set(only, "flag-1", insights=[ERROR])
    with pytest.raises(ScenarioError, match="no set is left: the ground truth of each is error"):
        built(only, tmp_path)
    write_set(only, "FLAG-1")
    with pytest.raises(ScenarioError, match="another set has the same name but for its capitals"):
        built(only, tmp_path, view="raw")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (TICKETS.encode() + b"T4,2024-01-01,,Caf\xe9,\n", r"line 5: not UTF-8 \(byte 0xe9\)"),
        ("number,state\nT1\nT2,Open\n", "line 2: 1 field, and the header has 2"),
        ("number,state\nT1,Open\nT1,Open,more\n", "line 3: 3 fields, and the header has 2"),
        ('number,state\nT1,"Op', "line 2: not CSV: unexpected end of data"),
        ("number,Number\n1,2\n", "line 1: the column 'number' stands twice"),
        ("number,state\n", "has a header and no rows"),
        ("", "line 1: a header with the names of the columns is wanted"),
    ],
)
def test_a_table_that_is_broken_is_told_with_file_and_line_and_leaves_nothing(
    tmp_path: Path, table: str | bytes, said: str
) -> None:
    write_set(tmp_path / "sets", "flag-1", table=table)
    with pytest.raises(ScenarioError, match=rf"csvs/flag-1\.csv.*{said}"):
        built(tmp_path / "sets", tmp_path / "home")
    left = tmp_path / "home" / "scenarios" / "insightbench"
    assert [path.name for path in left.iterdir()] == [".lock"]
    assert not (tmp_path / "home" / "documents").exists()
