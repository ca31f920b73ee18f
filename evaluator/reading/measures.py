"""Numbers in words, units and scales, as figures are read by them."""

from __future__ import annotations


def _numbered(text: str, start: int) -> dict[str, int]:
    return {word: place for place, word in enumerate(text.split(), start)}


ORDINALS = _numbered("first second third fourth fifth sixth seventh eighth ninth tenth", 1)
SMALL_NUMBERS = {
    **_numbered("zero one two three four five six seven eight nine ten eleven twelve", 0),
    "single": 1,
    "sole": 1,
}

TENS = {
    word: 10 * value
    for word, value in _numbered("twenty thirty forty fifty sixty seventy eighty ninety", 2).items()
}


def _units(**spellings: str) -> dict[str, str]:
    return {word: unit for unit, line in spellings.items() for word in line.split()}


UNITS = _units(
    s="s sec secs second seconds",
    min="min mins minute minutes",
    h="h hr hrs hour hours",
    day="d day days",
    week="week weeks",
    month="month months",
    year="yr yrs year years",
    mi="mi mile miles",
    km="km kilometer kilometers kilometre kilometres",
    ft="ft feet foot",
    inch="inch inches",
    mph="mph",
    kt="kt knot knots",
    mbar="mbar millibar millibars hpa",
    usd="usd dollar dollars",
    kg="kg kilogram kilograms",
    lb="lb lbs pound pounds",
    f="fahrenheit",
    c="celsius",
    deg="deg degree degrees",
    x="x times fold",
    pp="pp",
    bp="bp bps",
)
"""Unit words and the unit that they stand for."""

MINUTES = {"s": 1 / 60, "min": 1.0, "h": 60.0, "day": 1440.0, "week": 10080.0}
"""Units of time that can be turned into one another."""

SCALES = {
    **dict.fromkeys(["k", "thousand"], 1e3),
    **dict.fromkeys(["m", "mn", "million"], 1e6),
    **dict.fromkeys(["b", "bn", "billion"], 1e9),
    **dict.fromkeys(["tn", "trillion"], 1e12),
}
