"""Give each figure of a clause the words that speak of it: its stretch, its owner, its role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from evaluator.reading import lexicon
from evaluator.reading.clauses import Clause, Places
from evaluator.reading.comparisons import Span, comparison_spans
from evaluator.reading.figures import Figure, figures
from evaluator.reading.forms import Form
from evaluator.reading.lexicon import Bound
from evaluator.reading.mentions import Mention
from evaluator.reading.owners import Owner, Owners
from evaluator.reading.periods import Period, periods
from evaluator.reading.roles import Role, Roled, roles

MAX_FIGURES = 5
"""A clause with more figures is a dump, and claims none of them (EVALUATION 5.4)."""

_CUTS = frozenset({"and", "but", "or", "then", "plus"})
_BESIDE = frozenset({"threshold", "base", "label"})
"""Roles of figures that nobody states for their own sake."""
_STOPS = frozenset({",", ";", "—", "–", ")"})
_BRACKETS = {"(": 1, ")": -1}
_LEADING = lexicon.LOOSE | lexicon.RESTRICTING
_NOWHERE: frozenset[int] = frozenset()


class Statement(NamedTuple):
    """One figure with its stretch of the clause; without a figure, the whole clause."""

    figure: Figure | None
    first: int
    last: int
    """Places of the stretch's first and last word."""
    owner: Owner | None
    """None = nobody was named."""
    role: Role = "plain"
    bound: Bound | None = None
    """'more than 54,000', 'nearly 55,000'."""


@dataclass(slots=True)
class Annotated:
    """A clause with all that can be said of it without knowing the fact."""

    clause: Clause
    periods: list[Period]
    mentions: list[Mention]
    figures: list[Figure]
    masked: frozenset[int]
    """Places inside 'against 11.9 for the rest' and the like."""
    compared: list[Span]
    """The stretches that `masked` is made of."""
    lead: int
    """Where the leading adjuncts end: 'In July 2019, for carrier 03, ...'."""
    statements: list[Statement]
    named: bool
    """Whether the entity is named in it, not only meant."""
    dump: bool
    nouns: set[str]
    """Stems of what entities are called: carrier."""
    limits: list[Figure]
    """Figures that narrow: 'above 0', 'within 15 minutes', 'number 387'."""
    owned: bool = False
    """Whether any statement is the entity's own."""
    memo: dict[Any, Any] = field(default_factory=dict)
    """What was found here, for the next item that asks the same."""

    @property
    def places(self) -> Places:
        """The places of each stem of the clause."""
        return self.clause.places

    @property
    def idiomatic(self) -> set[int]:
        """The places of its sayings: what they stand for counts, and not their words."""
        found: set[int] = set()
        for each in self.clause.sayings:
            found.update(range(each.first, each.last + 1))
        return found


def annotate(
    clause: Clause, mentions: list[Mention], nouns: set[str], subject: Owner | None
) -> Annotated:
    """Read a clause whose subject, if it names none, is `subject`.

    `nouns` are the stems of what entities are called.
    """
    found_periods = periods(clause.forms)
    taken: set[int] = set()
    for period in found_periods:
        if period.grain != "year":
            taken.update(range(period.first, period.last + 1))
    for mention in mentions:
        taken.update(range(mention.first, mention.last + 1))
    found = figures(clause, taken)
    spans = comparison_spans(clause.forms, mentions, found)
    masked = (
        frozenset([i for first, last in spans for i in range(first, last + 1)])
        if spans
        else _NOWHERE
    )
    roled = roles(clause.forms, found, nouns)
    lead = _lead(clause.forms, found_periods, roled, masked)
    numbers = 0
    for figure in found:
        numbers += not (figure.word or figure.year)
    annotated = Annotated(
        clause,
        found_periods,
        mentions,
        found,
        masked,
        spans,
        lead,
        [],
        named="own" in [m.who for m in mentions],
        dump=max(numbers, clause.figures_in_row) > MAX_FIGURES,
        nouns=nouns,
        limits=[each.figure for each in roled if each.role in ("threshold", "label")],
    )
    annotated.statements = _statements(annotated, roled, subject)
    annotated.owned = "own" in [statement.owner for statement in annotated.statements]
    return annotated


