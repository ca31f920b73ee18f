"""Turn names and numbers into the words of a sentence."""

from __future__ import annotations

import math
import re

_UNITS = {
    "min": "min", "mins": "min", "minutes": "min", "sec": "s", "secs": "s", "seconds": "s",
    "s": "s", "ms": "ms", "hrs": "h", "hr": "h", "h": "h", "days": "days", "mi": "mi", "km": "km",
    "ft": "ft", "m": "m", "cm": "cm", "mm": "mm", "in": "in", "mph": "mph", "kmh": "km/h",
    "kg": "kg", "g": "g", "mg": "mg", "lb": "lb", "lbs": "lb", "pct": "%", "percent": "%",
    "deg": "deg", "f": "F", "c": "C", "mbar": "mbar", "hpa": "hPa", "usd": "USD", "eur": "EUR",
    "gbp": "GBP", "bpm": "bpm", "mmhg": "mmHg", "ml": "ml", "l": "l", "kwh": "kWh",
    "hhmm": "hhmm", "utc": "UTC",
}  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def humanise(name: str) -> str:
    """A column's name as words: `departure_delay_min` is "departure delay (min)"."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", " ", name)
    words = [word for word in re.split(r"[_\s]+", spaced.strip()) if word]
    if not words:
        return "the unnamed column"
    unit = ""
    if len(words) > 1 and words[-1].lower() in _UNITS:
        unit = f" ({_UNITS[words.pop().lower()]})"
    elif len(words) > 1 and words[-1].lower() == "id":
        words.pop()
    short = " ".join(words)
    return (short if len(short) <= 60 else short[:57] + "...") + unit


def table_words(name: str) -> str:
    """A table's name as words."""
    words = " ".join(name.replace("_", " ").split()) or "the unnamed table"
    return words if len(words) <= 60 else words[:57] + "..."


def count(value: float) -> str:
    """A whole number: 54,635."""
    return f"{round(value):,}"


def amount(value: float) -> str:
    """A mean or an extreme: one decimal from 10 on, two below, two digits that count below 0.1."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    size = abs(value)
    if size >= 0.1:
        return f"{value:,.1f}" if size >= 10 else f"{value:.2f}"
    return f"{value:.{1 - math.floor(math.log10(size))}f}" if size >= 1e-9 else f"{value:.1e}"


def exact(value: float) -> str:
    """A bound, with all of its digits: 0.13, 1,500, -2.5."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.10f}".rstrip("0") if abs(value) >= 1e-6 else f"{value:.6g}"


def year(value: float) -> str:
    """A year, or a mean of years: no thousands comma."""
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def share(value: float) -> str:
    """A share of 1 as percent: 16.2%; two decimals below 1%, more where it would read 0 or 100."""
    percent = 100 * value
    if percent in (0, 100):
        return f"{percent:.0f}%"
    places = 1 if percent >= 1 else 2
    # All and none are claims of their own: 99.97 is not 100.
    while float(f"{percent:.{places}f}") in (0, 100) and places < 9:
        places += 1
    return f"{percent:.{places}f}%"


def ordinal(rank: int) -> str:
    """1st, 2nd, 3rd, 11th."""
    ending = (
        "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    )
    return f"{rank}{ending}"


def month(value: str) -> str:
    """'2019-07' as "July 2019"."""
    found = re.fullmatch(r"(-?\d+)-(\d\d)", value)
    if not found or not 1 <= int(found[2]) <= 12:
        return value
    return f"{_MONTHS[int(found[2]) - 1]} {found[1]}"


def weekday(value: str) -> str:
    """ISO weekday '6' as "Saturday"."""
    return _WEEKDAYS[int(value) - 1] if value in "1234567" and value else value


def plural(noun: str) -> str:
    """carriers, companies, boxes."""
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if re.search(r"(s|x|z|ch|sh)$", noun) else "s")
