"""Store and find records: core records in, core records out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Insert,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
)
from sqlalchemy.orm import Session

from core.errors import EndedError, StoreError, UnknownNameError, UsageError
from core.evaluation import Evaluation, Verdict
from core.hints import typed
from core.run import RunSpec
from core.trajectory import Insight, ModelCall, Nudge, Preamble, StopReason, Trajectory, Turn
from server.store.attempts import counting
from server.store.records import to_json
from server.store.repricing import failed_calls, repriced
from server.store.sessions import Sessions
from server.store.tables import (
    CallRow,
    EvaluationRow,
    InsightRow,
    NudgeRow,
    RankingRow,
    RunRow,
    TrajectoryRow,
    TurnRow,
    VerdictRow,
)
from server.store.trajectories import PARTS, attempt_id, head_json, rows_of, whole


class Repository(Sessions):
    """The store's front door. Each method is one transaction; none leaves a half record.

    Raises StoreError where something could not be kept or found.
    """

    # Runs

    def add_run(self, spec: RunSpec) -> None:
        """Keep what was asked for."""
        with self.writing(f"run {spec.id} is stored already") as session:
            session.add(
                RunRow(id=spec.id, created_at=spec.created_at.isoformat(), body=to_json(spec))
            )

    def amend_run(self, spec: RunSpec) -> None:
        """Keep what was allowed or changed of a run after it had begun."""
        with self.writing() as session:
            row = session.get(RunRow, spec.id)
            if row is None:
                raise StoreError(f"no run {spec.id} in {self.path}")
            row.body = to_json(spec)

    def runs(self) -> list[RunSpec]:
        """Every run, the oldest first."""
        with self.reading() as session:
            bodies = session.scalars(select(RunRow.body).order_by(RunRow.created_at, RunRow.id))
            return [RunSpec.model_validate_json(body) for body in bodies]

    def run(self, name: str) -> RunSpec:
        """By id, by a unique prefix of it, or 'last'."""
        if (exact := self.run_of_id(name)) is not None:
            return exact
        runs = self.runs()
        if not runs:
            raise UsageError(
                f"no run {name!r}: there are no runs here yet; see it work: {typed('demo')}"
            )
        if name == "last":
            return runs[-1]
        found = [run for run in runs if run.id.startswith(name)]
        if len(found) > 1:
            listed = ", ".join(run.id for run in found)
            raise UsageError(f"{name!r} begins the ids of {len(found)} runs: {listed}")
        if not found:
            raise UnknownNameError("run", name, [run.id for run in runs])
        return found[0]

    def run_of_id(self, run_id: str) -> RunSpec | None:
        """The run of exactly this id, however many others there are."""
        with self.reading() as session:
            row = session.get(RunRow, run_id)
            return None if row is None else RunSpec.model_validate_json(row.body)

    def run_ids(self) -> list[str]:
        """The ids alone of every run."""
        with self.reading() as session:
            return list(session.scalars(select(RunRow.id)))

    def delete_run(self, run_id: str) -> None:
        """Forget a run and all that hangs on it, the rankings that name it among it."""
        with self.writing() as session:
            row = session.get(RunRow, run_id)
            if row is None:
                raise StoreError(f"no run {run_id} in {self.path}")
            named = func.json_each(RankingRow.body, "$.run_ids").table_valued("value")
            theirs = exists().where(named.c.value == run_id)
            session.execute(delete(RankingRow).where(theirs))
            session.delete(row)

    # Trajectories

    def start_trajectory(self, draft: Trajectory) -> Trajectory:
        """Begin the next attempt at (entity, trial); the store gives its id and number."""
        with self.writing() as session:
            key = {"run_id": draft.run_id, "entity_id": draft.entity_id, "trial": draft.trial}
            last = session.scalar(select(func.max(TrajectoryRow.attempt)).filter_by(**key))
            attempt = (last or 0) + 1
            name = attempt_id(draft.run_id, draft.entity_id, draft.trial, attempt)
            started = draft.model_copy(
                update={"id": name, "attempt": attempt, **dict.fromkeys(PARTS, ())}
            )
            session.add(TrajectoryRow(id=name, attempt=attempt, **key, body=head_json(started)))
            return started

    def add_turn(self, trajectory_id: str, turn: Turn) -> None:
        """Keep a turn as it ends. An attempt that has ended takes no more."""
        with self.writing(f"turn {turn.index} of {trajectory_id} is stored already") as session:
            values = {"mine": trajectory_id, "turn": turn.index, "body": to_json(turn)}
            self._add_to_open(session, _ADD_TURN, values)

    def set_preamble(self, trajectory_id: str, preamble: Preamble) -> None:
        """Keep what the agent was sent before its first turn."""
        with self.writing() as session:
            row = self._open_attempt(session, trajectory_id)
            head = Trajectory.model_validate_json(row.body)
            row.body = head_json(head.model_copy(update={"preamble": preamble}))

    def add_nudge(self, trajectory_id: str, nudge: Nudge) -> None:
        """Keep a nudge as it comes; their order is kept."""
        with self.writing() as session:
            self._add_to_open(session, _ADD_NUDGE, {"mine": trajectory_id, "body": to_json(nudge)})

    def add_failed_call(self, trajectory_id: str, call: ModelCall) -> None:
        """Keep a model call that brought an error in place of a reply."""
        with self.writing() as session:
            row = self._open_attempt(session, trajectory_id)
            head = Trajectory.model_validate_json(row.body)
            failed = (*head.failed_calls, call)
            row.body = head_json(head.model_copy(update={"failed_calls": failed}))

    def add_insight(self, insight: Insight) -> None:
        """Keep an insight as it comes; their order is kept."""
        mine = insight.trajectory_id
        with self.writing(f"insight {insight.id} is stored already") as session:
            values = {"mine": mine, "id": insight.id, "body": to_json(insight)}
            self._add_to_open(session, _ADD_INSIGHT, values)

    def add_late_insight(self, insight: Insight) -> None:
        """Keep an insight that was asked for after its attempt had ended; its id is given here."""
        mine = insight.trajectory_id
        with self.writing() as session:
            count = select(func.count()).select_from(InsightRow).filter_by(trajectory_id=mine)
            name = f"{mine}.i{(session.scalar(count) or 0) + 1}"
            body = to_json(insight.model_copy(update={"id": name}))
            values = {"mine": mine, "id": name, "body": body}
            session.connection().execute(_ADD_LATE_INSIGHT, values)

    def end_trajectory(
        self,
        trajectory_id: str,
        stop_reason: StopReason,
        *,
        ended_at: datetime,
        error: str | None = None,
        report_forced: bool = False,
    ) -> None:
        """Say why it ended; once."""
        with self.writing() as session:
            row = self._open_attempt(session, trajectory_id)
            ended = Trajectory.model_validate_json(row.body).model_copy(
                update={
                    "stop_reason": stop_reason,
                    "ended_at": ended_at,
                    "error": error,
                    "report_forced": report_forced,
                }
            )
            row.stop_reason, row.body = stop_reason.value, head_json(ended)

    def heads(self, run_id: str) -> list[Trajectory]:
        """Every attempt of a run without its turns and insights: cheap, for lists."""
        with self.reading() as session:
            return [Trajectory.model_validate_json(row.body) for row in rows_of(session, run_id)]

    def head(self, trajectory_id: str) -> Trajectory:
        """One attempt without its turns and insights."""
        with self.reading() as session:
            row = session.get(TrajectoryRow, trajectory_id)
            if row is None:
                raise StoreError(f"no trajectory {trajectory_id} in {self.path}")
            return Trajectory.model_validate_json(row.body)

    def turns_stored(self, run_id: str) -> int:
        """How many turns all attempts of a run have, without reading them."""
        mine = select(TrajectoryRow.id).filter_by(run_id=run_id)
        query = select(func.count()).select_from(TurnRow).where(TurnRow.trajectory_id.in_(mine))
        outside = (
            select(CallRow.trajectory_id, CallRow.turn)
            .distinct()
            .where(CallRow.trajectory_id.in_(mine), CallRow.turn.is_not(None))
        )
        theirs = select(func.count()).select_from(outside.subquery())
        with self.reading() as session:
            return (session.scalar(query) or 0) + (session.scalar(theirs) or 0)

    def calls(self, run_id: str) -> list[ModelCall]:
        """Every model call of all attempts of a run, without reading what was said."""
        mine = select(TrajectoryRow.id).filter_by(run_id=run_id)
        found: list[ModelCall] = []
        with self.reading() as session:
            for table in (TurnRow, NudgeRow, InsightRow):
                call = func.json_extract(table.body, "$.call")
                query = select(call).where(table.trajectory_id.in_(mine), call.is_not(None))
                found += (ModelCall.model_validate_json(text) for text in session.scalars(query))
            return [*found, *failed_calls(session, run_id)]

    def all_attempts(self, run_id: str) -> list[Trajectory]:
        """Every attempt of a run, in order of entity, trial and attempt."""
        with self.reading() as session:
            return [whole(session, row) for row in rows_of(session, run_id)]

    def trajectories(self, run_id: str) -> list[Trajectory]:
        """For each (entity, trial) the one attempt that counts."""
        with self.reading() as session:
            rows = {row.id: row for row in rows_of(session, run_id)}
            heads = [Trajectory.model_validate_json(row.body) for row in rows.values()]
            return [whole(session, rows[head.id]) for head in counting(heads)]

    def trajectory(self, trajectory_id: str) -> Trajectory:
        """One attempt, whole."""
        with self.reading() as session:
            row = session.get(TrajectoryRow, trajectory_id)
            if row is None:
                raise StoreError(f"no trajectory {trajectory_id} in {self.path}")
            return whole(session, row)

    # Evaluations

    def add_evaluation(self, evaluation: Evaluation) -> None:
        """Keep an evaluation beside the older ones of its run."""
        with self.writing(f"evaluation {evaluation.id} is stored already") as session:
            last = session.scalar(
                select(func.max(EvaluationRow.position)).filter_by(run_id=evaluation.run_id)
            )
            session.add(
                EvaluationRow(
                    id=evaluation.id,
                    run_id=evaluation.run_id,
                    position=(last or 0) + 1,
                    body=to_json(evaluation),
                )
            )

    def evaluations(self, run_id: str) -> list[Evaluation]:
        """Every evaluation of a run, the oldest first."""
        query = select(EvaluationRow.body).filter_by(run_id=run_id).order_by(EvaluationRow.position)
        with self.reading() as session:
            return [Evaluation.model_validate_json(body) for body in session.scalars(query)]

    def add_verdicts(self, verdicts: Iterable[Verdict]) -> None:
        """Keep verdicts, all or none. One per (evaluation, item, trajectory, level)."""
        rows = [
            {
                "evaluation_id": verdict.evaluation_id,
                "item_id": verdict.item_id,
                "trajectory_id": verdict.trajectory_id,
                "level": verdict.level,
                "body": to_json(verdict),
            }
            for verdict in verdicts
        ]
        if rows:
            twice = "a verdict on the same item, trajectory and level is stored"
            with self.writing(twice) as session:
                session.connection().execute(_ADD_VERDICT, rows)

    def replace_verdict(self, verdict: Verdict) -> None:
        """Keep a verdict in the place of the one on the same item, trajectory and level."""
        key = (verdict.evaluation_id, verdict.item_id, verdict.trajectory_id, verdict.level)
        with self.writing() as session:
            row = session.get(VerdictRow, key)
            if row is None:
                raise StoreError(f"no verdict on {verdict.item_id} in {verdict.evaluation_id}")
            row.body = to_json(verdict)

    def verdicts(self, evaluation_id: str) -> list[Verdict]:
        """Every verdict of an evaluation, in order of trajectory, item and level."""
        query = (
            select(VerdictRow.body)
            .filter_by(evaluation_id=evaluation_id)
            .order_by(VerdictRow.trajectory_id, VerdictRow.item_id, VerdictRow.level)
        )
        with self.reading() as session:
            return [Verdict.model_validate_json(body) for body in session.scalars(query)]

    def amend_evaluation(self, evaluation: Evaluation) -> None:
        """Keep what became known of an evaluation while it was made."""
        with self.writing() as session:
            row = session.get(EvaluationRow, evaluation.id)
            if row is None:
                raise StoreError(f"no evaluation {evaluation.id} in {self.path}")
            row.body = to_json(evaluation)

    def reprice(self, run_id: str, price: Callable[[ModelCall], ModelCall]) -> list[ModelCall]:
        """Replace every model call of a run, its verdicts' included, all or none; the new calls."""
        with self.writing() as session:
            return repriced(session, run_id, price)

    def _open_attempt(self, session: Session, trajectory_id: str) -> TrajectoryRow:
        self._refuse_ended(session, trajectory_id)
        return session.get_one(TrajectoryRow, trajectory_id)

    def _add_to_open(self, session: Session, add: Insert, values: Mapping[str, Any]) -> None:
        if not session.connection().execute(add, values).rowcount:
            self._refuse_ended(session, values["mine"])

    def _refuse_ended(self, session: Session, trajectory_id: str) -> None:
        # The reason alone: the row's body holds the preamble, and this is asked at every turn.
        found = session.connection().execute(_STOP_REASON, {"mine": trajectory_id}).one_or_none()
        if found is None:
            raise StoreError(f"no trajectory {trajectory_id} in {self.path}")
        if found.stop_reason is not None:
            raise EndedError(f"trajectory {trajectory_id} has ended ({found.stop_reason})")


