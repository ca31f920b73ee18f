"""The owners' files become tables of raw daily values, and the surveys documents that no agent sees."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from core.errors import ScenarioError, UnknownNameError, UsageError
from databases.build import build
from databases.documents import Documents
from databases.installed import InstalledScenario
from databases.wearables.features import known, tables
from tests.databases.wearables import layout
from tests.databases.wearables.conftest import Ask


def test_a_table_holds_one_row_per_participant_and_day(
    imported: InstalledScenario, ask: Ask
) -> None:
    rows = ask(imported, "SELECT participant_id, day, step_count FROM steps")
    expected = [(p, dt.date.fromisoformat(d), 1) for p in layout.PEOPLE for d in layout.DATES]
    assert rows == expected


def test_the_tables_hold_the_known_columns_and_nothing_derived(imported: InstalledScenario) -> None:
    schema = imported.schema()
    assert {table.name for table in schema.tables} == {"participants", *tables()}
    for name in tables():
        table = schema.table(name)
        assert table is not None
        columns = [column.name for column in table.columns]
        assert columns == ["participant_id", "day", *(f.column for f in known(name))]
        assert table.comment
        assert all(column.comment for column in table.columns)


def test_the_participants_are_the_entities_with_their_platform(
    imported: InstalledScenario,
) -> None:
    assert [(e.id, e.attributes["platform"]) for e in imported.entities()] == [
        ("W-1", "android"),
        ("W-2", "ios"),
    ]


def test_the_surveys_are_documents_and_nowhere_in_the_database(
    imported: InstalledScenario,
) -> None:
    kept = Documents(imported.folder.parents[1], "wearables").of("W-1")
    assert [(d.kind, d.title) for d in kept] == [
        ("survey", "Survey after the study"),
        ("survey", "Survey before the study"),
    ]
    assert kept[1].values == {"STAIS_PRE": 40.0, "CESD_10items_PRE": 8.0, "BRS_PRE": 3.0}
    assert kept[1].written_on == dt.date(2018, 3, 21)
    names = {c.name.lower() for t in imported.schema().tables for c in t.columns}
    assert not {name for name in names if "stai" in name or "cesd" in name or "brs" in name}
    assert b"STAIS" not in imported.database_path.read_bytes()


def test_a_gzipped_study_and_a_study_by_itself_give_the_same(
    study: Path, imported: InstalledScenario, tmp_path: Path
) -> None:
    for table in tables():
        layout.gzipped(layout.file_of(study, table))
    again = build("wearables", tmp_path / "home", options={"from": str(study)})
    assert again.scenario.fingerprint == imported.scenario.fingerprint


def test_the_order_of_rows_and_columns_in_a_file_does_not_matter(
    study: Path, imported: InstalledScenario, tmp_path: Path
) -> None:
    path = layout.file_of(study, "sleep")
    lines = [line.split(",") for line in path.read_text().splitlines()]
    turned = [[*line[:2], *reversed(line[2:])] for line in (lines[0], *reversed(lines[1:]))]
    path.write_text("".join(",".join(line) + "\r\n" for line in turned))
    again = build("wearables", tmp_path / "home", options={"from": str(study)})
    assert again.scenario.fingerprint == imported.scenario.fingerprint


def test_a_day_without_any_value_has_no_row(study: Path, tmp_path: Path, ask: Ask) -> None:
    def cell(pid: str, date: str, _column: str) -> object:
        return "" if (pid, date) == ("W-1", "2018-04-14") else 2.5

    layout.file_of(study, "location").write_text(layout.features_text("location", cell=cell))
    built = build("wearables", tmp_path / "home", options={"from": str(study)})
    days = ask(built, "SELECT day FROM location WHERE participant_id = 'W-1'")
    assert [str(day) for (day,) in days] == ["2018-04-13", "2018-04-15"]


def test_values_are_kept_as_they_are_and_a_count_with_a_fraction_makes_its_column_real(
    study: Path, tmp_path: Path, ask: Ask
) -> None:
    def cell(_pid: str, _date: str, column: str) -> object:
        return "389.9938" if "duration" in column else "1.5" if "spell" in column else 7

    def counted(_pid: str, _date: str, column: str) -> object:
        return 3.5 if column.endswith("rapids_countscans:allday") else 3

    layout.file_of(study, "sleep").write_text(layout.features_text("sleep", cell=cell))
    layout.file_of(study, "wifi").write_text(layout.features_text("wifi", cell=counted))
    built = build("wearables", tmp_path / "home", options={"from": str(study)})
    assert ask(built, "SELECT DISTINCT time_asleep_min FROM sleep") == [(389.9938,)]
    wifi = built.schema().table("wifi")
    assert wifi is not None
    assert [c.type for c in wifi.columns[2:4]] == ["DOUBLE", "INTEGER"]


def test_an_unknown_feature_comes_last_under_its_own_spelling(study: Path, tmp_path: Path) -> None:
    text = layout.features_text("wifi", more=["f_wifi:phone_wifi_visible_new:allday"])
    layout.file_of(study, "wifi").write_text(text)
    built = build("wearables", tmp_path / "home", options={"from": str(study)})
    wifi = built.schema().table("wifi")
    assert wifi is not None
    assert wifi.columns[-1].name == "phone_wifi_visible_new"


def test_several_studies_are_one_database_and_a_pid_of_two_is_told_apart(
    study: Path, tmp_path: Path, ask: Ask
) -> None:
    layout.write_study(study.parent, "INS-W_2", people=("W-2", "W-3"))
    built = build("wearables", tmp_path / "home", options={"from": str(study.parent)})
    ids = [entity.id for entity in built.entities()]
    assert ids == ["W-1", "W-2@INS-W_1", "W-2@INS-W_2", "W-3"]
    assert ask(built, "SELECT count(*), count(DISTINCT participant_id) FROM sleep") == [(12, 4)]
    assert len(Documents(tmp_path / "home", "wearables").of("W-2@INS-W_2")) == 2


def test_participants_can_be_chosen_by_id_and_by_a_list(study: Path, tmp_path: Path) -> None:
    listed = tmp_path / "ids.json"
    listed.write_text('["W-2", "somebody else"]')
    for place, wanted in enumerate(("W-2", str(listed))):
        options = {"from": str(study), "entities": wanted}
        built = build("wearables", tmp_path / f"home{place}", options=options)
        assert [entity.id for entity in built.entities()] == ["W-2"]
        assert Documents(tmp_path / f"home{place}", "wearables").entity_ids() == ("W-2",)
    with pytest.raises(UnknownNameError, match="unknown participant 'W-9'"):
        build("wearables", tmp_path / "home", options={"from": str(study), "entities": "W-9"})
    listed.write_text('["W-9"]')
    with pytest.raises(ScenarioError, match="names none of the 2 participants"):
        build("wearables", tmp_path / "home", options={"from": str(study), "entities": str(listed)})


def test_tables_can_be_chosen_and_a_missing_file_says_how_to_do_without(
    study: Path, tmp_path: Path
) -> None:
    layout.file_of(study, "wifi").unlink()
    with pytest.raises(
        ScenarioError, match=r"neither wifi\.csv nor .* --tables steps,sleep,"
    ) as told:
        build("wearables", tmp_path / "home", options={"from": str(study)})
    chosen = str(told.value).rpartition(" ")[2]
    built = build("wearables", tmp_path / "home", options={"from": str(study), "tables": chosen})
    assert "wifi" not in {table.name for table in built.schema().tables}
    with pytest.raises(UnknownNameError, match="unknown table of features 'stairs'"):
        build("wearables", tmp_path / "home", options={"from": str(study), "tables": "stairs"})


def test_a_build_needs_a_source_and_takes_no_two(study: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give --from or --synthetic"):
        build("wearables", tmp_path / "home")
    with pytest.raises(UsageError, match="not both"):
        build("wearables", tmp_path / "home", options={"from": str(study), "synthetic": True})
