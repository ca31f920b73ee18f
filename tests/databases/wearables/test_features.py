"""Features get names that can be read, each its own, and none is taken that is not raw and of a day."""

from __future__ import annotations

import re

import pytest

from databases.wearables.features import known, named, raw_code, tables
from tests.databases.wearables.layout import LEFT_OUT


def test_the_patterns_spell_out_the_features_of_a_day_that_the_owners_publish() -> None:
    assert {table: len(known(table)) for table in tables()} == {
        "steps": 22,
        "sleep": 34,
        "screen": 42,
        "calls": 29,
        "bluetooth": 33,
        "wifi": 3,
        "location": 41,
    }


def test_each_known_feature_has_a_name_of_its_own_and_a_comment_with_what_null_means() -> None:
    for table in tables():
        columns = [feature.column for feature in known(table)]
        assert len(set(columns)) == len(columns)
        assert all(re.fullmatch(r"[a-z][a-z0-9_]{2,49}", column) for column in columns)
        assert all(f.note and f.unit and "NULL = " in f.comment for f in known(table))


@pytest.mark.parametrize(
    ("table", "code", "column", "unit"),
    [
        ("sleep", "fitbit_sleep_summary_rapids_sumdurationasleepmain", "time_asleep_min", "min"),
        (
            "sleep",
            "fitbit_sleep_intraday_rapids_maxdurationawakeunifiedmain",
            "longest_awake_spell_min",
            "min",
        ),
        ("steps", "fitbit_steps_intraday_rapids_sumsteps", "step_count", "steps"),
        (
            "screen",
            "phone_screen_rapids_sumdurationunlock_locmap_home",
            "unlocked_at_home_min",
            "min",
        ),
        ("screen", "phone_screen_rapids_sumdurationunlock", "screen_time_min", "min"),
        ("calls", "phone_calls_rapids_incoming_sumduration", "incoming_talk_s", "s"),
        ("location", "phone_locations_barnett_disttravelled", "distance_travelled_m", "m"),
        ("location", "phone_locations_barnett_avgflightdur", "mean_flight_s", "s"),
        ("location", "phone_locations_locmap_percent_in_locmap_study", "percentage_at_study", "%"),
    ],
)
def test_a_feature_is_called_by_its_pattern(table: str, code: str, column: str, unit: str) -> None:
    (feature,) = named(table, [code])
    assert (feature.column, feature.unit) == (column, unit)


def test_a_count_is_whole_and_the_mean_of_counts_is_not() -> None:
    whole = {feature.column: feature.is_whole for feature in known("steps")}
    assert whole["step_count"]
    assert whole["active_stretches"]
    assert not whole["mean_daily_steps"]
    assert not whole["time_active_min"]


def test_a_feature_that_no_pattern_knows_gets_its_own_spelling_and_says_so() -> None:
    (feature,) = named("steps", ["garmin_steps_Stairs.Climbed"])
    assert feature.column == "garmin_steps_stairs_climbed"
    assert "no description known" in feature.comment


def test_two_features_never_share_a_name() -> None:
    found = named("wifi", ["phone_wifi_a", "PHONE_wifi_a", "participant_id", "day"])
    assert [f.column for f in found] == [
        "phone_wifi_a",
        "phone_wifi_a_2",
        "participant_id_2",
        "day_2",
    ]


def test_only_raw_features_of_the_whole_day_are_taken() -> None:
    assert [raw_code(name, "steps") for name in LEFT_OUT] == [None] * len(LEFT_OUT)
    raw = "f_steps:fitbit_steps_intraday_rapids_sumsteps:allday"
    assert raw_code(raw, "steps") == "fitbit_steps_intraday_rapids_sumsteps"
    assert raw_code(raw, "sleep") is None
    assert raw_code("pid", "steps") is None
    # It holds '_dis', and is raw.
    far = "f_loc:phone_locations_barnett_disttravelled:allday"
    assert raw_code(far, "location") == "phone_locations_barnett_disttravelled"
