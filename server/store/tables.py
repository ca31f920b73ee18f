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
