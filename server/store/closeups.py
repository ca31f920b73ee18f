"""Read a few attempts whole, and what was judged of them, in as few statements as that takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import String, and_, func, literal, or_, select, union_all
from sqlalchemy.orm import Session

from core.evaluation import Evaluation, Verdict
from core.outside import Key, OutsideCall, turns_of
from core.ranking import Comparison, Ranking
from core.trajectory import Insight, Nudge, Trajectory, Turn
from server.store.repository import Repository
from server.store.tables import (
    CallRow,
    ComparisonRow,
    EvaluationRow,
    InsightRow,
    NudgeRow,
    RankingRow,
    TrajectoryRow,
    TurnRow,
    VerdictRow,
)


@dataclass(frozen=True)
class Wanted:
    """One attempt of a run."""

    run_id: str
    key: Key
    attempt: int | None = None
    """None = the latest."""


@dataclass(frozen=True)
class Closeup:
    """One attempt, whole."""

    trajectory: Trajectory
    attempts: int
    """How many there are at its key."""


def closeups(
    store: Repository, wanted: Sequence[Wanted], *, without_turns: bool = False
) -> list[Closeup | None]:
    """Each that is wanted, in that order; None where it is not there. Two statements."""
    places = [
        and_(
            TrajectoryRow.run_id == each.run_id,
            TrajectoryRow.entity_id == each.key[0],
            TrajectoryRow.trial == each.key[1],
        )
        for each in wanted
    ]
    query = select(TrajectoryRow).where(or_(*places)).order_by(TrajectoryRow.attempt)
    with store.reading() as session:
        rows: dict[tuple[str, Key], list[TrajectoryRow]] = defaultdict(list)
        for row in session.scalars(query):
            rows[row.run_id, (row.entity_id, row.trial)].append(row)
        chosen = [_chosen(rows[each.run_id, each.key], each.attempt) for each in wanted]
        names = [row.id for row in chosen if row is not None]
        parts = _parts(session, names, without_turns=without_turns) if names else {}
        return [
            None
            if row is None
            else Closeup(_whole(row, parts.get(row.id, {})), len(rows[each.run_id, each.key]))
            for each, row in zip(wanted, chosen, strict=True)
        ]


def evaluations_of(store: Repository, run_ids: Iterable[str]) -> dict[str, list[Evaluation]]:
    """Of each run, the oldest first."""
    query = (
        select(EvaluationRow.run_id, EvaluationRow.body)
        .where(EvaluationRow.run_id.in_(list(run_ids)))
        .order_by(EvaluationRow.position)
    )
    found: dict[str, list[Evaluation]] = defaultdict(list)
    with store.reading() as session:
        for run_id, body in session.execute(query):
            found[run_id].append(Evaluation.model_validate_json(body))
    return dict(found)


def verdicts_on(store: Repository, pairs: Sequence[tuple[str, str]]) -> dict[str, list[Verdict]]:
    """From (evaluation, trajectory) pairs: what each says, by trajectory."""
    found: dict[str, list[Verdict]] = {trajectory_id: [] for _, trajectory_id in pairs}
    if not pairs:
        return found
    places = [
        and_(VerdictRow.evaluation_id == one, VerdictRow.trajectory_id == other)
        for one, other in pairs
    ]
    query = select(VerdictRow.body).where(or_(*places))
    with store.reading() as session:
        for body in session.scalars(query.order_by(VerdictRow.item_id, VerdictRow.level)):
            verdict = Verdict.model_validate_json(body)
            found[verdict.trajectory_id].append(verdict)
    return found


def votes(store: Repository, scenario_id: str, person: str | None = None) -> list[Comparison]:
    """What people said of a scenario's pairs, or one of them did."""
    query = (
        select(ComparisonRow.body)
        .join(RankingRow, RankingRow.id == ComparisonRow.ranking_id)
        .where(func.json_extract(RankingRow.body, "$.by") == "people")
        .where(func.json_extract(RankingRow.body, "$.scenario_id") == scenario_id)
    )
    if person is not None:
        query = query.where(func.json_extract(ComparisonRow.body, "$.judge") == person)
    with store.reading() as session:
        return [Comparison.model_validate_json(body) for body in session.scalars(query)]


def peoples_rankings(store: Repository, scenario_id: str) -> list[Ranking]:
    """Those in which people compared, the oldest first."""
    query = (
        select(RankingRow.body)
        .where(func.json_extract(RankingRow.body, "$.by") == "people")
        .where(func.json_extract(RankingRow.body, "$.scenario_id") == scenario_id)
        .order_by(RankingRow.created_at, RankingRow.id)
    )
    with store.reading() as session:
        return [Ranking.model_validate_json(body) for body in session.scalars(query)]


def _chosen(rows: Sequence[TrajectoryRow], attempt: int | None) -> TrajectoryRow | None:
    found = [row for row in rows if attempt in (None, row.attempt)]
    return found[-1] if found else None


def _parts(
    session: Session, names: Sequence[str], *, without_turns: bool
) -> dict[str, dict[str, list[str]]]:
    """Trajectory -> kind of part -> the bodies in their order."""

    def of(kind: str, table: Any, *order: Any) -> Any:
        first, second = (*order, literal(0))[:2]
        return select(
            table.trajectory_id.label("mine"),
            literal(kind, String).label("kind"),
            first.label("first"),
            second.label("second"),
            table.body.label("body"),
        ).where(table.trajectory_id.in_(names))

    queries = [of("insight", InsightRow, InsightRow.position)]
    if not without_turns:
        # An agent from outside has calls, and its turns are what they make.
        queries += [
            of("turn", TurnRow, TurnRow.turn),
            of("nudge", NudgeRow, NudgeRow.position),
            of("call", CallRow, CallRow.turn, CallRow.position).where(CallRow.turn.is_not(None)),
        ]
    every = union_all(*queries).subquery()
    order = (every.c.mine, every.c.kind, every.c.first, every.c.second)
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in session.execute(select(every).order_by(*order)):
        found[row.mine][row.kind].append(row.body)
    return found


def _whole(row: TrajectoryRow, parts: dict[str, list[str]]) -> Trajectory:
    own = tuple(Turn.model_validate_json(body) for body in parts.get("turn", ()))
    theirs = [OutsideCall.model_validate_json(body) for body in parts.get("call", ())]
    return Trajectory.model_validate_json(row.body).model_copy(
        update={
            "turns": own or turns_of(theirs),
            "insights": tuple(Insight.model_validate_json(b) for b in parts.get("insight", ())),
            "nudges": tuple(Nudge.model_validate_json(b) for b in parts.get("nudge", ())),
        }
    )
