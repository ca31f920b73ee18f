"""Fill a fact's slots from a statement about it: statistic, direction, magnitude, period."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose

from evaluator.facts import Fact
from evaluator.gate import About
from evaluator.reading import lexicon
from evaluator.reading.figures import Figure, canonical, turned
from evaluator.reading.periods import Period
from evaluator.reading.stance import is_negated
from evaluator.reading.statements import Annotated, Statement

COARSEST = 0.25
"""Half the printed unit counts up to this share of the value: '0.1 million' is no 54,635."""

_SPREADS = frozenset({"spread", "quantile", "correlation", "p_value", "sum"})
_MODIFIERS = frozenset({"mean", "median", "quantile", "spread", "correlation"})
"""Beside them 'count', 'maximum' and the like belong to the metric: 'mean number of seats'."""
_DIFFERENCES = frozenset(
    {"difference", "gap", "change", "increase", "decrease", "rise", "drop", "shift", "swing"}
)
_MORE_OR_LESS = frozenset({"above", "below", "later", "earlier", "worse", "better", "more", "less"})
_LINKING = frozenset({"is", "are", "was", "were", "has", "have", "which", "that"})
_MOVES = frozenset({"comparative", "trend"})
_NEAR = 3


@dataclass(frozen=True, slots=True)
class Statistics:
    """Which statistics a statement names."""

    named: frozenset[str]
    fits: bool
    """Whether the fact's own is among them, or none is."""
    explicit: bool
    """Whether the fact's own is said, not only not contradicted."""
    beside: bool = False
    """Whether the figure stands before what it counts: '54,635 rows'."""


def statistics(fact: Fact, annotated: Annotated, about: About) -> Statistics:
    """What the statement says was computed; a median is no mean (Signals.statistic)."""
    named = _named_statistics(annotated, about)
    figure, wanted = about.figure, fact.signals.statistic
    if "missing" in named:
        # 'delay is missing in 5.2 %' speaks of the gaps; a fact about gaps covers that word
        return Statistics(named, fits=False, explicit=False)
    if named & _MODIFIERS:
        named -= {"count", "max", "min", "distinct", "rank"}
    elif "share" in named or "distinct" in named:
        named -= {"count", "max", "min"}
    if fact.signals.kind == "correlation":
        return Statistics(named, fits="correlation" in named, explicit="correlation" in named)
    if wanted is None:
        return Statistics(named, fits=not named & _SPREADS, explicit=False)
    if figure is not None and figure.unit == "%" and wanted != "share" and not _percent(fact):
        return Statistics(named, fits=False, explicit=False)
    if wanted == "share":
        shown = figure is not None and figure.unit == "%"
        fits = not named & (_MODIFIERS | _SPREADS) and (shown or "share" in named or figure is None)
        return Statistics(named, fits=fits, explicit=shown or "share" in named)
    beside = figure is not None and _stands_before_metric(annotated, about, figure)
    if wanted in named:
        return Statistics(named, fits=True, explicit=True, beside=beside)
    if wanted == "count":
        return Statistics(named, not named, explicit=beside and not named, beside=beside)
    if wanted == "distinct":
        # '61 different values of destination, 10 with no other': the word is said once
        earlier = any(f.statistic == "distinct" for f in annotated.clause.forms)
        return Statistics(named, (beside or earlier) and not named, explicit=False, beside=beside)
    if wanted == "rank":
        ranked = figure is None or figure.ordinal
        return Statistics(named, fits=ranked and not named & _SPREADS, explicit=False)
    if wanted == "mean":
        return Statistics(named, fits=not named, explicit=False)
    return Statistics(named, fits=False, explicit=False)


def _percent(fact: Fact) -> bool:
    return "%" in fact.units or "pp" in fact.units


def _named_statistics(annotated: Annotated, about: About) -> frozenset[str]:
    """Those in the statement's own region; else those of the words before that it takes over."""
    forms, covered = annotated.clause.forms, about.sighting.covered
    beside = _tags(annotated, about) | _extremes(annotated, about)
    for places in (about.zone, about.region):
        said = {forms[i].statistic for i in places if i not in covered}
        found = {name for name in said if name is not None} | beside
        if found:
            return frozenset(found)
    for i in range(about.statement.first - 1, -1, -1):
        name = forms[i].statistic
        if name is not None and i not in covered and i not in annotated.masked and not about.head:
            return frozenset({name})
    return frozenset()


