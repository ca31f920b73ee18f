"""Know a word, number or mark by its spelling: what it says wherever it stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from evaluator.reading import lexicon, measures
from evaluator.reading.lexicon import Manner, Sense
from evaluator.reading.stems import stem

Sway = Literal[
    "", "condition", "rate", "narrow", "link", "loose", "verb", "code", "thing", "extreme"
]
"""Words that open a condition (where), a rate (per), a narrowing (in), another phrase (to), a
predicate (is); names out of the data, things that are not of any prose, and superlatives."""

Kind = Literal["word", "number", "date", "clock", "mark"]

_NUMBER_SUFFIXES = lexicon.words(
    "k m mn bn b tn million billion thousand x st nd rd th pp pct min mins minutes h hr hrs "
    "hours s sec secs d days mi miles km ft mph kt f c in mbar hpa lb lbs kg am pm bp bps"
)
"""Letters that may be glued to a figure (35k, 28.4min); others make it a code (7f3a)."""

_BREAKS = frozenset(".!?;,")
_LONGEST_NUMBER = 18
_LAST_HOUR = 24
FIRST_YEAR, LAST_YEAR = 1900, 2100


@dataclass(frozen=True, slots=True)
class Form:
    """One spelling. Instances are shared, so that a text costs little more than its places."""

    kind: Kind
    text: str
    """Lower case; a possessive 's is cut off."""
    stem: str
    value: float = 0.0
    decimals: int = 0
    """Digits printed after the point."""
    suffix: str = ""
    """What is glued to a number: its scale, unit or ordinal ending."""
    code: bool = False
    """In capitals or with digits in it: a name out of the data (EMBRAER, A017)."""
    capital: bool = False
    cue: tuple[Sense, Manner] | None = None
    statistic: str | None = None
    notable: bool = False
    """One that either breaks or is idiomatic."""
    breaks: bool = False
    """A mark or word at which a clause may end."""
    counts: bool = False
    """A number, in digits or in words."""
    dated: bool = False
    """A period may start here."""
    compares: bool = False
    """A comparison may start here."""
    sway: Sway = ""
    """What it does to the words around it, where it does anything."""
    year: bool = False
    """A number that is printed as a year would be: 2019, not 2,019 or 2019.0."""
    blank: bool = False
    """A figure, code or name of a period: what differs between two claims of one kind."""
    idiomatic: bool = False
    """An idiom or a time of day may start here: 'behind schedule', '6 pm'."""
    plain: bool = False
    """A word of any prose: it neither names a subject nor narrows one."""


@lru_cache(maxsize=50_000)
def form(kind: str | None, spelling: str) -> Form:
    """The form of a spelling with its case; `kind` as the tokenizer names it."""
    if kind == "span":
        # 15-25 is a range, 767-223 a model: a word that is known by its spelling only
        return Form("word", spelling, spelling, blank=True, plain=True)
    if kind == "code":
        return Form("word", spelling.lower(), spelling.lower(), code=True, capital=True, blank=True)
    if kind == "word":
        return _word(spelling)
    if kind == "number":
        return _number(spelling)
    return Form(
        "date" if kind == "date" else "clock" if kind == "clock" else "mark",
        spelling,
        spelling,
        notable=spelling in _BREAKS or kind == "clock",
        breaks=spelling in _BREAKS,
        idiomatic=kind == "clock",
        dated=kind != "mark",
        blank=kind != "mark",
        plain=kind == "mark",
    )


def _word(spelling: str) -> Form:
    if spelling.endswith(("'s", "'S")):
        spelling = spelling[:-2]
    text = spelling.lower()
    code = len(spelling) > 1 and spelling.isupper()
    if not spelling.isalpha():
        code = code or any(sign.isdigit() for sign in spelling)
    plain = (
        text in lexicon.FUNCTION
        or text in lexicon.GENERAL
        or text in lexicon.DIRECTIONS
        or text in lexicon.STATISTICS
        or text in lexicon.POPULATION
        or text in lexicon.HEDGES
        or text in measures.UNITS
        or text in measures.ORDINALS
        or text in measures.SMALL_NUMBERS
        or text in measures.TENS
        or (text.endswith("ly") and len(text) > 4)
        or (text.endswith("est") and len(text) > 5)
    )
    cue = lexicon.DIRECTIONS.get(text)
    return Form(
        "word",
        text,
        stem(text),
        code=code,
        capital=spelling[:1].isupper(),
        cue=cue,
        statistic=lexicon.STATISTICS.get(text),
        notable=text in lexicon.TURNS or text in lexicon.IDIOMATIC,
        breaks=text in lexicon.TURNS,
        counts=(
            text in measures.SMALL_NUMBERS or text in measures.ORDINALS or text in measures.TENS
        ),
        dated=text in lexicon.DATED,
        compares=(
            text in lexicon.COMPARISONS
            or text in lexicon.COMPARISONS_WITH
            or text in lexicon.EXCEEDING
        ),
        sway=_sway(text, cue, code=code, plain=plain),
        blank=code or text in lexicon.DATED,
        idiomatic=text in lexicon.IDIOMATIC,
        plain=plain,
    )


def _sway(text: str, cue: tuple[Sense, Manner] | None, *, code: bool, plain: bool) -> Sway:
    if text in lexicon.CONDITIONS:
        return "condition"
    if text in lexicon.RATES:
        return "rate"
    if text in lexicon.RESTRICTING:
        return "narrow"
    if text in ("and", "or"):
        return "link"
    if text in lexicon.LOOSE:
        return "loose"
    if text in lexicon.PREDICATES:
        return "verb"
    if code and not plain:
        return "code"
    if not plain or text in lexicon.PERIODIC:
        return "thing"
    return "extreme" if cue is not None and cue[1] == "superlative" else ""


def _number(spelling: str) -> Form:
    text = spelling.lower()
    # what else a number may hold: letters, and signs for numbers that are no digits ('1\u0bf0')
    first = next((i for i, c in enumerate(text) if c not in ",." and not c.isdecimal()), len(text))
    number, suffix = text[:first], text[first:]
    if (suffix and suffix not in _NUMBER_SUFFIXES) or first > _LONGEST_NUMBER:
        return Form("word", text, text, code=True, blank=True)
    value, whole = float(number.replace(",", "")), number.isdigit()
    hour = suffix in ("", "am", "pm") and whole and value <= _LAST_HOUR
    year = whole and not suffix and len(number) == 4 and FIRST_YEAR <= value <= LAST_YEAR
    return Form(
        "number",
        number,
        number,
        value=value,
        decimals=len(number.partition(".")[2]),
        suffix=suffix,
        counts=True,
        blank=True,
        dated=hour or year,
        year=year,
        notable=hour,
        idiomatic=hour,
        plain=True,
    )
