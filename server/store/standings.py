"""Keep what a run or a ranking came to beside the revision of its records, and read what it is summed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, delete, func, insert, select
from sqlalchemy.orm import Session

from core.ranking import Ranking
from core.trajectory import ModelCall, Trajectory
from server.store.repository import Repository
from server.store.tables import (
    CallRow,
    NudgeRow,
    RankingRow,
    RevisionRow,
    RunRow,
    StandingRow,
    TurnRow,
)
from server.store.told import told

_AT_ONCE = 400
"""Trajectories named in one statement: SQLite takes no more than some hundred names everywhere."""


@dataclass(frozen=True)
class Kept:
    """A run or a ranking, with what was kept of it."""

    subject: str
    revision: int
    """Of its records, now."""
    body: str | None
    """None where nothing is kept, or where it is older than the records or the formula."""


class KeptStandings:
    """What runs and rankings came to. Each method is one transaction."""

    def __init__(self, store: Repository) -> None:
        self._store = store

    def runs(self, formulas: Sequence[str], only: str | None = None) -> list[Kept]:
        """Every run, the oldest first; what was kept by one of these formulas. `only`: the run of this id."""
        query = (
            select(RunRow.id, RevisionRow.revision, StandingRow.body)
            .outerjoin(RevisionRow, RevisionRow.subject == RunRow.id)
            .outerjoin(StandingRow, _valid(formulas))
            .order_by(RunRow.created_at, RunRow.id)
        )
        if only is not None:
            query = query.where(RunRow.id == only)
        with self._store.reading() as session:
            return [Kept(name, number or 0, body) for name, number, body in session.execute(query)]

    def rankings(self, formulas: Sequence[str]) -> list[tuple[Ranking, Kept]]:
        """Every ranking, the oldest first."""
        query = (
            select(RankingRow.body, RevisionRow.revision, StandingRow.body)
            .outerjoin(RevisionRow, RevisionRow.subject == RankingRow.id)
            .outerjoin(StandingRow, _valid(formulas))
            .order_by(RankingRow.created_at, RankingRow.id)
        )
        with self._store.reading() as session:
            found = []
            for text, number, body in session.execute(query):
                ranking = Ranking.model_validate_json(text)
                found.append((ranking, Kept(ranking.id, number or 0, body)))
            return found

    def keep(self, kept: Kept, formula: str) -> bool:
        """Keep a body that was made of the records at that revision.

        False, and nothing is kept, where they have changed since, or are gone.
        """
        columns = ("subject", "revision", "formula", "body")
        now = select(
            RevisionRow.subject,
            RevisionRow.revision,
            func.coalesce(formula, ""),
            func.coalesce(kept.body, ""),
        ).filter_by(subject=kept.subject, revision=kept.revision)
        with self._store.writing() as session:
            session.execute(delete(StandingRow).filter_by(subject=kept.subject))
            added = session.connection().execute(
                insert(StandingRow.metadata.tables["standings"]).from_select(columns, now)
            )
            return added.rowcount > 0

    def drop(self) -> None:
        """Forget all that was summed up; it is made anew when it is asked for."""
        with self._store.writing() as session:
            session.execute(delete(StandingRow))


@dataclass(frozen=True)
class Explored:
    """The attempts of a run that count, without what nobody needs to score and to price them."""

    trajectories: list[Trajectory]
    """With their insights; without turns and nudges."""
    turns: dict[str, int]
    """Trajectory -> how many it has."""
    calls: list[ModelCall]
    """Of all roles, those that failed included."""


def explored(store: Repository, run_id: str) -> Explored:
    """Read past what was said and seen in the turns: they are all but a hundredth of a store."""
    trajectories = told(store, run_id)
    names = [each.id for each in trajectories]
    turns: dict[str, int] = dict.fromkeys(names, 0)
    calls = [call for each in trajectories for call in each.calls]
    with store.reading() as session:
        for some in _parts(names):
            turns |= _turns(session, some)
            calls += _calls(session, some)
    return Explored(trajectories, turns, calls)


def _valid(formulas: Sequence[str]) -> ColumnElement[bool]:
    return and_(
        StandingRow.subject == RevisionRow.subject,
        StandingRow.revision == RevisionRow.revision,
        StandingRow.formula.in_(formulas),
    )


def _parts(names: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(names), _AT_ONCE):
        yield names[start : start + _AT_ONCE]


def _turns(session: Session, names: list[str]) -> dict[str, int]:
    ours = (
        select(TurnRow.trajectory_id, func.count())
        .where(TurnRow.trajectory_id.in_(names))
        .group_by(TurnRow.trajectory_id)
    )
    # An agent from outside has calls, and its turns are what they make.
    theirs = (
        select(CallRow.trajectory_id, func.count(CallRow.turn.distinct()))
        .where(CallRow.trajectory_id.in_(names), CallRow.turn.is_not(None))
        .group_by(CallRow.trajectory_id)
    )
    return {row[0]: row[1] for query in (theirs, ours) for row in session.execute(query)}


def _calls(session: Session, names: list[str]) -> list[ModelCall]:
    found: list[ModelCall] = []
    for table in (TurnRow, NudgeRow):
        call = func.json_extract(table.body, "$.call")
        query = select(call).where(table.trajectory_id.in_(names), call.is_not(None))
        found += (ModelCall.model_validate_json(text) for text in session.scalars(query))
    return found
