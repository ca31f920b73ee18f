"""Broken input is told with its file and line or column, and leaves no half-built database."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.errors import ScenarioError
from databases.build import build
from databases.wearables.files import opened
from tests.databases.wearables import layout


def refused(study: Path, tmp_path: Path) -> str:
    """What is said of a study that cannot be built; nothing of it stays."""
    with pytest.raises(ScenarioError) as told:
        build("wearables", tmp_path / "home", options={"from": str(study)})
    left = {path.name for path in (tmp_path / "home" / "scenarios" / "wearables").iterdir()}
    assert left == {".lock"}
    assert not (tmp_path / "home" / "documents").exists()
    return str(told.value)


def spoil(path: Path, pattern: str, replacement: str) -> None:
    """Change a file's first match."""
    text = path.read_text(encoding="utf-8")
    changed = re.sub(pattern, replacement, text, count=1)
    assert changed != text
    path.write_text(changed, encoding="utf-8")


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [
        ("^pid,", "id,", "FeatureData/steps.csv, line 1, column 'pid': is missing"),
        ("^pid,date", "pid,when", "FeatureData/steps.csv, line 1, column 'date': is missing"),
        (
            "f_steps:fitbit_steps_intraday_rapids_sumsteps:allday",
            "f_steps:other:allday",
            "steps.csv, line 1, column 'f_steps:fitbit_steps_intraday_rapids_sumsteps:allday': is missing",
        ),
        ("^pid,date,", "pid,date,PID,", "steps.csv, line 1: the column 'pid' stands twice"),
        (
            "W-1,2018-04-14,1",
            "W-1,2018-04-14,much",
            "steps.csv, line 3, column 'f_steps:fitbit_steps_intraday_rapids_sumsteps:allday': is not a number",
        ),
        ("W-1,2018-04-14,1", "W-1,2018-04-14,inf", "line 3, column 'f_steps:fitbit_steps_"),
        (
            "W-1,2018-04-14,",
            "W-1,the 14th,",
            "steps.csv, line 3, column 'date': is not a date (2018-04-13)",
        ),
        ("W-1,2018-04-14,", ",2018-04-14,", "steps.csv, line 3, column 'pid': is not a participant"),
        ("W-1,2018-04-14,", "W-1,2018-04-13,", "steps.csv, line 3: is the same participant and day as line 2"),
        ("W-1,2018-04-14,1,", "W-1,2018-04-14,", "steps.csv, line 3: has 28 fields, the header 29"),
        ("W-2,2018-04-14,1,", "W-2,2018-04-14,\"1,", "steps.csv, line 6: is not sound CSV"),
        (r"(?s).+", "", "steps.csv, line 1: is empty"),
    ],
)  # fmt: skip
def test_a_fault_in_a_file_of_features_is_told_with_its_place(
    study: Path, tmp_path: Path, pattern: str, replacement: str, said: str
) -> None:
    spoil(layout.file_of(study, "steps"), pattern, replacement)
    assert said in refused(study, tmp_path)


def test_a_file_without_any_feature_of_the_whole_day_is_told(study: Path, tmp_path: Path) -> None:
    path = layout.file_of(study, "sleep")
    path.write_text(path.read_text().replace(":allday", ":morning"))
    assert "sleep.csv: has no raw feature of the whole day (f_slp:...:allday)" in refused(
        study, tmp_path
    )


def test_latin_1_is_told_with_its_line(study: Path, tmp_path: Path) -> None:
    path = layout.file_of(study, "screen")
    path.write_bytes(path.read_bytes().replace(b"W-2,2018-04-13", b"W-\xe9,2018-04-13"))
    assert "screen.csv, line 5: is not UTF-8 (byte 0xe9)" in refused(study, tmp_path)


def test_a_gz_that_ends_early_is_told_with_its_line(study: Path, tmp_path: Path) -> None:
    packed = layout.gzipped(layout.file_of(study, "location"))
    packed.write_bytes(packed.read_bytes()[:-6])
    said = refused(study, tmp_path)
    assert re.search(r"FeatureData/location\.csv\.gz, line \d+: ends early", said)


def test_a_gz_that_is_none_is_told(study: Path, tmp_path: Path) -> None:
    packed = layout.gzipped(layout.file_of(study, "location"))
    packed.write_bytes(b"no gzip at all")
    assert "location.csv.gz, line 1: is damaged" in refused(study, tmp_path)


def test_a_participant_without_rows_is_told_and_can_be_left_out(
    study: Path, tmp_path: Path
) -> None:
    people = study / "ParticipantsInfoData" / "platform.csv"
    people.write_text(people.read_text() + "W-3,ios\n")
    said = refused(study, tmp_path)
    assert "platform.csv, line 4: participant W-3 has no row with a value" in said
    home = tmp_path / "home"
    built = build("wearables", home, options={"from": str(study), "skip_empty": True})
    assert [entity.id for entity in built.entities()] == ["W-1", "W-2"]


@pytest.mark.parametrize(
    ("path", "pattern", "replacement", "said"),
    [
        ("SurveyData/pre.csv", "40.0", "forty", "pre.csv, line 2, column 'STAIS_PRE': is not a number"),
        ("SurveyData/post.csv", "2018-03-21", "March", "post.csv, line 2, column 'date': is not a date"),
        ("SurveyData/pre.csv", "W-2", "W-1", "pre.csv, line 3, column 'pid': is the same participant as line 2"),
        ("SurveyData/pre.csv", "W-2,", "W-2,,", "pre.csv, line 3: has 6 fields, the header 5"),
        ("ParticipantsInfoData/platform.csv", "platform", "phone", "platform.csv, line 1, column 'platform': is missing"),
        ("ParticipantsInfoData/platform.csv", "W-1", "W'1", "platform.csv, line 2, column 'pid': is no id"),
    ],
)  # fmt: skip
def test_a_fault_beside_the_features_is_told_with_its_place(
    study: Path, tmp_path: Path, path: str, pattern: str, replacement: str, said: str
) -> None:
    spoil(study / path, pattern, replacement)
    assert said in refused(study, tmp_path)


@pytest.mark.parametrize("missing", ["SurveyData/post.csv", "ParticipantsInfoData/platform.csv"])
def test_a_missing_file_is_named(study: Path, tmp_path: Path, missing: str) -> None:
    (study / missing).unlink()
    assert f"has no {missing.rpartition('/')[2]}" in refused(study, tmp_path)


def test_a_folder_without_a_study_and_one_that_is_none_are_told(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "holds no study" in refused(empty, tmp_path)
    assert "is not a folder" in refused(tmp_path / "nowhere", tmp_path)


def test_what_a_broken_line_holds_is_not_told(study: Path, tmp_path: Path) -> None:
    spoil(layout.file_of(study, "steps"), "W-1,2018-04-14,1,", "W-1,2018-04-14,4711,")
    spoil(layout.file_of(study, "steps"), "(4711.*),1\n", r"\1\n")
    assert "4711" not in refused(study, tmp_path)


@pytest.mark.parametrize("name", ["gone.csv", "gone.csv.gz"])
def test_a_file_that_cannot_be_opened_is_told_by_its_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / "INS-W_1" / "FeatureData" / name
    with pytest.raises(
        ScenarioError, match=rf"^INS-W_1/FeatureData/{name}: cannot be read: No such"
    ):
        opened(path, tmp_path)
    assert not list(tmp_path.iterdir())
