"""A bundle's lines: one record each, with what it belongs to; and the rows that they are in a store."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel

from core.evaluation import Evaluation, Verdict
from core.labels import FormAnswer, PersonLabel, PersonRating
from core.outside import OutsideCall
from core.ranking import Comparison, Ranking
from core.record import Record
from core.run import RunSpec
from core.trajectory import Insight, Nudge, Trajectory, Turn
from evaluator.derivable import Derivation
from evaluator.failing import FailureSaid
from server.store.rankings import key_of
from server.store.records import to_json
from server.store.trajectories import head_json
from server.store.whole_runs import Row

T = TypeVar("T", bound=Record)


class Line(Record, Generic[T]):
    """A record and what it is part of."""

    of: str
    """The id of its run, trajectory, evaluation or ranking."""
    record: T


class SaidLine(Record):
    """What somebody says of a thing; its form goes by its kind."""

    of: str
    """The run's id."""
    kind: str
    subject: str
    said_by: str
    record: dict[str, Any]


JUDGEMENTS: Final[dict[str, type[Record]]] = {
    "label": PersonLabel,
    "rating": PersonRating,
    "failure": FailureSaid,
    "hallucination": Derivation,
    "form": FormAnswer,
}
"""Kind of a judgement -> what it is."""
FORMS: Final[dict[str, type[BaseModel]]] = {
    "run": Line[RunSpec],
    "trajectories": Line[Trajectory],
    "calls": Line[OutsideCall],
    "turns": Line[Turn],
    "nudges": Line[Nudge],
    "insights": Line[Insight],
    "evaluations": Line[Evaluation],
    "verdicts": Line[Verdict],
    "judgements": SaidLine,
    "rankings": Line[Ranking],
    "comparisons": Line[Comparison],
}
"""File of a bundle -> what a line of it is."""


def line_of(of: str, body: str) -> str:
    """A line of a record's JSON."""
    return f'{{"of":{json.dumps(of)},"record":{body}}}\n'


def said_line(of: str, row: Row, body: str) -> str:
    """A line of a judgement: kind, run, subject and who said it, as they stand in the store."""
    kind, _, subject, said_by = row[:4]
    told = {"of": of, "kind": kind, "subject": subject, "said_by": said_by}
    return f'{json.dumps(told)[:-1]},"record":{body}}}\n'


@dataclass
class Placing:
    """Gives each record its row: the columns by which a store finds it, then its JSON.

    What has a place among others of its parent gets it in the order of the lines.
    """

    last: dict[tuple[str, str], int]

    def row(self, part: str, line: Any) -> Row:
        """The row of a line of one of a bundle's files."""
        of, record = line.of, line.record
        match part:
            case "run":
                return (record.id, record.created_at.isoformat(), to_json(record))
            case "trajectories":
                stop = record.stop_reason.value if record.stop_reason else None
                key = (record.id, record.run_id, record.entity_id, record.trial, record.attempt)
                return (*key, stop, head_json(record))
            case "calls":
                began = record.started_at.timestamp()
                return (of, record.position, record.turn, began, to_json(record))
            case "turns":
                return (of, record.index, to_json(record))
            case "nudges":
                return (of, self._next(part, of), to_json(record))
            case "insights":
                return (of, self._next(part, of), record.id, to_json(record))
            case "evaluations":
                return (record.id, of, self._next(part, of), to_json(record))
            case "verdicts":
                said_of = (of, record.item_id, record.trajectory_id, record.level)
                return (*said_of, to_json(record))
            case "judgements":
                said = JUDGEMENTS[line.kind].model_validate(record)
                return (line.kind, of, line.subject, line.said_by, to_json(said))
            case "rankings":
                return (record.id, record.created_at.isoformat(), to_json(record))
            case _:
                return (of, key_of(record), to_json(record))

    def _next(self, part: str, of: str) -> int:
        self.last[part, of] = self.last.get((part, of), 0) + 1
        return self.last[part, of]
