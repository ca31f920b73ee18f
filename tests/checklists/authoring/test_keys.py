"""What a claim may call a group: every alias of a key is read as the group that it stands for."""

from __future__ import annotations

import duckdb
import pytest

from checklists.authoring import keys
from checklists.authoring.template import Key
from evaluator.aliases import compile_alias


@pytest.mark.parametrize(
    ("key", "moment", "group", "words"),
    [
        (keys.month("t.at"), "2023-07-05 09:30", "2023-07", "July 2023"),
        (keys.day("t.at"), "2023-07-05 09:30", "2023-07-05", "5 July 2023"),
        (keys.weekday("t.at"), "2023-07-05 09:30", "Wednesday", "Wednesday"),
        (keys.hour("t.at", "@t.at"), "2023-07-05 09:30", "9", "9:00"),
        (keys.year("year(t.at)"), "2023-07-05 09:30", "2023", "2023"),
        (keys.named("t.at"), "2023-07-05 09:30", "2023-07-05 09:30:00", "2023-07-05 09:30:00"),
    ],
)
def test_a_group_has_a_name_in_sql_and_one_in_words(
    key: Key, moment: str, group: str, words: str
) -> None:
    sql = f"SELECT CAST({key.sql} AS VARCHAR) FROM (SELECT ?::TIMESTAMP AS at) AS t"
    assert duckdb.execute(sql, [moment]).fetchall() == [(group,)]
    assert key.words(group) == words


@pytest.mark.parametrize(
    ("key", "group"),
    [(keys.month("t.at"), "2023-07"), (keys.day("t.at"), "2023-07-05"), (keys.year("y"), "2023")],
)
def test_every_alias_of_a_period_is_a_period_of_the_calendar(key: Key, group: str) -> None:
    assert key.slot == "period"
    periods = [compile_alias(alias).period for alias in key.aliases(group)]
    assert periods[0] is not None
    assert {(p.grain, p.value) for p in periods if p} == {(periods[0].grain, periods[0].value)}


def test_an_hour_is_known_by_its_column_and_by_the_clock() -> None:
    aliases = keys.hour("t.at", "@t.at").aliases("9")
    assert {"hour 9", "09:00", "hour 9 of @t.at"} <= set(aliases)