def _tags(annotated: Annotated, about: About) -> set[str]:
    """'r = 0.34', 'n = 120', 'p < 0.01': what a letter says of the figure after it."""
    figure = about.figure
    if figure is None or figure.first < 2:
        return set()
    forms = annotated.clause.forms
    sign, letter = forms[figure.first - 1].text, forms[figure.first - 2].text
    if sign in ("=", "<", ">", "of", "≈", ":") and letter in lexicon.TAGS:
        return {lexicon.TAGS[letter]}
    return {"spread"} if sign == "±" else set()


def _extremes(annotated: Annotated, about: About) -> set[str]:
    """'the highest departure delay' is its maximum; 'the delay is highest in July' is a mean."""
    forms = annotated.clause.forms
    for i in range(max(0, about.metric.first - _NEAR), about.metric.first):
        if i in about.region and i not in about.sighting.covered:
            if forms[i].text in lexicon.EXTREMES_UP:
                return {"max"}
            if forms[i].text in lexicon.EXTREMES_DOWN:
                return {"min"}
    return set()


def _stands_before_metric(annotated: Annotated, about: About, figure: Figure) -> bool:
    """'47 destinations', '54,635 scheduled flights': the metric is what is counted."""
    forms = annotated.clause.forms
    gap = forms[figure.last + 1 : about.metric.first]
    near = figure.last < about.metric.first and len(gap) <= _NEAR
    return near and not figure.unit and all(form.kind == "word" for form in gap)


def magnitude(fact: Fact, annotated: Annotated, about: About, stats: Statistics) -> bool | None:
    """Whether the statement's figure is the fact's; None where it states none of that kind."""
    wanted, figure = fact.magnitude, about.figure
    if wanted is None or figure is None or about.statement.role == "vague":
        return None
    signed = fact.signals.direction is not None and fact.signals.kind in ("change", "correlation")
    if fact.signals.kind == "change" and not is_difference(annotated, figure):
        return _is_implied(fact, implied_change(fact, annotated, about))
    if fact.signals.kind != "change" and is_difference(annotated, figure):
        return None
    if figure.word and fact.signals.statistic not in ("count", "distinct", "rank"):
        return None
    if figure.ordinal != (fact.signals.statistic == "rank"):
        return None
    if figure.year and not (1900 <= wanted.value <= 2100 and canonical(wanted.unit) == ""):
        return None
    if figure.word and not figure.ordinal and not _stands_before_metric(annotated, about, figure):
        return None
    stated = _in_units(fact, figure, stats)
    if stated is None:
        return None
    value, scale = stated
    if figure.early:
        value = -abs(value)
    target = wanted.value
    if signed:
        value, target = abs(value), abs(target)
    half = min(figure.step * scale / 2, COARSEST * abs(target))
    allowed = max(wanted.abs_tol, wanted.rel_tol * abs(target), half)
    if about.statement.bound == "over" and value > target + wanted.abs_tol:
        return False
    if about.statement.bound == "under" and value < target - wanted.abs_tol:
        return False
    near = abs(value - target) <= allowed
    return near or isclose(abs(value - target), allowed, rel_tol=1e-9, abs_tol=1e-12)


@dataclass(frozen=True, slots=True)
class Change:
    """A change that two levels imply: one subtraction."""

    value: float
    step: float
    """The sum of what the two were printed to."""
    place: int
    """Of the figure that is set against the statement's own."""


def implied_change(fact: Fact, annotated: Annotated, about: About) -> Change | None:
    """'3.7, against 5.0 otherwise' is -1.3; '12.6 in the first half and 11.6 in the second', -1.0.

    Over time both levels must name their periods, and the later one is the statement's own.
    """
    figure = about.figure
    if figure is None:
        return None
    other = compared_figure(annotated, figure)
    if fact.signals.comparator == "time":
        other = _earlier_figure(annotated, about)
    if other is None or not {figure.unit, other.unit} <= fact.units:
        return None
    return Change(figure.value - other.value, figure.step + other.step, other.place)