# Made once, and run without the ORM: what is written with every turn must cost little.


def _add(kind: type[TurnRow | InsightRow | NudgeRow], *, only_open: bool = True) -> Insert:
    """An INSERT into what a trajectory has; of one that has ended, or is not there, it adds no row."""
    table = kind.metadata.tables[kind.__tablename__]
    mine = bindparam("mine", type_=table.c.trajectory_id.type)
    values: dict[str, ColumnElement[Any]] = {
        column.name: bindparam(column.name, type_=column.type) for column in table.c
    }
    values["trajectory_id"] = mine
    if "position" in values:
        last = select(func.coalesce(func.max(table.c.position), 0) + 1)
        values["position"] = last.where(table.c.trajectory_id == mine).scalar_subquery()
    rows = select(*values.values()).where(TrajectoryRow.id == mine)
    if only_open:
        rows = rows.where(TrajectoryRow.stop_reason.is_(None))
    return insert(table).from_select(list(values), rows)


_ADD_VERDICT = insert(VerdictRow.metadata.tables[VerdictRow.__tablename__])
_ADD_TURN, _ADD_NUDGE, _ADD_INSIGHT = _add(TurnRow), _add(NudgeRow), _add(InsightRow)
_ADD_LATE_INSIGHT = _add(InsightRow, only_open=False)
_STOP_REASON = select(TrajectoryRow.stop_reason).where(TrajectoryRow.id == bindparam("mine"))
