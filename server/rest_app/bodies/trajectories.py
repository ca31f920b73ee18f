"""Bodies about trajectories, and about what somebody reports of one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from core.contact import Met
from core.trajectory import Trajectory, Usage
from server.rest_app.bodies.base import RUN_ID, TIME, Body, EntityId, Name, shown


class TrajectoryLine(Body):
    """One trajectory of a run, in a line."""

    trajectory: str
    entity: str
    trial: int
    attempt: int
    stop_reason: str | None
    """null while it goes on."""
    started_at: datetime
    ended_at: datetime | None
    client: str | None
    """As it introduced itself."""
    reported_agent: str | None
    reported_model: str | None
    reported_usage: Usage | None


class TrajectoryPage(Body):
    """The trajectories of a run that count, in order of entity and trial."""

    model_config = shown(
        {
            "trajectories": [
                {
                    "trajectory": f"{RUN_ID}.03.1.1",
                    "entity": "03",
                    "trial": 1,
                    "attempt": 1,
                    "stop_reason": "finished",
                    "started_at": TIME,
                    "ended_at": TIME,
                    "client": "opencode 1.18.33",
                    "reported_agent": "my-agent 2",
                    "reported_model": None,
                    "reported_usage": None,
                }
            ],
            "next": None,
        }
    )

    trajectories: list[TrajectoryLine]
    next: str | None


class WholeTrajectory(Body):
    """A trajectory, some turns at a time."""

    model_config = shown(
        {
            "trajectory": {
                "id": f"{RUN_ID}.03.1.1",
                "run_id": RUN_ID,
                "scenario_id": "flights",
                "scenario_fingerprint": "f00d",
                "entity_id": "03",
                "agent": "my-agent 2",
                "stop_reason": "finished",
                "started_at": TIME,
                "turns": [],
                "insights": [],
            },
            "contact": {"stage": "calls", "calls": 9, "explored": 5},
            "next_turn": None,
        }
    )

    trajectory: Trajectory
    contact: Met | None
    """What was heard of the agent, calls that explored nothing too; null for one of the server's own."""
    next_turn: int | None
    """Give it as `first_turn` for the next ones; null where these were the last."""


class Reported(Body):
    """What somebody says that one trajectory took."""

    entity: EntityId
    trial: int = Field(default=1, ge=1)
    usage: dict[str, Any] | None = None
    """input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens,
    cost_usd; what is left out stays unknown."""
    agent: Name | None = None
    model: Name | None = None


class Reports(Body):
    """All are kept, or none."""

    model_config = shown(
        {
            "reports": [
                {
                    "entity": "03",
                    "trial": 1,
                    "model": "provider/model",
                    "usage": {"input_tokens": 81200, "output_tokens": 5100, "cost_usd": 0.31},
                }
            ]
        }
    )

    reports: Annotated[list[Reported], Field(min_length=1, max_length=10_000)]


class Kept(Body):
    """How many were kept."""

    model_config = shown({"kept": 1})

    kept: int