def _earlier_figure(annotated: Annotated, about: About) -> Figure | None:
    """The figure of the clause's only other statement, if its period comes before this one's."""
    stated = [s for s in annotated.statements if s.figure is not None and s.role == "plain"]
    others = [s for s in stated if s.figure != about.figure]
    if len(others) != 1 or len(stated) != 2:
        return None
    here = _only_period(annotated, about.statement)
    there = _only_period(annotated, others[0])
    if here is None or there is None or here.grain != there.grain:
        return None
    earlier = [value for value in there.value if value is not None]
    later = [value for value in here.value if value is not None]
    return others[0].figure if len(earlier) == len(later) and earlier < later else None


def _only_period(annotated: Annotated, statement: Statement) -> Period | None:
    found = [p for p in annotated.periods if statement.first <= p.first <= statement.last]
    return found[0] if len(found) == 1 else None


def _is_implied(fact: Fact, change: Change | None) -> bool | None:
    """Whether a change is the fact's; never False, for the levels may be of something else."""
    wanted = fact.magnitude
    if change is None or wanted is None:
        return None
    half = min(change.step / 2, COARSEST * abs(wanted.value))
    allowed = max(wanted.abs_tol, wanted.rel_tol * abs(wanted.value), half)
    return True if abs(abs(change.value) - abs(wanted.value)) <= allowed else None


def _in_units(fact: Fact, figure: Figure, stats: Statistics) -> tuple[float, float] | None:
    """(the figure in the fact's unit, what one of its units is there); None if they disagree."""
    assert fact.magnitude is not None
    unit = canonical(fact.magnitude.unit)
    if unit == "%" and figure.unit == "":
        if figure.step < 0.05 and 0 < abs(figure.value) <= 1 and "share" in stats.named:
            return figure.value * 100, 100
        return (figure.value, 1) if "share" in stats.named else None
    if unit == "" and figure.unit == "%" and fact.signals.statistic == "share":
        return figure.value / 100, 0.01
    if figure.unit in fact.units:
        return figure.value, 1
    for wanted in fact.units - {""}:
        value = turned(figure.value, figure.unit, wanted)
        if value is not None:
            return value, value / figure.value if figure.value else 1.0
    return None


def is_difference(annotated: Annotated, figure: Figure) -> bool:
    """'8.1 minutes higher', 'rose by 12 %', 'a gap of 8.1': how much more, not how much."""
    forms = annotated.clause.forms
    for form in forms[figure.last + 1 : figure.last + 1 + _NEAR]:
        if form.kind != "word" or form.text in _LINKING:
            break
        if form.text in _MORE_OR_LESS or (form.cue is not None and form.cue[1] == "comparative"):
            return not figure.early
        if not form.plain:
            break
    before = forms[max(0, figure.first - 5) : figure.first]
    last = before[-1].text if before else ""
    if last == "by":
        return any(form.cue is not None and form.cue[1] in _MOVES for form in before)
    return last == "+" or (
        last != "to" and any(form.text in _DIFFERENCES for form in before[-_NEAR:])
    )


def direction(fact: Fact, annotated: Annotated, about: About) -> bool | None:
    """Whether the statement points the fact's way; None where it does not point."""
    wanted = fact.signals.direction
    if wanted is None:
        return None
    cue = _cue(fact, annotated, about)
    if cue is None:
        return _by_figures(fact, annotated, about)
    place, sense = cue
    if sense == "either":
        return True if fact.magnitude is not None else None
    if is_negated(annotated, place):
        # 'not higher' leaves lower or the same
        return True if wanted == "flat" and sense != "flat" else None if sense == "flat" else False
    return sense == wanted


def _cue(fact: Fact, annotated: Annotated, about: About) -> tuple[int, str] | None:
    """The cue nearest to the figure (or metric); bare adjectives only where there is no other."""
    forms, wanted = annotated.clause.forms, fact.signals.direction
    place = about.figure.place if about.figure is not None else about.metric.last
    found = []
    for i in about.region:
        form = forms[i]
        if i < annotated.lead or i in about.sighting.covered:
            continue
        cue = form.cue or _moved(annotated, i)
        if cue is None or not _is_cue(annotated, i):
            continue
        sense, manner = cue
        if manner == "trend" and fact.signals.comparator == "group":
            continue
        extreme = fact.signals.kind in ("rank", "extreme")
        # 'falling to -2.1 in October' goes with the lowest, but does not gainsay a highest
        if extreme and manner == "trend" and not (fact.magnitude and sense == wanted):
            continue
        found.append((manner == "weak", abs(i - place), i, sense))
    if not found:
        return None
    _, _, i, sense = min(found)
    return i, sense


