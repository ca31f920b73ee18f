"""What was asked for: a run's specification and its limits."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from core.record import Record, UtcTime
from core.scenario import Goal


class Limits(Record):
    """When a trajectory is ended from outside; None = unlimited."""

    max_turns: int | None = Field(default=None, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_cost_usd: float | None = Field(default=None, gt=0)
    max_seconds: float | None = Field(default=None, gt=0)
    max_idle_turns: int = Field(default=3, ge=1)


class ModelSpec(Record):
    """Which language model, and how it is asked."""

    provider: str
    name: str
    base_url: str | None = None
    sampling: dict[str, Any] = Field(default_factory=dict)
    attributes: dict[str, str] = Field(default_factory=dict)


class RunSpec(Record):
    """One run: who explores which entities of which scenario, under what rules."""

    id: str
    scenario_id: str
    scenario_fingerprint: str
    entity_ids: tuple[str, ...] = Field(min_length=1)
    agent: str
    model: ModelSpec | None = None
    tools: Literal["sql", "python", "both"] = "both"
    sandbox: str = "bubblewrap"
    """What was asked to hold Python, by its name; how it was held stands with each trajectory."""
    protocol: Literal["default", "ddr"] = "default"
    goal: Goal = "none"
    """What the agent is told that it is to find out."""
    prompts_hash: str | None = None
    limits: Limits = Limits()
    trials: int = Field(default=1, ge=1)
    concurrency: int = Field(default=1, ge=1)
    budget_usd: float | None = None
    seed: int = 0
    insight_model: ModelSpec | None = None
    """None = the same model as the agent's."""
    insights: Literal["per-turn", "later", "none"] = "per-turn"
    """When the message-wise insights are asked for."""
    final_report: Literal["ask", "none"] = "ask"
    """Whether an exploration that did not choose its end is asked for its report."""
    price_table_hash: str | None = None
    """Of the prices that were given; None = litellm's own, or none."""
    endpoint_allowed: str | None = None
    """Why restricted data may go to an endpoint off this machine; None = it may not."""
    created_at: UtcTime
