"""Find what narrows a statement beyond the fact: conditions, places, kinds that it does not know."""

from __future__ import annotations

from typing import NamedTuple

from evaluator.facts import Fact
from evaluator.reading.stretches import Stretch


class Narrowing(NamedTuple):
    """What a statement says beside the fact's own words."""

    restricted: bool
    """It speaks of a part only: 'where it rains', 'to A017', 'at runway 5'."""
    foreign: int
    """Words that are neither the fact's nor those of any prose, asides left out."""
    after: int
    """Those of them that follow the figure in its own segment."""
    clean: bool
    """Not even its asides hold a foreign word or a code."""
    extreme: bool
    """It speaks of a highest or lowest."""

    def being(self, *, clean: bool) -> Narrowing:
        """The same, clean or not."""
        if clean == self.clean:
            return self
        return Narrowing(self.restricted, self.foreign, self.after, clean, self.extreme)

    def joined(self, other: Narrowing) -> Narrowing:
        """What two stretches say together."""
        return Narrowing(
            self.restricted or other.restricted,
            self.foreign + other.foreign,
            self.after + other.after,
            self.clean and other.clean,
            self.extreme or other.extreme,
        )


def narrowing(fact: Fact, stretch: Stretch, covered: frozenset[int], nouns: set[str]) -> Narrowing:
    """Read the words of a stretch that are not the fact's; `covered` are those that are.

    A segment without the figure and without a word of the fact is an aside ('driven by the late
    bank'), unless it opens with a word that narrows ('when it rains'). `nouns` are what entities
    are called.
    """
    figure = stretch.statement.figure
    place = figure.place if figure is not None else -1
    restricted = False
    for limit in stretch.limits:
        if limit.place not in covered and limit.value not in fact.bounds:
            restricted = True
    clean, extreme = not restricted, False
    neutral, averaged = fact.neutral, fact.averaged
    foreign = after = 0
    for segment in stretch.segments:
        extreme = extreme or segment.extreme
        words, narrow, behind = 0, False, 0
        for word in segment.loose:
            where, stem, narrows, led_by, rate = word
            if where in covered or stem in neutral or stem in nouns or (rate and averaged):
                continue
            words += 1
            narrow = narrow or (narrows and led_by not in covered)
            behind += where > place
        if not words:
            continue
        clean = False
        inside = place in segment.places
        bears = inside or place < 0 or segment.opens_narrowing
        if bears or not covered.isdisjoint(segment.places):
            restricted = restricted or narrow
            foreign += words
            after += behind if inside else 0
    return Narrowing(restricted, foreign, after, clean, extreme)