def _moved(annotated: Annotated, i: int) -> tuple[str, str] | None:
    """'up from 12', 'down by 3', 'positively', 'negative': words that point only here."""
    forms = annotated.clause.forms
    text = forms[i].text
    following = forms[i + 1] if i + 1 < len(forms) else None
    leads = following is not None and (
        following.kind == "number" or following.text in ("from", "by", "on", "at")
    )
    if text in ("up", "down") and leads:
        return text, "trend"
    if text in ("positive", "positively", "positiv"):
        return "up", "comparative"
    if text in ("negative", "negatively", "inverse", "inversely"):
        return "down", "comparative"
    return None


def _is_cue(annotated: Annotated, i: int) -> bool:
    """Not 'most of', 'at least', 'more than 20', 'or more', 'second highest', 'the fall of'."""
    forms = annotated.clause.forms
    text = forms[i].text
    previous = forms[i - 1].text if i else ""
    following = forms[i + 1] if i + 1 < len(forms) else None
    if text in ("most", "least") and (
        previous == "at" or (following is not None and following.text == "of")
    ):
        return False
    if previous == "or" and text in ("more", "less", "fewer", "longer", "higher"):
        return False
    if following is not None and following.kind == "number" and text in ("above", "below"):
        return False
    if text in ("more", "less", "fewer", "higher", "lower", "longer", "greater"):
        beyond = forms[i + 2] if i + 2 < len(forms) else None
        if (
            following is not None
            and following.text == "than"
            and beyond is not None
            and beyond.kind == "number"
            and i + 1 not in annotated.masked
        ):
            return False
    ordinal = previous in lexicon.ORDINALS and previous != "first"
    return not ordinal and previous not in ("next", "-")


def _by_figures(fact: Fact, annotated: Annotated, about: About) -> bool | None:
    """'20.0, against 11.9 for the rest': which way, by the two figures; or by a figure's sign."""
    figure, wanted = about.figure, fact.signals.direction
    if figure is None or wanted == "flat":
        return None
    if fact.signals.kind == "change" and not is_difference(annotated, figure):
        change = implied_change(fact, annotated, about)
        return None if change is None else ("up" if change.value > 0 else "down") == wanted
    if fact.signals.kind in ("change", "correlation"):
        if figure.value == 0:
            return None
        return ("up" if figure.value > 0 else "down") == wanted
    if fact.signals.comparator not in ("group", "threshold", None):
        return None
    other = compared_figure(annotated, figure)
    if other is None or other.value == figure.value:
        return None
    return ("up" if figure.value > other.value else "down") == wanted


def compared_figure(annotated: Annotated, figure: Figure) -> Figure | None:
    """The figure that the clause sets against this one, in the same unit: 'against 11.9'."""
    for other in annotated.figures:
        if other.place in annotated.masked and other.place > figure.place:
            same = other.unit == figure.unit or not other.unit or not figure.unit
            return other if same else None
    return None


def period(fact: Fact, annotated: Annotated, about: About) -> bool | None:
    """Whether the statement names the fact's period; None where it names none of that grain."""
    if not fact.has_period:
        return None
    if any(span.anchor in about.region for span in about.sighting.phrases):
        return True
    grains = {wanted.grain for wanted in fact.periods}
    named = [p for p in about.periods if p.grain in grains]
    if not named:
        return None
    place = about.figure.place if about.figure is not None else about.metric.last
    named.sort(key=lambda p: min(abs(p.first - place), abs(p.last - place)))
    nearest = named[0]
    others = [p for p in named[1:] if not p.same(nearest)]
    if any(_are_listed(annotated, nearest, other) for other in others):
        return None
    return any(nearest.same(wanted) for wanted in fact.periods)


def _are_listed(annotated: Annotated, one: Period, other: Period) -> bool:
    """'in June and July', 'June to August', 'July-August': one stretch of several periods."""
    forms = annotated.clause.forms
    low, high = sorted((one, other), key=lambda p: p.first)
    gap = [form.text for form in forms[low.last + 1 : high.first]]
    links = {"and", "to", "-", "–", "—", ",", "or", "through", "/", "&", "until"}
    return bool(gap) and len(gap) <= 2 and set(gap) <= links
