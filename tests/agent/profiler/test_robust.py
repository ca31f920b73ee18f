"""Odd databases, odd names and failing tools end in a report, never in a crash."""

from __future__ import annotations

import re
import string
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from core.protocols import Tools
from core.run import Limits
from tests.agent.profiler.exploring import Exploration, FailingTools, explore
from tests.agent.profiler.worlds import build, quoted

pytestmark = pytest.mark.real  # whole explorations

ODD = st.text(
    alphabet=string.ascii_letters + "\"'`;-_.%$ äß€漢🙂\\/()[]", min_size=1, max_size=12
).filter(lambda name: name.strip() != "")
RESERVED = (
    "select",
    "from",
    "order",
    "group",
    "table",
    "f",
    "e",
    "g",
    "i",
    "n",
    "v",
    "x",
    "mine",
    "q",
)
"""Words of SQL, and the aliases that the profiler itself uses."""


def world(path: Path, *statements: str) -> Path:
    return build(path / "world.duckdb", *statements)


def errors(found: Exploration) -> list[str]:
    return [t.tool_results[0].text for t in found.turns if t.tool_results[0].is_error]


@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(names=st.lists(ODD, min_size=6, max_size=6, unique_by=str.lower), entity=ODD)
def test_any_names_and_any_id_are_only_names_and_a_value(names: list[str], entity: str) -> None:
    table, key, amount, day, kind, hour = (quoted(name) for name in names)
    value = "'" + entity.replace("'", "''") + "'"
    with tempfile.TemporaryDirectory() as folder:
        path = world(
            Path(folder),
            f"CREATE TABLE {table} AS SELECT CASE i % 6 WHEN 0 THEN {value} ELSE 's' || i % 6 END AS {key}, "
            f"hash(i) % 900 / 7.0 + 9 * (i % 6) AS {amount}, DATE '2021-01-01' + (i % 100)::INTEGER AS {day}, "
            f"'k' || i % 5 AS {kind}, (i % 24)::INTEGER AS {hour} FROM range(1200) r(i)",
        )
        found = explore(path, entity, limits=Limits(max_turns=40))
    # The tool that describes a table may not take every name; the queries must all work.
    queries = [t for t in found.turns if t.tool_calls[0].name == "execute_query"]
    assert [t.text for t in queries if t.tool_results[0].is_error] == []
    assert "200 rows" in found.report


def test_reserved_words_and_own_aliases_are_names_like_others(tmp_path: Path) -> None:
    columns = ", ".join(
        f"hash(i + {n}) % 900 / 7.0 AS {quoted(name)}" for n, name in enumerate(RESERVED)
    )
    path = world(
        tmp_path,
        f'CREATE TABLE "union" AS SELECT \'s\' || i % 6 AS "where", {columns} FROM range(1200) r(i)',
    )
    found = explore(path, "s2")
    assert errors(found) == []
    assert "200 rows in union" in found.report


def test_a_database_without_tables_is_said_to_have_none(tmp_path: Path) -> None:
    found = explore(world(tmp_path), "S1")
    assert found.report.splitlines()[-1] == "Nothing stands out about shop S1."
    assert "No table could be read" in found.report


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_a_limit_that_cuts_discovery_is_said_and_nothing_is_claimed_of_the_entity(
    shop: Path, turns: int
) -> None:
    found = explore(shop, "S3", limits=Limits.model_construct(max_turns=turns))
    assert len(found.turns) == turns
    assert found.report.splitlines()[2:] == [
        "The limit was reached before all tables were read and the rows of shop S3 were found."
    ]


def test_wherever_a_limit_cuts_the_report_says_so_and_claims_nothing_unasked(shop: Path) -> None:
    whole = explore(shop, "S3")
    first = next(i.turn for i in whole.insights if i.text)
    assert first is not None
    assert "a limit" not in whole.report.lower()
    for turns in range(1, first + 2):
        cut = explore(shop, "S3", limits=Limits(max_turns=turns))
        assert len(cut.turns) == turns
        assert "limit" in cut.report, turns
        told = any(insight.text for insight in cut.insights)
        assert told == ("\n- " in cut.report), turns
        if not told and "before all questions" not in cut.report:
            assert "Nothing stands out" not in cut.report, turns
    assert "before the first question about shop S3 could be put" in _cut_at(shop, first - 1)
    assert "before all questions about shop S3 could be put" in _cut_at(shop, first + 1)


def _cut_at(shop: Path, turns: int) -> str:
    return explore(shop, "S3", limits=Limits(max_turns=turns)).report


def test_an_empty_table_is_no_trouble(tmp_path: Path) -> None:
    path = world(tmp_path, "CREATE TABLE t (shop VARCHAR, cost DOUBLE)")
    assert "No column of the database holds shop S1." in explore(path, "S1").report


