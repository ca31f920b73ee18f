"""What a twin's wristband tells: steps and sleep, from a person's habits and mood."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from databases.wearables.columns import Columns, ratio, stretches, where

if TYPE_CHECKING:
    from databases.draws import Whole
    from databases.wearables.state import Days

_DAY_MIN = 1440


def steps(days: Days) -> Columns:
    """Low mood: up to 55 % fewer steps, longer rests."""
    swing = np.maximum(200, 1024 + days.noise("steps", 130) + days.outgoing("steps", 330))
    usual = days.apart("steps", 9000, 2600) * swing // 1024
    usual = np.where(days.weekend, usual * days.trait("weekend steps", 600, 1300) // 1000, usual)
    total = np.where(days.trip, usual * 2 + 6000, days.scaled("steps", usual, -550, -250))
    total = np.clip(total, 150, 60000)
    active = np.clip(total // days.trait("pace", 42, 62) + days.noise("active", 12), 3, 900)
    bouts = np.maximum(1, active * 10 // days.between("active bouts", 26, 40))
    rest = _DAY_MIN - active
    rests = bouts + days.between("rests", 0, 1)
    moving = stretches(days, "active", bouts, active)
    still = stretches(days, "rest", rests, rest)
    found: Columns = {f"{stat}_daily_steps": total for stat in ("max", "min", "mean", "median")}
    found |= {
        "sensed": days.sensed("steps", 996, 1000),
        "sd_daily_steps": np.full(len(total), np.nan),
        "step_count": total,
        "max_steps_per_minute": np.clip(95 + active // 6 + days.noise("peak", 9), 20, 190),
        "min_steps_per_minute": np.zeros(len(total)),
        "mean_steps_per_minute": ratio(total, _DAY_MIN),
        "sd_steps_per_minute": ratio(total * days.between("step spread", 30, 38), _DAY_MIN * 10),
        "active_stretches": bouts,
        "time_active_min": active,
        "sedentary_stretches": rests,
        "time_sedentary_min": rest,
    }
    for kind, figures in (("active", moving), ("sedentary", still)):
        found |= {f"{stat}_{kind}_bout_min": values for stat, values in figures.items()}
    return found


def sleep(days: Days) -> Columns:
    """Low mood: later to bed, and for two of three people shorter sleep, for the others longer."""
    less = np.where(days.trait("sleep answer", 0, 2) == 0, 1, -1)
    asleep = days.typical("sleep", 415, 38) + days.noise("sleep", 36)
    asleep += np.where(days.weekend, days.trait("weekend sleep", -10, 75), 0)
    asleep = np.clip(asleep + less * days.shift("sleep", 35, 95), 120, 800)
    awake = asleep * days.trait("restless", 35, 95) // 1000 + days.between("awake", 0, 12)
    lying = np.where(days.between("lying", 0, 9) < 2, days.between("lying on", 1, 9), 0)
    bed = asleep + awake + lying
    evening = _bedtime(days, days.day)
    morning = _bedtime(days, days.day - 1) + bed - _DAY_MIN
    told = days.between("summary", 0, 99) >= 4  # the summary is sometimes not there
    sleeps = 1 + (days.between("sleeps", 0, 99) < 3)
    found: Columns = {"sensed": days.sensed("sleep", 920, 980), "main_sleeps": where(told, sleeps)}
    for name, value in (
        ("lying_on", lying),
        ("time_asleep", asleep),
        ("time_awake", awake),
        ("latency", np.zeros(len(bed), dtype=np.int64)),
        ("time_in_bed", bed),
    ):
        found[f"{name}_min"] = where(told, value)
        found[f"{name.removeprefix('time_')}_per_sleep_min"] = where(told, ratio(value, sleeps, 1))
    found |= {
        "efficiency_pct": where(told, ratio(100 * asleep, bed, 0)),
        "first_bedtime_min": where(told, evening),
        "last_bedtime_min": where(told, evening),
        "first_wake_time_min": where(told, morning),
        "last_wake_time_min": where(told, morning),
    }
    return found | _spells(days, asleep + days.noise("record", 2), awake)


def _bedtime(days: Days, day: Whole) -> Whole:
    """Minutes after the midnight that begins the day; the same draw is the next day's night."""
    at = days.at - days.day + day
    late = days.trait("weekend night", 0, 100) * np.isin(day % 7, (4, 5))
    usual = days.typical("bedtime", 1500, 48) + late
    noise = (
        days.people.draws.between("bedtime", at, -70, 70) * days.trait("regular", 20, 100) // 100
    )
    return usual + noise + days.shift("bedtime", 20, 90)


def _spells(days: Days, asleep: Whole, awake: Whole) -> Columns:
    number = np.maximum(1, awake // 2 - days.between("spells", 0, 3))
    sleeping = stretches(days, "asleep", number, asleep)
    waking = stretches(days, "awake", number, awake)
    found: Columns = {}
    for kind, total, figures in (("asleep", asleep, sleeping), ("awake", awake, waking)):
        found |= {f"{stat}_{kind}_spell_min": values for stat, values in figures.items()}
        middle = figures["shortest"] + (figures["mean"] - figures["shortest"]) * 0.5
        found |= {
            f"median_{kind}_spell_min": np.round(middle, 2),
            f"recorded_{kind}_min": total,
            f"{kind}_spells": number,
            f"{kind}_spell_share": np.full(len(total), 0.5),
            f"{kind}_share": ratio(total, asleep + awake),
        }
    return found
