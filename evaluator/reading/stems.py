"""Bring the forms of a word together: a light suffix stripper, the same for both sides."""

from __future__ import annotations

from functools import lru_cache

_SUFFIXES = (
    "ations",
    "ation",
    "nesses",
    "ness",
    "ingly",
    "ances",
    "ance",
    "ments",
    "ment",
    "ings",
    "ing",
    "ures",
    "ure",
    "edly",
    "ions",
    "ion",
    "als",
    "al",
    "ies",
    "ied",
    "ed",
    "es",
    "ly",
    "s",
    "e",
    "y",
)

_SHORTEST = 4
"""No stem gets shorter: 'rise' and 'ride' stay apart."""

_UNLIKE = {
    "flew": "fly",
    "flown": "fly",
    "flies": "fly",
    "means": "means",
    "cities": "citi",
    "city": "citi",
    **dict.fromkeys(("leave", "leaves", "leaving", "left", "dep", "departing"), "depart"),
    **dict.fromkeys(("land", "lands", "landed", "landing", "landings", "arr"), "arriv"),
    **dict.fromkeys(
        ("plane", "planes", "airplane", "airplanes", "jet", "jets", "aeroplane", "aeroplanes"),
        "aircraft",
    ),
    **dict.fromkeys(
        ("scrap", "scraps", "scrapped", "axed", "ground", "grounds", "grounded"), "cancel"
    ),
    **dict.fromkeys(("data", "dataset"), "databas"),
    **dict.fromkeys(("sight", "vis"), "visibilit"),
    # every hour has a wind speed, and few are windy
    "windy": "windy",
    "dest": "destin",
    "temp": "temperat",
    "temps": "temperat",
    "precip": "precipit",
    "sched": "schedul",
}
"""Forms that no ending brings together, abbreviations of column names, and everyday synonyms."""


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a lower-case word; codes (A017, 2b) stay whole.

    Not a dictionary: 'arrival', 'arrive' and 'arrived' meet in 'arriv', and no more is asked.
    """
    if word in _UNLIKE:
        return _UNLIKE[word]
    if not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST:
            if suffix == "s" and word.endswith("ss"):
                continue
            cut = word[: -len(suffix)]
            # cancelled, cancelling, planned: the doubled letter came with the suffix
            if (
                suffix in ("ed", "ing", "ation", "ations")
                and cut[-1] == cut[-2]
                and cut[-1] in "lnprtm"
            ):
                cut = cut[:-1]
            return _trim(cut)
    if word.endswith("s") and len(word) == _SHORTEST and not word.endswith("ss"):
        return word[:-1]
    return word


def _trim(cut: str) -> str:
    """A second short ending: 'delayed' and 'delays' end alike, 'temperatures' as 'temperature'."""
    for suffix in ("ure", "al", "e", "y"):
        if cut.endswith(suffix) and len(cut) - len(suffix) >= _SHORTEST:
            return cut[: -len(suffix)]
    return cut
