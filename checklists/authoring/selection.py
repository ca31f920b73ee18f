"""Choose a balanced set of facts per entity: across categories, themes and difficulties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from checklists.authoring.candidates import Candidate

PLAIN_SHARE = 0.6
"""How much of a checklist one table or one join and simple statistics should reach."""
MAX_PASSERS = 3
PASSING_SHARE = 0.05
"""A fact that more other entities' figures would pass for, in number and in share, is left out."""
LEAST_STANDING = 0.5
"""Standard deviations by which an entity must stand out; less is true of everyone."""


def eligible(candidates: Iterable[Candidate], entities: int = 0) -> list[Candidate]:
    """The candidates without a fault, not shared by many of the entities and not true of everyone."""
    most = max(MAX_PASSERS, int(PASSING_SHARE * entities))
    return [
        candidate
        for candidate in candidates
        if candidate.fault is None
        and len(candidate.passers) <= most
        and abs(candidate.standing) >= LEAST_STANDING
    ]


@dataclass
class _Choice:
    """What one entity has been given so far."""

    chosen: list[Candidate] = field(default_factory=list)

    def takes(self, candidate: Candidate) -> bool:
        return candidate.template.theme not in {c.template.theme for c in self.chosen}

    def worth(self, candidate: Candidate, used: Mapping[str, int]) -> tuple[float, str]:
        """How good a candidate is next, better is higher; the name breaks ties."""
        plain = sum(c.template.plain for c in self.chosen)
        wants_plain = plain < PLAIN_SHARE * (len(self.chosen) + 1)
        worth = min(abs(candidate.standing), 3.0)
        worth -= 0.5 * len(candidate.passers)
        worth -= 0.15 * used[candidate.template.name]
        worth += 2.0 if candidate.template.plain == wants_plain else 0.0
        return worth, candidate.template.name


def choose(
    candidates: Sequence[Candidate], wanted: Mapping[str, int], categories: Sequence[str]
) -> list[Candidate]:
    """As many facts per entity as wanted (or as there are), by entity and category.

    The emptiest category is served first, so that every category is covered before one is
    covered twice. `wanted` is gone through in its order: later entities avoid what earlier took.
    """
    used: Counter[str] = Counter()
    found: list[Candidate] = []
    by_entity: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_entity.setdefault(candidate.entity_id, []).append(candidate)
    for entity_id, number in wanted.items():
        mine = by_entity.get(entity_id, [])
        choice = _Choice()
        while len(choice.chosen) < number:
            best = _next(choice, mine, used, categories)
            if best is None:
                break
            choice.chosen.append(best)
            used[best.template.name] += 1
        order = {category: number for number, category in enumerate(categories)}
        choice.chosen.sort(key=lambda c: (order[c.template.category], c.template.name))
        found += choice.chosen
    return found


def _next(
    choice: _Choice,
    candidates: Sequence[Candidate],
    used: Mapping[str, int],
    categories: Sequence[str],
) -> Candidate | None:
    filled = Counter(c.template.category for c in choice.chosen)
    for category in sorted(categories, key=lambda c: filled[c]):
        open_to = [c for c in candidates if c.template.category == category and choice.takes(c)]
        if open_to:
            return max(open_to, key=lambda c: choice.worth(c, used))
    return None
