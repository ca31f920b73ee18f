"""A set is read with what its notebook adds, and what is wrong with it is told with file and key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import ScenarioError
from databases.insightbench.reading import category_of, read_set, set_files
from tests.databases.insightbench.sets import INSIGHTS, PEOPLE, write_notebook, write_set


def test_a_set_has_its_goal_its_role_and_its_insights_in_order(tmp_path: Path) -> None:
    found = read_set(write_set(tmp_path, "flag-3", users=PEOPLE, metadata={"difficulty": 4}))
    assert (found.id, found.role, found.category, found.level) == (
        "flag-3",
        "Repair Manager",
        "incident",
        4,
    )
    assert found.goal == "Find what is wrong in flag-3"
    assert found.table == tmp_path / "csvs" / "flag-3.csv"
    assert found.users == tmp_path / "csvs" / "flag-3-sysuser.csv"
    assert [(i.number, i.type, i.stated_type) for i in found.insights] == [
        (1, "descriptive", "descriptive"),
        (2, "other", "time_series"),
    ]
    assert found.insights[0].actionable == "Buy others."
    assert found.summary == "Much breaks in flag-3."


def test_what_the_json_has_lost_is_read_from_the_notebook(tmp_path: Path) -> None:
    lost = {"insight": "1. **Buy**:  others.", "code": "plot()"}
    nameless = {"question": "What will come?", "insight": "", "code": ""}
    path = write_set(tmp_path, "flag-1", insights=[*INSIGHTS, lost, nameless])
    write_notebook(
        tmp_path,
        "flag-1",
        "import pandas as pd",
        "{'data_type': 'prescriptive', 'insight': '1. **Buy**: others.', 'plot': f(x), 'question': ''}",
        "{'data_type': 'predictive', 'insight': 'More', 'question': 'What will come?',}",
        level=2,
    )
    found = read_set(path)
    assert [i.type for i in found.insights] == [
        "descriptive",
        "other",
        "prescriptive",
        "predictive",
    ]
    assert found.insights[3].text == "More"
    assert found.level == 2
    assert read_set(write_set(tmp_path, "flag-2", insights=[lost])).insights[0].type == "other"


def test_an_insight_that_is_still_a_cell_of_text_is_read(tmp_path: Path) -> None:
    cell = "{'data_type': 'predictive', 'insight': 'It goes on', 'actionable insight': 'Wait'}"
    found = read_set(write_set(tmp_path, "flag-1", insights=[cell, "Just a sentence"]))
    assert [(i.type, i.text, i.actionable) for i in found.insights] == [
        ("predictive", "It goes on", "Wait"),
        ("other", "Just a sentence", ""),
    ]


def test_sets_come_by_their_number(tmp_path: Path) -> None:
    for name in ("flag-10", "flag-2", "flag-1", "other"):
        write_set(tmp_path / "data" / "notebooks", name)
    assert [p.stem for p in set_files(tmp_path)] == ["flag-1", "flag-2", "flag-10", "other"]
    with pytest.raises(ScenarioError, match="there is no set in it; give the folder that holds"):
        set_files(tmp_path / "data")


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Incidents Management.", "incident"),
        ("Financial Management", "finance"),
        ("Finance Management and User Management", "finance & user"),
        ("Asset Management & User Management", "asset & user"),
        ("Strategic Goal Management", "strategic goal"),
        ("Goal Management", "goal"),
        ("", "unknown"),
        (
            ", state and dates of the incidents, the users and the assets that were met with",
            "unknown",
        ),
    ],
)
def test_a_category_has_one_spelling(text: str, category: str) -> None:
    assert category_of(text) == category


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"insight_list": {"0": {}}},
            "key 'insight_list': a list of insights is wanted, not an obj",
        ),
        ({"insight_list": []}, "key 'insight_list': a list of insights is wanted"),
        ({"insight_list": [{}, ["x"]]}, r"key 'insight_list\.1': an object is wanted, not a list"),
        ({"metadata": ["goal"]}, "key 'metadata': an object is wanted, not a list"),
        ({"metadata": {"goal": ""}}, r"key 'metadata\.goal': a text is wanted, not an empty one"),
        ({"metadata": {"goal": 7}}, r"key 'metadata\.goal': a text is wanted, not a number"),
        ({"summary": {"a": 1}}, "key 'summary': a text is wanted, not an object"),
        ({"dataset_csv_path": None}, "key 'dataset_csv_path': a text is wanted, not null"),
        (
            {"dataset_csv_path": "csvs/flag-9.csv"},
            "'dataset_csv_path': there is no file .*flag-9.csv",
        ),
        (
            {"user_dataset_csv_path": "a\\gone.csv"},
            "'user_dataset_csv_path': there is no file .*gone",
        ),
        ({"dataset_csv_path": "../../../etc/passwd"}, "there is no file .*csvs/passwd"),
        ({"dataset_csv_path": ".."}, "there is no file"),
    ],
)
def test_what_does_not_belong_is_told_with_file_and_key(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    path = write_set(tmp_path, "flag-1")
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    with pytest.raises(ScenarioError, match=rf"flag-1\.json: .*{said}"):
        read_set(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[]", "one object is wanted, not a list"),
        (b'{"metadata": {\n "goal": "x"', "not JSON at line 2, column 13: "),
        (b'{"a":\n "caf\xe9"}', r"line 2: not UTF-8 \(byte 0xe9\)"),
        (b"[" * 200_000, "nested too deeply"),
    ],
)
def test_a_file_that_is_no_set_is_told_with_its_line(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = write_set(tmp_path, "flag-1")
    path.write_bytes(content)
    with pytest.raises(ScenarioError, match=rf"flag-1\.json.*{said}"):
        read_set(path)


def test_a_notebook_that_is_broken_is_told_and_not_passed_over(tmp_path: Path) -> None:
    path = write_set(tmp_path, "flag-1")
    notebook = write_notebook(tmp_path, "flag-1")
    for content, said in (("{", "line 1"), ('{"cells": {}}', "key 'cells': a list of cells")):
        notebook.write_text(content)
        with pytest.raises(ScenarioError, match=rf"flag-1\.ipynb.*{said}"):
            read_set(path)


def test_a_name_that_could_be_no_schema_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="the name of a set is letters, digits"):
        read_set(write_set(tmp_path, "flag.1"))
