"""Whose insights are judged beside the agent's own: the baselines that explore nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.checklist import ChecklistItem
from core.errors import UnknownNameError, UsageError
from core.run import RunSpec
from core.scenario import Entity
from core.trajectory import Trajectory
from evaluator import baselines
from evaluator.population import no_population_reason, population
from server.closed_book import closed_book_of, no_closed_book
from server.store import Repository

DERANGEMENTS: Final = 5

BLANK: Final = "blank"
CLOSED_BOOK: Final = "closed-book"
NAMED: Final = ("generic", "shuffled", "population", CLOSED_BOOK)
"""Those that can be asked for by name; they cost a judge's questions. Blank needs no judge."""
SETS: Final = ("all", "free", "none")


@dataclass(frozen=True)
class Competitor:
    """Whose insights are judged, under the recipients' trajectory ids."""

    suffix: str
    """Of the evaluation's id; '' for the agent itself."""
    parameters: dict[str, Any]
    trajectories: Sequence[Trajectory]

    def name(self, own: str) -> str:
        """The id of its evaluation, beside the agent's own."""
        return f"{own}.{self.suffix}" if self.suffix else own


@dataclass(frozen=True)
class Wanted:
    """Which baselines are judged."""

    names: frozenset[str]
    is_explicit: bool = False
    """Whether each was named, so that one that cannot be had is an error."""


def wanted_baselines(text: str | None, *, is_paid: bool) -> Wanted:
    """By a word or by names with commas; without a choice all, or those that cost nothing.

    Raises UnknownNameError.
    """
    if text is None:
        text = "free" if is_paid else "all"
    if text == "none":
        return Wanted(frozenset())
    if text == "free":
        return Wanted(frozenset({BLANK}) if is_paid else frozenset({BLANK, *NAMED}))
    if text == "all":
        return Wanted(frozenset({BLANK, *NAMED}))
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in (BLANK, *NAMED):
            raise UnknownNameError("choice of baselines", name, (*SETS, BLANK, *NAMED))
    return Wanted(frozenset({BLANK, *names}), is_explicit=True)


def competitors(
    mine: Sequence[Trajectory],
    entities: Sequence[Entity],
    items: Sequence[ChecklistItem],
    *,
    wanted: Wanted,
    spec: RunSpec,
    store: Repository,
) -> list[Competitor]:
    """The agent, then the baselines that are wanted and can be had.

    Raises UsageError for one that was named and cannot.
    """
    found = [Competitor("", {"trajectories": set_of(mine)}, mine)]
    if BLANK in wanted.names:
        found.append(_each(BLANK, [baselines.blank(t) for t in mine]))
    if "generic" in wanted.names:
        found.append(_each("generic", [baselines.generic(t) for t in mine]))
    if "population" in wanted.names:
        found += _population(mine, entities, items, wanted)
    if "shuffled" in wanted.names:
        found += _shuffled(mine, entities, wanted, spec.seed)
    if CLOSED_BOOK in wanted.names:
        found += _closed_book(mine, wanted, spec, store)
    return found


def set_of(trajectories: Sequence[Trajectory]) -> str:
    """A name for what was judged: the same run may hold other trajectories or insights later."""
    ends = ",".join(f"{t.id}:{t.stop_reason}:{len(t.insights)}" for t in trajectories)
    return hashlib.sha256(ends.encode()).hexdigest()[:16]


def _each(name: str, trajectories: Sequence[Trajectory]) -> Competitor:
    return Competitor(name, {"baseline": name}, trajectories)


def _population(
    mine: Sequence[Trajectory],
    entities: Sequence[Entity],
    items: Sequence[ChecklistItem],
    wanted: Wanted,
) -> list[Competitor]:
    known = {entity.id: entity for entity in entities}
    said = [population(t, items, known) for t in mine]
    if any(t.insights for t in said):
        return [_each("population", said)]
    if wanted.is_explicit:
        reason = no_population_reason(items, entities) or "it says nothing of the run's entities"
        raise UsageError(f"the population's answer cannot be had: {reason}")
    return []


def _shuffled(
    mine: Sequence[Trajectory], entities: Sequence[Entity], wanted: Wanted, seed: int
) -> list[Competitor]:
    rounds = baselines.shuffled(mine, entities, seed=seed, derangements=DERANGEMENTS)
    if not rounds and wanted.is_explicit and (reason := baselines.no_shuffle_reason(mine)):
        raise UsageError(f"another entity's findings cannot be had: {reason}")
    return [
        Competitor(
            f"shuffled{number}",
            {"baseline": "shuffled_entity", "derangement": number, "seed": seed},
            pseudo,
        )
        for number, pseudo in enumerate(rounds, start=1)
    ]


def _closed_book(
    mine: Sequence[Trajectory], wanted: Wanted, spec: RunSpec, store: Repository
) -> list[Competitor]:
    """Of the newest closed-book run of the same model, for the entities that it has."""
    book = closed_book_of(spec, store)
    said = baselines.of_another(mine, store.trajectories(book.id)) if book else []
    if book is None or not said:
        if wanted.is_explicit:
            raise UsageError(no_closed_book(spec, store) or f"run {spec.id} has nothing to judge")
        return []
    parameters = {"baseline": "closed_book", "run": book.id, "trajectories": set_of(said)}
    return [Competitor(f"closed_book-{book.id}", parameters, said)]
