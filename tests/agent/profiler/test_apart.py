"""An entity that has the database to itself is profiled by all rows, and compared with nobody."""

from __future__ import annotations

import duckdb
import pytest

from agent.profiler.agent import ProfilerAgent
from tests.agent.profiler import exploring
from tests.agent.profiler.exploring import Exploration


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Exploration:
    """Tickets of three teams, of which one takes ten times as long; no column names the set."""
    path = tmp_path_factory.mktemp("apart") / "set.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE tickets AS SELECT 'T' || range AS number, "
            "['north', 'south', 'west', 'west'][1 + range % 4] AS team, "
            "DATE '2024-01-01' + INTERVAL (range // 3) DAY AS opened_on, "
            "CASE range % 4 WHEN 0 THEN 400 + hash(range) % 20 ELSE 40 + hash(range) % 20 END AS hours "
            "FROM range(600)"
        )
        connection.execute(
            "CREATE TABLE teams AS SELECT * FROM (VALUES ('north', 'harbour', 4), ('south', 'hill', 5), "
            "('west', 'hill', 9), ('east', 'hill', 2), ('far', 'harbour', 3), ('near', 'harbour', 7)) "
            "AS t(team, site, people)"
        )
    task = exploring.task("flag-1", "data set").model_copy(update={"is_apart": True})
    return exploring.explore_task(path, task, agent=ProfilerAgent())


def test_the_rows_are_found_without_a_column_that_holds_the_entity(found: Exploration) -> None:
    assert "No column of the database holds" not in found.report
    assert "Data set flag-1 has 600 rows in tickets." in found.bullets
    assert not any(result.is_error for turn in found.turns for result in turn.tool_results)


def test_what_stands_out_within_it_is_told(found: Exploration) -> None:
    assert any("team" in said and "west" in said and "50.0%" in said for said in found.bullets)
    slow = [said for said in found.bullets if "hours" in said and "north" in said]
    assert any("highest" in said for said in slow), found.bullets


def test_nobody_is_compared_with(found: Exploration) -> None:
    assert not any("other data set" in said or "of all 600" in said for said in found.bullets)


def test_a_table_that_the_rows_refer_to_is_read_with_them(found: Exploration) -> None:
    assert any("75.0%" in said and "site hill" in said for said in found.bullets), found.bullets
