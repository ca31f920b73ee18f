"""Small records that the evaluator's tests are made of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import settings

from core.checklist import ChecklistItem, Magnitude, Signals
from core.evaluation import Label, Level, Verdict
from core.scenario import Entity
from core.trajectory import Insight, Preamble, StopReason, Trajectory

STEADY = settings(deadline=None, derandomize=True)
"""The same examples on every machine, however slow it is."""

MOMENT = datetime(2026, 1, 5, 12, tzinfo=UTC)


def entity(entity_id: str, label: str | None = None, *, cluster_id: str | None = None) -> Entity:
    """An entity of a made-up scenario."""
    return Entity(scenario_id="s", id=entity_id, label=label or entity_id, cluster_id=cluster_id)


def item(
    item_id: str,
    entity_id: str = "03",
    signals: Signals | None = None,
    *,
    category: str = "a",
    difficulty: str = "easy",
) -> ChecklistItem:
    """A checklist item; without signals unless some are given."""
    return ChecklistItem.model_validate(
        {
            "id": item_id,
            "entity_id": entity_id,
            "question": "What?",
            "answer": "That.",
            "category": category,
            "difficulty": difficulty,
            "source": "test",
            "signals": signals,
        }
    )


def mean_delay(value: float = 20.0, unit: str = "min") -> Signals:
    """The plainest fact: an entity's mean departure delay."""
    return Signals(
        metric=("@flights.departure_delay_min",),
        kind="level",
        statistic="mean",
        magnitude=Magnitude(value=value, unit=unit),
        required=("magnitude",),
    )


def trajectory(
    entity_id: str = "03",
    *,
    messages: Sequence[tuple[int, str | None]] = (),
    report: str | None = None,
    stop_reason: StopReason | None = StopReason.FINISHED,
    trial: int = 1,
    attempt: int = 1,
    start_prompt: str | None = None,
) -> Trajectory:
    """A trajectory that handed in these insights."""
    trajectory_id = f"t-{entity_id}-{trial}-{attempt}"
    insights = [
        Insight(
            id=f"{trajectory_id}-m{turn}",
            trajectory_id=trajectory_id,
            level="message",
            turn=turn,
            text=text,
            author="profiler",
        )
        for turn, text in messages
    ]
    if report is not None:
        insights.append(
            Insight(
                id=f"{trajectory_id}-report",
                trajectory_id=trajectory_id,
                level="trajectory",
                text=report,
                author="profiler",
            )
        )
    return Trajectory(
        id=trajectory_id,
        run_id="r",
        scenario_id="s",
        scenario_fingerprint="f",
        entity_id=entity_id,
        trial=trial,
        attempt=attempt,
        agent="profiler",
        preamble=Preamble(start_prompt=start_prompt) if start_prompt else None,
        insights=tuple(insights),
        stop_reason=stop_reason,
        started_at=MOMENT,
    )


def verdict(
    item_id: str,
    label: Label | None,
    *,
    trajectory_id: str = "t-03-1-1",
    level: Level = "message",
    evaluation_id: str = "e",
    unscored_reason: str | None = None,
) -> Verdict:
    """A verdict with nothing but its label."""
    return Verdict(
        evaluation_id=evaluation_id,
        item_id=item_id,
        trajectory_id=trajectory_id,
        level=level,
        label=label,
        unscored_reason=unscored_reason,
    )
