"""What runs and rankings came to, summed up once and kept until their records or the formula change."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib.resources import files
from threading import Lock
from time import monotonic
from typing import Final, TypeVar

from pydantic import TypeAdapter

from core.checklist import Checklist
from core.errors import LockedError
from core.evaluation import Evaluation
from core.ranking import Ranking, Rating
from core.run import RunSpec
from core.scenario import Entity
from evaluator.rating.fitting import Method
from evaluator.rating.results import settle
from evaluator.rating.scale import rate
from server.settings import Settings
from server.standings_files import entities_of, facts_of, stamp_of
from server.standings_summary import Facts, Summary, summarise
from server.store import Repository
from server.store.rankings import Rankings
from server.store.standings import Kept, KeptStandings

_MADE_BY: Final = ("core", "evaluator", "evaluator.rating", "server.store")
"""Packages whose modules have a hand in a summary."""
_RATINGS: Final = TypeAdapter(list[Rating])
_AT_WORK: Final = Lock()

T = TypeVar("T")


@cache
def formula() -> str:
    """Of the code that sums up: another code, another formula, and what it kept is made anew."""
    digest = hashlib.sha256()
    for package in (*_MADE_BY, "server"):
        for entry in sorted(files(package).iterdir(), key=lambda each: each.name):
            own = package != "server" or entry.name.startswith(("standings_", "judged", "spending"))
            if entry.name.endswith(".py") and own:
                digest.update(entry.name.encode() + entry.read_bytes())
    return digest.hexdigest()


class Tally:
    """The summaries of a store's runs and rankings, those that are missing made on the way."""

    def __init__(
        self, store: Repository, settings: Settings, *, patience_s: float | None = None
    ) -> None:
        """`patience_s`: how long is spent on making what is missing; None = until it is made."""
        self._store, self._settings = store, settings
        self._kept = KeptStandings(store)
        self._until = None if patience_s is None else monotonic() + patience_s
        self._facts = facts_of(settings)
        self._beside = f"{formula()}:{stamp_of(settings)}"
        self.pending = 0
        """Runs and rankings that are still to be summed up."""

    def runs(self) -> list[Summary]:
        """Of every run, the oldest first; without those that are pending."""
        found = []
        for kept in self._kept.runs((formula(), self._beside)):
            if kept.body is not None:
                found.append(Summary.model_validate_json(kept.body))
            elif (spec := self._store.run_of_id(kept.subject)) is not None:
                found += self._made(partial(self._sum_up, spec, kept))
        return found

    def ratings(self) -> list[tuple[Ranking, list[Rating]]]:
        """The newest ranking by models of each scenario and protocol, by run; the newest first."""
        newest = {
            (ranking.scenario_id, ranking.protocol): (ranking, kept)
            for ranking, kept in self._kept.rankings((formula(), self._beside))
            if ranking.by == "models"
        }
        found = []
        for ranking, kept in newest.values():
            if kept.body is not None:
                found.append((ranking, _RATINGS.validate_json(kept.body)))
            else:
                rated = self._made(partial(self._rate, ranking, kept))
                found += [(ranking, ratings) for ratings in rated]
        return sorted(found, key=lambda each: each[0].created_at, reverse=True)

    def _made(self, make: Callable[[], T]) -> list[T]:
        """It, or nothing where patience is at its end. Of those that are patient one works at a time:
        many visitors of a page do not make the same thing many times."""
        if self._until is None:
            return [make()]
        if monotonic() < self._until and _AT_WORK.acquire(blocking=False):
            try:
                return [make()]
            finally:
                _AT_WORK.release()
        self.pending += 1
        return []

    def _sum_up(self, spec: RunSpec, kept: Kept) -> Summary:
        return _sum_up(spec, kept, self._store, self._facts, beside=self._beside)

    def _rate(self, ranking: Ranking, kept: Kept) -> list[Rating]:
        found = entities_of(ranking.scenario_id, self._settings)
        # No longer here: each entity is a cluster of its own, for as long as that is so.
        entities, own = ((), self._beside) if isinstance(found, str) else (found, formula())
        return _rate(ranking, kept, self._store, entities, own)


def keep_summary(
    spec: RunSpec, store: Repository, checklist: Checklist, entities: Sequence[Entity]
) -> None:
    """Sum a run up as soon as it is judged by this checklist, so that nobody waits for it later."""

    def facts(_spec: RunSpec, evaluation: Evaluation) -> tuple[Checklist, Sequence[Entity]] | str:
        is_it = evaluation.checklist_hash == checklist.hash
        return (checklist, entities) if is_it else "another checklist was read"

    for kept in KeptStandings(store).runs((formula(),), only=spec.id):
        if kept.body is None:
            _sum_up(spec, kept, store, facts)


def keep_ratings(ranking: Ranking, store: Repository, entities: Sequence[Entity]) -> None:
    """Rate as soon as everything is compared."""
    for found, kept in KeptStandings(store).rankings((formula(),)):
        if found.id == ranking.id and kept.body is None:
            _rate(found, kept, store, entities, formula())


def _sum_up(
    spec: RunSpec, kept: Kept, store: Repository, facts: Facts, *, beside: str | None = None
) -> Summary:
    """`beside`: the formula to keep it under where files had a hand in it; None = it is not kept then."""
    made = summarise(spec, store, facts)
    if (under := formula() if made.is_lasting else beside) is not None:
        _keep(kept, made.model_dump_json(), under, store)
    return made


def _rate(
    ranking: Ranking, kept: Kept, store: Repository, entities: Sequence[Entity], under: str
) -> list[Rating]:
    """By run, as `ddr rank` rates without being told a method."""
    clusters = {entity.id: entity.cluster for entity in entities}
    compared = Rankings(store).comparisons(ranking.id)
    settled = settle(compared, both_orders=ranking.orders == "both")
    games = [g._replace(entity=clusters.get(g.entity, g.entity)) for g in settled.results]
    method: Method = "half-win" if ranking.protocol == "ddr" else "davidson"
    made = list(rate(games, ranking.run_ids, method=method, seed=ranking.seed).ratings)
    _keep(kept, _RATINGS.dump_json(made).decode(), under, store)
    return made


def _keep(kept: Kept, body: str, under: str, store: Repository) -> None:
    """Where somebody else writes just now it is not kept, and made again when it is asked for again."""
    with suppress(LockedError):
        KeptStandings(store.unwaiting()).keep(Kept(kept.subject, kept.revision, body), under)
