"""The facts, computed a second time: with pandas, from the tables, by other code."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import pandas as pd
import pytest

from checklists.loader import checklist_for
from core.checklist import ChecklistItem

Tables = dict[str, pd.DataFrame]
Second = Callable[[ChecklistItem, pd.DataFrame, Tables], float]


@pytest.fixture(scope="module")
def tables(flights_database: duckdb.DuckDBPyConnection) -> Tables:
    columns = {
        "flights": "carrier_id, flight_date, actual_departure_hhmm, departure_delay_min, "
        "arrival_delay_min, origin_id, destination_id, aircraft_id, distance_mi, scheduled_hour, "
        "flight_number",
        "aircraft": "aircraft_id, manufacturer, model, seat_count, built_year",
        "weather": "airport_id AS origin_id, observed_on AS flight_date, "
        "observed_hour AS scheduled_hour, precipitation_in, visibility_mi",
    }
    read = {n: flights_database.execute(f"SELECT {c} FROM {n}").df() for n, c in columns.items()}
    read["flights"]["gone"] = read["flights"]["actual_departure_hhmm"].isna()
    read["weather"] = read["weather"].drop_duplicates(
        ["origin_id", "flight_date", "scheduled_hour"]
    )
    return read


@pytest.fixture(scope="module")
def flights_database(flights: object) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(str(flights.database_path), read_only=True)  # type: ignore[attr-defined]


def named(item: ChecklistItem) -> str:
    """The group that the item's own texts name first."""
    assert item.signals is not None
    return item.signals.period[0] if item.signals.period else item.signals.scope[-1][0]


def top(counts: pd.Series, item: ChecklistItem) -> float:
    """The share of the most frequent value, which must be the one that the item names."""
    assert str(counts.index[0]) == named(item)
    return float(100 * counts.iloc[0] / counts.sum())


def extreme(item: ChecklistItem, groups: pd.Series, *, highest: bool) -> float:
    """The extreme group's figure; the group must be the one that the item names."""
    ordered = groups.sort_values(ascending=not highest)
    group = ordered.index[0]
    assert item.signals is not None
    aliases = [*item.signals.period, *(a for g in item.signals.scope for a in g)]
    assert any(alias == str(group) or alias.endswith(f" {group}") for alias in aliases), group
    return float(ordered.iloc[0])


def monthly(mine: pd.DataFrame, column: str) -> pd.Series:
    return mine.groupby(mine["flight_date"].dt.strftime("%Y-%m"))[column].mean()


def daily(mine: pd.DataFrame, column: str) -> pd.Series:
    return mine.groupby(mine["flight_date"].dt.strftime("%Y-%m-%d"))[column].mean()


def weekly(mine: pd.DataFrame, column: str) -> pd.Series:
    return mine.groupby(mine["flight_date"].dt.day_name())[column].mean()


def hourly(mine: pd.DataFrame) -> pd.Series:
    return mine.groupby("scheduled_hour")["departure_delay_min"].mean()


