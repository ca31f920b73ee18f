"""Weigh each statement about a fact: it supports, contradicts, differs, or says too little."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from evaluator.against import crowns_the_other_end, is_misplaced
from evaluator.changes import implied_change, is_difference
from evaluator.direction import direction
from evaluator.facts import Fact
from evaluator.gate import About, statements_about
from evaluator.magnitude import magnitude
from evaluator.reading.document import Document
from evaluator.reading.stance import is_denied, is_hedged
from evaluator.sighting import sightings
from evaluator.statistic import Statistics, statistics
from evaluator.timing import period

Weight = Literal["supports", "contradicts", "gainsays", "differs", "says too little"]
"""'gainsays': another share, surely stated; it stands unless a clause supports the fact, for
the base of a share is seldom said ('28.5 % of its rows', or of those on record?)."""

OTHER_FIGURE = "it states another figure"

_OTHER_BASE = 0.25
"""A share that is off by no more of the fact's may simply be of other rows."""

_MURKY_AFTER = 1
"""Foreign words after a share or count, in its own segment, that still leave it the fact's."""


class Claim(NamedTuple):
    """What one statement says about one fact."""

    clause: int
    weight: Weight
    reason: str
    token: tuple[int, int]
    """(clause, place) of what carries it: a figure supports one fact of its metric only."""
    value: float | None = None
    skeleton: tuple[str, ...] = ()
    """The clause without its figures: equal ones with unequal figures are guesses."""


class _Slots(NamedTuple):
    direction: bool | None
    magnitude: bool | None
    period: bool | None

    def of(self, name: str) -> bool | None:
        return True if name == "scope" else getattr(self, name)


def claims(fact: Fact, document: Document) -> Iterator[Claim]:
    """Every claim about the fact in reading order. A clause that passed the gate gives at least one.

    Where a fact is supported by a superlative without a figure ('its top destination is A017'),
    each clause that says the same of something else is a claim too: there is but one top.
    """
    for number, sighting in sightings(fact, document):
        annotated = document.annotated(number)
        for about in statements_about(fact, annotated, sighting):
            claim = _claim(fact, number, document, about)
            yield claim
            if claim.weight == "supports" and claim.value is None and about.narrowing.extreme:
                for twin in document.twins(number):
                    reason = "it says the same of another"
                    yield Claim(twin, "differs", reason, (twin, -1), skeleton=claim.skeleton)


def _claim(fact: Fact, number: int, document: Document, about: About) -> Claim:
    stats = statistics(fact, about)
    figure, place = about.figure, about.place
    if fact.signals.kind == "change" and figure is not None and not is_difference(about, figure):
        # two levels that imply a change are facts of their own: the second stands for the change
        change = implied_change(fact, about)
        place = change.place if change is not None else place
    slots = _Slots(direction(fact, about), magnitude(fact, about, stats), period(fact, about))
    weight, reason = _weigh(fact, about, stats, slots)
    value = figure.value if figure is not None else None
    return Claim(number, weight, reason, (number, place), value, document.skeleton(number))


def _weigh(fact: Fact, about: About, stats: Statistics, slots: _Slots) -> tuple[Weight, str]:
    annotated = about.annotated
    little: Weight = "says too little"
    if annotated.dump:
        return little, "it holds so many figures that none is claimed"
    if annotated.clause.question:
        return little, "it asks"
    if is_hedged(annotated, about.place):
        return little, "it only supposes"
    if not stats.fits:
        return little, "it speaks of another statistic"
    if slots.period is False:
        if _crowns_another(fact, about, slots):
            return "gainsays", "it names another period for the extreme"
        return little, "it speaks of another period"
    if about.statement.role == "negated" or is_denied(annotated):
        meant = slots.magnitude if fact.magnitude is not None else slots.direction
        if meant:
            return "contradicts", "it denies the fact"
        return little, "it denies something else"
    return _grade(fact, about, stats, slots)


