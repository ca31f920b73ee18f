"""Say which statistic a statement names, and whether it is the fact's: a median is no mean."""

from __future__ import annotations

from typing import NamedTuple

from evaluator.facts import Fact
from evaluator.gate import About
from evaluator.reading import lexicon
from evaluator.reading.figures import Figure

_SPREADS = frozenset({"spread", "quantile", "correlation", "p_value", "sum"})
_MODIFIERS = frozenset({"mean", "median", "quantile", "spread", "correlation"})
"""Beside them 'count', 'maximum' and the like belong to the metric: 'mean number of seats'."""
_NEAR = 3


class Statistics(NamedTuple):
    """Which statistics a statement names."""

    named: frozenset[str]
    fits: bool
    """Whether the fact's own is among them, or none is."""
    explicit: bool
    """Whether the fact's own is said, not only not contradicted."""
    beside: bool = False
    """Whether the figure stands before what it counts: '54,635 rows'."""


def statistics(fact: Fact, about: About) -> Statistics:
    """What the statement says was computed; a median is no mean (Signals.statistic)."""
    named = _named_statistics(about)
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
        centres = named & {"mean", "median"}
        told = centres <= fact.named or not fact.named & {"mean", "median"}
        return Statistics(named, fits=told and not named & _SPREADS, explicit=False)
    if figure is not None and figure.unit == "%" and wanted != "share" and not _percent(fact):
        return Statistics(named, fits=False, explicit=False)
    if wanted == "share":
        shown = figure is not None and figure.unit == "%"
        fits = not named & (_MODIFIERS | _SPREADS) and (shown or "share" in named or figure is None)
        return Statistics(named, fits=fits, explicit=shown or "share" in named)
    beside = figure is not None and stands_before_metric(about, figure)
    if wanted in named:
        return Statistics(named, fits=True, explicit=True, beside=beside)
    if wanted == "count":
        return Statistics(named, not named, explicit=beside and not named, beside=beside)
    if wanted == "distinct":
        # '61 different values of destination, 10 with no other': the word is said once
        earlier = any(f.statistic == "distinct" for f in about.forms)
        return Statistics(named, (beside or earlier) and not named, explicit=False, beside=beside)
    if wanted == "rank":
        ranked = figure is None or figure.ordinal
        return Statistics(named, fits=ranked and not named & _SPREADS, explicit=False)
    if wanted == "mean":
        return Statistics(named, fits=not named, explicit=False)
    if wanted in ("max", "min"):
        return Statistics(named, fits=not named and _is_record(about, wanted), explicit=False)
    return Statistics(named, fits=False, explicit=False)


def _is_record(about: About, wanted: str) -> bool:
    """'At its worst it left 301 minutes late', 'ever': an extreme that no statistic's name tells."""
    senses = {form.cue[0] for form in about.forms if form.cue and form.cue[1] == "superlative"}
    ever = any(form.text == "ever" for form in about.forms)
    return ever or bool(senses & {"either", "up" if wanted == "max" else "down"})


def _percent(fact: Fact) -> bool:
    return "%" in fact.units or "pp" in fact.units


def _named_statistics(about: About) -> frozenset[str]:
    """Those in the statement's own region; else those of the words before that it takes over."""
    forms, covered = about.forms, about.sighting.covered
    beside = _tags(about) | _extremes(about)
    for places in (about.zone, about.region):
        said = {forms[i].statistic for i in places if i not in covered}
        found = {name for name in said if name is not None} | beside
        if found:
            return frozenset(found)
    for i in range(about.statement.first - 1, -1, -1):
        name = forms[i].statistic
        if (
            name is not None
            and i not in covered
            and i not in about.annotated.masked
            and not about.head
        ):
            return frozenset({name})
    return frozenset()


def _tags(about: About) -> set[str]:
    """'r = 0.34', 'n = 120', 'p < 0.01': what a letter says of the figure after it."""
    figure, forms = about.figure, about.forms
    if figure is not None and forms[figure.first].text == "±":
        return {"spread"}
    if figure is None or figure.first < 2:
        return set()
    sign, letter = forms[figure.first - 1].text, forms[figure.first - 2].text
    if sign in ("=", "<", ">", "of", "≈", ":") and letter in lexicon.TAGS:
        return {lexicon.TAGS[letter]}
    return set()


def _extremes(about: About) -> set[str]:
    """'the highest departure delay' is its maximum; 'the delay is highest in July' is a mean."""
    forms = about.forms
    for i in range(max(0, about.metric.first - _NEAR), about.metric.first):
        if i in about.region and i not in about.sighting.covered:
            if forms[i].text in lexicon.EXTREMES_UP:
                return {"max"}
            if forms[i].text in lexicon.EXTREMES_DOWN:
                return {"min"}
    return set()


def stands_before_metric(about: About, figure: Figure) -> bool:
    """'47 destinations', '54,635 scheduled flights': the metric is what is counted."""
    forms = about.forms
    gap = forms[figure.last + 1 : about.metric.first]
    near = figure.last < about.metric.first and len(gap) <= _NEAR
    return near and not figure.unit and all(form.kind == "word" for form in gap)
