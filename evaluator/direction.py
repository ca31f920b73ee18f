"""Say which way a statement points: up, down or level, and whether that is the fact's way."""

from __future__ import annotations

from evaluator.changes import compared_figure, implied_change, is_difference
from evaluator.facts import Fact
from evaluator.gate import About
from evaluator.reading.measures import ORDINALS
from evaluator.reading.stance import is_negated


def direction(fact: Fact, about: About) -> bool | None:
    """Whether the statement points the fact's way; None where it does not point."""
    wanted = fact.signals.direction
    if wanted is None:
        return None
    cue = _cue(fact, about)
    if cue is None:
        return _by_figures(fact, about)
    place, sense = cue
    if sense == "either":
        return True if fact.magnitude is not None else None
    if is_negated(about.annotated, place):
        # 'not higher' leaves lower or the same
        return True if wanted == "flat" and sense != "flat" else None if sense == "flat" else False
    return sense == wanted


def _cue(fact: Fact, about: About) -> tuple[int, str] | None:
    """The cue nearest to the figure (or metric); bare adjectives only where there is no other."""
    forms, wanted = about.forms, fact.signals.direction
    place = about.place
    found = []
    for i in about.region:
        form = forms[i]
        if i < about.annotated.lead or i in about.sighting.covered:
            continue
        cue = form.cue or _moved(about, i)
        if cue is None or not _is_cue(about, i):
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


def _moved(about: About, i: int) -> tuple[str, str] | None:
    """'up from 12', 'down by 3', 'positively', 'negative': words that point only here."""
    forms = about.forms
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


def _is_cue(about: About, i: int) -> bool:
    """Not 'most of', 'at least', 'more than 20', 'or more', 'second highest', 'the fall of'."""
    forms = about.forms
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
            and i + 1 not in about.annotated.masked
        ):
            return False
    ordinal = previous in ORDINALS and previous != "first"
    return not ordinal and previous not in ("next", "-")


def _by_figures(fact: Fact, about: About) -> bool | None:
    """'20.0, against 11.9 for the rest': which way, by the two figures; or by a figure's sign."""
    figure, wanted = about.figure, fact.signals.direction
    if figure is None or wanted == "flat":
        return None
    if fact.signals.kind == "change" and not is_difference(about, figure):
        change = implied_change(fact, about)
        return None if change is None else ("up" if change.value > 0 else "down") == wanted
    if fact.signals.kind in ("change", "correlation"):
        if figure.value == 0:
            return None
        return ("up" if figure.value > 0 else "down") == wanted
    if fact.signals.comparator not in ("group", "threshold", None):
        return None
    other = compared_figure(about, figure)
    if other is None or other.value == figure.value:
        return None
    return ("up" if figure.value > other.value else "down") == wanted
