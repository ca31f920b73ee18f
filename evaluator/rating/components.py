"""Who stands on one scale: compared with one another, if only by way of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluator.rating.tally import Ints, Tally


@dataclass(frozen=True)
class Components:
    """How the games join K competitors."""

    group: Ints
    """(K,): the component of each, numbered from 0, the largest first."""
    strong: Ints
    """(K,): the part in which wins and ties lead from each to each."""
    goes_round: bool
    """Whether somewhere wins alone lead from one to another and back. If nowhere, the frequency of ties
    has no bound in Davidson's model: wins and ties may both be certain."""
    alone: frozenset[int]
    """Components of a single competitor, who has no game."""

    @property
    def one_way(self) -> frozenset[int]:
        """Components that hold parts between which all games go one way: only a prior sets the gap."""
        parts: dict[int, set[int]] = {}
        for group, strong in zip(self.group.tolist(), self.strong.tolist(), strict=True):
            parts.setdefault(group, set()).add(strong)
        return frozenset(group for group, held in parts.items() if len(held) > 1)

    @property
    def unbounded(self) -> frozenset[int]:
        """Places of competitors who are a part by themselves: nothing but a prior says how far they are
        from anybody else."""
        parts = self.strong.tolist()
        return frozenset(place for place, part in enumerate(parts) if parts.count(part) == 1)


def components(games: Tally) -> Components:
    """A tie leads both ways, a win from its loser to its winner."""
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    leads = csr_array(games.beaten.T + games.tied)
    _, weak = connected_components(leads, directed=True, connection="weak")
    _, strong = connected_components(leads, directed=True, connection="strong")
    _, won = connected_components(csr_array(games.beaten.T), directed=True, connection="strong")
    sizes, whose = np.bincount(weak).tolist(), weak.tolist()
    first = {group: whose.index(group) for group in set(whose)}
    ranked = sorted(first, key=lambda group: (-sizes[group], games.names[first[group]]))
    renumbered = {group: number for number, group in enumerate(ranked)}
    group = np.array([renumbered[g] for g in whose], dtype=np.int64)
    alone = frozenset(renumbered[g] for g in first if sizes[g] == 1)
    return Components(group, strong.astype(np.int64), len(set(won.tolist())) < len(won), alone)
