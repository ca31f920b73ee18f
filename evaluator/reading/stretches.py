"""Note, for each statement's stretch of words, what could narrow it, whatever the fact."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from evaluator.reading.figures import Figure
from evaluator.reading.forms import Form, Sway
from evaluator.reading.lexicon import TAGS
from evaluator.reading.mentions import Mention
from evaluator.reading.periods import Period
from evaluator.reading.statements import Annotated, Statement

_BREAKS = frozenset({",", "—", "–", ":", ";", "|"})
_AT_IDLE = frozenset({"least", "most", "all", "best", "worst", "first", "about"})
_ANEW = frozenset({"and", "but", "or", "then", "plus"})
_DETERMINERS = frozenset({"the", "its", "all", "their", "total", "every"})


class LooseWord(NamedTuple):
    """A word that is not one of any prose: the fact's own, or something that it does not know."""

    place: int
    stem: str
    narrows: bool
    """Behind in, on, at, where, ... or a name out of the data."""
    behind: int
    """Place of the preposition that makes it narrow; -1 where none does."""
    rate: bool = False
    """Behind per, each, every: 'steps per day' is a mean and no count."""


class Segment(NamedTuple):
    """What stands between two commas, or in brackets."""

    places: frozenset[int]
    opens_narrowing: bool
    """'when it rains', 'in winter': it bears on the statement though it holds no figure."""
    loose: tuple[LooseWord, ...]
    extreme: bool
    """It speaks of a highest or lowest."""


class Stretch(NamedTuple):
    """A statement with its words."""

    statement: Statement
    zone: frozenset[int]
    """The places of its stretch, comparisons left out."""
    segments: tuple[Segment, ...]
    limits: tuple[Figure, ...]
    """The figures that narrow: 'above 0', 'number 387'."""
    has_period: bool
    starts_anew: bool
    """It begins with 'and', 'but', ...: what stands in it is not said of the figure before."""


class _Known(NamedTuple):
    names: set[int]
    periods: set[int]
    idioms: Collection[int]
    shouting: bool
    """All is in capitals, so that capitals make no code."""


def stretches_of(annotated: Annotated) -> list[Stretch]:
    """One for each statement of a clause, in order; worked out once."""
    found: list[Stretch] | None = annotated.memo.get("")
    if found is None:
        found = annotated.memo[""] = _stretches(annotated)
    return found


def _stretches(annotated: Annotated) -> list[Stretch]:
    forms = annotated.clause.forms
    masked, spans = annotated.masked, annotated.periods
    known = _Known(
        _covered(annotated.mentions), _covered(spans), annotated.idiomatic, _is_shouting(forms)
    )
    found = []
    for statement in annotated.statements:
        zone = range(statement.first, statement.last + 1)
        free = [i for i in zone if i not in masked] if masked else list(zone)
        place = statement.figure.place if statement.figure is not None else -1
        segments = [_segment(forms, part, known) for part in _parts(forms, free, place) if part]
        places = frozenset(free)
        limits = tuple([f for f in annotated.limits if f.place in places])
        period = bool(spans) and any(p.first in places or p.last in places for p in spans)
        anew = bool(free) and forms[free[0]].text in _ANEW
        found.append(Stretch(statement, places, tuple(segments), limits, period, anew))
    return found


def _covered(spans: Sequence[Mention] | Sequence[Period]) -> set[int]:
    """The places of all of these."""
    found: set[int] = set()
    for span in spans:
        found.update(range(span.first, span.last + 1))
    return found


def _is_shouting(forms: Sequence[Form]) -> bool:
    return all(form.code or form.kind != "word" for form in forms)


def _parts(forms: Sequence[Form], zone: list[int], figure: int) -> list[list[int]]:
    """The parts between commas; what stands in brackets is a part by itself, but for the figure:
    'lowest at origin A0243 (0.87%)' is one part."""
    current: list[int] = []
    parts = [current]
    inside: list[int] | None = None
    for i in zone:
        form = forms[i]
        if form.kind != "mark":
            (current if inside is None else inside).append(i)
            continue
        text = form.text
        if text == "(":
            inside = []
        elif text == ")":
            if inside is not None and figure not in inside:
                parts.insert(len(parts) - 1, inside)
            else:
                current += inside or []
            inside = None
        elif inside is not None:
            inside.append(i)
        elif text in _BREAKS:
            current = []
            parts.append(current)
        else:
            current.append(i)
    if inside:
        current += inside
    return parts


def _segment(forms: Sequence[Form], part: list[int], known: _Known) -> Segment:
    """Read a part from left to right, each word with the preposition before it."""
    names, dates, idioms, shouting = known
    loose: list[LooseWord] = []
    behind, rate, conditional, extreme = -1, -1, False, False
    for i in part:
        form = forms[i]
        if i in idioms:
            behind = -1
            continue
        if i in names:
            # 'at hubs carrier 03 leads': what follows the name is no longer at the hubs
            behind = behind if conditional else -1
            continue
        sway = form.sway
        if (not sway and rate != i - 1) or i in dates:
            continue
        if form.text in TAGS and i + 1 < len(forms) and forms[i + 1].text in ("=", ":", "≈"):
            continue
        if rate == i - 1 and rate >= 0 and form.text != "cent":
            # 'per day', 'each month'
            loose.append(LooseWord(i, form.stem, narrows=True, behind=rate, rate=True))
        elif sway == "condition" and i and forms[i - 1].sway == "verb":
            # 'A0323 is where it struggles most' sets no condition
            continue
        elif sway == "condition":
            behind, conditional = i, True
        elif sway == "rate":
            rate = i
        elif sway == "narrow":
            idle = form.text == "at" and i + 1 < len(forms) and forms[i + 1].text in _AT_IDLE
            behind = behind if idle else i
        elif sway == "loose" or (sway == "verb" and not conditional):
            behind = -1
        elif sway == "code" and not shouting:
            loose.append(LooseWord(i, form.stem, narrows=True, behind=-1))
        elif sway == "thing" and not _is_base(forms, i):
            loose.append(LooseWord(i, form.stem, narrows=behind >= 0, behind=behind))
        extreme = extreme or (form.cue is not None and form.cue[1] == "superlative")
    first: Sway = ""
    for i in part:
        if forms[i].text not in ("and", "but"):
            first = forms[i].sway
            break
    opens = first in ("narrow", "condition") or (first == "rate" and forms[part[0]].text == "per")
    return Segment(frozenset(part), opens, tuple(loose), extreme)


def _is_base(forms: Sequence[Form], i: int) -> bool:
    """'16.2% of all traffic': the plain noun of which a share is taken."""
    back = i - 1
    while back >= 0 and forms[back].text in _DETERMINERS:
        back -= 1
    if back <= 0 or forms[back].text != "of" or forms[back - 1].text not in ("%", "percent"):
        return False
    follows = forms[i + 1] if i + 1 < len(forms) else None
    return follows is None or follows.kind != "word" or follows.plain
