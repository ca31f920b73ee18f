"""Say whether a statement speaks of the fact's period."""

from __future__ import annotations

from evaluator.facts import Fact
from evaluator.gate import About
from evaluator.reading.periods import Period

_LISTING = frozenset({"and", "to", "-", "–", "—", ",", "or", "through", "/", "&", "until"})


def period(fact: Fact, about: About) -> bool | None:
    """Whether the statement names the fact's period; None where it names none of that grain."""
    if not fact.has_period:
        return None
    if any(span.anchor in about.region for span in about.sighting.phrases):
        return True
    grains = {wanted.grain for wanted in fact.periods}
    named = [p for p in about.periods if p.grain in grains]
    if not named:
        return None
    place = about.place
    named.sort(key=lambda p: min(abs(p.first - place), abs(p.last - place)))
    nearest = named[0]
    others = [p for p in named[1:] if not p.same(nearest)]
    if any(_are_listed(about, nearest, other) for other in others):
        return None
    return any(nearest.same(wanted) for wanted in fact.periods)


def _are_listed(about: About, one: Period, other: Period) -> bool:
    """'in June and July', 'June to August', 'July-August': one stretch of several periods."""
    forms = about.forms
    low, high = sorted((one, other), key=lambda p: p.first)
    gap = [form.text for form in forms[low.last + 1 : high.first]]
    return bool(gap) and len(gap) <= 2 and set(gap) <= _LISTING