def _lead(
    forms: Sequence[Form],
    found_periods: Sequence[Period],
    roled: Sequence[Roled],
    masked: frozenset[int],
) -> int:
    """Where the leading adjuncts end; 0 where there are none."""
    lead = 0
    while lead < len(forms) and forms[lead].text in lexicon.ADJUNCTS:
        comma = next((i for i in range(lead, len(forms)) if forms[i].text == ","), None)
        if comma is None:
            break
        if any(
            each.role == "plain"
            and not each.figure.year
            and lead <= each.figure.place < comma
            and each.figure.place not in masked
            for each in roled
        ):
            break
        lead = comma + 1
    if lead == 0 and forms and forms[0].text in lexicon.ADJUNCTS:
        first = next((p for p in found_periods if p.first <= 2), None)
        lead = first.last + 1 if first else 0
    return lead


def _statements(
    annotated: Annotated, roled: Sequence[Roled], subject: Owner | None
) -> list[Statement]:
    """One for each figure that is stated for its own sake.

    Figures in words, ordinals and years speak of the whole clause and split nothing.
    """
    forms, masked = annotated.clause.forms, annotated.masked
    end = len(forms) - 1
    anchors, wordy = [], []
    for each in roled:
        figure = each.figure
        if figure.place in masked:
            continue
        if figure.word or figure.ordinal or figure.year:
            wordy.append(each)
        elif each.role not in _BESIDE:
            anchors.append(each)
    cuts = [0]
    for a, b in pairwise(anchors):
        cuts.append(_cut(annotated, a.figure.last, b.figure.first))
    cuts.append(end + 1)
    mentions = annotated.mentions
    if masked:
        mentions = [m for m in mentions if m.first not in masked]
    owners = Owners(forms, mentions, subject)
    listed = owners.respectively([each.figure for each in anchors]) if len(anchors) > 1 else []
    made = []
    for n, (figure, role, bound) in enumerate(anchors):
        first, last = cuts[n], cuts[n + 1] - 1
        owner = listed[n] if listed else owners.next(figure, first, last)
        made.append(Statement(figure, first, last, owner, role, bound))
    for figure, role, bound in wordy:
        owner = Owners(forms, mentions, subject).next(figure, 0, end)
        made.append(Statement(figure, 0, end, owner, role, bound))
    return made if anchors else [*made, *_without_figures(annotated, owners)]


def _without_figures(annotated: Annotated, owners: Owners) -> list[Statement]:
    """'is second in June and highest in July': one statement for each period, or for all of it."""
    end = len(annotated.clause.forms) - 1
    spans = [(p.first, p.last) for p in annotated.periods if p.grain != "year"]
    spans = [span for span in spans if span[0] not in annotated.masked]
    cuts = [0, *(_cut(annotated, a[1], b[0]) for a, b in pairwise(spans)), end + 1]
    return [
        Statement(None, first, after - 1, owners.next(None, first, after - 1))
        for first, after in pairwise(cuts)
    ]


def _cut(annotated: Annotated, ends: int, begins: int) -> int:
    """The first place that belongs no longer to what ends at `ends`, but to what begins there."""
    forms, masked = annotated.clause.forms, annotated.masked
    free = [i for i in range(ends + 1, begins) if i not in masked]
    opened, stop = 0, -1
    for i in free:
        text = forms[i].text
        if text in _CUTS and opened <= 0:
            return i
        opened += _BRACKETS.get(text, 0)
        if stop < 0 and text in _STOPS:
            stop = i
    if stop >= 0:
        return stop + 1
    for i in reversed(free):
        if forms[i].text == "(":
            return i
    for i in free:
        if forms[i].text == ":":
            return i + 1
    for i in reversed(free):
        if forms[i].text in _LEADING:
            return i
    return next((i for i in free if forms[i].statistic or forms[i].cue), begins)
