"""The real flights database: one carrier, explored as a run would."""

from __future__ import annotations

import re

import duckdb
import pytest

from agent.profiler.report import ROOM
from databases.catalog import InstalledScenario
from tests.agent.profiler.exploring import Exploration, explore
from tests.agent.profiler.sums import printed

pytestmark = pytest.mark.real  # a whole exploration


@pytest.fixture(scope="module")
def busiest(flights: InstalledScenario) -> str:
    """The carrier of most rows; which it is, hangs on the pseudonyms."""
    return str(
        value(flights, "SELECT carrier_id FROM flights GROUP BY 1 ORDER BY count(*) DESC LIMIT 1")
    )


@pytest.fixture(scope="module")
def found(flights: InstalledScenario, busiest: str) -> Exploration:
    """What the profiler finds of it."""
    task = flights.task(busiest)
    return explore(flights.database_path, busiest, task.entity_noun, label=task.entity_label)


def value(flights: InstalledScenario, sql: str) -> object:
    with duckdb.connect(str(flights.database_path), read_only=True) as connection:
        row = connection.execute(sql).fetchone()
    assert row is not None
    return row[0]


def test_it_stops_by_itself_after_a_bounded_number_of_turns(found: Exploration) -> None:
    assert 40 <= len(found.turns) <= 140
    assert found.report.startswith("# Profile of carrier ")


def test_no_query_fails_and_none_is_cut(found: Exploration) -> None:
    assert [t.tool_results[0].text for t in found.turns if t.tool_results[0].is_error] == []
    assert [t.text for t in found.turns if t.tool_results[0].truncated] == []


def test_most_turns_after_the_first_looks_tell_something(found: Exploration) -> None:
    later = [insight for insight in found.insights if (insight.turn or 0) > 20]
    assert sum(insight.text is not None for insight in later) > 0.8 * len(later)


def test_the_report_is_long_and_various(found: Exploration) -> None:
    assert 100 <= len(found.bullets) <= ROOM
    assert sum(line.startswith("## ") for line in found.report.splitlines()) >= 8


@pytest.mark.parametrize(
    ("pattern", "sql"),
    [
        (
            r"Carrier \d+ has ([\d,]+) rows in flights, ",
            "SELECT count(*) FROM flights WHERE carrier_id = '{who}'",
        ),
        (
            r"For carrier \d+ the mean of departure delay \(min\) is ([-\d.,]+), ",
            "SELECT avg(departure_delay_min) FROM flights WHERE carrier_id = '{who}'",
        ),
        (
            r"For carrier \d+ the mean of departure delay \(min\) is \S+ against ([-\d.,]+) for the rest",
            "SELECT avg(departure_delay_min) FROM flights WHERE carrier_id <> '{who}'",
        ),
        (
            r"Departure delay \(min\) is missing in ([\d.]+%) of carrier \d+'s rows",
            "SELECT avg((departure_delay_min IS NULL)::INTEGER) FROM flights WHERE carrier_id = '{who}'",
        ),
        (
            r"Departure delay \(min\) is above 60 in ([\d.]+%) of carrier \d+'s values",
            "SELECT avg((departure_delay_min > 60)::INTEGER) FROM flights WHERE carrier_id = '{who}'",
        ),
        (
            r"Carrier \d+ has ([\d,]+) different values of destination\.",
            "SELECT count(DISTINCT destination_id) FROM flights WHERE carrier_id = '{who}'",
        ),
        (
            r"The mean built year of aircraft over carrier \d+'s rows is ([\d.]+)",
            "SELECT avg(built_year) FROM flights JOIN aircraft USING (aircraft_id) WHERE carrier_id = '{who}'",
        ),
        (
            r"where precipitation \(in\) of weather is above 0, the mean departure delay \(min\) is ([\d.]+),",
            "SELECT avg(departure_delay_min) FROM flights f JOIN weather w ON f.origin_id = w.airport_id "
            "AND f.scheduled_at_utc = w.observed_at_utc WHERE carrier_id = '{who}' AND precipitation_in > 0",
        ),
    ],
)
def test_what_it_says_of_the_flights_is_true(
    flights: InstalledScenario, busiest: str, found: Exploration, pattern: str, sql: str
) -> None:
    said = [
        match[1] for text in [*found.said, *found.bullets] for match in re.finditer(pattern, text)
    ]
    assert said
    true = float(str(value(flights, sql.format(who=busiest))))
    for shown in said:
        printed(shown.rstrip(","), true)


def test_the_weather_is_found_by_place_and_time(found: Exploration) -> None:
    assert any("of weather" in line for line in found.bullets)


def test_trends_of_the_delays_are_told(found: Exploration) -> None:
    told = [line for line in found.bullets if "mean departure delay (min)" in line]
    assert any("is highest in " in line for line in told)
    assert any("highest at scheduled hour" in line for line in told)
    assert any("its highest day" in line for line in told)


def test_numbers_that_only_name_are_not_averaged(found: Exploration) -> None:
    for line in [*found.said, *found.bullets]:
        assert "mean flight number" not in line
        assert "mean scheduled departure (hhmm)" not in line


def test_a_turn_is_quick(found: Exploration) -> None:
    # Not how quick: that each query ends well within the tools' own limit.
    assert max(t.tool_results[0].duration_s for t in found.turns) < 15