def halves(mine: pd.DataFrame, tables: Tables, column: str) -> float:
    days = tables["flights"]["flight_date"]
    middle = days.min() + pd.Timedelta(days=((days.max() - days.min()).days + 1) // 2)
    late = mine["flight_date"] >= middle
    return float(mine.loc[late, column].mean() - mine.loc[~late, column].mean())


def in_weather(mine: pd.DataFrame, tables: Tables) -> pd.DataFrame:
    return mine.merge(tables["weather"], on=["origin_id", "flight_date", "scheduled_hour"])


def flown(mine: pd.DataFrame, tables: Tables) -> pd.DataFrame:
    return mine.merge(tables["aircraft"], on="aircraft_id")


def sole(mine: pd.DataFrame, tables: Tables) -> float:
    route = ["origin_id", "destination_id"]
    carriers = tables["flights"].groupby(route)["carrier_id"].nunique().rename("carriers")
    return float(100 * (mine.merge(carriers, on=route)["carriers"] == 1).mean())


def late_share(mine: pd.DataFrame, minutes: int) -> float:
    return float(100 * (mine["departure_delay_min"].dropna() > minutes).mean())


DEP, ARR = "departure_delay_min", "arrival_delay_min"

SECOND: dict[str, Second] = {
    "flight-count": lambda i, m, t: len(m),
    "market-share": lambda i, m, t: 100 * len(m) / len(t["flights"]),
    "destination-count": lambda i, m, t: m["destination_id"].nunique(),
    "aircraft-count": lambda i, m, t: m["aircraft_id"].nunique(),
    "top-destination": lambda i, m, t: top(m["destination_id"].value_counts(), i),
    "top-origin": lambda i, m, t: top(m["origin_id"].value_counts(), i),
    "busiest-hour": lambda i, m, t: top(m["scheduled_hour"].value_counts(), i),
    "sole-carrier-share": lambda i, m, t: sole(m, t),
    "mean-departure-delay": lambda i, m, t: m[DEP].mean(),
    "mean-arrival-delay": lambda i, m, t: m[ARR].mean(),
    "median-arrival-delay": lambda i, m, t: m[ARR].median(),
    "median-departure-delay": lambda i, m, t: m[DEP].median(),
    "cancelled-share": lambda i, m, t: 100 * m["gone"].mean(),
    "departures-over-15": lambda i, m, t: late_share(m, 15),
    "departures-over-60": lambda i, m, t: late_share(m, 60),
    "recovered-in-the-air": lambda i, m, t: (m[DEP] - m[ARR]).mean(),
    "worst-origin": lambda i, m, t: extreme(i, m.groupby("origin_id")[DEP].mean(), highest=True),
    "highest-month-departure": lambda i, m, t: extreme(i, monthly(m, DEP), highest=True),
    "lowest-month-departure": lambda i, m, t: extreme(i, monthly(m, DEP), highest=False),
    "highest-month-arrival": lambda i, m, t: extreme(i, monthly(m, ARR), highest=True),
    "lowest-month-arrival": lambda i, m, t: extreme(i, monthly(m, ARR), highest=False),
    "worst-month-cancelled": lambda i, m, t: 100 * extreme(i, monthly(m, "gone"), highest=True),
    "half-year-change-departure": lambda i, m, t: halves(m, t, DEP),
    "half-year-change-arrival": lambda i, m, t: halves(m, t, ARR),
    "highest-hour-departure": lambda i, m, t: extreme(i, hourly(m), highest=True),
    "lowest-hour-departure": lambda i, m, t: extreme(i, hourly(m), highest=False),
    "highest-weekday-departure": lambda i, m, t: extreme(i, weekly(m, DEP), highest=True),
    "highest-weekday-arrival": lambda i, m, t: extreme(i, weekly(m, ARR), highest=True),
    "evening-delay": lambda i, m, t: m.loc[m["scheduled_hour"] >= 18, DEP].mean(),
    "worst-day-departure": lambda i, m, t: extreme(i, daily(m, DEP), highest=True),
    "worst-day-arrival": lambda i, m, t: extreme(i, daily(m, ARR), highest=True),
    "longest-departure-delay": lambda i, m, t: m[DEP].max(),
    "longest-arrival-delay": lambda i, m, t: m[ARR].max(),
    "earliest-arrival": lambda i, m, t: m[ARR].min(),
    "unknown-aircraft": lambda i, m, t: 100 * m["aircraft_id"].isna().mean(),
    "top-model": lambda i, m, t: top(flown(m, t)["model"].value_counts(), i),
    "top-manufacturer": lambda i, m, t: top(flown(m, t)["manufacturer"].value_counts(), i),
    "mean-seats": lambda i, m, t: flown(m, t)["seat_count"].mean(),
    "seats-offered": lambda i, m, t: flown(m[~m["gone"]], t)["seat_count"].sum(),
    "oldest-aircraft": lambda i, m, t: flown(m, t)["built_year"].min(),
    "wet-departure-delay": lambda i, m, t: (
        in_weather(m, t).query("precipitation_in > 0")[DEP].mean()
    ),
    "wet-arrival-delay": lambda i, m, t: in_weather(m, t).query("precipitation_in > 0")[ARR].mean(),
    "haze-departure-delay": lambda i, m, t: (
        in_weather(m, t).query("visibility_mi < 10")[DEP].mean()
    ),
    "wet-cancelled": lambda i, m, t: (
        100 * in_weather(m, t).query("precipitation_in > 0")["gone"].mean()
    ),
}
"""A second way to each template's figure."""


def test_pandas_comes_to_the_same_figures(tables: Tables) -> None:
    of = dict(list(tables["flights"].groupby("carrier_id")))
    compared = 0
    for item in checklist_for("flights").items:
        second = SECOND.get(item.source.removeprefix("template:"))
        if second is None:
            continue
        assert item.expected is not None and isinstance(item.expected.value, float)
        value = float(second(item, of[item.entity_id], tables))
        assert value == pytest.approx(item.expected.value, abs=1e-5), item.id
        compared += 1
    assert compared >= 0.5 * len(checklist_for("flights").items)