def test_an_entity_that_is_nowhere_is_said_to_be_nowhere(shop: Path) -> None:
    found = explore(shop, "S99", label="Nobody")
    assert "No column of the database holds shop S99." in found.report
    assert "Nothing stands out about shop S99." in found.report
    assert found.said == []
    assert len(found.turns) < 15


def test_an_entity_with_only_a_row_about_it_is_told_by_that_row(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE shops AS SELECT 's' || i AS id, 10.5 * i AS floor_m, 'z' || i % 3 AS zone FROM range(30) r(i)",
    )
    found = explore(path, "s29")
    assert "Shop s29 has no rows of its own beside the one about it" in found.report
    assert "- Shop s29's floor (m) is the highest of 30 shops." in found.report


def test_columns_of_nulls_nan_infinity_and_odd_types_are_no_trouble(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE t AS SELECT 's' || i % 6 AS shop, NULL::INTEGER AS nothing, NULL::VARCHAR AS silence, "
        "CASE i % 5 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN 'inf'::DOUBLE WHEN 2 THEN '-inf'::DOUBLE ELSE i / 7 END AS wild, "
        "[i, 2] AS list, {'a': i} AS struct, 'x'::BLOB AS blob, INTERVAL 3 DAY AS span, TIME '12:00' AS clock, "
        "uuid() AS unique_name, 170141183460469231731687303715884105727::HUGEINT AS huge, "
        "(hash(i) % 1000)::DECIMAL(18, 4) AS money, MAP {'k': i} AS map, '{\"a\": 1}'::JSON AS json, "
        "'happy'::ENUM ('happy', 'sad') AS mood, i % 7 = 0 AS flag FROM range(900) r(i)",
    )
    found = explore(path, "s2")
    assert errors(found) == []
    assert "150 rows in t" in found.report
    assert not re.search(r"\b(nan|inf|infinity|None|null)\b", found.report, re.IGNORECASE)


def test_an_all_but_endless_text_does_not_flood_the_report(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE t AS SELECT 's' || i % 6 AS shop, repeat('long ', 4000) || i % 4 AS note, "
        "CASE WHEN i % 4 = 0 THEN 'two\nlines' ELSE '- ## ' || i % 3 END AS trick FROM range(900) r(i)",
    )
    found = explore(path, "s2")
    assert errors(found) == []
    assert max(map(len, found.report.splitlines())) < 400
    assert all(
        line == "" or line.startswith(("# ", "## ", "- ", "The rows", "Small groups"))
        for line in found.report.splitlines()
    )


@pytest.mark.parametrize("every", [2, 3])
def test_failing_queries_are_passed_over(shop: Path, every: int) -> None:
    def wrap(tools: Tools) -> Tools:
        return FailingTools(tools, every)

    found = explore(shop, "S3", wrap=wrap)
    assert len(errors(found)) >= 1
    assert found.report.startswith("# Profile of shop S3")
    failed = {t.index for t in found.turns if t.tool_results[0].is_error}
    assert all(insight.text is None for insight in found.insights if insight.turn in failed)


def test_an_error_that_would_come_again_is_not_asked_for_twice(shop: Path) -> None:
    found = explore(shop, "S3", wrap=lambda tools: FailingTools(tools, 1, "timeout"))
    assert len(found.turns) == 1
    assert "No table could be read" in found.report


def test_failures_are_admitted_and_what_hangs_on_discovery_is_asked_again(shop: Path) -> None:
    found = explore(shop, "S3", wrap=lambda tools: FailingTools(tools, 7))
    assert "Some queries failed and tell nothing here." in found.report
    assert any("wait (min)" in line for line in found.bullets)
    assert any("of climate" in line for line in found.bullets)


def test_tools_of_which_every_call_fails_are_asked_twice(shop: Path) -> None:
    found = explore(shop, "S3", wrap=lambda tools: FailingTools(tools, 1))
    assert len(found.turns) == 2
    assert "No table could be read" in found.report


def test_a_view_is_a_table_like_others(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE raw AS SELECT i FROM range(1200) r(i)",
        "CREATE VIEW sales AS SELECT 's' || i % 6 AS shop, hash(i) % 900 / 7.0 AS cost FROM raw",
    )
    found = explore(path, "s2")
    assert errors(found) == []
    assert "200 rows in sales" in found.report


def test_a_large_table_is_measured_without_counting_each_value_exactly(tmp_path: Path) -> None:
    path = world(
        tmp_path,
        "CREATE TABLE t AS SELECT 's' || i % 6 AS shop, i AS row_no, hash(i) % 1000 / 7.0 + i % 6 AS cost FROM range(150000) r(i)",
    )
    found = explore(path, "s5")
    assert errors(found) == []
    assert "Shop s5 has 25,000 rows in t, 16.7% of all 150,000." in found.report
    assert "row no" not in found.report
    assert any("approx_count_distinct" in t.tool_calls[0].arguments for t in found.turns)