def _crowns_another(fact: Fact, about: About, slots: _Slots) -> bool:
    """'is highest in June', of a fact whose highest is in July: there is but one highest."""
    unique = fact.signals.kind in ("rank", "extreme") and about.narrowing.extreme
    sure = about.narrowing.clean and about.annotated.named
    return bool(unique and slots.direction and sure)


def _grade(fact: Fact, about: About, stats: Statistics, slots: _Slots) -> tuple[Weight, str]:
    if slots.magnitude and crowns_the_other_end(fact, about):
        return "contradicts", "it calls it the other extreme"
    if slots.magnitude and is_misplaced(fact, about):
        return "contradicts", "it sets the others on the wrong side"
    missing = sorted(name for name in fact.required if slots.of(name) is None)
    sure = about.annotated.named and _is_unmixed(fact, about)
    if slots.direction is False and (slots.magnitude or sure):
        return "contradicts", "it points the other way"
    if slots.magnitude is False:
        return _other_figure(fact, about, stats, slots, sure=sure), OTHER_FIGURE
    if missing:
        return "says too little", f"it does not say the {' and the '.join(missing)}"
    if slots.direction is False or slots.period is False:
        return "says too little", "it points the other way"
    if not _is_near_enough(fact, about, slots):
        return "says too little", "it speaks of something more"
    return "supports", _words(fact, slots)


def _other_figure(
    fact: Fact, about: About, stats: Statistics, slots: _Slots, *, sure: bool
) -> Weight:
    """How much a figure that is not the fact's weighs against it."""
    if not _is_plainly_stated(fact, about, stats, slots):
        return "says too little"
    if not (sure and stats.explicit):
        return "differs"
    if fact.signals.statistic != "share":
        return "contradicts"
    return "differs" if _may_be_of_another_base(fact, about) else "gainsays"


def _may_be_of_another_base(fact: Fact, about: About) -> bool:
    """Whether a share is so near that it may be of other rows: 57 % of all, 61 % of those known."""
    if about.figure is None or fact.magnitude is None:
        return False
    off = abs(about.figure.value - fact.magnitude.value)
    return off <= _OTHER_BASE * abs(fact.magnitude.value)


def _is_plainly_stated(fact: Fact, about: About, stats: Statistics, slots: _Slots) -> bool:
    """Whether a different figure is one for this very fact: nothing else can be meant.

    A share of rows is of something that only its other words tell; a plain share of the table
    is therefore never gainsaid by figures alone.
    """
    signals = fact.signals
    if signals.kind in ("change", "correlation") or about.statement.role != "plain":
        return False
    if about.statement.bound is not None or (fact.has_period and not slots.period):
        return False
    if signals.statistic in ("share", "count") and fact.is_of_table and not stats.beside:
        return False
    if signals.statistic == "share" and about.of_all and "all" not in fact.neutral:
        return False
    return _is_unmixed(fact, about)


def _is_unmixed(fact: Fact, about: About) -> bool:
    """Whether the statement holds nothing but the fact's own words.

    An extreme ('is highest at ...') belongs to a fact that has a direction, period or scope; for
    a plain mean it opens a new subject.
    """
    signals, narrowed = fact.signals, about.narrowing
    may_be_extreme = bool(
        signals.direction or fact.has_period or fact.scopes or signals.statistic in ("max", "min")
    )
    return narrowed.clean and (may_be_extreme or not narrowed.extreme)


def _is_near_enough(fact: Fact, about: About, slots: _Slots) -> bool:
    """Whether foreign words leave the statement the fact's; without a figure none may stand."""
    narrowed = about.narrowing
    if not slots.magnitude:
        return not narrowed.foreign
    if fact.signals.statistic in ("share", "count", "distinct"):
        return narrowed.after <= _MURKY_AFTER
    return True


def _words(fact: Fact, slots: _Slots) -> str:
    said = [name for name in ("magnitude", "direction", "period") if slots.of(name)]
    if fact.scopes:
        said.append("scope")
    names = {"magnitude": "figure"}
    return f"{', '.join(names.get(name, name) for name in said)} as in the fact"
