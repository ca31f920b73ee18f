"""What a run's trajectories told, without the turns in which they found it: one query, however many."""

from __future__ import annotations

import json

from sqlalchemy import func, select

from core.trajectory import Insight, Trajectory
from server.store.attempts import counting
from server.store.repository import Repository
from server.store.tables import InsightRow, TrajectoryRow


def told(store: Repository, run_id: str) -> list[Trajectory]:
    """For each (entity, trial) the attempt that counts, with its insights; turns and nudges are left out."""
    # Named in the subquery, so that SQLite aggregates them in this order.
    ordered = (
        select(InsightRow.body.label("body"))
        .where(InsightRow.trajectory_id == TrajectoryRow.id)
        .order_by(InsightRow.position)
        .correlate(TrajectoryRow)
        .subquery()
    )
    insights = select(func.json_group_array(ordered.c.body)).scalar_subquery()
    query = (
        select(TrajectoryRow.body, insights)
        .where(TrajectoryRow.run_id == run_id)
        .order_by(TrajectoryRow.entity_id, TrajectoryRow.trial, TrajectoryRow.attempt)
    )
    with store.reading() as session:
        rows = [
            (Trajectory.model_validate_json(head), said) for head, said in session.execute(query)
        ]
    found = {head.id: said for head, said in rows}
    return [
        head.model_copy(update={"insights": tuple(map(_insight, json.loads(found[head.id])))})
        for head in counting(head for head, _ in rows)
    ]


def _insight(body: str) -> Insight:
    return Insight.model_validate_json(body)
