"""The thirty sets of the shared sample give the figures that were counted by other means."""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from databases.connection import open_readonly
from databases.insightbench.mistaken import error_texts
from databases.insightbench.reading import InsightSet, read_set, set_files
from databases.insightbench.tables import columns_of, table_hash
from tests.databases.insightbench.sets import built
from tests.support.needs import needs

pytestmark = needs("test data")


def folder() -> Path:
    return Path(os.environ["DDR_TEST_DATA"]) / "insightbench"


@pytest.fixture(scope="module")
def sets() -> list[InsightSet]:
    return [read_set(path) for path in set_files(folder())]


def test_thirty_sets_have_128_insights_of_which_two_have_no_type(sets: list[InsightSet]) -> None:
    assert [each.id for each in sets] == [f"flag-{n}" for n in range(1, 31)]
    insights = [insight for each in sets for insight in each.insights]
    assert Counter(insight.type for insight in insights) == {
        "descriptive": 58,
        "diagnostic": 37,
        "predictive": 7,
        "prescriptive": 1,
        "other": 25,
    }
    assert sum(not insight.stated_type for insight in insights) == 2
    assert sum(not insight.question for insight in insights) == 9
    assert all(insight.text for insight in insights)


def test_each_type_is_the_word_of_its_file_by_a_plain_search(sets: list[InsightSet]) -> None:
    for each in sets:
        text = (folder() / f"{each.id}.json").read_text(encoding="utf-8")
        words = [word.lower() for word in re.findall(r'"data_type": "([^"]*)"', text)]
        assert [i.stated_type for i in each.insights if i.stated_type] == words


def test_a_cell_of_text_gives_the_same_insight_as_the_object_that_it_was(
    sets: list[InsightSet], tmp_path: Path
) -> None:
    (tmp_path / "csvs").symlink_to(folder() / "csvs")
    for each in sets:
        whole = json.loads((folder() / f"{each.id}.json").read_text(encoding="utf-8"))
        for write in (json.dumps, repr, lambda entry: repr(entry) + "}}"):
            whole["insight_list"] = [write(entry) for entry in whole["insight_list"]]
            (tmp_path / f"{each.id}.json").write_text(json.dumps(whole), encoding="utf-8")
            again = read_set(tmp_path / f"{each.id}.json")
            whole = json.loads((folder() / f"{each.id}.json").read_text(encoding="utf-8"))
            told = [(i.text, i.question, i.stated_type) for i in again.insights]
            assert told == [(i.text, i.question, i.stated_type) for i in each.insights]


def test_none_of_them_is_error_text_and_no_two_have_the_same_table(sets: list[InsightSet]) -> None:
    for each in sets:
        assert error_texts([i.text for i in each.insights], columns_of(each)) == []
    assert len({table_hash(each) for each in sets}) == 30


def test_categories_have_one_spelling(sets: list[InsightSet]) -> None:
    assert Counter(each.category for each in sets) == {
        "incident": 13,
        "finance": 6,
        "user": 3,
        "asset": 3,
        "goal": 3,
        "asset & user": 1,
        "finance & user": 1,
    }


@pytest.mark.real
def test_every_row_of_every_file_is_in_the_database(sets: list[InsightSet], tmp_path: Path) -> None:
    installed = built(folder(), tmp_path)
    assert len(installed.entities()) == 30
    assert len(installed.schema().tables) == 35
    for each in sets:
        with open_readonly(Path(installed.target_for(each.id).location)) as connection:
            for name, path in (("records", each.table), ("users", each.users)):
                if path is None:
                    continue
                with path.open(encoding="utf-8", newline="") as stream:
                    rows = list(csv.DictReader(stream))
                for column in rows[0]:
                    filled = sum(row[column] != "" for row in rows)
                    counted = f'SELECT count(*), count("{column}") FROM {name}'
                    assert connection.execute(counted).fetchone() == (len(rows), filled)
