"""Find the clauses, and the places in them, where a fact's metric and scopes are named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluator.aliases import Alias, Span, find
from evaluator.facts import Fact
from evaluator.reading.document import Document
from evaluator.reading.statements import Annotated

_Held = list[tuple[Alias, frozenset[int]]]
"""Aliases, each with the clauses that hold all of its words."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a clause names the parts of a fact."""

    metric: tuple[Span, ...]
    scopes: tuple[tuple[Span, ...], ...]
    phrases: tuple[Span, ...]
    """Where its period is named in words that are no calendar period."""
    covered: frozenset[int]
    """Places of all these words: they belong to the fact and say nothing else."""


def sightings(fact: Fact, document: Document) -> Iterator[tuple[int, Sighting]]:
    """The clauses that name the metric and every scope, and speak of the entity, in order."""
    metric = _held(fact.metric, document)
    scopes = [_held(group, document) for group in fact.scopes]
    phrases = _held(fact.period_phrases, document)
    numbers = _union(metric)
    for group in scopes:
        numbers = numbers & _union(group)
    for number in sorted(numbers):
        annotated = document.annotated(number)
        if not annotated.owned:
            continue
        named = _spans(metric, annotated, number)
        if not named:
            continue
        scoped = tuple(_spans(group, annotated, number) for group in scopes)
        if all(scoped):
            worded = _spans(phrases, annotated, number)
            every = [*named, *(span for group in scoped for span in group), *worded]
            covered = frozenset().union(*(span.places for span in every))
            yield number, Sighting(named, scoped, worded, covered)


def _held(aliases: Sequence[Alias], document: Document) -> _Held:
    held = [(alias, document.holding(alias.stems)) for alias in aliases]
    return [(alias, numbers) for alias, numbers in held if numbers]


def _union(held: _Held) -> frozenset[int]:
    return frozenset().union(*(numbers for _, numbers in held))


def _spans(held: _Held, annotated: Annotated, number: int) -> tuple[Span, ...]:
    found: list[Span] = []
    for alias, numbers in held:
        if number in numbers:
            # Items share their metrics' aliases: what was found for one holds for the next.
            spans = annotated.memo.get(alias.text)
            if spans is None:
                every = find(alias, annotated.clause.forms, annotated.places, annotated.periods)
                spans = [span for span in every if span.anchor not in annotated.masked]
                annotated.memo[alias.text] = spans
            found += spans
    return tuple(found)
