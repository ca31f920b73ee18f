"""Keep rankings and their comparisons, each as it comes."""

from __future__ import annotations

import json

from sqlalchemy import select

from core.errors import StoreError
from core.ranking import Comparison, Ranking
from server.store.records import to_json
from server.store.repository import Repository
from server.store.tables import ComparisonRow, RankingRow


class Rankings:
    """Rankings by id. Each method is one transaction. A run that is deleted takes the rankings that
    name it along (Repository.delete_run): without its insights nobody can say what they compare."""

    def __init__(self, store: Repository) -> None:
        self._store = store

    def add(self, ranking: Ranking) -> None:
        """Raises StoreError where there is one of this id."""
        with self._store.writing(f"ranking {ranking.id} is stored already") as session:
            session.add(
                RankingRow(
                    id=ranking.id,
                    created_at=ranking.created_at.isoformat(),
                    body=to_json(ranking),
                )
            )

    def amend(self, ranking: Ranking) -> None:
        """Keep what became known while it was made. Raises StoreError where there is none."""
        with self._store.writing() as session:
            row = session.get(RankingRow, ranking.id)
            if row is None:
                raise StoreError(f"no ranking {ranking.id} in {self._store.path}")
            row.body = to_json(ranking)

    def all(self) -> list[Ranking]:
        """The oldest first."""
        query = select(RankingRow.body).order_by(RankingRow.created_at, RankingRow.id)
        with self._store.reading() as session:
            return [Ranking.model_validate_json(body) for body in session.scalars(query)]

    def add_comparison(self, comparison: Comparison) -> None:
        """One for each pair, order and judge. Raises StoreError on the second."""
        with self._store.writing("this pair was compared in this order by this judge") as session:
            session.add(
                ComparisonRow(
                    ranking_id=comparison.ranking_id,
                    pair=key_of(comparison),
                    body=to_json(comparison),
                )
            )

    def comparisons(self, ranking_id: str) -> list[Comparison]:
        """In order of their keys: entity, trial, runs, order, judge."""
        query = (
            select(ComparisonRow.body).filter_by(ranking_id=ranking_id).order_by(ComparisonRow.pair)
        )
        with self._store.reading() as session:
            return [Comparison.model_validate_json(body) for body in session.scalars(query)]


def key_of(comparison: Comparison) -> str:
    """What tells a comparison from the others of its ranking."""
    c = comparison
    return json.dumps([c.entity_id, c.trial, c.left, c.right, c.shown_first, c.judge])
