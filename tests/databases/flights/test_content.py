"""Every row of the source is there, under pseudonyms, and nothing else."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

# Each built table turned back into the source's words. As many rows and EXCEPT ALL then prove
# that rows, joins, weekdays and nulls are those of the source.
UNDONE = {
    "carriers": (
        "SELECT m.code FROM built.carriers t JOIN m_carriers m ON m.id = t.carrier_id",
        "SELECT carrier FROM source_airlines",
    ),
    "airports": (
        """SELECT m.code, altitude_ft, utc_offset_h,
            CASE dst_rule WHEN 'seasonal' THEN 'A' WHEN 'none' THEN 'N' WHEN 'unknown' THEN 'U' END
        FROM built.airports t JOIN m_airports m ON m.id = t.airport_id""",
        "SELECT faa, (round(alt / 10) * 10)::INTEGER, tz, dst FROM source_airports",
    ),
    "aircraft": (
        """SELECT m.code, built_year - $years, category, engine_count, seat_count, cruise_speed_mph,
            engine_type
        FROM built.aircraft t JOIN m_aircraft m ON m.id = t.aircraft_id""",
        "SELECT tailnum, year, type, engines, seats, speed, engine FROM source_planes",
    ),
    "makers": (
        """SELECT m.code, manufacturer, model FROM built.aircraft t
        JOIN m_aircraft m ON m.id = t.aircraft_id WHERE manufacturer <> 'PRIVATE BUILDER'""",
        """SELECT tailnum, manufacturer, model FROM source_planes WHERE tailnum NOT IN
            (SELECT m.code FROM built.aircraft t JOIN m_aircraft m ON m.id = t.aircraft_id
            WHERE manufacturer = 'PRIVATE BUILDER')""",
    ),
    "weather": (
        """SELECT m.code, observed_on - $days::INTEGER, observed_hour, temperature_f, dew_point_f,
            humidity_pct, wind_direction_deg, wind_speed_mph, wind_gust_mph, precipitation_in,
            pressure_mbar, visibility_mi, observed_at_utc - to_days($days::INTEGER)
        FROM built.weather t JOIN m_airports m ON m.id = t.airport_id""",
        """SELECT origin, make_date(year, month, day), hour, temp, dewp, humid, wind_dir,
            round(wind_speed, 2), round(wind_gust, 2), precip, pressure, visib, time_hour
        FROM source_weather""",
    ),
    "flights": (
        """SELECT flight_date - $days::INTEGER, scheduled_departure_hhmm, actual_departure_hhmm,
            departure_delay_min, scheduled_arrival_hhmm, actual_arrival_hhmm, arrival_delay_min,
            c.code, n.old, a.code, o.code, d.code, air_time_min, distance_mi, scheduled_hour,
            scheduled_minute, scheduled_at_utc - to_days($days::INTEGER)
        FROM built.flights t JOIN m_carriers c ON c.id = t.carrier_id
        JOIN m_numbers n ON n.carrier = c.code AND n.new = t.flight_number
        LEFT JOIN m_aircraft a ON a.id = t.aircraft_id
        JOIN m_airports o ON o.id = t.origin_id JOIN m_airports d ON d.id = t.destination_id""",
        """SELECT make_date(year, month, day), sched_dep_time, dep_time, dep_delay, sched_arr_time,
            arr_time, arr_delay, carrier, flight, tailnum, origin, dest, air_time, distance, hour,
            minute, time_hour
        FROM source_flights""",
    ),
}


@pytest.mark.parametrize("table", UNDONE)
def test_the_source_comes_back_when_the_pseudonyms_are_undone(
    both: duckdb.DuckDBPyConnection, mapping: dict[str, Any], table: str
) -> None:
    weeks = str(mapping["shift_weeks"] * 7), str(mapping["shift_years"])
    undone, source = UNDONE[table]
    undone = undone.replace("$days", weeks[0]).replace("$years", weeks[1])
    ((left, right, missing),) = both.execute(
        f"SELECT (SELECT count(*) FROM ({undone})), (SELECT count(*) FROM ({source})),"
        f" (SELECT count(*) FROM (({source}) EXCEPT ALL ({undone})))"
    ).fetchall()
    assert (left, missing) == (right, 0)


@pytest.mark.parametrize(
    ("table", "rows"),
    [("carriers", 16), ("airports", 1458), ("aircraft", 3322), ("weather", 26115), ("flights", 336776)],
)  # fmt: skip
def test_each_table_has_the_rows_of_its_source(
    flights_connection: duckdb.DuckDBPyConnection, table: str, rows: int
) -> None:
    assert flights_connection.execute(f"SELECT count(*) FROM {table}").fetchall() == [(rows,)]


@pytest.mark.parametrize(
    ("source", "built"),
    [
        ("SELECT carrier, count(*) FROM source_flights GROUP BY 1",
         "SELECT m.code, count(*) FROM built.flights JOIN m_carriers m ON m.id = carrier_id GROUP BY 1"),
        ("SELECT carrier, isodow(make_date(year, month, day)), count(*) FROM source_flights GROUP BY 1, 2",
         "SELECT m.code, isodow(flight_date), count(*) FROM built.flights JOIN m_carriers m ON m.id = carrier_id GROUP BY 1, 2"),
        ("SELECT carrier, count(DISTINCT flight), count(DISTINCT dest), count(DISTINCT tailnum) FROM source_flights GROUP BY 1",
         "SELECT m.code, count(DISTINCT flight_number), count(DISTINCT destination_id), count(DISTINCT aircraft_id) FROM built.flights JOIN m_carriers m ON m.id = carrier_id GROUP BY 1"),
        ("SELECT carrier, count(p.tailnum), avg(seats) FROM source_flights LEFT JOIN source_planes p USING (tailnum) GROUP BY 1",
         "SELECT m.code, count(a.aircraft_id), avg(seat_count) FROM built.flights f JOIN m_carriers m ON m.id = carrier_id LEFT JOIN built.aircraft a USING (aircraft_id) GROUP BY 1"),
        ("SELECT count(*) FROM source_flights f JOIN source_weather w USING (origin, time_hour)",
         "SELECT count(*) FROM built.flights JOIN built.weather ON airport_id = origin_id AND observed_at_utc = scheduled_at_utc"),
    ],
    ids=["flights", "weekdays", "distinct values", "fleet", "weather"],
)  # fmt: skip
def test_counts_by_carrier_are_those_of_the_source(
    both: duckdb.DuckDBPyConnection, source: str, built: str
) -> None:
    expected, found = (sorted(both.execute(sql).fetchall()) for sql in (source, built))
    assert len(expected) >= 1
    assert found == expected


def test_the_file_is_sorted_by_carrier_and_scheduled_time(
    flights_connection: duckdb.DuckDBPyConnection,
) -> None:
    keys = flights_connection.execute(
        "SELECT carrier_id, flight_date, scheduled_departure_hhmm FROM flights ORDER BY rowid"
    ).fetchall()
    assert keys == sorted(keys)


@pytest.mark.parametrize("table", ["flights", "weather"])
def test_utc_and_local_hours_agree_all_year(
    flights_connection: duckdb.DuckDBPyConnection, table: str
) -> None:
    day, hour, utc = {
        "flights": ("flight_date", "scheduled_hour", "scheduled_at_utc"),
        "weather": ("observed_on", "observed_hour", "observed_at_utc"),
    }[table]
    ahead = f"date_diff('hour', {day} + to_hours({hour}), {utc})"
    found = flights_connection.execute(
        f"SELECT {ahead} AS h, min({day}), max({day}) FROM {table} GROUP BY h ORDER BY h"
    ).fetchall()
    assert [row[0] for row in found] == [4, 5]
    assert found[0][1] > found[1][1], "summer time lies inside the year"
    assert found[0][2] < found[1][2]


def test_scheduled_times_are_said_three_times_alike(
    flights_connection: duckdb.DuckDBPyConnection,
) -> None:
    assert flights_connection.execute(
        "SELECT count(*) FROM flights WHERE scheduled_departure_hhmm <> scheduled_hour * 100 + scheduled_minute"
        " OR minute(scheduled_at_utc) <> 0"
    ).fetchall() == [(0,)]


@pytest.mark.parametrize(
    "never",
    [
        # "NULL = the flight was cancelled"
        "SELECT 1 FROM flights WHERE (actual_departure_hhmm IS NULL) <> (departure_delay_min IS NULL)",
        "SELECT 1 FROM flights WHERE actual_departure_hhmm IS NULL AND arrival_delay_min IS NOT NULL",
        "SELECT 1 FROM flights WHERE actual_departure_hhmm IS NULL AND actual_arrival_hhmm IS NOT NULL",
        # "NULL = not known, which is so for cancelled flights only"
        "SELECT 1 FROM flights WHERE aircraft_id IS NULL AND actual_departure_hhmm IS NOT NULL",
        # "NULL = cancelled, diverted, or not recorded"
        "SELECT 1 FROM flights WHERE (air_time_min IS NULL) <> (arrival_delay_min IS NULL)",
        # "0 = calm"
        "SELECT 1 FROM weather WHERE (wind_direction_deg = 0) <> (wind_speed_mph = 0)",
        # "10 is the most that is reported"
        "SELECT 1 FROM weather WHERE visibility_mi NOT BETWEEN 0 AND 10",
        # "0 to 23", "0 to 59", "hour * 100 + minute"
        "SELECT 1 FROM flights WHERE scheduled_hour NOT BETWEEN 0 AND 23 OR scheduled_minute NOT BETWEEN 0 AND 59",
        "SELECT 1 FROM flights WHERE actual_departure_hhmm % 100 > 59 OR actual_departure_hhmm > 2400",
        "SELECT 1 FROM weather WHERE observed_hour NOT BETWEEN 0 AND 23",
        # "unique within a carrier only": one departure per number, day and origin
        "SELECT 1 FROM flights GROUP BY carrier_id, flight_number, flight_date, origin_id HAVING count(*) > 1",
        # "One row per airport and hour"
        "SELECT 1 FROM weather GROUP BY airport_id, observed_at_utc HAVING count(*) > 1",
        # "rounded to 10"
        "SELECT 1 FROM airports WHERE altitude_ft % 10 <> 0",
        # "refers to"
        "SELECT 1 FROM flights WHERE origin_id NOT IN (SELECT airport_id FROM airports)",
        "SELECT 1 FROM flights WHERE carrier_id NOT IN (SELECT carrier_id FROM carriers)",
    ],
)  # fmt: skip
def test_what_the_comments_say_is_so(
    flights_connection: duckdb.DuckDBPyConnection, never: str
) -> None:
    assert flights_connection.execute(never).fetchall() == []


@pytest.mark.parametrize(
    ("sometimes", "rows"),
    [
        # "a few destinations have no row here"
        ("SELECT DISTINCT destination_id FROM flights ANTI JOIN airports ON airport_id = destination_id", 4),
        # "One local hour occurs twice in the year"
        ("SELECT DISTINCT observed_on, observed_hour FROM weather GROUP BY observed_on, observed_hour, airport_id HAVING count(*) > 1", 1),
        # "diverted, or not recorded"
        ("SELECT 1 FROM flights WHERE arrival_delay_min IS NULL AND actual_departure_hhmm IS NOT NULL", 1175),
        ("SELECT DISTINCT origin_id FROM flights", 3),
    ],
)  # fmt: skip
def test_the_exceptions_that_the_comments_name_exist(
    flights_connection: duckdb.DuckDBPyConnection, sometimes: str, rows: int
) -> None:
    assert len(flights_connection.execute(sometimes).fetchall()) == rows
