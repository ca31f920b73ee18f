"""Find the clauses, and the places in them, where a fact's metric and scopes are named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evaluator.aliases import Alias, Span, find
from evaluator.facts import Fact
from evaluator.reading.document import Document
from evaluator.reading.statements import Annotated

Aliases = tuple[Alias, ...]
"""Other words for one thing: a metric's, or those of one scope."""

_Held = list[tuple[Alias, frozenset[int]]]
"""Aliases, each with the clauses that hold all of its words."""


class Sighting(NamedTuple):
    """Where a clause names the parts of a fact."""

    metric: tuple[Span, ...]
    scopes: tuple[tuple[Span, ...], ...]
    phrases: tuple[Span, ...]
    """Where its period is named in words that are no calendar period."""
    covered: frozenset[int]
    """Places of all these words: they belong to the fact and say nothing else."""


def sightings(fact: Fact, document: Document) -> Iterator[tuple[int, Sighting]]:
    """The clauses that name the metric and every scope, and speak of the entity, in order."""
    numbers = _clauses(fact.metric, document)
    for group in fact.scopes:
        numbers = numbers & _clauses(group, document)
    for number in sorted(numbers):
        if not document.may_be_own(number):
            continue
        annotated = document.annotated(number)
        if not annotated.owned:
            continue
        named = _spans(fact.metric, annotated, document, number)
        if not named:
            continue
        scoped = tuple([_spans(group, annotated, document, number) for group in fact.scopes])
        if all(scoped):
            worded = _spans(fact.period_phrases, annotated, document, number)
            covered = frozenset().union(
                *[span.places for group in (named, *scoped, worded) for span in group]
            )
            yield number, Sighting(named, scoped, worded, covered)


def _held(aliases: Aliases, document: Document) -> _Held:
    """Those of a group that a document holds; looked for once for all facts that share the group."""
    held: _Held | None = document.memo.get(aliases)
    if held is None:
        held = [(alias, document.holding(alias.stems)) for alias in aliases]
        held = document.memo[aliases] = [each for each in held if each[1]]
    return held


def _clauses(aliases: Aliases, document: Document) -> frozenset[int]:
    """The clauses that hold all words of any of them."""
    return frozenset().union(*[numbers for _, numbers in _held(aliases, document)])


def _spans(
    aliases: Aliases, annotated: Annotated, document: Document, number: int
) -> tuple[Span, ...]:
    """Where a clause names any of a group; what was found for one fact holds for the next."""
    found: tuple[Span, ...] | None = annotated.memo.get(aliases)
    if found is None:
        forms, masked = annotated.clause.forms, annotated.masked
        found = annotated.memo[aliases] = tuple(
            [
                _whole(span, annotated)
                for alias, numbers in _held(aliases, document)
                if number in numbers
                for span in find(alias, forms, annotated.places, annotated.periods)
                if span.anchor not in masked
            ]
        )
    return found


def _whole(span: Span, annotated: Annotated) -> Span:
    """A span with the whole of every saying that it rests on: '6 pm', 'behind schedule'."""
    places = span.places
    for saying in annotated.clause.sayings:
        if saying.place in span.places and saying.first != saying.last:
            places = places.union(range(saying.first, saying.last + 1))
    return span if places is span.places else Span(places, span.first, span.last, span.anchor)
