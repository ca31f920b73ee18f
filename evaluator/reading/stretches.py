"""Note, for each statement's stretch of words, what could narrow it, whatever the fact."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.reading.statements import Annotated, Statement

_BREAKS = frozenset({",", "—", "–", ":", ";", "|"})
_AT_IDLE = frozenset({"least", "most", "all", "best", "worst", "first", "about"})
_ANEW = frozenset({"and", "but", "or", "then", "plus"})
_DETERMINERS = frozenset({"the", "its", "all", "their", "total", "every"})


@dataclass(frozen=True, slots=True)
class LooseWord:
    """A word that is not one of any prose: the fact's own, or something that it does not know."""

    place: int
    stem: str
    narrows: bool
    """Behind in, on, at, where, ... or a name out of the data."""
    behind: int
    """Place of the preposition that makes it narrow; -1 where none does."""
    rate: bool = False
    """Behind per, each, every: 'steps per day' is a mean and no count."""


@dataclass(frozen=True, slots=True)
class Segment:
    """What stands between two commas, or in brackets."""

    places: frozenset[int]
    opens_narrowing: bool
    """'when it rains', 'in winter': it bears on the statement though it holds no figure."""
    loose: tuple[LooseWord, ...]
    extreme: bool
    """It speaks of a highest or lowest."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A statement with its words."""

    statement: Statement
    zone: frozenset[int]
    """The places of its stretch, comparisons left out."""
    segments: tuple[Segment, ...]
    limits: tuple[int, ...]
    """Places of the figures that narrow: 'above 0', 'number 387'."""
    has_period: bool
    starts_anew: bool
    """It begins with 'and', 'but', ...: what stands in it is not said of the figure before."""


@dataclass(frozen=True, slots=True)
class _Known:
    names: frozenset[int]
    periods: frozenset[int]
    shouting: bool
    """All is in capitals, so that capitals make no code."""


def stretches_of(annotated: Annotated) -> list[Stretch]:
    """One for each statement of a clause, in order; worked out once."""
    if "" not in annotated.memo:
        annotated.memo[""] = _stretches(annotated)
    return annotated.memo[""]


def _stretches(annotated: Annotated) -> list[Stretch]:
    forms = annotated.clause.forms
    known = _Known(
        frozenset(i for m in annotated.mentions for i in range(m.first, m.last + 1)),
        frozenset(i for p in annotated.periods for i in range(p.first, p.last + 1)),
        all(form.code or form.kind != "word" for form in forms),
    )
    found = []
    for statement in annotated.statements:
        zone = [i for i in range(statement.first, statement.last + 1) if i not in annotated.masked]
        place = statement.figure.place if statement.figure is not None else -1
        segments = tuple(
            _segment(annotated, part, known) for part in _parts(annotated, zone, place) if part
        )
        places = frozenset(zone)
        limits = tuple(f.place for f in annotated.limits if f.place in places)
        period = any(p.first in places or p.last in places for p in annotated.periods)
        anew = bool(zone) and forms[zone[0]].text in _ANEW
        found.append(Stretch(statement, places, segments, limits, period, anew))
    return found


def _parts(annotated: Annotated, zone: list[int], figure: int) -> list[list[int]]:
    """The parts between commas; what stands in brackets is a part by itself, but for the figure:
    'lowest at origin A0243 (0.87%)' is one part."""
    forms = annotated.clause.forms
    parts: list[list[int]] = [[]]
    inside: list[int] | None = None
    for i in zone:
        text = forms[i].text
        if text == "(":
            inside = []
        elif text == ")":
            if inside is not None and figure not in inside:
                parts.insert(len(parts) - 1, inside)
            else:
                parts[-1] += inside or []
            inside = None
        elif inside is not None:
            inside.append(i)
        elif text in _BREAKS:
            parts.append([])
        else:
            parts[-1].append(i)
    if inside:
        parts[-1] += inside
    return parts


def _segment(annotated: Annotated, part: list[int], known: _Known) -> Segment:
    """Read a part from left to right, each word with the preposition before it."""
    forms = annotated.clause.forms
    loose: list[LooseWord] = []
    behind, rate, conditional, extreme = -1, -1, False, False
    for i in part:
        form = forms[i]
        if i in known.names:
            # 'at hubs carrier 03 leads': what follows the name is no longer at the hubs
            behind = behind if conditional else -1
            continue
        sway = form.sway
        if i in known.periods or (not sway and rate != i - 1):
            continue
        if rate == i - 1 and rate >= 0 and form.text != "cent":
            # 'per day', 'each month'
            loose.append(LooseWord(i, form.stem, narrows=True, behind=rate, rate=True))
        elif sway == "condition":
            behind, conditional = i, True
        elif sway == "rate":
            rate = i
        elif sway == "narrow":
            idle = form.text == "at" and i + 1 < len(forms) and forms[i + 1].text in _AT_IDLE
            behind = behind if idle else i
        elif sway == "loose" or (sway == "verb" and not conditional):
            behind = -1
        elif sway == "code" and not known.shouting:
            loose.append(LooseWord(i, form.stem, narrows=True, behind=-1))
        elif sway == "thing" and not _is_base(annotated, i):
            loose.append(LooseWord(i, form.stem, narrows=behind >= 0, behind=behind))
        extreme = extreme or (form.cue is not None and form.cue[1] == "superlative")
    first = next((forms[i].sway for i in part if forms[i].text not in ("and", "but")), "")
    opens = first in ("narrow", "condition") or (first == "rate" and forms[part[0]].text == "per")
    return Segment(frozenset(part), opens, tuple(loose), extreme)


def _is_base(annotated: Annotated, i: int) -> bool:
    """'16.2% of all traffic': the plain noun of which a share is taken."""
    forms = annotated.clause.forms
    follows = forms[i + 1] if i + 1 < len(forms) else None
    if follows is not None and follows.kind == "word" and not follows.plain:
        return False
    back = i - 1
    while back >= 0 and forms[back].text in _DETERMINERS:
        back -= 1
    return back > 0 and forms[back].text == "of" and forms[back - 1].text in ("%", "percent")
