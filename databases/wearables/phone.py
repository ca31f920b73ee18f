"""What a twin's phone tells of its use: the screen and calls, from a person's habits and mood."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from databases.wearables.columns import Columns, entropy, ratio, stretches, tenths, where

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from databases.draws import Whole
    from databases.wearables.state import Days

_PLACES = {
    "_at_home": (300, 650, 970),
    "_at_study": (60, 220, 620),
    "_at_sports": (10, 60, 250),
    "_in_green": (20, 120, 600),
    "_in_living": (150, 400, 900),
}
"""Place to the least and most share of the use there and the days on which there is any, in thousandths."""


def screen(days: Days) -> Columns:
    """Low mood: the phone is unlocked more often and for longer."""
    unlocks = days.typical("unlocks", 85, 26) * (1024 + days.noise("unlocks", 190)) // 1024
    unlocks = np.clip(days.scaled("unlocks", unlocks, 100, 500), 3, 400)
    each = days.typical("unlock length", 29, 8)  # tenths of a minute
    used = unlocks * np.maximum(each, 6) * (1024 + days.noise("unlocked", 200)) // 1024
    used = used * np.maximum(200, 1024 - days.outgoing("screen", 300)) // 1024
    used = np.where(days.weekend, used * days.trait("weekend screen", 800, 1400) // 1000, used)
    used = np.clip(days.scaled("unlocked", used, 100, 600), unlocks, 9000)
    first = np.clip(days.typical("first unlock", 440, 60) + days.noise("first", 50), 0, 1300)
    early = days.between("past midnight", 0, 99) < days.trait("night owl", 5, 70)
    first = np.where(early, days.between("midnight", 0, 40), first)
    found: Columns = {"sensed": days.sensed("screen", 450, 900)}
    anywhere = np.ones(len(used), dtype=bool)
    found |= _use(days, "", anywhere, number=unlocks, used=used, first=first)
    campus = days.trait("living quarters", 0, 9) < 4
    for place, (least, most, often) in _PLACES.items():
        share = days.trait(f"use{place}", least, most)
        there = days.between(f"there{place}", 0, 999) < often
        if place == "_in_living":
            there &= campus
        if place == "_at_study":
            there &= ~days.weekend | (days.between("weekend study", 0, 9) < 3)
            share = days.scaled("study use", share, -700, -200)
        part = np.maximum(1, unlocks * share // 1000)
        time = np.maximum(part, used * share // 1000)
        later = np.minimum(1435, first + days.between(f"later{place}", 0, 420))
        found |= _use(days, place, there, number=part, used=time, first=later)
    return found


def _use(
    days: Days,
    place: str,
    there: NDArray[np.bool_],
    *,
    number: Whole,
    used: Whole,
    first: Whole,
) -> Columns:
    """The figures of the use in one place; `used` in tenths of a minute."""
    figures = stretches(days, f"unlock{place}", number, used)
    found: Columns = {
        f"unlocks{place}" if place else "screen_unlocks": where(there, number),
        f"unlocked{place}_min" if place else "screen_time_min": where(there, tenths(used)),
        f"first_unlock{place}_min": where(there, first),
    }
    for stat, values in figures.items():
        decimals = 5 if stat == "mean" else 1
        found[f"{stat}_unlock{place}_min"] = where(there, np.round(values / 10.0, decimals))
    return found


def calls(days: Days) -> Columns:
    """Low mood: fewer calls made and taken, more of them missed."""
    counts = {
        "missed": _count(
            days, "missed", days.scaled("missed", days.trait("missed", 20, 160), 0, 900)
        ),
        "incoming": _count(
            days, "incoming", days.scaled("incoming", days.trait("incoming", 60, 330), -700, -300)
        ),
        "outgoing": _count(
            days, "outgoing", days.scaled("outgoing", days.trait("outgoing", 80, 520), -700, -300)
        ),
    }
    calling = days.trait("calls at all", 0, 9) > 0
    talked = sum(counts.values()) > 0
    found: Columns = {"sensed": calling & talked & days.sensed("calls", 500, 900)}
    for kind, number in counts.items():
        there = number > 0
        start = days.between(f"{kind} first", 480, 1250)
        end = np.where(
            number > 1, start + (1439 - start) * days.between(f"{kind} last", 0, 999) // 1000, start
        )
        contacts = np.minimum(
            number, 1 + number * days.between(f"{kind} contacts", 200, 900) // 1000
        )
        found |= {
            f"{kind}_calls": number,
            f"{kind}_contacts": contacts * there,
            f"first_{kind}_time_min": where(there, start),
            f"last_{kind}_time_min": where(there, end),
            f"top_contact_{kind}": (number - contacts) * (days.between(f"{kind} top", 0, 9) < 3),
        }
        if kind != "missed":
            found |= _lengths(days, kind, number)
    return found


def _count(days: Days, name: str, mean: Whole) -> Whole:
    """Numbers from 0 to twice a mean that is given in hundredths."""
    drawn = days.between(f"{name} calls", 0, 999)
    return (2 * mean * drawn // 1000 + 50) // 100


def _lengths(days: Days, kind: str, number: Whole) -> Columns:
    there = number > 0
    mean = days.trait(f"{kind} length", 40, 420)
    total = number * np.maximum(1, mean * days.between(f"{kind} talk", 150, 1850) // 1000)
    figures = stretches(days, f"{kind} talk", number, total)
    usual = np.where(number > 1, figures["shortest"], total)
    return {
        f"{kind}_talk_s": where(there, total),
        f"usual_{kind}_talk_s": where(there, usual),
        f"{kind}_talk_entropy": where(there, entropy(days, kind, number)),
        **{f"{stat}_{kind}_talk_s": np.round(values, 3) for stat, values in figures.items()},
        f"mean_{kind}_talk_s": where(there, ratio(total, np.maximum(number, 1), 3)),
    }
