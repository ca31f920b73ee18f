"""The store's tables as SQLAlchemy sees them; migrations/ makes them."""

from __future__ import annotations

from sqlalchemy import ForeignKey
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """The root of the mapped classes."""


class RunRow(Base):
    """A RunSpec."""

    __tablename__ = "runs"
    id: Mapped[str] = mapped_column(primary_key=True)
    created_at: Mapped[str]
    body: Mapped[str]


class TrajectoryRow(Base):
    """A Trajectory without its turns, nudges and insights."""

    __tablename__ = "trajectories"
    id: Mapped[str] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    entity_id: Mapped[str]
    trial: Mapped[int]
    attempt: Mapped[int]
    stop_reason: Mapped[str | None]
    body: Mapped[str]


class TurnRow(Base):
    """A Turn."""

    __tablename__ = "turns"
    trajectory_id: Mapped[str] = mapped_column(ForeignKey("trajectories.id"), primary_key=True)
    turn: Mapped[int] = mapped_column(primary_key=True)
    body: Mapped[str]


class InsightRow(Base):
    """An Insight, at its place among its trajectory's."""

    __tablename__ = "insights"
    trajectory_id: Mapped[str] = mapped_column(ForeignKey("trajectories.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str]
    body: Mapped[str]


class NudgeRow(Base):
    """A Nudge, at its place among its trajectory's."""

    __tablename__ = "nudges"
    trajectory_id: Mapped[str] = mapped_column(ForeignKey("trajectories.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    body: Mapped[str]


class FigureRow(Base):
    """A picture that a Python cell drew."""

    __tablename__ = "figures"
    trajectory_id: Mapped[str] = mapped_column(ForeignKey("trajectories.id"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    answer: Mapped[str]
    png: Mapped[bytes]


class EvaluationRow(Base):
    """An Evaluation, at its place among its run's."""

    __tablename__ = "evaluations"
    id: Mapped[str] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    position: Mapped[int]
    body: Mapped[str]


class VerdictRow(Base):
    """A Verdict."""

    __tablename__ = "verdicts"
    evaluation_id: Mapped[str] = mapped_column(ForeignKey("evaluations.id"), primary_key=True)
    item_id: Mapped[str] = mapped_column(primary_key=True)
    trajectory_id: Mapped[str] = mapped_column(ForeignKey("trajectories.id"), primary_key=True)
    level: Mapped[str] = mapped_column(primary_key=True)
    body: Mapped[str]


class SeatRow(Base):
    """A Seat, at its place among its run's, and how far it is."""

    __tablename__ = "seats"
    path: Mapped[str] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    position: Mapped[int]
    token_hash: Mapped[str]
    place: Mapped[int]
    trajectory_id: Mapped[str | None] = mapped_column(ForeignKey("trajectories.id"))
    heard_at: Mapped[float | None]
    is_closed: Mapped[bool]
    bytes: Mapped[int] = mapped_column(server_default="0")
    body: Mapped[str]


class CallRow(Base):
    """An OutsideCall, and the process that works on it."""

    __tablename__ = "calls"
    trajectory_id: Mapped[str] = mapped_column(ForeignKey("trajectories.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    turn: Mapped[int | None]
    worker: Mapped[str | None]
    started_at: Mapped[float]
    body: Mapped[str]


class ContactRow(Base):
    """A Contact at one seat, while one of its keys was explored."""

    __tablename__ = "contacts"
    path: Mapped[str] = mapped_column(ForeignKey("seats.path"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    method: Mapped[str] = mapped_column(primary_key=True)
    client: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]
    first_at: Mapped[float]
    last_at: Mapped[float]


class CancelRow(Base):
    """A client's word that it no longer waits for an answer; any worker may have heard it."""

    __tablename__ = "cancels"
    path: Mapped[str] = mapped_column(primary_key=True)
    request_id: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[float]


class TokenRow(Base):
    """A token for people and harnesses."""

    __tablename__ = "tokens"
    id: Mapped[str] = mapped_column(primary_key=True)
    token_hash: Mapped[str]
    body: Mapped[str]


class AnswerRow(Base):
    """A reply of a judge, by what it was asked."""

    __tablename__ = "answers"
    key: Mapped[str] = mapped_column(primary_key=True)
    body: Mapped[str]


class CalibrationRow(Base):
    """A Calibration."""

    __tablename__ = "calibrations"
    id: Mapped[str] = mapped_column(primary_key=True)
    created_at: Mapped[str]
    body: Mapped[str]


class RankingRow(Base):
    """A Ranking."""

    __tablename__ = "rankings"
    id: Mapped[str] = mapped_column(primary_key=True)
    created_at: Mapped[str]
    body: Mapped[str]


class ComparisonRow(Base):
    """A Comparison of a ranking."""

    __tablename__ = "comparisons"
    ranking_id: Mapped[str] = mapped_column(ForeignKey("rankings.id"), primary_key=True)
    pair: Mapped[str] = mapped_column(primary_key=True)
    body: Mapped[str]


class JudgementRow(Base):
    """What somebody says of one thing in a run, beyond verdicts."""

    __tablename__ = "judgements"
    kind: Mapped[str] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    said_by: Mapped[str] = mapped_column(primary_key=True)
    body: Mapped[str]


class RevisionRow(Base):
    """How often the records of a run or a ranking have changed; triggers count it."""

    __tablename__ = "revisions"
    subject: Mapped[str] = mapped_column(primary_key=True)
    revision: Mapped[int]


class StandingRow(Base):
    """What the records of a run or a ranking came to at one revision. Derived: may be deleted."""

    __tablename__ = "standings"
    subject: Mapped[str] = mapped_column(primary_key=True)
    revision: Mapped[int]
    formula: Mapped[str]
    body: Mapped[str]
