"""Find what narrows a statement beyond the fact: conditions, places, kinds that it does not know."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.facts import Fact
from evaluator.reading.stretches import Stretch


@dataclass(frozen=True, slots=True)
class Narrowing:
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

    def __add__(self, other: Narrowing) -> Narrowing:
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
    restricted = any(limit not in covered for limit in stretch.limits)
    clean, extreme = not restricted, False
    averaged = fact.signals.statistic in ("mean", "median")
    foreign = after = 0
    for segment in stretch.segments:
        extreme = extreme or segment.extreme
        words = [
            word
            for word in segment.loose
            if word.place not in covered
            and word.stem not in fact.neutral
            and word.stem not in nouns
            and not (word.rate and averaged)
        ]
        narrow = any(w.narrows and w.behind not in covered for w in words)
        clean = clean and not narrow and not words
        if not words and not narrow:
            continue
        bears = place < 0 or place in segment.places or segment.opens_narrowing
        if bears or not covered.isdisjoint(segment.places):
            restricted = restricted or narrow
            foreign += len(words)
            if place in segment.places:
                after += sum(word.place > place for word in words)
    return Narrowing(restricted, foreign, after, clean, extreme)
